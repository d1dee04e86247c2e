"""Folds what a large diff says over and over: names that were renamed, and edits made in many places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.compressors.diff_parse import FileDiff, Hunk, Source
from tokenjuice_ml.compressors.diff_plan import Plan
from tokenjuice_ml.compressors.diff_renames import QUOTED, RENAME, Renamed, renames_of

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
        renames = renames_of(source, files)
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
            self._fold_file(one.hunks)
        self.plan.told = self._told()

    def _unfold_asked(self) -> None:
        """Lets what the query names stand; the names that were renamed say nothing of a place."""
        renamed = {name for one in self.names for name in (one.old, one.new)}
        words = [word for word in self.words if word not in renamed]
        for one in self.files:
            low = one.path.lower()
            for hunk in one.hunks:
                if any(word in low or word in self._text(hunk).lower() for word in words):
                    self.flags[hunk.start : hunk.end] = bytes(hunk.end - hunk.start)

    def _text(self, hunk: Hunk) -> str:
        return self.source.text[self.source.starts[hunk.start] : self.source.starts[hunk.end]]

    def is_quoted(self, hunk: Hunk) -> bool:
        """Says whether a hunk renames names in strings, and does nothing else."""
        runs = [
            self.flags[slice(*run.span())]
            for run in _RUN.finditer(self.source.marks, hunk.start + 1, hunk.end)
        ]
        return any(QUOTED in run for run in runs) and all(0 not in run for run in runs)

    def _find_repeats(self) -> None:
        seen: dict[str, list[int]] = {}
        text, starts = self.source.text, self.source.starts
        ends: dict[int, int] = {}
        for one in self.files:
            for hunk in one.hunks:
                for run in (
                    _RUN.finditer(self.source.marks, hunk.start + 1, hunk.end) if hunk.signs == 1 else ()
                ):
                    start, end = run.span()
                    if self.plan.keep[start] and self.flags[start:end].count(RENAME) < end - start:
                        seen.setdefault(text[starts[start] : starts[end]], []).append(start)
                        ends[start] = end
        for found in seen.values():
            if len(found) >= LEAST_PLACES:
                self.places[found[0]] = len(found)
                for start in found[1:]:
                    self.repeats[start] = found[0]
                    self.flags[start : ends[start]] = bytes([_REPEAT]) * (ends[start] - start)

    def _fold_file(self, hunks: Sequence[Hunk]) -> None:
        """Folds hunks; neighbours that hold nothing else share a note."""
        first = -1
        for hunk in hunks:
            whole = self._is_folded(hunk)
            if whole:
                first = hunk.start if first < 0 else first
                before = hunk
                continue
            if first >= 0:
                self._drop(first, before.end)
                first = -1
            if _FOLDED.search(self.flags, hunk.start, hunk.end):
                self._fold_hunk(hunk)
        if first >= 0:
            self._drop(first, before.end)

    def _is_folded(self, hunk: Hunk) -> bool:
        """Says whether all that changes in a hunk is said elsewhere."""
        runs = [run.span() for run in _RUN.finditer(self.source.marks, hunk.start + 1, hunk.end)]
        return bool(runs) and hunk.signs == 1 and all(_FOLDED.fullmatch(self.flags, *run) for run in runs)

    def _fold_hunk(self, hunk: Hunk) -> None:
        """Folds what a hunk has of known lines among others."""
        plan, marks, keep = self.plan, self.source.marks, self.plan.keep
        for run in _RUN.finditer(marks, hunk.start + 1, hunk.end):
            start, end = run.span()
            for found in _FOLDED.finditer(self.flags, start, end):
                first, last = found.span()
                whole = (first, last) == (start, end)
                if not whole and sum(plan.sizes[first:last]) < _WORTH:
                    continue
                keep[first:last] = bytes(last - first)
                if whole and marks[start - 1] == " ":
                    keep[start - 1] = 0
        for gap in list(_GAP.finditer(keep, hunk.start + 1, hunk.end)):
            if _FOLDED.search(self.flags, *gap.span()):
                self._drop(*gap.span())

    def _drop(self, start: int, end: int) -> None:
        """Leaves lines out with a note of what is folded in them."""
        flags = self.flags[start:end]
        known = flags.translate(_KNOWN)
        signs = [self.source.marks[start + at] for at in range(end - start) if known[at]]
        kinds = ["renames"] if RENAME in flags else []
        if _REPEAT in flags:
            elsewhere = dict.fromkeys(self.repeats[at] + 1 for at in range(start, end) if at in self.repeats)
            more = f" and {len(elsewhere) - 3} more" if len(elsewhere) > 3 else ""
            kinds.append("the edit at " + ", ".join(f"L{at}" for at in list(elsewhere)[:3]) + more)
        note = f"{' and '.join(kinds)}, +{signs.count('+')} -{signs.count('-')}"
        for at in [at for at in range(start, end) if at in self.plan.notes]:
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
