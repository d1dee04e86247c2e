"""What is odd in a row is shown also where its column is left out, or deep inside a cell."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tokenjuice_ml import compress

COUNT = 240


def digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def parts(odd: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Parts of a catalogue: long columns of addresses and sums that say nothing."""
    return [
        {
            "name": f"part {i} of the set",
            "version": f"{i % 5}.{i % 7}.{i % 3}",
            "resolved": f"https://depot.example/parts/{i}/part-{i}.tgz",
            "integrity": f"sha256-{digest(i)}",
            "owner": {"login": f"u{digest(i)[:6]}", "box": {"kind": "main", "size": 10 + i % 4}},
            "place": {"at": [round(7 + i % 13 / 10, 2), round(48 + i % 11 / 10, 2)]},
            "steps": [{"code": digest(i + n)[:8], "tax": {"rate": 0.2}} for n in range(1 + i % 3)],
            **odd.get(i, {}),
        }
        for i in range(COUNT)
    ]


ODD: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"resolved": "http://elsewhere.example:81/p.tgz"}, ("resolved=http://elsewhere.example:81/p.tgz",)),
    ({"integrity": ""}, ("integrity=",)),
    ({"integrity": f"md5-{digest(1)}"}, ("integrity=md5-",)),
    ({"owner": {"login": "u77", "box": {"kind": "trunk", "size": 11}}}, ("trunk",)),
    ({"place": {"at": [48.31, 7.42]}}, ("48.31", "7.42")),
    ({"steps": [{"code": "a7", "tax": {"rate": 0.02}}]}, ("0.02",)),
    ({"steps": [{"code": "TODO find it", "tax": {"rate": 0.2}}]}, ("TODO find it",)),
]


@pytest.mark.parametrize(("odd", "facts"), ODD, ids=str)
@pytest.mark.parametrize(
    "empty", [{}, {"owner": None}, {"place": None}, {"owner": None, "steps": None}], ids=str
)
def test_an_odd_cell(odd: dict[str, Any], facts: tuple[str, ...], empty: dict[str, Any]) -> None:
    done = compress(json.dumps({"total": COUNT, "parts": parts({91: empty, 167: odd})}))
    row = next(line for line in done.text.split("\n") if line.startswith("part 167 "))
    assert all(fact in row for fact in facts)
    assert done.tokens_after < done.tokens_before / 4


def test_a_row_without_an_object_says_so() -> None:
    body = compress(json.dumps(parts({91: {"owner": None}}))).text
    row = next(line for line in body.split("\n") if line.startswith("part 91 "))
    assert "null" in row


def test_nothing_is_odd() -> None:
    done = compress(json.dumps(parts({})))
    assert "more than once" not in done.text
    assert "resolved=" not in done.text.replace("columns of some rows only", "")


@pytest.mark.parametrize("key", ["id", "sku", "user_id", "email"])
def test_a_key_that_comes_twice(key: str) -> None:
    rows = [{key: f"k{5000 + i}x", "town": ("Ulm", "Bonn")[i % 2], "paid": i * 37 % 90} for i in range(COUNT)]
    rows[171][key] = rows[20][key]
    body = compress(json.dumps(rows)).text
    assert f"{key} k5020x more than once: rows #21, #172" in body
    assert body.count("\nk5020x,") == 2


def test_names_may_come_twice() -> None:
    rows = [{"town": f"Town {i if i != 90 else 3}", "size": i * 37 % 90} for i in range(COUNT)]
    assert "more than once" not in compress(json.dumps(rows)).text


def test_a_number_far_off_in_a_matrix() -> None:
    rows = [[round((i * 37 + j * 11) % 200 / 100 - 1, 3) for j in range(20)] for i in range(90)]
    rows[70][13] = 9999.5
    assert "#71 holds 9999.5" in compress(json.dumps({"name": "w", "data": rows})).text


def test_short_tables_show_the_row_that_lacks_a_text() -> None:
    rows = {
        f"part_{i}": {
            f"key_{k}": {"en": f"word {i * k} and more", "fr": f"mot {i + k} en plus"} for k in range(14)
        }
        for i in range(16)
    }
    rows["part_9"]["key_11"]["fr"] = ""
    rows["part_12"]["key_7"]["fr"] = "TODO translate"
    body = compress(json.dumps(rows, indent=1)).text
    assert 'key_11.fr=""' in body
    assert "key_7.fr=TODO translate" in body


def test_rows_that_only_a_number_names_need_not_all_stay() -> None:
    rows = [
        {"id": i, "place": [i * 7 % 90 / 10, 50.5], "cells": digest(i) * 2, "lid": i % 4}
        for i in range(COUNT)
    ]
    assert len(compress(json.dumps(rows)).text.split("\n")) < COUNT // 2
