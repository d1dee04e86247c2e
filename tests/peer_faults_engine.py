"""Faults of engines that cut the output of commands by rules."""

from __future__ import annotations

import json

from tests.peer_faults import BUILD, CI_FAILURE, HUNK, PYTHON, Fault, cut, has, rows, shows
from tokenjuice_ml.types import Reason


def _paths_can_be_rebuilt(text: str) -> bool:
    """True when some file of a folder is shown under the folder's whole path, or the list is whole."""
    return "src/part7/file7.py" in text or ("src/" in text and "part7/" in text) or "[…" in text


UPSTREAM = [
    Fault(
        "a command of several commands is not reduced by the rule of the first: the last one's lines stay",
        "On branch main\nnothing to commit, working tree clean\n" + BUILD + "FAILED tests/test_x.py::test_y\n",
        shows("FAILED tests/test_x.py::test_y"),
        {"command": "git status && make && pytest -q", "exit_code": 1},
    ),
    Fault(
        "porcelain output stays exact",
        rows(30, " M src/f{n}.py"),
        lambda answer: answer.text == rows(30, " M src/f{n}.py"),
        {"command": "git status --porcelain", "exit_code": 0},
    ),
    Fault(
        "--raw in the arguments is obeyed",
        CI_FAILURE,
        lambda answer: answer.reason is Reason.BYPASS and answer.text == CI_FAILURE,
        {"arguments_json": '{"command": "./ci.sh", "flags": ["--raw"]}'},
    ),
    Fault(
        "retrieval output is not cut again",
        CI_FAILURE,
        lambda answer: answer.text == CI_FAILURE,
        {"tool": "tokenjuice_retrieve"},
    ),
    Fault(
        "cd in front of a command does not hide it",
        BUILD + "FAILED: src/x.c.o\nsrc/x.c:1:2: error: no\nninja: build stopped: subcommand failed.\n",
        lambda answer: answer.rule == "build/ninja" and cut(answer),
        {"command": "cd build && ninja", "exit_code": 1},
    ),
    Fault(
        "what a command pipes into another or a file is not touched",
        BUILD,
        lambda answer: answer.text == BUILD and answer.reason is Reason.REDIRECTED,
        {"command": "make | tee -a log.txt > copy.txt", "exit_code": 0},
    ),
    Fault(
        "a diff that was cut says so and counts it",
        rows(200, HUNK),
        lambda answer: "[…" in answer.text and answer.omissions != () and "partial view" in answer.text,
        {"command": "git diff", "exit_code": 0},
    ),
    Fault(
        "all lines shown of a cut log are lines of the log",
        CI_FAILURE,
        lambda answer: all(
            line in CI_FAILURE for line in answer.text.splitlines() if not line.startswith(("[…", "[partial"))
        ),
    ),
    Fault(
        "a failing suite is never shown as one that passed",
        rows(200, "tests/test_{n}.py ....") + "worker crashed before the summary\n",
        lambda answer: "worker crashed" in answer.text and "passed" not in answer.text,
        {"command": "pytest -q", "exit_code": 3},
    ),
    Fault(
        "the assertion of a failing test stays with its values",
        "=== FAILURES ===\n___ test_total ___\n\n    def test_total():\n>       assert total([1, 2]) == 4\n"
        "E       assert 3 == 4\nE        +  where 3 = total([1, 2])\n\ntests/test_sum.py:8: AssertionError\n"
        + rows(300, "tests/test_{n}.py ....")
        + "=== short test summary info ===\nFAILED tests/test_sum.py::test_total - assert 3 == 4\n"
        "=== 1 failed, 1200 passed in 3.1s ===\n",
        has("assert 3 == 4", "where 3 = total([1, 2])", "tests/test_sum.py:8", "1 failed, 1200 passed"),
        {"command": "pytest", "exit_code": 1},
    ),
    Fault(
        "JSON values stay values and are not replaced by types",
        json.dumps([{"id": n, "name": f"user{n}", "active": n % 2 == 0} for n in range(9)], indent=2),
        shows("user3", "user8"),
        {"command": "cat users.json | jq .", "exit_code": 0},
    ),
    Fault(
        "letters of several bytes are not cut apart",
        rows(400, "日本語のログ {n} 番目の行です 👩‍👩‍👧‍👦") + "エラー: ファイルが見つかりません\n",
        lambda answer: "エラー: ファイルが見つかりません" in answer.text and "\ufffd" not in answer.text,
        {"command": "./ci.sh", "exit_code": 1},
    ),
    Fault("an empty success stays empty", "", lambda answer: answer.text == "",
          {"command": "pytest -q", "exit_code": 0}),
    Fault(
        "find keeps whole paths, absolute or not",
        rows(150, "src/part{n}/file{n}.py") + rows(20, "./top{n}.py") + "find: './private': Permission denied\n",
        lambda answer: _paths_can_be_rebuilt(answer.text) and "Permission denied" in answer.text,
        {"command": "find src . -name '*.py'", "exit_code": 1},
    ),
    Fault(
        "the note of a cut text is short and names the tool that gives the rest",
        CI_FAILURE,
        lambda answer: "tokenjuice_retrieve" in answer.text.splitlines()[-1] and len(answer.text.splitlines()[-1]) < 120,
    ),
    Fault(
        "a keep list does not depend on the case of letters",
        rows(300, "worker {n} ready") + "ERROR disk is full\nError: retrying\nTimeout after 30 s\n",
        shows("ERROR disk is full", "Error: retrying", "Timeout after 30 s"),
        {"command": "docker logs web", "exit_code": 0},
    ),
    Fault(
        "git show keeps the lines that changed",
        "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@example.org>\nDate:   Mon Jan 1 00:00:00 2024\n\n"
        "    Widen the column\n\n" + rows(60, HUNK),
        shows("Widen the column", "-old 7", "+new 7"),
        {"command": "git show HEAD", "exit_code": 0},
    ),
    Fault(
        "a notice of being up to date does not replace warnings beside it",
        "npm warn deprecated left-pad@1.0.0: use String.padStart\n"
        + rows(120, "npm http fetch GET 200 https://registry.example.org/pkg{n} {n}ms (cache hit)")
        + "up to date, audited 812 packages in 2s\n\n3 high severity vulnerabilities\n",
        shows("left-pad@1.0.0", "3 high severity vulnerabilities", "up to date"),
        {"command": "npm ci", "exit_code": 0},
    ),
    Fault(
        "jest keeps the frame that is the project's own",
        "FAIL src/sum.test.js\n  ● adds\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n"
        "      at Object.<anonymous> (src/sum.test.js:3:18)\n"
        + rows(40, "      at run (node_modules/jest-circus/build/run{n}.js:1:1)")
        + rows(200, "PASS src/ok{n}.test.js") + "Tests:       1 failed, 200 passed, 201 total\n",
        has("src/sum.test.js:3:18", "Expected: 4", "Received: 3", "1 failed"),
        {"command": "npx jest", "exit_code": 1},
    ),
    Fault(
        "passing tests do not fill the view of cargo test",
        rows(400, "test part::case_{n} ... ok") + "test part::width ... FAILED\n\nfailures:\n\n---- part::width stdout ----\n"
        "thread 'part::width' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n"
        "test result: FAILED. 400 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
        lambda answer: answer.text.count("... ok") < 30 and "src/lib.rs:9:5" in answer.text and "left: 1" in answer.text,
        {"command": "cargo test", "exit_code": 101},
    ),
    Fault(
        "what dedupe leaves out is counted",
        rows(300, "retrying the connection") + "gave up: connection refused\n",
        lambda answer: "gave up: connection refused" in answer.text and ("300" in answer.text or "299" in answer.text),
        {"command": "docker logs web", "exit_code": 0},
    ),
    Fault(
        "a lock file in a diff says which version moved",
        "diff --git a/package-lock.json b/package-lock.json\n--- a/package-lock.json\n+++ b/package-lock.json\n"
        "@@ -10,7 +10,7 @@\n     \"node_modules/left-pad\": {\n-      \"version\": \"1.0.0\",\n+      \"version\": \"1.3.0\",\n"
        "       \"license\": \"MIT\"\n" + rows(60, HUNK),
        shows("1.0.0", "1.3.0"),
        {"command": "git diff", "exit_code": 0},
    ),
    Fault(
        "a whole read of a file is exact below its limit",
        PYTHON[:4000],
        lambda answer: answer.text == PYTHON[:4000] and answer.reason is Reason.EXACT_READ,
        {"command": "cat settings.py", "exit_code": 0},
    ),
    Fault(
        "a file named like a tool is not that tool's output",
        rows(200, "key{n} = value{n}"),
        lambda answer: answer.rule is None or not answer.rule.startswith("tests/"),
        {"command": "cat pytest.ini", "exit_code": 0},
    ),
]  # fmt: skip
