"""Puts kept pieces of a text together: in order, verbatim, lines never fused, every gap counted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.saliency.units import is_wide
from tokenjuice_ml.types import Omission


class Piece(NamedTuple):
    """A char range that is kept, or a block that is dropped with a note."""

    start: int
    end: int
    note: str = ""


class Rendered(NamedTuple):
    """The shorter text and what is missing in it."""

    text: str
    omissions: tuple[Omission, ...]


def render(text: str, pieces: Sequence[Piece]) -> Rendered:
    """Returns the kept pieces as one text, and what is left out.

    Args:
        text: the original.
        pieces: what is kept, ascending; a piece with a note stands for a block that is left out.
    """
    return Rendered(compose(text, pieces), gaps(text, pieces))


def compose(text: str, pieces: Sequence[Piece], cuts: frozenset[int] = frozenset()) -> str:
    """Returns the kept pieces as one text; see `render`.

    Args:
        text: the original.
        pieces: what is kept, ascending.
        cuts: starts of pieces that get a `…` in front: a reader would take what they are of for whole, or for
            their neighbour's part.
    """
    out: list[str] = []
    at = 0  # end of what has been dealt with
    newlines: list[int] = []
    for piece in pieces:
        start, end, note = piece
        if note:
            newlines = newlines or _positions(text)
            if out:
                out.append(_breaks(text[at:start]) if at else "\n")
            out.append(_line_of(newlines, piece))
        else:
            gap = text[at:start]
            if not gap or gap.isspace():
                out.append(gap)
            else:
                out.append(_between(text, at, start, start in cuts))
            out.append(text[start:end])
        at = end
    if text.endswith("\n") and out and not out[-1].endswith("\n"):
        out.append("\n")
    return "".join(out)


def _between(text: str, at: int, start: int, cut: bool) -> str:
    """Returns what stands for a gap in front of a kept piece."""
    gap = text[at:start]
    begin = "… " if cut else ""
    if not at:
        return _indent(text, start) + begin
    if "\n" in gap:
        return _breaks(gap) + _indent(text, start) + begin
    if cut:
        return " … "
    if gap[0].isspace() or gap[-1].isspace() or not (is_wide(gap[0]) and is_wide(gap[-1])):
        return " "
    # Or two words would become one.
    return " " if not is_wide(text[at - 1]) and not is_wide(text[start]) else ""


def _indent(text: str, start: int) -> str:
    """Returns the white space in front of `start` where it opens its line."""
    begin = text.rfind("\n", 0, start) + 1
    lead = text[begin:start]
    return lead if not lead.strip() and len(lead) <= 40 else ""


def _line_of(newlines: Sequence[int], piece: Piece) -> str:
    first, last = _line(newlines, piece.start), _line(newlines, piece.end - 1)
    return omission_line(last - first + 1, first, last, piece.note)


def _line(newlines: Sequence[int], position: int) -> int:
    """Returns the 1-based line of a char."""
    return bisect_left(newlines, position) + 1


def gaps(text: str, pieces: Sequence[Piece]) -> tuple[Omission, ...]:
    """Returns what is left out between and in place of pieces."""
    newlines = _positions(text)
    found: list[Omission] = []
    at = 0
    for start, end, note in pieces:
        _gap(text, newlines, at, start, found)
        if note:
            first, last = _line(newlines, start), _line(newlines, end - 1)
            found.append(Omission(first, last, last - first + 1, utf8_len(text[start:end]), note))
        at = end
    _gap(text, newlines, at, len(text), found)
    return tuple(found)


def _gap(text: str, newlines: Sequence[int], start: int, end: int, found: list[Omission]) -> None:
    """Writes down what is left out of ``text[start:end]``."""
    part = text[start:end]
    if not part or part.isspace():
        return
    led = part.lstrip()
    bare = led.rstrip()
    if "\n" not in part and (start or end < len(text)):
        _add(found, _line(newlines, start), 0, utf8_len(bare))
        return
    begin = start + len(part) - len(led)
    last_char = begin + len(bare) - 1
    first, last = _line(newlines, begin), _line(newlines, last_char)
    whole = last - first + 1
    if start and text.find("\n", start, begin) < 0:
        whole -= 1
    if end < len(text) and whole and text.find("\n", last_char, end) < 0:
        whole -= 1
    _add(found, first, whole, utf8_len(bare), last)


def _add(found: list[Omission], first: int, whole: int, size: int, last: int = 0) -> None:
    """Adds what is left out of some lines; on one line together with what was left out before."""
    last = last or first
    if found and found[-1].last_line == first and found[-1].what == "text":
        before = found.pop()
        first, whole, size = before.first_line, before.lines + whole, before.bytes + size
    found.append(Omission(first, last, whole, size, "text"))


def _positions(text: str) -> list[int]:
    out: list[int] = []
    at = text.find("\n")
    while at >= 0:
        out.append(at)
        at = text.find("\n", at + 1)
    return out


def _breaks(gap: str) -> str:
    """Returns the line break that stands for a gap: one, or two where a blank line was."""
    first = gap.find("\n")
    if first < 0:
        return "\n"
    end = "\r\n" if first and gap[first - 1] == "\r" else "\n"
    second = gap.find("\n", first + 1)
    while second >= 0:
        if not gap[first + 1 : second].strip():
            return end + end
        first, second = second, gap.find("\n", second + 1)
    return end
