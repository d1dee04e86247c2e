"""A fault that other tools of this sort are known for, and the texts in which it would show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tokenjuice_ml.types import Compressed, Kind


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
