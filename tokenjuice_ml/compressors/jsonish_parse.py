"""JSON in and out without touching a value: numbers keep their text, doubled keys their pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, cast

from tokenjuice_ml.detection.jsonshape import skip_space
from tokenjuice_ml.resting import resting

# A string that is never closed goes to the end: tried again from each quote in it, that was quadratic.
STRING = r'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|\Z)'
_TOKENS = re.compile(rf"{STRING}|[{{}}\[\],]", re.DOTALL)


_CLOSERS = {"{": "}", "[": "]"}
# Chars of a text whose values are worth sharing; most values shared, and the longest word.
_LARGE, _MOST_SHARED, _LONG_WORD = 2_000_000, 4_000, 80


class Num(str):
    """A number as it was written: ``1.10``, ``1e400``, ``-0``, or a constant such as ``NaN``."""

    __slots__ = ()


class Doubled(dict[str, Any]):
    """An object with a key that stands twice; `items` gives all pairs."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> Any:
        """Returns all pairs, doubled keys included."""
        return self.pairs


def made_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the object of pairs, `Doubled` where a key stands twice."""
    value = dict(pairs)
    return value if len(value) == len(pairs) else Doubled(pairs)


DECODER = json.JSONDecoder(
    object_pairs_hook=made_of, parse_int=Num, parse_float=Num, parse_constant=Num, strict=False
)


class _Numbers(dict[str, Num]):
    """Numbers by their text, as many as are worth keeping."""

    def __missing__(self, text: str) -> Num:
        number = Num(text)
        if len(self) < _MOST_SHARED:
            self[text] = number
        return number


def _sharing_decoder() -> json.JSONDecoder:
    """Returns a decoder that makes equal words and numbers once: a third less memory, half more time."""
    words: dict[str, str] = {}

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return made_of(
            [
                (key, words.setdefault(value, value))
                if type(value) is str and len(value) < _LONG_WORD and len(words) < _MOST_SHARED
                else (key, value)
                for key, value in pairs
            ]
        )

    number = _Numbers().__getitem__
    return json.JSONDecoder(
        object_pairs_hook=made, parse_int=number, parse_float=number, parse_constant=Num, strict=False
    )


def _decoder(text: str) -> json.JSONDecoder:
    return DECODER if len(text) <= _LARGE else _sharing_decoder()


def _word(value: str) -> str:
    if type(value) is Num:
        return str(value)
    return encode_basestring(value) if value.isascii() else _wide_word(value)


def _wide_word(value: str) -> str:
    """Returns a string as JSON: letters as they are, escaped where half a surrogate pair stands alone."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return encode_basestring_ascii(value)
    return encode_basestring(value)


def _unknown(value: Any) -> Any:
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


def _make_encoder() -> Callable[[Any], str]:
    # The C encoder calls `_word` for each string; other interpreters have none.
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encode_slowly
    fast = make(None, _unknown, _word, None, ":", ",", False, False, True)
    join = "".join
    return lambda value: _word(value) if isinstance(value, str) else join(fast(value, 0))


def _encode_slowly(value: Any) -> str:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_word(key)}:{_encode_slowly(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encode_slowly, value)) + "]"
    return {None: "null", True: "true", False: "false"}[value]


encode: Callable[[Any], str] = _make_encoder()


@dataclass(frozen=True, slots=True)
class Documents:
    """What was read.

    Attributes:
        values: the documents in order.
        lines: first line of each document, 1-based, where there are several.
        cut: the text after the last whole value, where the JSON breaks off.
        many: True for JSON lines and documents one after the other.
        by_columns: True where long arrays are `jsonish_columns.Rows`.
    """

    values: Sequence[Any]
    lines: Sequence[int]
    cut: str = ""
    many: bool = False
    by_columns: bool = False


def read(text: str, whole: bool = True) -> Documents | None:
    """Reads one document, JSON lines, documents in a row, or a document that breaks off.

    Args:
        text: the JSON.
        whole: False where the rows of long arrays need not be held: those of a large text are
            `jsonish_columns.Rows` then.

    The collector of cycles rests meanwhile.
    """
    with resting():
        return (None if whole or len(text) <= _LARGE else _read_by_columns(text)) or _read(text)


def _start(text: str) -> int:
    return skip_space(text, 1 if text.startswith("\ufeff") else 0)


