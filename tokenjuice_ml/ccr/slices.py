"""Ranges of an original, for tiers that hold it whole."""

from __future__ import annotations

# Line ends are counted by so many bytes at a time before they are looked for one by one.
STRIDE = 16_384


def slice_lines(data: bytes, first: int, last: int) -> bytes:
    r"""Returns lines `first` to `last` of `data`, 1-based, inclusive, clamped, ends included.

    >>> slice_lines(b"a\nb\nc", 2, 9)
    b'b\nc'
    """
    first = max(1, first)
    if last < first:
        return b""
    start = line_start(data, first)
    return data[start : line_start(data, last - first + 2, start)]


def line_start(data: bytes, number: int, position: int = 0) -> int:
    """Returns the offset where line `number` (1-based, counted from `position`) starts."""
    left = number - 1
    while position < len(data) and (ends := data.count(b"\n", position, position + STRIDE)) < left:
        left -= ends
        position += STRIDE
    for _ in range(left):
        found = data.find(b"\n", position)
        if found < 0:
            return len(data)
        position = found + 1
    return position


def slice_bytes(data: bytes, start: int, end: int) -> bytes:
    """Returns bytes `start` to `end`, 0-based, half open, clamped."""
    start = max(0, start)
    return data[start:end] if end > start else b""
