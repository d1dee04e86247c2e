"""Words that carry nothing: hesitation, stutter, empty phrases. Cut inside sentences that are kept."""

from __future__ import annotations

import re

from tokenjuice_ml.saliency.render import Piece
from tokenjuice_ml.saliency.units import Kind, Segment

_FILLER = re.compile(
    r"(?<!\S)(?:(?:[Uu]m+|[Uu]h+m?|[Ee]rm+|[Hh]m+|[Mm]m+|[Mm]m-hmm|[Ää]hm?|[Ee]uh|[Ээ]м+"
    r"|you know|I mean),?(?: |\n|$)"
    r"|([a-z']{1,4}) (?=\1(?: |,)))"
)

_LEAST = 0.6
"""Share of a sentence that has to be left; less, and it is no sentence but noise."""


_HINTS = (" um", " uh", " hmm", " mm-", "Um", "Uh", "ähm", " euh", " э-э", "you know")


def is_spoken(text: str) -> bool:
    """Says whether `text` writes down speech: written prose has nothing to trim here."""
    least = 2 + len(text) // 4000
    return sum(map(text.count, _HINTS)) >= least


def trimmed(text: str, segment: Segment) -> list[Piece]:
    """Returns what is kept of a segment that is kept."""
    start, end = segment.start, segment.end
    if segment.kind not in (Kind.SENTENCE, Kind.ITEM):
        return [Piece(start, end)]
    out: list[Piece] = []
    at = start
    for match in _FILLER.finditer(text, start, end):
        stop = len(text[at : match.start()].rstrip()) + at
        if stop > at:
            out.append(Piece(at, stop))
        at = match.end()
    if at < end:
        out.append(Piece(at, end))
    left = sum([piece.end - piece.start for piece in out])
    return out if left >= _LEAST * (end - start) else [Piece(start, end)]
