"""Takes a few hundred lines from the head, the middle and the tail of a text."""

from __future__ import annotations

from tokenjuice_ml.record import Record

# Lines taken at the head, the middle and the tail.
PARTS = (48, 14, 20)
# Longer lines are shown by their two ends, chars each.
HALF_LINE = 240


class Sample(Record):
    """Lines of a text, cheap to look at.

    Attributes:
        lines: lines of the head, the middle and the tail, right-stripped, colours removed.
        full: the lines that are not blank.
        head: number of `lines` that are the head.
        whole: True when `lines` are all lines of the text.
    """

    lines: list[str]
    full: list[str]
    head: int
    whole: bool


def take(text: str) -> Sample:
    """Returns the sample of `text`; costs the same for any length."""
    lines, position = _lines(text, 0, PARTS[0])
    head, whole = len(lines), position >= len(text)
    if not whole:
        size = len(text)
        middle, last = text.find("\n", max(position, size // 2)), position
        if middle >= 0:
            more, last = _lines(text, middle + 1, PARTS[1])
            lines += more
        lines += _tail(text, last, PARTS[2])
    if any("\x1b" in line for line in lines):
        lines = [plain(line) for line in lines]
    return Sample(lines, [line for line in lines if line], head, whole)


def _clip(text: str, start: int, end: int) -> str:
    if end - start <= 2 * HALF_LINE:
        return text[start:end].rstrip()
    return text[start : start + HALF_LINE] + text[end - HALF_LINE : end].rstrip()


def _lines(text: str, position: int, most: int) -> tuple[list[str], int]:
    """Returns up to `most` lines from `position`, and where they end."""
    lines: list[str] = []
    size = len(text)
    while position < size and len(lines) < most:
        end = text.find("\n", position)
        if end < 0:
            end = size
        lines.append(_clip(text, position, end))
        position = end + 1
    return lines, position


def _tail(text: str, floor: int, most: int) -> list[str]:
    """Returns up to `most` last lines that begin at or after `floor`."""
    lines: list[str] = []
    end = len(text) - 1 if text.endswith("\n") else len(text)
    while end > floor and len(lines) < most:
        start = text.rfind("\n", floor, end)
        if start < 0:
            if text[floor - 1 : floor] == "\n":
                lines.append(_clip(text, floor, end))
            break
        lines.append(_clip(text, start + 1, end))
        end = start
    return lines[::-1]


def plain(line: str) -> str:
    """Returns `line` without terminal colours (CSI sequences); other escapes stay."""
    if "\x1b" not in line:
        return line
    first, *parts = line.split("\x1b[")
    out = [first]
    for part in parts:
        end = 0
        while end < len(part) and part[end] in "0123456789;:?":
            end += 1
        out.append(part[end + 1 :])
    return "".join(out)
