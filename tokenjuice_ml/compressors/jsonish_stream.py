"""Reads large JSON piece by piece, so that the objects of its long arrays need not all be held.

Whatever is unusual (an object with a key twice, JSON that breaks off, rows that are not alike) ends
the reading with None: then the text is read as a whole, as a short one is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json import JSONDecoder
from typing import Any

from tokenjuice_ml.compressors.jsonish_columns import BATCH, DEPTH, Rows
from tokenjuice_ml.compressors.jsonish_parse import DECODER, array_of, made_of

# Arrays of fewer rows are held as they are.
FEWEST = 2_000
# Objects of more entries are read faster as a whole.
MOST_ENTRIES = 100
BLOCK = 100_000
_SPACE = re.compile(r"[ \t\n\r]*")
_COMMA, _COLON = re.compile(r"[ \t\n\r]*,[ \t\n\r]*"), re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_SCAN: Callable[[str, int], tuple[Any, int]] = DECODER.scan_once  # type: ignore[attr-defined]
_ROWS = re.compile(r"\[[ \t\n\r]*\{")


class Unusual(Exception):
    """What is read is not of the usual sort."""


def read_document(text: str, start: int, other: JSONDecoder) -> Any:
    """Returns the document that is all of `text`, its long arrays as `Rows`; None where that cannot be.

    Args:
        text: the JSON.
        start: where it begins.
        other: reads what is no row.
    """
    try:
        value, end = _value(text, start, other, 0)
    except (Unusual, ValueError, StopIteration, RecursionError):
        return None
    return value if _skip(text, end) == len(text) and isinstance(value, (dict, list, Rows)) else None


def read_lines(text: str, start: int) -> Rows | None:
    """Returns JSON lines, one object a line, as `Rows`; None where they are not of that sort."""
    rows = Rows()
    while start < len(text):
        end = text.find("\n", start + BLOCK)
        piece = text[start:] if end < 0 else text[start:end]
        start = len(text) if end < 0 else end + 1
        lines = piece.removesuffix("\n")
        try:
            values = array_of(lines.replace("\n", ","), DECODER)
        except (ValueError, RecursionError):
            return None
        if len(values) != lines.count("\n") + 1 or not rows.take(values):
            return None
    return rows


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _value(text: str, start: int, other: JSONDecoder, depth: int) -> tuple[Any, int]:
    """Returns the value at `start` and where it ends."""
    if _ROWS.match(text, start):
        return _array(text, start + 1)
    if text[start : start + 1] == "{" and depth < DEPTH:
        return _object(text, start + 1, other, depth)
    return other.scan_once(text, start)  # type: ignore[attr-defined, no-any-return]


def _object(text: str, start: int, other: JSONDecoder, depth: int) -> tuple[Any, int]:
    pairs: list[tuple[str, Any]] = []
    position = _skip(text, start)
    if text[position : position + 1] == "}":
        return {}, position + 1
    while True:
        if text[position : position + 1] != '"':
            raise Unusual
        key, end = _SCAN(text, position)
        colon = _COLON.match(text, end)
        if colon is None:
            raise Unusual
        value, end = _value(text, colon.end(), other, depth + 1)
        pairs.append((key, value))
        if len(pairs) > MOST_ENTRIES:
            raise Unusual
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        position = comma.end()
    end = _skip(text, end)
    found = made_of(pairs)
    if text[end : end + 1] != "}" or type(found) is not dict:
        raise Unusual
    return found, end + 1


def _array(text: str, start: int) -> tuple[Any, int]:
    rows, position = Rows(), _skip(text, start)
    some: list[Any] = []
    between = ""
    while True:
        row, end = _SCAN(text, position)
        some.append(row)
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        position = comma.end()
        if len(some) < BATCH:
            continue
        _take(rows, some)
        some = []
        if not between:
            # What stands between two rows stands between most: up to there many are read at once.
            between = text[end - 1 : position + 1]
            position = _blocks(text, position, between, rows)
    _take(rows, some)
    end = _skip(text, end)
    if text[end : end + 1] != "]":
        raise Unusual
    return (rows if len(rows) >= FEWEST else list(rows)), end + 1


def _take(rows: Rows, some: list[Any]) -> None:
    if not rows.take(some):
        raise Unusual


def _blocks(text: str, position: int, between: str, rows: Rows) -> int:
    """Reads rows from `position` on, a block at once; returns where the first begins that it did not read.

    A block ends at a sign that may stand inside a row, or behind the array: what is cut there is no array.
    """
    while (end := text.find(between, position + BLOCK)) >= 0:
        try:
            some = array_of(text[position : end + 1], DECODER)
        except ValueError:
            break
        _take(rows, some)
        position = end + len(between) - 1
    return position
