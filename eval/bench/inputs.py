"""Made inputs for the bench: about the size asked for, deterministic, one a kind."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import NamedTuple

from tokenjuice_ml import Settings

QUIET = Settings(savings_enabled=False)


class Case(NamedTuple):
    """An input with its hints and the most CPU ms for 100 KB (DESIGN: budgets)."""

    name: str
    make: Callable[[int], str]
    hints: dict[str, object]
    budget_ms: float


def log(size: int) -> str:
    """A CI log without a rule: steps, warnings, one error in the middle."""
    dice = random.Random(1)
    steps = ("resolving", "compiling", "linking", "packing", "copying", "checking")
    lines = [
        f"2026-03-14T09:{dice.randrange(60):02d}:{dice.randrange(60):02d}Z [worker-{dice.randrange(8)}] "
        f"{dice.choice(steps)} module-{dice.randrange(900)} in {dice.randrange(900)} ms"
        for _ in range(max(8, size // 72))
    ]
    lines[len(lines) // 3] = "warning: config key 'cache.dir' is deprecated"
    lines[len(lines) // 2] = "error: cannot open shared object file libfoo.so.2: No such file or directory"
    return "\n".join(lines)


def diff(size: int) -> str:
    """A unified diff over many files."""
    dice = random.Random(2)
    parts = []
    total = 0
    while total < size:
        name = f"src/mod_{dice.randrange(999)}.py"
        body = [
            f"diff --git a/{name} b/{name}",
            "index 1a2b3c4..5d6e7f8 100644",
            f"--- a/{name}",
            f"+++ b/{name}",
        ]
        for hunk in range(3):
            at = hunk * 80 + 10
            body.append(f"@@ -{at},9 +{at},9 @@ def step_{hunk}(state):")
            body += [f"     value_{row} = compute(state, {row})" for row in range(4)]
            body += [f"-    return value_{dice.randrange(99)}", f"+    return value_{dice.randrange(99)} + 1"]
            body += [f"     # trailing context {row}" for row in range(4)]
        parts.append("\n".join(body))
        total += len(parts[-1])
    return "\n".join(parts)


def pytest_output(size: int) -> str:
    """`pytest -v` with two failures."""
    count = max(20, size // 64)
    rows = [
        f"tests/test_shop_{n % 40:02d}.py::test_case_{n:05d} PASSED{'':20s}[{100 * n // count:3d}%]"
        for n in range(count)
    ]
    rows[count // 2] = f"tests/test_shop_07.py::test_total FAILED{'':24s}[ 50%]"
    failure = (
        "=================================== FAILURES ===================================\n"
        "__________________________________ test_total __________________________________\n\n"
        "    def test_total():\n>       assert total([1, 2]) == 4\nE       assert 3 == 4\n"
        "E        +  where 3 = total([1, 2])\n\ntests/test_shop_07.py:12: AssertionError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_shop_07.py::test_total - assert 3 == 4\n"
    )
    head = "============================= test session starts ==============================\n"
    return (
        head
        + "\n".join(rows)
        + "\n"
        + failure
        + f"=================== 1 failed, {count - 1} passed in 3.21s ==================="
    )


def search(size: int) -> str:
    """`rg -n` over many files."""
    dice = random.Random(4)
    rows = [
        f"src/pkg_{number // 40:03d}/handler.py:{number % 40 * 7 + 3}:    result = "
        f"fetch_total(order_{dice.randrange(999)}, strict=True)"
        for number in range(max(10, size // 78))
    ]
    return "\n".join(rows)


def rows_json(size: int) -> str:
    """An API answer: an array of records, two of them unusual."""
    dice = random.Random(5)
    rows = [
        {
            "id": n,
            "status": "ok",
            "region": dice.choice(["eu", "us"]),
            "amount": dice.randrange(10_000),
            "note": "none",
        }
        for n in range(max(5, size // 80))
    ]
    rows[len(rows) // 2] |= {"status": "failed", "note": "insufficient funds"}
    return json.dumps({"object": "list", "data": rows}, indent=1)


def cjk(size: int) -> str:
    """A log whose messages are Chinese."""
    dice = random.Random(6)
    words = ("正在下载", "已完成", "连接到数据库", "处理订单", "写入缓存", "等待响应")
    rows = [
        f"[{n}] {dice.choice(words)} 编号{dice.randrange(9999)} 用时{dice.randrange(99)}毫秒"
        for n in range(max(6, size // 52))
    ]
    rows[len(rows) // 2] = "[错误] 无法连接到数据库 db-primary:5432: 连接被拒绝 (ERROR 2003)"
    return "\n".join(rows)


def code(size: int) -> str:
    """A Python module."""
    parts = ['"""A module."""\n\nimport os\nimport sys\n']
    number = 0
    while sum(map(len, parts)) < size:
        body = "\n".join(
            f"        value_{row} = self.cache.get(key_{row}, {row}) or compute({row})" for row in range(14)
        )
        parts.append(
            f"\nclass Handler{number}:\n    def handle(self, request):\n        # step {number}\n{body}\n        return value_0\n"
        )
        number += 1
        if number % 200 == 0:
            parts = ["".join(parts)]
    return "".join(parts)


def html_list(size: int) -> str:
    """An index page: many links, little text."""
    rows = "".join(
        f'<li class="item"><a href="/threads/{n}" data-id="{n}">Question {n} about upgrading</a> <span>{n % 40} replies</span></li>\n'
        for n in range(max(5, size // 110))
    )
    return f"<!doctype html><html><head><title>Forum</title></head><body><h1>Threads</h1><ul>{rows}</ul></body></html>"


def article(size: int) -> str:
    """An article page."""
    para = "<p>The upgrade changes how acknowledgements are stored and needs no downtime, but old nodes must not be upgraded directly. "
    body = "".join(
        f"<h2>Part {n}</h2>{(para + f'Step {n} takes {n + 3} minutes.</p>') * 5}"
        for n in range(max(1, size // 800))
    )
    return f"<!doctype html><html><head><title>Upgrading</title></head><body><nav><a href=/>home</a></nav><article><h1>Upgrading</h1>{body}</article></body></html>"


CASES = (
    Case("log without a rule", log, {"command": "./ci.sh", "exit_code": 1}, 15.0),
    Case("git diff", diff, {"command": "git diff", "exit_code": 0}, 5.0),
    Case("pytest -v", pytest_output, {"command": "pytest -v", "exit_code": 1}, 5.0),
    Case("rg", search, {"command": "rg -n fetch_total", "exit_code": 0}, 5.0),
    Case("JSON", rows_json, {"mime": "application/json"}, 5.0),
    Case("CJK log", cjk, {"command": "./job.sh", "exit_code": 1}, 15.0),
    Case("Python source", code, {"extension": "py", "tool": "read_file"}, 15.0),
    Case("HTML list", html_list, {"mime": "text/html"}, 5.0),
    Case("HTML article", article, {"mime": "text/html"}, 15.0),
)
