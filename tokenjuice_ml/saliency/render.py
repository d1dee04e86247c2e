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


def render(text: str, pieces: Sequence[Piece], cuts: frozenset[int] = frozenset()) -> Rendered:
    """Returns the kept pieces as one text.

    Args:
        text: the original.
        pieces: what is kept, ascending; a piece with a note stands for a block that is left out.
        cuts: starts of pieces that get a `…` in front, because what is cut would change the meaning.
    """
    return _Renderer(text).run(pieces, cuts)


class _Renderer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.newlines = _positions(text)
        self.out: list[str] = []
        self.gaps: list[Omission] = []
        self.open = True  # at the start of a line of the output

    def run(self, pieces: Sequence[Piece], cuts: frozenset[int]) -> Rendered:
        at = 0  # end of what has been dealt with
        noted = False
        for piece in pieces:
            if piece.note:
                self._gap(at, piece.start)
                self._note(at, piece)
                noted = True
            else:
                self._between(at, piece.start, noted, piece.start in cuts)
                self.out.append(self.text[piece.start : piece.end])
                noted = False
            at = piece.end
        self._gap(at, len(self.text))
        if self.text.endswith("\n") and self.out and not self.out[-1].endswith("\n"):
            self.out.append("\n")
        return Rendered("".join(self.out), tuple(self.gaps))

    def _between(self, at: int, start: int, noted: bool, cut: bool) -> None:
        """Adds what stands between two kept pieces."""
        gap = self.text[at:start]
        if not gap.strip():
            self.out.append(gap)
            return
        self._gap(at, start)
        if not self.out:
            self.out.append(self._indent(start))
        elif "\n" in gap:
            self.out.append(_breaks(gap) + self._indent(start))
        elif cut:
            self.out.append(" … ")
        elif gap[0].isspace() or gap[-1].isspace() or not (is_wide(gap[0]) and is_wide(gap[-1])):
            self.out.append(" ")
        elif not is_wide(self.text[at - 1]) and not is_wide(self.text[start]):
            self.out.append(" ")  # or two words would become one

    def _indent(self, start: int) -> str:
        """Returns the white space in front of `start` where it opens its line."""
        begin = self.text.rfind("\n", 0, start) + 1
        lead = self.text[begin:start]
        return lead if not lead.strip() and len(lead) <= 40 else ""

    def _note(self, at: int, piece: Piece) -> None:
        first, last = self.line(piece.start), self.line(piece.end - 1)
        if self.out:
            self.out.append(_breaks(self.text[at : piece.start]) if at else "\n")
        self.out.append(omission_line(last - first + 1, first, last, piece.note))
        self.gaps.append(
            Omission(first, last, last - first + 1, utf8_len(self.text[piece.start : piece.end]), piece.note)
        )

    def _gap(self, start: int, end: int) -> None:
        """Writes down what is left out of ``text[start:end]``."""
        part = self.text[start:end]
        bare = part.strip()
        if not bare:
            return
        begin = start + len(part) - len(part.lstrip())
        first, last = self.line(begin), self.line(begin + len(bare) - 1)
        whole = last - first + 1
        if start and self.text.rfind("\n", 0, begin) < start:
            whole -= 1
        if end < len(self.text) and self.text.find("\n", begin + len(bare) - 1, end) < 0 and whole:
            whole -= 1
        size = utf8_len(bare)
        if self.gaps and self.gaps[-1].last_line == first and self.gaps[-1].what == "text":
            before = self.gaps.pop()
            self.gaps.append(
                Omission(before.first_line, last, before.lines + whole, before.bytes + size, "text")
            )
        else:
            self.gaps.append(Omission(first, last, whole, size, "text"))

    def line(self, position: int) -> int:
        """Returns the 1-based line of a char."""
        return bisect_left(self.newlines, position) + 1


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
