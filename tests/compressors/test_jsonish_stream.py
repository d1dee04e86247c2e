from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tokenjuice_ml.compressors import jsonish_columns, jsonish_parse, jsonish_stream
from tokenjuice_ml.compressors.jsonish import compress
from tokenjuice_ml.compressors.jsonish_columns import Rows, held, size_of
from tokenjuice_ml.compressors.jsonish_parse import encode, read
from tokenjuice_ml.compressors.jsonish_table import build
from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Detection, Kind, ToolOutput

WORDS = (
    "ok",
    "failed",
    "",
    "a, b",
    '"},{"',
    "]}",
    "}\n{",
    "naïve",
    "x" * 90,
    "12",
    "\ud800",
    "line\nline",
    "{",
    "\\",
)
SORTS = ("alike", "lacking", "turned", "nested", "strangers", "doubled", "wide", "mixed", "numbers", "sparse")
SHAPES = ("array", "object", "deep", "map", "lines", "two", "many keys", "rows in rows", "lists")


def literal(dice: random.Random) -> str:
    """Returns a number as JSON may write it, or a constant."""
    return dice.choice(
        ["1", "-0", "1.10", "1e400", "12345678901234567890", "NaN", "true", "null", str(dice.randrange(99))]
    )


def row(dice: random.Random, sort: str, number: int) -> str:
    """Returns one row as JSON text, so that keys may stand twice and numbers in any form."""
    pairs = [
        ("id", str(number)),
        ("state", json.dumps(dice.choice(WORDS[:3]))),
        ("note", json.dumps(dice.choice(WORDS))),
    ]
    pairs.append(("amount", literal(dice) if sort == "numbers" else str(dice.randrange(50))))
    if sort == "nested":
        pairs.append(("user", json.dumps({"name": dice.choice(WORDS), "tags": [dice.choice(WORDS)]})))
    if sort == "lacking":
        pairs = [pair for pair in pairs if dice.random() < 0.8]
    if sort == "turned":
        dice.shuffle(pairs)
    if sort == "strangers" and dice.random() < 0.1:
        return dice.choice(["null", "7", '"word"', "[1, 2]", "{}", "[]"])
    if sort == "doubled" and dice.random() < 0.1:
        pairs.append(pairs[0])
    if sort == "wide":
        pairs += [(f"k{n}", literal(dice)) for n in dice.sample(range(130), 3)]
    if sort == "sparse":
        pairs = [(f"k{number % 40}", "1")]
    if sort == "mixed":
        pairs.append(("value", dice.choice(["1", '"1"', "[1]", '{"a": 1}', "null", '"x"'])))
    return "{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in pairs) + "}"


def document(dice: random.Random, sort: str, shape: str) -> str:
    rows = [row(dice, sort, number) for number in range(dice.choice([3, 40, 90]))]
    between = dice.choice([",", ", ", ",\n  ", " ,\n"])
    items = "[" + dice.choice(["", "\n  "]) + between.join(rows) + dice.choice(["", "\n"]) + "]"
    if shape == "lines":
        return "\n".join(rows) + dice.choice(["", "\n"])
    forms = {
        "array": items,
        "object": f'{{"object": "list", "data": {items}, "next": null}}',
        "deep": f'{{"took": 3, "result": {{"hits": {{"total": 4, "items": {items}}}}}}}',
        "map": "{"
        + ", ".join(f'"m{n}": {{"items": {items if n == 3 else "[]"}, "n": {n}}}' for n in range(8))
        + "}",
        "two": f'{{"first": {items}, "second": {items}}}',
        "many keys": "{" + "".join(f'"k{n}": {n}, ' for n in range(120)) + f'"data": {items}}}',
        "rows in rows": f'[{{"a": {items}}}, {{"a": {items}}}, {{"a": 1}}]',
        "lists": f"[[1, 2], {items}, [3]]",
    }
    return forms[shape] + dice.choice(["", "\n", "  "])


def broken(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text))
    return dice.choice(
        [text[:at], text[:at] + text[at + 1 :], f"{text} x", text[:at] + dice.choice('{}[],:"') + text[at:]]
    )


def shown(text: str, budget: int = 0, query: str | None = None) -> tuple[object, ...] | None:
    output = ToolOutput(text, query=query)
    context = Context(output, DEFAULTS, Detection(Kind.JSON, "", "kind"), None, budget)
    reduction = compress(text, context)
    return None if reduction is None else (reduction.text, reduction.lossy, reduction.omissions)


@pytest.fixture
def by_columns(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns a switch that makes small texts be read as large ones are."""

    def switch() -> None:
        monkeypatch.setattr(jsonish_parse, "_LARGE", 0)
        monkeypatch.setattr(jsonish_stream, "FEWEST", 4)
        monkeypatch.setattr(jsonish_stream, "BATCH", 5)
        monkeypatch.setattr(jsonish_columns, "BATCH", 5)
        monkeypatch.setattr(jsonish_columns, "MOST_SHARED", 9)
        monkeypatch.setattr(jsonish_stream, "BLOCK", 300)

    return switch


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sort", SORTS)
def test_large_json_is_shown_as_if_it_were_held(sort: str, shape: str, by_columns: Any) -> None:
    dice = random.Random(f"{sort} {shape}")
    texts = [document(dice, sort, shape) for _ in range(3)]
    texts += [broken(dice, text) for text in texts for _ in range(2)]
    ways = [(60, None), (150, "failed note"), (400, None)]
    whole = [shown(text, *way) for text in texts for way in ways]
    by_columns()
    assert [shown(text, *way) for text in texts for way in ways] == whole


@pytest.mark.parametrize("sort", SORTS)
def test_rows_are_put_together_as_they_were(sort: str, by_columns: Any) -> None:
    dice = random.Random(sort)
    by_columns()
    seen = 0
    for _ in range(20):
        text = document(dice, sort, "array")
        rows, plain = read(text, whole=False), read(text)
        assert rows is not None
        assert plain is not None
        value, expected = rows.values[0], plain.values[0]
        seen += isinstance(value, Rows)
        assert encode(list(value)) == encode(expected) == encode(value)
        assert encode(held({"a": {"b": value}})) == encode({"a": {"b": expected}})
        assert size_of({"a": {"b": value}, "c": value}, {}) == len(
            encode({"a": {"b": expected}, "c": expected})
        )
        if isinstance(value, Rows):
            assert encode(value[3:40:7]) == encode(expected[3:40:7])
            assert encode(value[-1]) == encode(expected[-1])
            ours, theirs = value.table(), build(expected, exact=False)
            assert (ours is None) == (theirs is None)
            assert ours is None or theirs is None or ours.columns == theirs.columns
    assert seen or sort in ("wide", "sparse")


def test_where_a_block_may_end_something_else_may_stand(by_columns: Any) -> None:
    rows = [{"a": n, "t": "},{" * (n % 3), "inner": [{"b": 1}, {"b": 2}]} for n in range(200)]
    text = json.dumps({"rows": rows, "more": [{"x": 1}, {"x": 2}] * 50}, separators=(",", ":"))
    by_columns()
    found = read(text, whole=False)
    assert found is not None
    assert isinstance(found.values[0]["rows"], Rows)
    assert encode(found.values[0]) == text


def test_lines_with_brackets_that_close_early_are_no_lines() -> None:
    assert read('{"a":1},{"b":2}]\n[7') is None
