"""Which lines of a diff stay, and what is said of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress as compress_by

from tokenjuice_ml.compressors.diff_parse import Hunk


@dataclass(slots=True)
class Plan:
    """Which lines stay, and what stands for the others.

    Attributes:
        keep: one flag a line.
        lengths: chars of each line, its end included.
        sizes: the same of each line as it is shown.
        notes: what a note says, by the first line of its gap.
        quiet: lines left out that only the top counts: 1 headers, 2 a hunk's unchanged ends.
        files: first lines of files that are left out; neighbours share a note.
        told: what is said below the top, a phrase each.
    """

    keep: bytearray
    lengths: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    quiet: bytearray = field(default_factory=bytearray)
    files: set[int] = field(default_factory=set)
    told: Sequence[str] = ()

    def drop(self, start: int, end: int, note: str) -> None:
        """Leaves lines out, with a note where they stood."""
        self.keep[start:end] = self.quiet[start:end] = bytes(end - start)
        self.notes[start] = note

    def size(self, hunk: Hunk) -> int:
        """Returns the chars of the lines of a hunk that stay."""
        return sum(compress_by(self.sizes[hunk.start : hunk.end], self.keep[hunk.start : hunk.end]))
