"""What other tools of this sort are known to get wrong, each with what must hold here.

One case a fault: a sentence, an input in which the fault would show, and a check of the answer.
Where a whole suite holds a promise already (stores, rules, wrap, saliency), the case here is the
smallest one that shows it through the front door.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.command import identify
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Compressed, Kind, Reason

QUIET = Settings(savings_enabled=False)


@dataclass(frozen=True)
class Fault:
    """A fault of others.

    Attributes:
        says: what must hold.
        text: an output in which the fault would show.
        holds: tells whether the answer is right.
        hints: hints of the call.
    """

    says: str
    text: str
    holds: Callable[[Compressed], bool]
    hints: dict[str, Any] = field(default_factory=dict)


def rows(count: int, line: str) -> str:
    """Returns `count` lines; `{n}` in the line is its number."""
    return "\n".join(line.replace("{n}", str(number)) for number in range(count)) + "\n"


def has(*parts: str) -> Callable[[Compressed], bool]:
    """Returns a check that a text was cut and still shows the parts."""
    return lambda answer: (
        answer.tokens_after < answer.tokens_before and all(part in answer.text for part in parts)
    )


def shows(*parts: str) -> Callable[[Compressed], bool]:
    """Returns a check that an answer shows the parts, cut or not."""
    return lambda answer: all(part in answer.text for part in parts)


def is_kind(kind: Kind) -> Callable[[Compressed], bool]:
    """Returns a check of the detected kind."""
    return lambda answer: answer.kind is kind


def cut(answer: Compressed) -> bool:
    """True when something was saved."""
    return answer.tokens_after < 0.7 * answer.tokens_before


BUILD = rows(300, "[{n}/300] Building C object src/module{n}.c.o")
CI_FAILURE = (
    rows(400, "[ 12%] Building CXX object src/part{n}.cc.o")
    + "src/parse.c:41:7: error: 'width' undeclared (first use in this function)\n"
    + rows(400, "-- installed header number {n}")
    + "make: *** [all] Error 2\n"
)
PEOPLE = [
    {"zeta": n, "alpha": f"name {n}", "price": 1.10, "big": 12345678901234567890 + n, "kind": "a"}
    for n in range(120)
]
PYTHON = '"""Reads settings."""\n\nimport os\n\n' + "\n\n".join(
    f'def read_{n}(path: str) -> str:\n    """Reads part {n}."""\n'
    + "".join(f"    value_{k} = os.path.join(path, '{k}')\n" for k in range(14))
    + "    return value_3"
    for n in range(40)
)
RUST = "use std::fs;\n\n" + "\n\n".join(
    f"/// Part {n}.\npub fn part_{n}(path: &str) -> String {{\n"
    + "".join(f'    let v{k} = format!("{{}}/{k}", path);\n' for k in range(14))
    + "    v3\n}"
    for n in range(40)
)
SQL = rows(120, "CREATE TABLE t{n} (\n  id integer PRIMARY KEY,\n  name text NOT NULL\n);")
SHELL = "#!/bin/sh\nset -e\n" + rows(
    60, 'step_{n}() {\n  echo "step {n}"\n  cp a{n} b{n}\n  cp b{n} c{n}\n  rm a{n}\n}'
)
YAML = "version: 3\nservices:\n" + rows(
    120, '  web{n}:\n    image: web:{n}\n    ports:\n      - "80{n}:80"\n    restart: always'
)
HUNK = "diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n@@ -1,9 +1,9 @@\n" + (
    " same a\n same b\n same c\n same d\n-old {n}\n+new {n}\n same e\n same f\n same g\n same h"
)
PAGE = (
    "<!doctype html><html><head><title>Parts</title><style>p{}</style></head><body><nav>"
    + "".join(f'<a href="/n{n}">Menu {n}</a>' for n in range(40))
    + "</nav><h1>Parts</h1><p>See the <a href='https://example.org/manual'>manual</a>.</p>"
    "<pre>if x:\n    go()\n        deep()</pre><table><tr><th>part</th><th>price</th></tr>"
    + "".join(f"<tr><td>bolt {n}</td><td>{n}.10</td></tr>" for n in range(30))
    + "</table><img src='s.png' alt='status: degraded'><form><input name='q' value='bolts'></form>"
    "<p>Caf&eacute; &hellip; &#8364;5 &Nu;</p></body></html>"
)

ROUTER = [
    Fault("JSON lines are JSON", rows(200, '{"id": {n}, "state": "ok"}'), is_kind(Kind.JSON)),
    Fault(
        "JSON lines are cut",
        rows(300, '{"id": {n}, "state": "ok", "host": "web", "region": "north"}'),
        cut,
        {"extension": "jsonl"},
    ),
    Fault("a clock time is no path:line:", rows(80, "12:30:{n} worker: took a job"), is_kind(Kind.LOG)),
    Fault("one @@ in a log is no diff", f"@@ step @@\n{BUILD}", is_kind(Kind.LOG)),
    Fault(
        "types in angle brackets are no markup",
        rows(60, "  List<String> of{n}(Map<Long, Set<String>> in) { return null; }"),
        lambda answer: answer.kind is not Kind.HTML,
    ),
    Fault("Python is code though it has no braces", PYTHON, is_kind(Kind.CODE)),
    Fault("SQL is code or config, not prose", SQL, is_kind(Kind.CODE)),
    Fault("shell is code, not prose", SHELL, is_kind(Kind.CODE)),
    Fault("YAML is code or config, not prose", YAML, is_kind(Kind.CODE)),
    Fault("a CI log with one error among hundreds of lines is a log", CI_FAILURE, is_kind(Kind.LOG)),
    Fault("CSV is seen as a table", "id,region,state,price\n" + rows(600, "{n},north,ok,1.10"), cut),
    Fault(
        "a level in the line wins over its words",
        rows(300, "2024-01-02 03:04:05 INFO sync {n} done failed=0")
        + "2024-01-02 03:09:05 ERROR sync 300 lost its lease\n"
        + rows(300, "2024-01-02 03:10:05 INFO sync {n} done failed=0"),
        has("sync 300 lost its lease"),
    ),
    Fault(
        "columns keep the order of the keys",
        json.dumps(PEOPLE),
        lambda answer: 0 < answer.text.find("zeta") < answer.text.find("alpha") < answer.text.find("price"),
    ),
    Fault("1.10 and numbers beyond 64 bits stay exact", json.dumps(PEOPLE[:9] * 9).replace("1.1,", "1.10,"),
          has("1.10", "12345678901234567890")),
    Fault(
        "arrays and objects beside the big array stay or are counted",
        json.dumps({"items": PEOPLE, "errors": [{"code": "E7"}], "page": {"next": "abc"}, "tags": ["x1"]}),
        has("E7", "abc", "x1"),
    ),
    Fault(
        "an object without an array of objects is at least minified",
        json.dumps({f"key{n}": {"value": n, "on": True} for n in range(120)}, indent=4),
        lambda answer: answer.tokens_after < 0.75 * answer.tokens_before and "key7" in answer.text,
    ),
    Fault(
        "a clipped cell says how much is missing",
        json.dumps([{"id": n, "text": f"start{n} " + "long words " * 300} for n in range(12)]),
        lambda answer: "start3" in answer.text and "…" in answer.text and cut(answer),
    ),
    Fault(
        "a log of under a hundred lines is cut where it is large",
        rows(60, "Resolving dependency number {n} of the tree at the registry, " + "a b c " * 30)
        + "ERROR: no version of left-pad fits\n",
        has("no version of left-pad fits"),
        {"command": "./ci.sh", "exit_code": 1},
    ),
    Fault(
        "a log without any signal is cut, keeps its end and says that it found none",
        rows(900, "Copied block {n} of the volume") + "The end was reached.\n",
        has("The end was reached.", "no error or warning found"),
        {"command": "./ci.sh", "exit_code": 1},
    ),
    Fault(
        "one error among very many is shown wherever it stands",
        rows(120, "src/a{n}.c:{n}:1: warning: unused variable 'v{n}'")
        + "src/core.c:9:1: error: expected ';' before 'return'\n"
        + rows(120, "src/b{n}.c:{n}:1: warning: unused variable 'v{n}'")
        + "make: *** [core.o] Error 1\n",
        has("src/core.c:9:1: error: expected ';'"),
        {"command": "./ci.sh", "exit_code": 2},
    ),
    Fault(
        "few hits are grouped too, and the path stands once",
        rows(45, "src/very/long/path/to/the/module.py:{n}:    value = read({n})"),
        lambda answer: answer.text.count("src/very/long/path/to/the/module.py") == 1,
        {"tool": "grep"},
    ),
    Fault(
        "a hit in a long line is cut around the match",
        rows(50, "src/a{n}.js:1:" + "x" * 900 + "needle" + "y" * 900),
        lambda answer: "needle" in answer.text and cut(answer),
        {"tool": "grep", "query": "needle"},
    ),
    Fault(
        "context lines of a search stay while there is room",
        "src/a.py-9-before the hit\nsrc/a.py:10:needle here\nsrc/a.py-11-after the hit\n--\n"
        + rows(60, "src/b.py:{n}:needle {n}"),
        shows("before the hit", "after the hit"),
        {"command": "rg -C1 needle", "exit_code": 0},
    ),
    Fault(
        "context of a diff is cut to what hunks need, changed lines stay",
        rows(60, HUNK),
        lambda answer: cut(answer) is not None and "-old 7" in answer.text and "+new 59" in answer.text
        and answer.tokens_after < answer.tokens_before,
    ),
    Fault(
        "removed lines that begin with a dash are no headers",
        rows(60, HUNK) + "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n"
        "--- a comment of the query\n+-- another comment\n same\n",
        shows("--- a comment of the query"),
    ),
    Fault("pages keep link targets, alt texts and form fields", PAGE,
          shows("https://example.org/manual", "status: degraded", "bolts"), {"mime": "text/html"}),
    Fault("code blocks of pages keep their indentation", PAGE, shows("    go()\n        deep()"),
          {"mime": "text/html"}),
    Fault("cells of a table row stay in one row", PAGE,
          lambda answer: any("bolt 7" in line and "7.10" in line for line in answer.text.splitlines()),
          {"mime": "text/html"}),
    Fault("all entities are decoded", PAGE, shows("Café", "…", "€5", "Ν"), {"mime": "text/html"}),
    Fault("a cut page is called lossy", PAGE, lambda answer: answer.lossy and answer.token is not None,
          {"mime": "text/html"}),
    Fault(
        "a folded Python body keeps its indentation",
        PYTHON,
        lambda answer: "def read_7(path: str) -> str:" in answer.text and "\n#" not in answer.text
        and '\n    """Reads part 7.""" …' in answer.text,
        {"extension": "py", "options": {"exact_read_tokens": 0}},
    ),
    Fault("output without a command is cut as well", CI_FAILURE, has("'width' undeclared")),
    Fault(
        "one token an output, not one a gap",
        CI_FAILURE + CI_FAILURE.replace("width", "height"),
        lambda answer: answer.text.count("⟦tj:") == 1,
    ),
    Fault("a token cannot be computed from the content", CI_FAILURE, lambda answer: _is_keyed(answer, CI_FAILURE)),
    Fault("SVG is read, not dropped", '<svg xmlns="http://www.w3.org/2000/svg"><title>Load</title>'
          + "".join(f'<rect x="{n}" y="1" width="3" height="9"/><text>cpu {n}</text>' for n in range(80))
          + "</svg>", has("Load", "cpu 7"), {"extension": "svg"}),
]  # fmt: skip


def _is_keyed(answer: Compressed, text: str) -> bool:
    from hashlib import sha256

    return answer.token is not None and answer.token not in sha256(text.encode()).hexdigest()


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


def _paths_can_be_rebuilt(text: str) -> bool:
    """True when some file of a folder is shown under the folder's whole path, or the list is whole."""
    return "src/part7/file7.py" in text or ("src/" in text and "part7/" in text) or "[…" in text


