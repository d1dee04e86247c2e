"""Fits a large diff into its budget: what is said elsewhere goes first, then what tells the least."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress as compress_by
from itertools import groupby

from tokenjuice_ml.compressors.diff_fold import Folds
from tokenjuice_ml.compressors.diff_locks import is_generated, is_lock
from tokenjuice_ml.compressors.diff_parse import FileDiff, Hunk, Source
from tokenjuice_ml.compressors.diff_plan import Plan
from tokenjuice_ml.compressors.diff_runs import tells_little
from tokenjuice_ml.tokens import estimate

# From this many on, what is said over and over is told once.
FOLDED_TOKENS = 6_000
# Chars a token of code has on average.
CHARS_PER_TOKEN = 3.4
# Chars of a note, and added lines that make a hunk the body of a new file.
_NOTE, _BODY = 70, 30
# Chars by whose multiples hunks are small or large: of those that tell as much the smaller go first.
_SMALL = 200
# Fewer chars of a hunk are not worth its header.
_PART = 120


def fit(source: Source, files: list[FileDiff], plan: Plan, words: Sequence[str], most: int) -> None:
    """Folds and cuts hunks until the changed lines are at most about `most` tokens.

    Args:
        source: the diff.
        files: its files; those that are left out lose their hunks.
        plan: which lines stay so far.
        words: lower-case words that the reader looks for.
        most: the budget.
    """
    whole = most * _chars_per_token(source.lines)
    if sum(compress_by(plan.sizes, plan.keep)) <= min(whole, FOLDED_TOKENS * CHARS_PER_TOKEN):
        return
    folds = Folds(source, files, plan, words)
    folds.fold()
    room = whole - _fit_files(files, plan, words, whole)
    hunks = _ranked(source.lines, files, plan, words, folds)
    if sum(size for *_, size in hunks) > room:
        changed = sum(any(map(plan.size, one.hunks)) for one in files)
        gone = _cut_hunks(source.lines, plan, hunks, room, changed)
        for one in files:
            _drop_gone(one, plan, gone)


# Whether the query does not name a hunk, the hunk, and its chars.
_Ranked = tuple[bool, Hunk, int]


def _ranked(
    lines: Sequence[str], files: list[FileDiff], plan: Plan, words: Sequence[str], folds: Folds
) -> list[_Ranked]:
    """Returns the hunks of which something stays, the most telling first."""
    found = []
    for one in files:
        for place, hunk in enumerate(one.hunks):
            size = plan.size(hunk)
            if size:
                rank = _rank(lines, one, place, words, folds)
                found.append(((*rank, size // _SMALL, place, hunk.start), hunk, size))
    found.sort(key=lambda entry: entry[0])
    return [(rank[0], hunk, size) for rank, hunk, size in found]


def _cut_hunks(
    lines: Sequence[str], plan: Plan, hunks: Sequence[_Ranked], room: float, files: int
) -> set[int]:
    """Cuts hunks that are too large; returns the first lines of those that there is no room for.

    What stands for the parts of a file that are cut costs as much as a line.
    """
    room -= _NOTE * files
    share = max(160.0, room / files - 1.5 * _NOTE)
    gone: set[int] = set()
    for unasked, hunk, size in hunks:
        given = min(size, share if unasked else room / 2, room)
        if size <= _NOTE:
            given = size
        elif given < min(size, _PART):
            gone.add(hunk.start)
            continue
        elif given < size:
            _clip_hunk(lines, hunk, plan, given)
        # What is cut between hunks that stay is told between them.
        room -= min(size, given + _NOTE) + _NOTE / 2
    return gone


def _drop_gone(one: FileDiff, plan: Plan, gone: set[int]) -> None:
    """Leaves whole hunks out; neighbours share a note."""
    for is_gone, found in groupby(one.hunks, key=lambda hunk: hunk.start in gone):
        if is_gone:
            hunks = list(found)
            start, end = hunks[0].start, hunks[-1].end
            for at in range(start, end) if plan.notes else ():
                plan.notes.pop(at, None)
            added, removed = sum(hunk.added for hunk in hunks), sum(hunk.removed for hunk in hunks)
            count = f"{len(hunks)} hunks, " if len(hunks) > 1 else ""
            plan.drop(start, end, f"{count}+{added} -{removed} not shown")


def _chars_per_token(lines: Sequence[str]) -> float:
    """Returns the chars that a token has in the middle of the diff."""
    middle = len(lines) // 2
    sample = "\n".join([line[:300] for line in lines[middle : middle + 60]])
    return max(1.5, min(CHARS_PER_TOKEN, len(sample) / max(1, estimate(sample))))


def _fit_files(files: list[FileDiff], plan: Plan, words: Sequence[str], room: float) -> float:
    """Leaves files out where their headers alone are too many; returns the chars of those that stay."""
    heads = [
        sum(compress_by(plan.lengths[one.start : one.head_end], plan.keep[one.start : one.head_end]))
        for one in files
    ]
    if sum(heads) <= 0.4 * room:
        return float(sum(heads))
    spent, left = 0, 0.4 * room
    order = sorted(range(len(files)), key=lambda number: _rank_file(files[number], plan, words))
    for number in order:
        one = files[number]
        if heads[number] <= left - spent:
            spent += heads[number]
            continue
        added = sum(hunk.added for hunk in one.hunks)
        removed = sum(hunk.removed for hunk in one.hunks)
        for index in range(one.start, one.end):
            plan.notes.pop(index, None)
        plan.drop(one.start, one.end, f"{one.path} +{added} -{removed}")
        plan.files.add(one.start)
        one.hunks = []
    return float(spent)


def _rank_file(one: FileDiff, plan: Plan, words: Sequence[str]) -> tuple[bool, bool, bool, int]:
    low = one.path.lower()
    asked = any(word in low for word in words)
    folded = bool(one.hunks) and not any(map(plan.size, one.hunks))
    return (not asked, folded, is_lock(low) or is_generated(low) or _is_dull(low), one.start)


def _is_dull(low: str) -> bool:
    """Says whether a path is a document, data or a test: read after the sources."""
    return low.endswith((".md", ".txt", ".rst", ".json", ".svg", ".csv")) or "test" in low or "fixture" in low


def _rank(
    lines: Sequence[str], one: FileDiff, place: int, words: Sequence[str], folds: Folds
) -> tuple[bool, int, int]:
    """Sorts hunks: what the query names, what tells little last, sources before tests, first hunks first."""
    low, hunk = one.path.lower(), one.hunks[place]
    asked = bool(words) and any(
        word in low or any(word in line.lower() for line in lines[hunk.start : hunk.end]) for word in words
    )
    body = hunk.added > _BODY and not hunk.removed
    weight = folds.weight(hunk)
    if weight == 1:
        weight += tells_little(lines[hunk.start + 1 : hunk.end])
    return (not asked, weight, 2 * _is_dull(low) + (place > 0) + body)


def _clip_hunk(lines: Sequence[str], hunk: Hunk, plan: Plan, room: float) -> None:
    """Keeps the head of a hunk; the rest is counted."""
    added = removed = 0
    start = -1
    for index in range(hunk.start + 1, hunk.end):
        if start < 0 and not plan.keep[index]:
            continue
        room -= plan.sizes[index]
        if room >= 0:
            continue
        start = index if start < 0 else start
        added += lines[index][:1] == "+"
        removed += lines[index][:1] == "-"
    if start >= 0:
        for index in range(start + 1, hunk.end):
            plan.notes.pop(index, None)
        plan.drop(start, hunk.end, f"+{added} -{removed} not shown")
