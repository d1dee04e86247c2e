"""Tables of events: rows that say the same of another time are told once, with their count."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import pytest

from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import jsonish
from tokenjuice_ml.types import Kind, Reduction

DICE = random.Random(9)
HOSTS = [f"198.51.100.{n}" for n in range(3, 9)]


def clock(n: int) -> str:
    return f"2026-05-04T08:{n // 60 % 60:02d}:{n % 60:02d}Z"


def gate(count: int) -> list[dict[str, Any]]:
    """Attempts to log in, as a proxy writes them."""
    stack = [{"file": f"gate/step{n}.go", "line": 40 + n} for n in range(8)]
    rows = [
        {
            "level": "error",
            "method": "POST",
            "msg": f"attempt by '{DICE.choice(('mara', 'joel', 'ines'))}' failed: wrong word",
            "path": "/api/first",
            "remote": "203.0.113.77",
            "stack": stack,
            "time": clock(n),
        }
        for n in range(count)
    ]
    rows[count // 2] |= {"level": "warning", "msg": "'ines' is locked until 09:10", "path": "/api/state"}
    return rows


def requests(count: int) -> list[dict[str, Any]]:
    """Requests, as a web server writes them."""
    rows = [
        {
            "time_local": f"04/May/2026:10:{n // 60 % 60:02d}:{n % 60:02d} +0000",
            "remote_addr": DICE.choice(HOSTS),
            "request": f"GET {DICE.choice(('/', '/cart', '/items'))} HTTP/1.1",
            "status": DICE.choice(("200", "200", "200", "304")),
            "bytes": str(DICE.randrange(9000)),
            "took": f"{DICE.random() / 10:.3f}",
            "site": DICE.choice(("shop", "shop", "blog")),
        }
        for n in range(count)
    ]
    for n in (count // 2, count // 2 + 1):
        rows[n] |= {"request": "POST /pay HTTP/1.1", "status": "502", "took": "30.001"}
    return rows


def lines_of(rows: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n"


def cut(rows: list[dict[str, Any]]) -> Reduction:
    text = lines_of(rows)
    reduction = jsonish.compress(text, context(text, Kind.JSON, "jsonl"))
    assert reduction is not None
    return reduction


@pytest.mark.parametrize(
    ("rows", "seldom"),
    [(gate(160), "'ines' is locked until 09:10"), (requests(700), 'POST /pay HTTP/1.1,"502"')],
    ids=["gate", "requests"],
)
def test_rows_that_are_alike_are_told_once_and_the_seldom_ones_stay(
    rows: list[dict[str, Any]], seldom: str
) -> None:
    text = cut(rows).text
    table = text.split("\n")[2:]
    bare = [re.sub(r"^\[… [^\]]*\] ", "", line) for line in table]
    assert len(set(bare)) == len(bare)
    assert any(seldom in line for line in bare)
    assert len(text) < 0.2 * len(lines_of(rows))


@pytest.mark.parametrize("rows", [gate(160), requests(700), gate(60)], ids=["gate", "requests", "few"])
def test_each_row_is_shown_or_counted(rows: list[dict[str, Any]]) -> None:
    reduction = cut(rows)
    table = reduction.text.split("\n")[2:]
    counts = [
        int(found[1].replace(",", "")) if (found := re.match(r"\[… ([\d,]+)× #", line)) else 1
        for line in table
    ]
    more = [int(found[1]) for line in table if (found := re.match(r"\[… \d+ more kinds, (\d+)", line))]
    assert sum(counts) - len(more) + sum(more) == len(rows)
    assert sum(gap.lines for gap in reduction.omissions) == len(rows) - len(table) + len(more)


def test_a_lone_row_has_its_time_and_a_kind_its_first_and_last() -> None:
    text = cut(gate(160)).text
    assert f"time={clock(80)}" in text
    assert re.search(r"\[… \d+× #\d+-#\d+(, 2026\S+ to 2026\S+)?\] error,attempt by 'mara'", text)


def test_a_number_far_off_is_a_kind_of_its_own() -> None:
    rows = [row | {"took": 10 + n * 7 % 60} for n, row in enumerate(gate(200))]
    rows[31]["took"] = 30_112
    assert "30112" in next(line for line in cut(rows).text.split("\n")[2:] if f"time={clock(31)}" in line)


def test_things_with_names_are_no_events() -> None:
    rows = [
        {"name": f"pier-{n}", "status": "open" if n % 3 else "shut", "created": clock(n), "kind": "pier"}
        for n in range(400)
    ]
    assert "one of a kind" not in cut([row | {"note": "x" * 60} for row in rows]).text


def test_time_grows_with_the_size_only() -> None:
    def cost(count: int) -> float:
        text = lines_of(requests(count))
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            jsonish.compress(text, context(text, Kind.JSON, "jsonl"))
            best = min(best, time.process_time() - start)
        return best

    assert cost(8_000) < 9 * cost(2_000) + 0.05
