"""Decides which ranked lines are shown, within a budget of tokens."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate, compress, islice, pairwise
from typing import TypeVar

from tokenjuice_ml.compressors.odd_lines import odd_lines, sizes_of
from tokenjuice_ml.rules.blocks import Span
from tokenjuice_ml.rules.marks import BLOCK, KEEP, NEAR, PLAIN, SIGNAL, SKIP, SUMMARY, WARNING, Marks
from tokenjuice_ml.rules.schema import Window
from tokenjuice_ml.rules.view import MATCH_CHARS, LineView, numbers_folded

_T = TypeVar("_T")
GAP_TOKENS = 14
CHARS_PER_TOKEN = 3
MAX_LINE_CHARS = 1000
_RARE_LINES = 12
# The share of lines that begin with a size where the largest are sought.
_MOSTLY = 0.8
# A line so far behind a record's last known line still belongs to it.
_NEAR_RECORD = 12
_SHAPE_CHARS, _AT_ONCE = 200, 100
# Blocks that cannot be paid, one after the other, before no other is asked.
_MISSES = 200
# A line that only says where: an arrow, or a path with a line number, and little else.
_PLACE = re.compile(r"^\s*(?:-->|at |,-\[|╭─\[|File |❯ )?\s*\S*[\w\]\)]:\d+(?::\d+)?\)?\]?\s*$|^\s*File \"")


def keep_ranked(marks: Marks) -> bytearray:
    """Returns one flag a line: set where the rank says that the line matters."""
    return marks.ranks.translate(bytes(int(rank >= WARNING) for rank in range(256)))


def cut_long_blocks(keep: bytearray, spans: Sequence[Span], ranks: bytearray) -> None:
    """Leaves both ends of blocks that are longer than their `max_lines`."""
    for span in spans:
        if span.last - span.first < span.max_lines:
            continue
        lines = [at for at in range(span.first, span.last + 1) if keep[at]]
        if len(lines) <= span.max_lines:
            continue
        head = -(-span.max_lines * 3 // 5)
        tail = span.max_lines - head
        for at in lines[head : len(lines) - tail]:
            if ranks[at] == BLOCK:
                keep[at] = 0


def add_window(keep: bytearray, view: LineView, ranks: bytearray, window: Window) -> None:
    """Keeps plain lines at both ends; blank and skipped ones do not count."""
    _add_first(keep, view, ranks, range(len(view.lines)), window.head)
    _add_first(keep, view, ranks, range(len(view.lines) - 1, -1, -1), window.tail)


def add_largest(keep: bytearray, view: LineView, ranks: bytearray, window: Window) -> None:
    """Keeps the lines that begin with the largest sizes, in place of those at the start, and the end."""
    lines = [at for at, line in enumerate(view.lines) if ranks[at] == PLAIN and line.strip()]
    firsts = [view.lines[at].split(None, 1)[0] for at in lines]
    numbers = sizes_of(firsts)
    if sum(number is not None for number in numbers) < _MOSTLY * len(numbers):
        add_window(keep, view, ranks, window)
        return
    measured = [(number, -at) for number, at in zip(numbers, lines, strict=True) if number is not None]
    for _, at in nlargest(window.head, measured):
        keep[-at] = 1
    add_window(keep, view, ranks, Window(0, window.tail))


def _add_first(keep: bytearray, view: LineView, ranks: bytearray, order: range, count: int) -> None:
    for at in order:
        if count <= 0:
            break
        if ranks[at] != SKIP and view.lines[at].strip():
            keep[at] = 1
            count -= 1


def add_odd(keep: bytearray, view: LineView, marks: Marks, query: str | None) -> int:
    """Keeps a few plain lines that stand out among those left out; returns how many.

    Of a record (a commit) its first lines come along, up to the line that ends them.
    """
    ranks, lines = marks.ranks, view.lines
    at = [at for at, line in enumerate(lines) if ranks[at] != SKIP and line and not line.isspace()]
    hidden = [not keep[index] for index in at]
    if not any(hidden):
        return 0
    odd = [at[index] for index in odd_lines([lines[index] for index in at], hidden, query)]
    firsts = [span.first for span in marks.spans]
    for line in odd:
        home = bisect_right(firsts, line) - 1
        if home >= 0 and line - marks.spans[home].last <= _NEAR_RECORD:
            span = marks.spans[home]
            for head in range(span.first, min(span.last + 1, span.first + span.max_lines)):
                keep[head], ranks[head] = int(lines[head] != ""), max(ranks[head], SUMMARY)
        keep[line], ranks[line] = 1, SUMMARY
    return len(odd)


def drop_repeats(keep: bytearray, view: LineView, ranks: bytearray, mode: str) -> int:
    """Unflags lines equal to the kept line before them; returns how many."""
    if mode == "off":
        return 0
    kept = list(compress(range(len(keep)), keep))
    lines = [view.matched[at] for at in kept]
    shapes = _shapes(lines, MATCH_CHARS) if mode == "similar" else lines
    dropped = 0
    for (before, at), (last, shape) in zip(pairwise(kept), pairwise(shapes), strict=True):
        if shape == last and at - before == 1 and ranks[at] != SUMMARY and shape.strip():
            keep[at] = 0
            dropped += 1
    return dropped


def cost(line: str) -> int:
    """Returns a safe estimate of the tokens of one shown line."""
    return min(len(line), MAX_LINE_CHARS) // CHARS_PER_TOKEN + 1


def _shapes(lines: Sequence[str], chars: int = _SHAPE_CHARS) -> list[str]:
    """Returns the lines, cut at `chars` characters, with one 0 for each number."""
    return numbers_folded("\n".join([line[:chars] for line in lines])).split("\n") if lines else []


def fit(keep: bytearray, view: LineView, marks: Marks, budget: int, prefer: str = "ends") -> bytearray:
    """Returns `keep` thinned to about `budget` tokens, the best lines first.

    Args:
        keep: one flag a line.
        view: the lines.
        marks: their ranks.
        budget: tokens; 0 for no limit.
        prefer: ``ends`` (and ``largest``) spreads from both ends, ``first`` goes from the start (newest-first lists).
    """
    wanted = list(compress(range(len(keep)), keep))
    if not budget or _fits(wanted, view, budget):
        return keep
    purse = _Purse(budget, view, len(keep), marks.headings)
    by_rank: dict[int, list[int]] = {rank: [] for rank in range(SUMMARY + 1)}
    for at in wanted:
        by_rank[marks.ranks[at]].append(at)
    spans = [span for span in marks.spans if keep.find(1, span.first, span.last + 1) >= 0]
    purse.take(reversed(by_rank[SUMMARY]), 0.3)
    if prefer == "first":
        if spans:
            purse.take_block(spans[-1], keep, 0.15)
        else:
            purse.take(reversed(wanted[-3:]), 0.15)
        purse.take((at for at in wanted if marks.ranks[at] in (KEEP, SIGNAL)), 0.5)
        for span in spans:
            if not purse.can_pay(span, keep):
                break
            purse.take_block(span, keep, 1.0)
        if not spans:
            purse.take(wanted, 1.0)
        return purse.keep
    purse.take(_rare([*by_rank[SIGNAL], *by_rank[WARNING]], view), 0.2)
    _take_kinds(purse, keep, marks, spans)
    for span in islice(_outer(spans), 2):
        purse.take_block(span, keep, 0.35)
    purse.take((at for span in _outer(spans) for at in _heads_of(span, keep, view)), 0.2)
    purse.take(_varied(by_rank[KEEP], view, marks.kinds), 0.35)
    purse.take(_varied(by_rank[SIGNAL], view, marks.kinds), 0.3)
    purse.take_blocks(spans, keep, 0.35)
    for rank in (KEEP, SIGNAL, NEAR, WARNING, SUMMARY):
        purse.take(_varied(by_rank[rank], view, marks.kinds), 1.0)
    purse.take(_outer(by_rank[PLAIN]), 1.0)
    return purse.keep


def _fits(wanted: Sequence[int], view: LineView, budget: int) -> bool:
    if GAP_TOKENS + len(wanted) > budget:  # each line costs a token at least
        return False
    lines = view.lines
    chars = [min(len(lines[at]), MAX_LINE_CHARS) // CHARS_PER_TOKEN for at in wanted]
    return sum(chars) + len(chars) + GAP_TOKENS * _runs(wanted) <= budget


def _rare(lines: Sequence[int], view: LineView) -> list[int]:
    """Returns the lines whose shape (numbers aside) occurs once or twice among them."""
    shapes = _shapes([view.matched[at] for at in lines])
    counts = Counter(shapes)
    return [at for at, shape in zip(lines, shapes, strict=True) if counts[shape] <= 2][:_RARE_LINES]


def _take_kinds(purse: _Purse, keep: bytearray, marks: Marks, spans: Sequence[Span]) -> None:
    """Buys one finding of each kind, the rarest kinds first: the one error among many of another kind."""
    counts = Counter(marks.kinds.values())
    firsts: dict[str, int] = {}
    for at, kind in marks.kinds.items():
        if keep[at]:
            firsts.setdefault(kind, at)
    homes = _homes(spans, firsts.values()) if firsts else {}
    for kind in sorted(firsts, key=lambda kind: counts[kind]):
        span = homes.get(firsts[kind])
        if purse.left < purse.budget * 0.4:
            break
        if span is None:
            purse.add(firsts[kind])
        else:
            purse.take_block(span, keep, 0.25)
    _take_rare_blocks(purse, keep, purse.view, spans)


def _homes(spans: Sequence[Span], lines: Iterable[int]) -> dict[int, Span]:
    """Returns the first block that holds each of these lines; the blocks come by their first lines."""
    ends = list(accumulate([span.last for span in spans], max))
    homes: dict[int, Span] = {}
    for at in lines:
        index = bisect_left(ends, at)
        if index < len(spans) and spans[index].first <= at:
            homes[at] = spans[index]
    return homes


def _take_rare_blocks(purse: _Purse, keep: bytearray, view: LineView, spans: Sequence[Span]) -> None:
    """Buys blocks whose first line is unlike the others, where most are alike."""
    shapes = _shapes([view.matched[_head_of(span, keep)] for span in spans])
    counts = Counter(shapes)
    if not counts or len(counts) > len(spans) // 2:
        return
    firsts = dict(zip(reversed(shapes), reversed(spans), strict=True))
    for shape in sorted(firsts, key=lambda shape: (counts[shape], firsts[shape].first)):
        if purse.left < purse.budget * 0.4:
            break
        purse.take_block(firsts[shape], keep, 0.25)


def _runs(lines: Sequence[int]) -> int:
    return sum(1 for before, after in pairwise(lines) if after != before + 1) + 1


def _head_of(span: Span, keep: bytearray) -> int:
    return keep.index(1, span.first, span.last + 1)


def _heads_of(span: Span, keep: bytearray, view: LineView) -> tuple[int, ...]:
    """Returns the first line of a block, and the second where it says the place (`--> src/a.rs:3:9`)."""
    head = _head_of(span, keep)
    second = keep.find(1, head + 1, span.last + 1)
    return (head, second) if second > 0 and _PLACE.search(view.matched[second][:300]) else (head,)


def _outer(items: Sequence[_T]) -> Iterator[_T]:
    """Yields first, last, second, last but one, … of `items`."""
    low, high = 0, len(items) - 1
    while low <= high:
        yield items[low]
        if low != high:
            yield items[high]
        low, high = low + 1, high - 1


def _varied(lines: Sequence[int], view: LineView, kinds: Mapping[int, str]) -> Iterator[int]:
    """Yields lines of a new shape first (numbers aside), then the repeats."""
    seen: set[str] = set()
    repeats: list[int] = []
    for first in range(0, len(lines), _AT_ONCE):
        some = lines[first : first + _AT_ONCE]
        for at, shape in zip(some, _shapes([view.matched[at] for at in some]), strict=True):
            shape = kinds.get(at) or shape
            if shape in seen:
                repeats.append(at)
            else:
                seen.add(shape)
                yield at
    yield from _outer(repeats)


class _Purse:
    """Spends tokens on lines."""

    def __init__(self, budget: int, view: LineView, size: int, headings: Sequence[int] = ()) -> None:
        self.headings = headings
        self.budget = budget
        self.left = budget
        self.view = view
        self.keep = bytearray(size)

    def _price(self, at: int) -> int:
        alone = not ((at and self.keep[at - 1]) or (at + 1 < len(self.keep) and self.keep[at + 1]))
        return cost(self.view.lines[at]) + (GAP_TOKENS if alone else 0)

    def add(self, at: int) -> bool:
        """Buys one line if it can be paid."""
        if self.keep[at]:
            return True
        price = self._price(at)
        if price > self.left:
            return False
        self.keep[at] = 1
        self.left -= price
        if self.headings:
            self._add_heading(at)
        return True

    def _add_heading(self, at: int) -> None:
        """Buys the heading of a bought line: the file of a finding."""
        index = bisect_right(self.headings, at) - 1
        heading = self.headings[index] if index >= 0 else at
        if not self.keep[heading]:
            self.keep[heading] = 1
            self.left -= self._price(heading)

    def can_pay(self, span: Span, keep: bytearray) -> bool:
        """Returns True when the whole block fits into what is left."""
        price = sum([cost(self.view.lines[at]) for at in range(span.first, span.last + 1) if keep[at]])
        return price + GAP_TOKENS <= self.left

    def take(self, lines: Iterable[int], share: float) -> None:
        """Buys lines in order, with at most `share` of the whole budget."""
        floor = max(0, self.left - int(self.budget * share))
        for at in lines:
            if self.left <= floor or not self.add(at):
                break

    def take_blocks(self, spans: Iterable[Span], keep: bytearray, share: float) -> None:
        """Buys blocks until many in a row cannot be paid."""
        misses = 0
        for span in spans:
            misses = 0 if self.take_block(span, keep, share) else misses + 1
            if misses > _MISSES:
                break

    def take_block(self, span: Span, keep: bytearray, share: float) -> bool:
        """Buys a block, both ends first, with at most `share` of the whole budget; False for none of it."""
        floor = max(0, self.left - int(self.budget * share))
        first = keep.find(1, span.first, span.last + 1)
        if first < 0 or self.left <= floor or not self.add(first):
            return False
        lines = [at for at in range(first, span.last + 1) if keep[at]]
        low, high, turn = 1, len(lines) - 1, 1
        while low <= high and self.left > floor:
            at = lines[high] if turn % 5 in (2, 4) else lines[low]
            if not self.add(at):
                break
            if turn % 5 in (2, 4):
                high -= 1
            else:
                low += 1
            turn += 1
        return True
