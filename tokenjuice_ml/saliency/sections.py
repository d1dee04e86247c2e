"""What is known of each segment of a text: where its words are, and what they tell.

All of it is gathered in passes over what is rare: words that tell something, names, paths.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.saliency.lexicon import FIGURE, GOVERNS
from tokenjuice_ml.saliency.units import Segment
from tokenjuice_ml.saliency.words import Words

_PLACE = re.compile(
    r"(?<![^\s(\[\"'`“‘«])(?:[~.]{0,2}/[\w.@-]+(?:/[\w.@-]*)+|[~.]{1,2}/[\w.@-]+|[a-z]{2,10}://\S|[A-Za-z]:\\\w)"
)
# The blank first: it is quickly found.
_NAME = re.compile(r" (?=[\"“‘(']?[A-Z][\w'’-])(?<=[a-z,;0-9)] )")


class Sections:
    """The segments of a text with what their words tell.

    Attributes:
        segments: the segments.
        firsts: the first word of each, and one past the last of all.
        marks: of each, what its words tell, see `lexicon`.
        figures: of each, how many of its words hold a digit.
        names: of each, how many names stand within its sentences.
        places: of each, how many paths and addresses.
        governing: of those that have such, the indices of the words that may govern others.
    """

    def __init__(self, text: str, segments: Sequence[Segment], words: Words) -> None:
        self.segments = segments
        self.firsts = words.firsts([segment[0] for segment in segments])
        self.firsts.append(len(words.starts))
        self.marks = [0] * len(segments)
        self.figures = [0] * len(segments)
        self.governing: dict[int, list[int]] = {}
        self._tell(words)
        self.names = self._counted([match.end() for match in _NAME.finditer(text)])
        paths = "/" in text or "\\" in text
        self.places = self._counted([match.start() for match in _PLACE.finditer(text)] if paths else [])

    def _tell(self, words: Words) -> None:
        all_of, firsts = self.marks, self.firsts
        at, end, last = 0, firsts[min(1, len(firsts) - 1)], len(self.segments) - 1
        for index, mark in words.marks.items():
            while index >= end and at < last:
                at += 1
                end = firsts[at + 1]
            all_of[at] |= mark
            if mark & FIGURE:
                self.figures[at] += 1
            if mark & GOVERNS:
                self.governing.setdefault(at, []).append(index)

    def _counted(self, positions: Sequence[int]) -> list[int]:
        """Returns of each segment how many of some positions, in order, stand in it."""
        counts, segments = [0] * len(self.segments), self.segments
        at, last = 0, len(segments) - 1
        for position in positions:
            while at < last and segments[at][1] <= position:
                at += 1
            if segments[at][0] <= position < segments[at][1]:
                counts[at] += 1
        return counts