def answer(fault: Fault) -> Compressed:
    """Returns what is shown for a fault's input."""
    return TokenJuice(QUIET, store=open_store(QUIET)).compress(fault.text, **fault.hints)


@pytest.mark.parametrize("fault", ROUTER, ids=lambda fault: fault.says)
def test_faults_of_routers(fault: Fault) -> None:
    shown = answer(fault)
    assert fault.holds(shown), shown.text[:3000]


@pytest.mark.parametrize("fault", UPSTREAM, ids=lambda fault: fault.says)
def test_faults_of_rule_engines(fault: Fault) -> None:
    shown = answer(fault)
    assert fault.holds(shown), shown.text[:3000]


@pytest.mark.parametrize("fault", [*ROUTER, *UPSTREAM], ids=lambda fault: fault.says)
def test_what_was_cut_is_smaller_and_comes_back(fault: Fault) -> None:
    juice = TokenJuice(QUIET, store=open_store(QUIET))
    shown = juice.compress(fault.text, **fault.hints)
    assert shown.bytes_after <= shown.bytes_before
    assert not shown.lossy or shown.token is not None
    if shown.token:
        assert juice.retrieve(shown.token) == fault.text.encode()
        again = juice.compress(shown.text, **fault.hints)
        assert again.text == shown.text, "what was cut once is not cut again"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("sudo -u app pytest -q", "pytest"),
        ("timeout 60 nice -n 5 cargo test", "cargo"),
        ("env A=1 B='x y' npx jest", "jest"),
        ("uv run pytest", "pytest"),
        ("poetry run mypy src", "mypy"),
        ("python3 -m pytest -q", "pytest"),
        ("bash -lc 'cd app && npm test'", "npm"),
        ("/usr/bin/git status", "git"),
        ("C:\\Tools\\git.exe status", "git"),
        ("(cd x && pytest)", "pytest"),
        ('git commit -m "fix git diff bug"', "git"),
    ],
)
def test_the_program_that_really_ran(command: str, program: str) -> None:
    found = identify(command)
    assert found is not None
    assert found.program == program


