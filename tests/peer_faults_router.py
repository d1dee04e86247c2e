"""Faults of routers that choose a compressor by what a text is."""

from __future__ import annotations

import json

from tests.peer_faults import (
    BUILD,
    CI_FAILURE,
    HUNK,
    PAGE,
    PEOPLE,
    PYTHON,
    SHELL,
    SQL,
    YAML,
    Fault,
    cut,
    has,
    is_kind,
    rows,
    shows,
)
from tokenjuice_ml.types import Compressed, Kind


def _is_keyed(answer: Compressed, text: str) -> bool:
    from hashlib import sha256

    return answer.token is not None and answer.token not in sha256(text.encode()).hexdigest()


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
