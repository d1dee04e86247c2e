"""Chooses runs of words: the best set under a budget in tokens, with a price on every cut.

Words that belong together (see `protect`) are one unit first, so no cut can fall between them. Then one
dynamic program over the units finds the best runs for a given price of a token; the price that meets the
budget is found by interpolation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress
from operator import mul
from typing import NamedTuple

from tokenjuice_ml.saliency.units import Segment
from tokenjuice_ml.saliency.value import PER_CHAR, PER_UNIT, PER_WORD, Words

SHORTEST = 3
"""Words that a run inside a sentence has at least."""
_MOST_UNITS = 8_000
"""Above so many words, several make a unit, or the search would take too long."""
_TRIES = 8
_CLOSE = 0.985
_USUAL, _DEAREST = 0.3, 2.4
_Tried = tuple[float, float, bytearray]  # cost, price, flags
_SLACK = 0.012


class Prices(NamedTuple):
    """What it costs to start or end a run, in words of full worth.

    Attributes:
        inside: in the midst of a clause.
        clause: at a comma, a colon, a bracket.
        edge: where a sentence begins or ends.
        headless: added where a run starts inside a sentence, whose subject stands before it as a rule.
    """

    inside: float
    clause: float
    edge: float
    headless: float = 0.0


class Units(NamedTuple):
    """Words that no cut separates: where each unit starts and ends, what it is worth and costs.

    Attributes:
        starts: first char of each unit.
        ends: one past its last char.
        worth: sum over its words.
        cost: tokens, roughly.
        words: number of words.
        opens: 1 where a sentence begins with it.
        closes: 1 where a sentence ends with it.
        fees: price of ending a run in front of it.
        entries: price of starting one with it.
        clause: price of a cut at a clause.
    """

    starts: list[int]
    ends: list[int]
    worth: list[float]
    cost: list[float]
    words: list[int]
    opens: bytearray
    closes: bytearray
    fees: list[float]
    entries: list[float]
    clause: float


def glue(
    text: str,
    segments: Sequence[Segment],
    words: Words,
    worth: Iterable[float],
    factors: Sequence[float],
    closed: Iterable[tuple[int, int]],
    prices: Prices,
) -> Units:
    """Makes units of the words that no cut may separate.

    Args:
        text: the text; it has at least one word.
        segments: where a cut is cheapest.
        words: the words of the text.
        worth: one number a word.
        factors: one a segment, by which its words are worth more or less.
        closed: char ranges that no cut may fall into.
        prices: what a cut costs.
    """
    starts, count = words.starts, len(words.starts)
    opening = [bisect_left(starts, segment.start) for segment in segments]
    opens = bytearray(count + 1)
    for at in opening:
        opens[at] = 1
    opens[0] = opens[count] = 1
    free = _free(words, opens, closed)
    firsts = list(compress(range(count), free))
    lasts = [*firsts[1:], count]
    sums = list(accumulate(worth, initial=0.0))
    heads, tails = [starts[a] for a in firsts], [words.end(b - 1) for b in lasts]
    fees = [prices.edge if opens[a] else _fee(text, starts[a], words.end(a - 1), prices) for a in firsts]
    pairs = list(zip(firsts, lasts, strict=True))
    sizes = [b - a for a, b in pairs]
    return Units(
        heads,
        tails,
        list(map(mul, [sums[b] - sums[a] for a, b in pairs], _spread(opening, factors, firsts))),
        [
            PER_UNIT + PER_WORD * size + PER_CHAR * (end - start)
            for size, start, end in zip(sizes, heads, tails, strict=True)
        ],
        sizes,
        bytearray([opens[a] for a in firsts]),
        bytearray([opens[b] for b in lasts]),
        fees,
        [fee if opens[a] else fee + prices.headless for a, fee in zip(firsts, fees, strict=True)],
        prices.clause,
    )


def _free(words: Words, opens: bytearray, closed: Iterable[tuple[int, int]]) -> bytearray:
    """Returns one flag a word, and one for the end: 1 where a cut may stand in front of it."""
    starts, count = words.starts, len(words.starts)
    step = -(-count // _MOST_UNITS)
    pattern = (b"\1" + bytes(step - 1)) * (count // step + 1)
    free = bytearray((int.from_bytes(pattern[: count + 1]) | int.from_bytes(opens)).to_bytes(count + 1))
    for start, end in closed:
        first = bisect_left(starts, start + 1)
        if first < count and starts[first] < end:
            last = bisect_left(starts, end, first)
            free[first:last] = bytes(last - first)
    free[0] = free[count] = 1
    return free


def _spread(opening: Sequence[int], factors: Sequence[float], firsts: Sequence[int]) -> list[float]:
    """Returns of each unit the factor of the segment in which it starts."""
    out: list[float] = []
    at = 0
    for index, factor in enumerate(factors):
        end = bisect_left(firsts, opening[index + 1], at) if index + 1 < len(factors) else len(firsts)
        out += [factor] * (end - at)
        at = max(at, end)
    return out if out else [1.0] * len(firsts)


def _fee(text: str, start: int, before: int, prices: Prices) -> float:
    last = text[before - 1]
    if last in '"”’':
        last = text[before - 2]
    return prices.clause if last in ",;:—–)]，；：、）" or text[start] in "([–—（" else prices.inside


class Search:
    """Finds the best runs under a budget, by the price of a token; remembers what each price led to."""

    def __init__(self, units: Units) -> None:
        self._units = units
        nothing, all_of_it = bytes(len(units.cost)), b"\1" * len(units.cost)
        self._tried = [(sum(units.cost), 0.0, bytearray(all_of_it)), (0.0, _DEAREST, bytearray(nothing))]

    def best(self, budget: float) -> bytearray:
        """Returns one flag a unit: the best runs that cost at most `budget`."""
        budget = max(0.0, budget)
        for _ in range(_TRIES):
            (over_cost, low, over), (cost, high, kept) = self._around(budget)
            if cost >= budget * _CLOSE:
                break
            share = (over_cost - budget) / max(1e-9, over_cost - cost)
            price = low + (high - low) * min(0.9, max(0.1, share))
            if len(self._tried) == 2:
                price = _USUAL
            flags = _runs(self._units, price)
            self._tried.append((sum(compress(self._units.cost, flags)), price, flags))
        (_, _, over), (_, _, kept) = self._around(budget)
        return _fill(self._units, bytearray(kept), over, budget)

    def _around(self, budget: float) -> tuple[_Tried, _Tried]:
        """Returns the cheapest trial that costs more than `budget`, and the dearest that does not."""
        more = [tried for tried in self._tried if tried[0] > budget]
        less = [tried for tried in self._tried if tried[0] <= budget]
        return min(more, default=self._tried[0], key=_by_cost), max(less, key=_by_cost)


def _by_cost(tried: _Tried) -> tuple[float, float]:
    return tried[0], -tried[1]


def _runs(units: Units, price: float) -> bytearray:
    """Returns the best runs when each token costs `price`: two states, one pass, one way back.

    `ended` says that leaving the unit out after keeping the one before was best, `began` that keeping
    it after leaving out the one before was.
    """
    on, off = -1e18, 0.0
    ended, began = bytearray(len(units.worth)), bytearray(len(units.worth))
    steps = zip(units.worth, units.cost, units.fees, units.entries, strict=True)
    for at, (worth, cost, fee, entry) in enumerate(steps):
        entered = off - entry
        if on - fee > off:
            off = on - fee
            ended[at] = 1
        if entered > on:
            on = entered
            began[at] = 1
        on += worth - price * cost
    return _way_back(on > off, ended, began)


def _way_back(inside: bool, ended: bytearray, began: bytearray) -> bytearray:
    """Returns the flags of the best path: from its end, jumping from turn to turn."""
    kept = bytearray(len(ended))
    at = len(kept)
    while at > 0:
        turn = (began if inside else ended).rfind(1, 0, at)
        if inside:
            start = max(turn, 0)
            kept[start:at] = b"\1" * (at - start)
        at, inside = turn, not inside
    return kept


def _fill(units: Units, kept: bytearray, over: bytearray, budget: float) -> bytearray:
    """Spends what is left on the best of what a slightly lower price would have kept.

    A price for each token cannot reach every budget: between two prices whole runs come in at once.
    First what ends with a clause is taken, then, if much is left, also less.
    """
    left = budget - sum(compress(units.cost, kept))
    more = bytearray(a & ~b & 1 for a, b in zip(over, kept, strict=True))
    parts = sorted(_parts(units, more), key=lambda part: -_density(units, *part))
    for whole in (True, False):
        if not whole and left < _SLACK * budget:
            break
        for a, b in parts:
            end = _affordable(units, a, b, left, whole)
            left -= sum(units.cost[a:end])
            kept[a:end] = b"\1" * (end - a)
    return _tidy(units, kept)


def _affordable(units: Units, first: int, last: int, left: float, whole: bool) -> int:
    """Returns how far ``first:last`` can be taken for `left`; `whole` says to end where a clause does."""
    end = at = first
    while at < last and units.cost[at] <= left:
        left -= units.cost[at]
        at += 1
        if not whole or at == last or units.fees[at] <= units.clause:
            end = at
    return end


def _tidy(units: Units, kept: bytearray) -> bytearray:
    """Drops scraps: the few words of a sentence that a run starts or ends with."""
    for a, b in _parts(units, kept):
        scrap = not (units.opens[a] and units.closes[b - 1])
        if scrap and sum(units.words[a:b]) < SHORTEST:
            kept[a:b] = bytes(b - a)
    return kept


def _parts(units: Units, flags: bytearray) -> list[tuple[int, int]]:
    """Returns the runs of set flags, divided where a sentence opens."""
    out: list[tuple[int, int]] = []
    for a, b in runs(flags):
        cut = units.opens.find(1, a + 1, b)
        while cut > 0:
            out.append((a, cut))
            a = cut
            cut = units.opens.find(1, a + 1, b)
        out.append((a, b))
    return out


def _density(units: Units, first: int, last: int) -> float:
    return sum(units.worth[first:last]) / max(1e-9, sum(units.cost[first:last]))


def runs(kept: bytearray) -> list[tuple[int, int]]:
    """Returns the half-open ranges of set flags.

    >>> runs(bytearray([0, 1, 1, 0, 1]))
    [(1, 3), (4, 5)]
    """
    out: list[tuple[int, int]] = []
    at = kept.find(1)
    while at >= 0:
        end = kept.find(0, at)
        end = len(kept) if end < 0 else end
        out.append((at, end))
        at = kept.find(1, end)
    return out
