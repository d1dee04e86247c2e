"""Folds what a large diff says over and over: names that were renamed, and edits made in many places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress as compress_by

from tokenjuice_ml.compressors.diff_parse import FileDiff, Hunk, Source
from tokenjuice_ml.compressors.diff_plan import Plan
from tokenjuice_ml.compressors.diff_renames import DOUBTFUL, RENAME, Renamed, renames_of

# Places an edit has to be made in to be shown in the first of them alone.
LEAST_PLACES = 4
# Most renames and repeated edits that are named.
MOST_NAMED = 12
# Chars of folded lines between lines that stay that are worth a note.
_WORTH = 120
# A line of an edit that stands elsewhere, besides the flags of renames.
_REPEAT = 3
_RUN = re.compile("[-+]+")
_FOLDED = re.compile(rb"[\x01\x03]+")
_GAP = re.compile(rb"\x00+")


class Folds:
    """What may go of a large diff because it is said elsewhere.

    Attributes:
        flags: what each changed line is known to be, 0 where nothing is.
    """

    def __init__(
        self, source: Source, files: Sequence[FileDiff], plan: Plan, words: Sequence[str] = ()
    ) -> None:
        self.source, self.files, self.plan, self.words = source, files, plan, words
        renames = renames_of(source, files, plan.keep)
        self.flags, self.names = renames.flags, renames.names
        # First lines of repeated edits, by those of their repetitions, and their places by their first lines.
        self.repeats: dict[int, int] = {}
        self.places: dict[int, int] = {}

    def fold(self) -> None:
        """Leaves out what is said elsewhere, and says so below the top."""
        self._find_repeats()
        if self.words:
            self._unfold_asked()
        if not self.names and not self.repeats:
            return
        for one in self.files:
            self._fold_file(one)
        self.plan.told = self._told()

    def _unfold_asked(self) -> None:
        """Lets what the query names stand; the names that were renamed say nothing of a place."""
        renamed = {name for one in self.names for name in (one.old.lower(), one.new.lower())}
        words = [word for word in self.words if word not in renamed]
        for one in self.files:
            low = one.path.lower()
            for hunk in one.hunks:
                if any(word in low or word in self._text(hunk).lower() for word in words):
                    self.flags[hunk.start : hunk.end] = bytes(hunk.end - hunk.start)

    def _text(self, hunk: Hunk) -> str:
        return self.source.text[self.source.starts[hunk.start] : self.source.starts[hunk.end]]

    def weight(self, hunk: Hunk) -> int:
        """Says how much a hunk tells: 0 an edit that stands for others, 2 renames that may be more, 1 any other."""
        runs = self._runs(hunk)
        if any(start in self.places for start, _ in runs):
            return 0
        flags = [self.flags[start:end] for start, end in runs]
        return 2 if any(DOUBTFUL in run for run in flags) and all(0 not in run for run in flags) else 1

    def _runs(self, hunk: Hunk) -> list[tuple[int, int]]:
        """Returns the runs of changed lines of a hunk, none of a combined diff."""
        if hunk.signs > 1:
            return []
        return [run.span() for run in _RUN.finditer(self.source.marks, hunk.start + 1, hunk.end)]

    def _find_repeats(self) -> None:
        """Finds the runs of changed lines that are all the same."""
        seen: dict[str, list[tuple[int, int]]] = {}
        text, starts, keep = self.source.text, self.source.starts, self.plan.keep
        for one in self.files:
            for hunk in one.hunks:
                for start, end in self._runs(hunk):
                    if keep[start] and self.flags[start:end].count(RENAME) < end - start:
                        seen.setdefault(text[starts[start] : starts[end]], []).append((start, end))
        for (first, _), *others in seen.values():
            if len(others) + 1 >= LEAST_PLACES:
                self.places[first] = len(others) + 1
                for start, end in others:
                    self.repeats[start] = first
                    self.flags[start:end] = bytes([_REPEAT]) * (end - start)

    def _fold_file(self, one: FileDiff) -> None:
        """Folds what is known in a file; neighbours share a note."""
        for hunk in one.hunks:
            runs = self._runs(hunk)
            if runs and all(_FOLDED.fullmatch(self.flags, *run) for run in runs):
                self.plan.keep[hunk.start : hunk.end] = bytes(hunk.end - hunk.start)
            elif _FOLDED.search(self.flags, hunk.start, hunk.end):
                self._fold_runs(runs)
        if one.hunks:
            for gap in list(_GAP.finditer(self.plan.keep, one.hunks[0].start, one.end)):
                if _FOLDED.search(self.flags, *gap.span()):
                    self._drop(*gap.span())

    def _fold_runs(self, runs: Sequence[tuple[int, int]]) -> None:
        """Folds known lines that stand among others, where that is worth a note."""
        keep, sizes = self.plan.keep, self.plan.sizes
        for start, end in runs:
            for found in _FOLDED.finditer(self.flags, start, end):
                first, last = found.span()
                if (first, last) == (start, end) and self.source.marks[start - 1] == " ":
                    # The line before a run of changed ones stays with it.
                    first -= 1
                if sum(sizes[first:last]) >= (_WORTH if last - first < end - start else _WORTH // 3):
                    keep[first:last] = bytes(last - first)

    def _drop(self, start: int, end: int) -> None:
        """Leaves lines out with a note of what is folded in them."""
        flags = self.flags[start:end]
        marks = self.source.marks[start:end]
        signs = list(compress_by(marks, flags.translate(_KNOWN)))
        kinds = ["renames"] if RENAME in flags else []
        if _REPEAT in flags:
            elsewhere = dict.fromkeys(self.repeats[at] + 1 for at in range(start, end) if at in self.repeats)
            more = f" and {len(elsewhere) - 3} more" if len(elsewhere) > 3 else ""
            kinds.append("the edit at " + ", ".join(f"L{at}" for at in list(elsewhere)[:3]) + more)
        note = f"{' and '.join(kinds)}, +{signs.count('+')} -{signs.count('-')}"
        for at in range(start, end) if self.plan.notes else ():
            if at in self.plan.notes:
                note += f"; {self.plan.notes.pop(at)}"
        self.plan.drop(start, end, note)

    def _told(self) -> list[str]:
        told = []
        if self.names:
            more = f", +{len(self.names) - MOST_NAMED} more" if len(self.names) > MOST_NAMED else ""
            told.append("renamed " + ", ".join(map(_phrase, self.names[:MOST_NAMED])) + more)
        if self.places:
            most = sorted(self.places, key=lambda at: -self.places[at])[:MOST_NAMED]
            more = f", +{len(self.places) - MOST_NAMED} more" if len(self.places) > MOST_NAMED else ""
            listed = ", ".join(f"L{at + 1} in {self.places[at]} places" for at in sorted(most))
            told.append(f"edits shown once: {listed}{more}")
        return told


_KNOWN = bytes([flag in (RENAME, _REPEAT) for flag in range(256)])


def _phrase(one: Renamed) -> str:
    files = len(one.files)
    return f"{one.old} → {one.new} in {one.lines} lines of {files} {'file' if files == 1 else 'files'}"