def _read_by_columns(text: str) -> Documents | None:
    """Reads a large text of the usual sort; None for others."""
    from tokenjuice_ml.compressors.jsonish_stream import read_document, read_lines

    start = _start(text)
    if not _is_lines(text, start):
        value = read_document(text, start, _sharing_decoder())
        return None if value is None else Documents([value], [1], by_columns=True)
    rows = None if "\n\n" in text else read_lines(text, start)
    first = text.count("\n", 0, start) + 1
    return (
        None if rows is None else Documents(rows, range(first, first + len(rows)), many=True, by_columns=True)
    )


def _is_lines(text: str, start: int) -> bool:
    end = text.find("\n", start)
    return end >= 0 and text[end - 1 : end + 2] in ("}\n{", "]\n[")


def _read(text: str) -> Documents | None:
    start = _start(text)
    lines = _lines(text, start)
    if lines is not None:
        return lines
    try:
        value, end = _decoder(text).raw_decode(text, start)
    except (ValueError, RecursionError):
        return _broken(text, start)
    end = skip_space(text, end)
    if end >= len(text):
        return Documents([value], [1])
    return _several(text, value, end)


def _lines(text: str, start: int) -> Documents | None:
    """Reads JSON lines at one go: as an array, which must have one item a line."""
    if not _is_lines(text, start):
        return None
    first = text.count("\n", 0, start) + 1
    if "\n\n" not in text:
        values = _array(text[start:].removesuffix("\n").replace("\n", ","), text)
        if values is not None:
            count = text.count("\n", start) + (not text.endswith("\n"))
            return (
                Documents(values, list(range(first, first + count)), many=True)
                if len(values) == count
                else None
            )
    rows = text[start:].split("\n")
    filled = [row for row in rows if row and not row.isspace()]
    values = _array(",".join(filled), text)
    if values is None or len(values) != len(filled):
        return None
    numbers = range(first, first + len(rows))
    if len(filled) == len(rows):
        return Documents(values, list(numbers), many=True)
    return Documents(
        values,
        [number for number, row in zip(numbers, rows, strict=True) if row and not row.isspace()],
        many=True,
    )


def _array(items: str, text: str) -> list[Any] | None:
    try:
        return array_of(items, _decoder(text))
    except (ValueError, RecursionError):
        return None


def array_of(items: str, decoder: json.JSONDecoder) -> list[Any]:
    """Returns the values that stand in `items`, with commas between them.

    Raises:
        ValueError: something else stands there.
    """
    values, end = decoder.raw_decode(f"[{items}]")
    if end != len(items) + 2:
        raise ValueError("more than one array")
    return cast("list[Any]", values)


def _several(text: str, first: Any, position: int) -> Documents | None:
    """Reads the documents behind the first one."""
    if isinstance(first, (str, bool)) or first is None:
        return None
    values, lines, line, last = [first], [1], 1, 0
    size = len(text)
    while position < size:
        line += text.count("\n", last, position)
        last = position
        if text[position] == "\x1e":
            position = skip_space(text, position + 1)
        try:
            value, end = DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            rest = text[position:]
            if len(values) >= 2 and "\n" not in rest.rstrip("\n"):
                return Documents(values, lines, rest, many=True)
            return None
        values.append(value)
        lines.append(line)
        position = skip_space(text, end)
    return Documents(values, lines, many=True)


def _broken(text: str, start: int) -> Documents | None:
    """Reads what is whole of a document that breaks off."""
    if text[start : start + 1] not in ("{", "["):
        return None
    stack: list[str] = []
    safe = 0
    for match in _TOKENS.finditer(text, start):
        mark = match.group()
        if mark == ",":
            safe = match.start()
        elif mark in _CLOSERS:
            stack.append(_CLOSERS[mark])
            safe = match.end()
        elif mark in ("}", "]"):
            # A stray bracket, or text behind a whole document, is no JSON that breaks off.
            if not stack or stack.pop() != mark or not stack:
                return None
            safe = match.end()
    # All that changes the stack is safe to cut at, so the stack is that of the last such place.
    closers = "".join(reversed(stack))
    if not safe:
        return None
    try:
        value, _ = DECODER.raw_decode(text[start:safe] + closers)
    except (ValueError, RecursionError):
        return None
    return Documents([value], [1], text[safe:].lstrip(", \t\r\n") or "…")


def document_end(text: str, start: int) -> tuple[int, int]:
    """Returns where the JSON document that begins at `start` ends, or -1, and the chars read."""
    try:
        end = DECODER.raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        return -1, max(1, error.pos - start)
    except (ValueError, RecursionError):
        return -1, len(text) - start
    return end, end - start
