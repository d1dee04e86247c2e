"""Lists of different sorts of objects: a table for each sort, the seldom ones first."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import pytest

from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import jsonish
from tokenjuice_ml.compressors.jsonish_sorts import sorts_of
from tokenjuice_ml.types import Kind, Reduction


def events(count: int) -> list[dict[str, Any]]:
    """What a monitor of a network writes: alerts, flows, names asked for, figures of its own."""
    dice = random.Random(3)
    rows: list[dict[str, Any]] = []
    for n in range(count):
        sort = "stats" if n == count // 2 else dice.choice(("flow", "flow", "flow", "dns", "alert"))
        row: dict[str, Any] = {
            "timestamp": f"2026-05-04T09:{n // 60 % 60:02d}:{n % 60:02d}+0000",
            "flow_id": dice.randrange(10**15),
            "event_type": sort,
            "src_ip": f"198.51.100.{dice.randrange(5)}",
        }
        if sort == "alert":
            rare = n > count * 0.9 and not any(one.get("alert", {}).get("severity") == 1 for one in rows)
            sign, level = ("path leaves the root", 1) if rare else ("sweep of ports", 3)
            row["alert"] = {"action": "allowed", "signature": sign, "severity": level, "rev": 2}
        elif sort == "flow":
            row["flow"] = {"packets": dice.randrange(20), "bytes": dice.randrange(4000), "state": "closed"}
        elif sort == "dns":
            row["dns"] = {"type": "query", "rrname": dice.choice("abc") + ".example.net"}
        else:
            row["stats"] = {"uptime": 8121, "drops": 17}
        rows.append(row)
    return rows


def cut(rows: list[Any]) -> Reduction:
    text = "\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n"
    reduction = jsonish.compress(text, context(text, Kind.JSON, "jsonl"))
    assert reduction is not None
    return reduction


@pytest.mark.parametrize("count", [120, 400, 1500])
def test_each_sort_is_counted_and_has_a_table(count: int) -> None:
    text = cut(events(count)).text
    head = text.split("\n")[0]
    assert head.startswith(f"[… {count} objects by event_type: ")
    assert sum(int(number) for number in re.findall(r"(\d+) × ", head)) == count
    assert [name for name in ("alert", "flow", "dns", "stats") if f"[event_type={name}]" not in text] == []


@pytest.mark.parametrize("count", [120, 400, 1500])
def test_what_only_a_seldom_sort_has_stays(count: int) -> None:
    text = cut(events(count)).text
    assert "8121" in text
    assert "path leaves the root" in text
    assert "sweep of ports" in text


def test_objects_of_one_shape_are_of_one_sort() -> None:
    rows = [{"type": "a" if n % 2 else "b", "name": f"n{n}", "size": n} for n in range(90)]
    assert sorts_of(rows) is None
    assert sorts_of([{"type": "a", "x": 1}] * 3) is None
    assert sorts_of([{"type": f"t{n}", f"k{n}": 1} for n in range(90)]) is None
    assert sorts_of([1, 2, 3] * 9) is None


def test_time_grows_with_the_size_only() -> None:
    def cost(count: int) -> float:
        rows = events(count)
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            cut(rows)
            best = min(best, time.process_time() - start)
        return best

    assert cost(4_000) < 9 * cost(1_000) + 0.05