@pytest.mark.parametrize(
    ("command", "not_rule"),
    [
        ('git commit -m "fix git diff bug"', "git/diff"),
        ("git checkout -b help", "generic/help"),
        ("rg help src", "generic/help"),
        ("echo pytest", "tests/pytest"),
        ("echo help", "generic/help"),
        ("cat pytest.ini", "tests/pytest"),
        ("pytest | grep FAIL", "tests/pytest"),
    ],
)
def test_words_of_arguments_choose_no_rule(command: str, not_rule: str) -> None:
    shown = TokenJuice(QUIET, store=open_store(QUIET)).compress(BUILD, command=command, exit_code=0)
    assert shown.rule != not_rule


def test_originals_on_disk_are_private(tmp_path) -> None:
    """Modes are set; the file of an original is nobody else's to read."""
    settings = Settings(savings_enabled=False, ccr_dir=str(tmp_path / "kept"))
    TokenJuice(settings, disk=True).compress(CI_FAILURE)
    files = [os.path.join(base, name) for base, _, names in os.walk(tmp_path / "kept") for name in names]
    assert files
    assert all(not stat.S_IMODE(os.stat(path).st_mode) & 0o077 for path in files)


def test_secrets_can_be_masked_before_anything_is_kept() -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    settings = Settings(savings_enabled=False, redact_secrets=True)
    juice = TokenJuice(settings, store=open_store(settings))
    shown = juice.compress(CI_FAILURE + f"token={secret}\n", command="./ci.sh", exit_code=1)
    assert secret not in shown.text
    assert secret.encode() not in juice.retrieve(shown.token)


def test_one_variable_in_the_environment_switches_everything_off(monkeypatch) -> None:
    """Whoever must see raw output says so once, for every surface."""
    monkeypatch.setenv("TOKENJUICE_ROUTER_ENABLED", "0")
    settings = Settings.load()
    shown = TokenJuice(settings, store=open_store(settings)).compress(CI_FAILURE)
    assert shown.text == CI_FAILURE


def test_help_is_an_answer_and_no_error(capfd) -> None:
    """Help goes to standard output, with exit code 0."""
    from tokenjuice_ml.cli import main

    assert main(["--help"]) == 0
    told = capfd.readouterr()
    assert told.out.startswith("usage: tj VERB")
    assert told.err == ""


@pytest.mark.parametrize(
    "name", ["command", "argv", "exit_code", "kind", "mime", "extension", "query", "tool"]
)
def test_each_hint_reaches_the_pipeline(name: str) -> None:
    """A hint that a surface forgets costs the whole saving; an unknown one is an error."""
    from tokenjuice_ml.api import HINTS
    from tokenjuice_ml.errors import RequestError

    assert name in HINTS
    with pytest.raises(RequestError):
        TokenJuice(QUIET, store=open_store(QUIET)).compress("x", **{f"{name}_": "y"})
