"""Finds the blocks of an output: a traceback, a compiler's finding with its frame, a failing test."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple

from tokenjuice_ml.rules.patterns import Pattern, hits_of
from tokenjuice_ml.rules.schema import Block
from tokenjuice_ml.rules.view import LineView

# A block without an end in sight is not searched further than this many times its size.
_SEARCH_FACTOR = 10


class Span(NamedTuple):
    """One found block: 0-based first and last line, and the rule's word for it."""

    first: int
    last: int
    name: str
    max_lines: int


def find_blocks(block: Block, view: LineView) -> list[Span]:
    """Returns the blocks of one kind, in order, not overlapping."""
    starts = block.start.hits(view)
    if not starts:
        return []
    ends = _Ahead(block.end, view) if block.end is not None else None
    befores = _Ahead(block.end_before, view) if block.end_before is not None else None
    spans: list[Span] = []
    free, total = 0, len(view.lines)
    alone = ends is None and befores is None and block.while_ is None
    for start, following in zip(starts, (*starts[1:], total), strict=True):
        if start < free:
            continue
        # Where the next block starts on the next line, this one has no other.
        short = alone or (ends is None and following == start + 1)
        last = start if short else _last_line(block, view, start, following, ends, befores)
        last = min(last + block.after, total - 1)
        spans.append(Span(max(start - block.before, free), last, block.name, block.max_lines))
        free = last + 1
    return spans


def _last_line(
    block: Block,
    view: LineView,
    start: int,
    following: int,
    ends: _Ahead | None,
    befores: _Ahead | None,
) -> int:
    """Returns the last line of the block that opens at `start`."""
    limit = min(start + block.max_lines * _SEARCH_FACTOR, len(view.lines) - 1)
    if block.while_ is not None:
        last = start
        while last < limit and last + 1 < following and block.while_.test(view.matched[last + 1]):
            last += 1
        limit = last
    end = before = None
    if ends is not None:
        end = ends.after(start, limit)
    if befores is not None:
        before = befores.after(start, limit if block.end is not None else min(limit, following))
    if end is not None and (before is None or end < before):
        return end
    if before is not None:
        return min(before - 1, following - 1) if block.end is None else before - 1
    if block.while_ is not None:
        return limit
    # No end in sight: up to the next start, or as much as a block may show.
    return min(
        following - 1, limit if block.end is None else start + block.max_lines - 1, len(view.lines) - 1
    )


class _Ahead:
    """Finds the next line of a pattern after a place.

    A pattern with a literal is looked up in the whole text at once; another is tried line by line,
    only as far as asked, each line at most once. Places are asked for in ascending order.
    """

    __slots__ = ("_hits", "_pattern", "_tried", "_view")

    def __init__(self, pattern: Pattern, view: LineView) -> None:
        whole = bool(pattern.literals() or view.shapes)
        self._hits = pattern.hits(view) if whole else []
        self._pattern = None if whole else pattern
        self._view = view
        self._tried = -1

    def after(self, start: int, limit: int) -> int | None:
        """Returns the first line after `start` that matches, up to `limit`."""
        at = bisect_right(self._hits, start)
        if at < len(self._hits):
            return self._hits[at] if self._hits[at] <= limit else None
        if self._pattern is None:
            return None
        for line in range(max(self._tried, start) + 1, min(limit, len(self._view.matched) - 1) + 1):
            self._tried = line
            if self._pattern.test(self._view.matched[line]):
                self._hits.append(line)
                return line
        return None


class Skipped:
    """The lines inside blocks of one kind that the rule leaves out."""

    __slots__ = ("_deeper", "_hits", "_tried", "_view")

    def __init__(self, block: Block, view: LineView) -> None:
        """Looks the patterns up; one without a literal is tried line by line where blocks are."""
        whole = [pattern for pattern in block.skip if pattern.literals() or view.shapes]
        self._hits = hits_of(whole, view) if whole else []
        self._tried = [pattern for pattern in block.skip if pattern not in whole]
        self._deeper, self._view = block.skip_deeper, view

    def inside(self, span: Span) -> Collection[int]:
        """Returns the lines left out of a block; its first line never is."""
        if span.first == span.last or not (self._hits or self._tried):
            return ()
        found = self._hits[bisect_right(self._hits, span.first) : bisect_right(self._hits, span.last)]
        matched = self._view.matched
        for pattern in self._tried:
            found += [at for at in range(span.first + 1, span.last + 1) if pattern.test(matched[at])]
        return _with_deeper(self._view, span, set(found)) if self._deeper else found


def _with_deeper(view: LineView, span: Span, dropped: set[int]) -> set[int]:
    """Adds the lines under each dropped line that are indented deeper: the source line of a frame."""
    found = set(dropped)
    for at in range(span.first + 1, span.last + 1):
        if at - 1 in found and at not in found and _indent(view, at) > _indent(view, at - 1):
            found.add(at)
    return found


def _indent(view: LineView, at: int) -> int:
    line = view.matched[at]
    return len(line) - len(line.lstrip())
