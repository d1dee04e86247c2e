"""A row unlike the others is shown with what makes it so, also where most rows show little."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tokenjuice_ml import compress


def meters(count: int, odd: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Meters of a town: few of their values tell anything."""
    return [
        {
            "id": f"m-{4000 + i}",
            "name": f"Meter {i}",
            "town": ("Ulm", "Bonn", "Jena")[i * 7 % 3],
            "build": "3.1.0",
            "state": "online",
            "fault": None,
            "charge": 60 + i * 37 % 40,
            "interval": 600,
            "place": {"x": 40 + i * 31 % 97 / 97, "y": 9 + i * 17 % 89 / 89},
            "tags": ["live", "ab"[i % 2]],
            "seen": f"2025-05-{10 + i % 3}T0{i % 10}:15:00Z",
            **odd.get(i, {}),
        }
        for i in range(count)
    ]


@pytest.mark.parametrize(
    "odd",
    [
        {"charge": None},
        {"charge": -3},
        {"charge": 4},
        {"charge": 100_000},
        {"build": "3.2.0-beta"},
        {"interval": 60},
        {"seen": "2024-11-02T03:00:00Z"},
    ],
    ids=str,
)
@pytest.mark.parametrize("many", [False, True])
def test_what_makes_a_row_odd_is_shown(odd: dict[str, Any], many: bool) -> None:
    rows = meters(260, {171: odd})
    text = "\n".join(map(json.dumps, rows)) if many else json.dumps({"total": 260, "items": rows}, indent=1)
    done = compress(text)
    row = next(line for line in done.text.split("\n") if "Meter 171" in line or "m-4171" in line)
    value = next(iter(odd.values()))
    assert ("null" if value is None else str(value)) in row
    assert done.tokens_after < done.tokens_before / 3


def test_a_constant_that_is_not_shown_is_named() -> None:
    body = compress(json.dumps(meters(260, {}), indent=1)).text
    assert "constant: fault]" in body or "fault=null" in body


def test_the_slowest_row_keeps_what_was_asked_of_it_among_many_errors() -> None:
    rows = [
        {
            "level": 50 if i % 9 == 0 else 30,
            "time": 1_700_000_000_000 + i * 700,
            "msg": "connection reset by client" if i % 9 == 0 else "request done",
            "req": {"method": "GET", "url": f"/v2/{'cart' if i % 2 else 'home'}"},
            "took": 10 + i * 13 % 70,
            **({"err": {"type": "Error", "code": "RESET"}} if i % 9 == 0 else {}),
        }
        for i in range(900)
    ]
    rows[500] |= {"took": 31_870, "req": {"method": "POST", "url": "/v2/pay"}}
    body = compress("\n".join(map(json.dumps, rows))).text
    assert "/v2/pay" in next(line for line in body.split("\n") if "31870" in line and "rows" not in line)
