"""Chooses runs of words: the best set under a budget in tokens, with a price on every cut.

Words that belong together (see `protect`) are one unit first, so no cut can fall between them. Then one
dynamic program over the units finds the best runs for a given price of a token; the price that meets the
budget is found by interpolation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, compress, repeat
from operator import mul, sub
from typing import NamedTuple

from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.value import PER_CHAR, PER_UNIT, PER_WORD
from tokenjuice_ml.saliency.words import Words

SHORTEST = 3
"""Words that a run inside a sentence has at least."""
_MOST_UNITS = 8_000
"""Above so many words, several make a unit, or the search would take too long."""
_TRIES = 8
_CLOSE = 0.985
_USUAL, _DEAREST = 0.3, 2.4
_Tried = tuple[float, float, bytearray]  # cost, price, flags
_SLACK = 0.03


class Prices(NamedTuple):
    """What it costs to start or end a run, in words of full worth.

    Attributes:
        inside: in the midst of a clause.
        clause: at a comma, a semicolon, a bracket. A colon is none: what stands on its two sides needs each other.
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
        opening: of each segment the first unit that starts in it or later.
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
    opening: list[int]


def glue(
    text: str,
    sections: Sections,
    words: Words,
    worth: Iterable[float],
    factors: Sequence[float],
    closed: Iterable[tuple[int, int]],
    prices: Prices,
) -> Units:
    """Makes units of the words that no cut may separate.

    Args:
        text: the text; it has at least one word.
        sections: its segments, between which a cut is cheapest.
        words: the words of the text.
        worth: one number a word.
        factors: one a segment, by which its words are worth more or less.
        closed: char ranges that no cut may fall into.
        prices: what a cut costs.
    """
    starts, count = words.starts, len(words.starts)
    opens = bytearray(count + 1)
    for at in sections.firsts:
        opens[at] = 1
    opens[0] = opens[count] = 1
    firsts = _firsts(len(text), words, opens, closed)
    lasts = [*firsts[1:], count]
    begins = bytearray(map(opens.__getitem__, firsts))
    heads = [starts[first] for first in firsts]
    tails = [starts[last - 1] + len(words.texts[last - 1]) for last in lasts]
    sizes = list(map(sub, lasts, firsts))
    ended = bytearray(count + 1)
    for last in lasts:
        ended[last] = 1
    sums = [0.0, *compress(accumulate(worth, initial=0.0), ended)]
    opening = _openings(sections.firsts[:-1], firsts)
    fees = _fees(text, heads, tails, begins, prices)
    return Units(
        heads,
        tails,
        list(map(mul, map(sub, sums[1:], sums), _spread(opening, factors, len(firsts)))),
        [
            PER_UNIT + PER_WORD * size + PER_CHAR * (end - start)
            for size, start, end in zip(sizes, heads, tails, strict=True)
        ],
        sizes,
        begins,
        bytearray(map(opens.__getitem__, lasts)),
        fees,
        [fee if whole else fee + prices.headless for whole, fee in zip(begins, fees, strict=True)],
        prices.clause,
        opening,
    )


def _firsts(size: int, words: Words, opens: bytearray, closed: Iterable[tuple[int, int]]) -> list[int]:
    """Returns the words in front of which a cut may stand."""
    starts, count = words.starts, len(words.starts)
    step = -(-count // _MOST_UNITS)
    pattern = (b"\1" + bytes(step - 1)) * (count // step + 1)
    shut = bytearray(size)
    for start, end in closed:
        shut[start + 1 : end] = b"\1" * (end - start - 1)
    shut[starts[0]] = 0
    wanted = (int.from_bytes(pattern[:count]) | int.from_bytes(opens[:count])).to_bytes(count)
    return [index for index in compress(range(count), wanted) if not shut[starts[index]]]


def _openings(segments: Sequence[int], firsts: Sequence[int]) -> list[int]:
    """Returns of each segment's first word how many units start before it."""
    out: list[int] = []
    at, count = 0, len(firsts)
    for first in segments:
        while at < count and firsts[at] < first:
            at += 1
        out.append(at)
    return out


def _spread(opening: Sequence[int], factors: Sequence[float], count: int) -> list[float]:
    """Returns of each unit the factor of the segment in which it starts."""
    out: list[float] = []
    at = 0
    for factor, end in zip(factors, [*opening[1:], count], strict=True):
        out += [factor] * (end - at)
        at = end
    return out


def _fees(
    text: str, heads: Sequence[int], tails: Sequence[int], begins: Sequence[int], prices: Prices
) -> list[float]:
    """Returns of each unit what it costs to end a run in front of it."""
    inside, clause, edge = prices.inside, prices.clause, prices.edge
    fees: list[float] = []
    for start, before, begun in zip(heads, chain((0,), tails), begins, strict=False):
        if begun:
            fees.append(edge)
            continue
        last = text[before - 1]
        if last in '"”’':
            last = text[before - 2]
        fees.append(clause if last in ",;—–)]，；、）" or text[start] in "([–—（" else inside)
    return fees


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
    count = len(units.worth)
    ended, began = bytearray(count), bytearray(count)
    gains = map(sub, units.worth, map(mul, units.cost, repeat(price)))
    for at, gain, fee, entry in zip(range(count), gains, units.fees, units.entries, strict=True):
        entered, left = off - entry, on - fee
        if left > off:
            off = left
            ended[at] = 1
        if entered > on:
            on = entered
            began[at] = 1
        on += gain
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
    added = int.from_bytes(over) & ~int.from_bytes(kept)
    more = bytearray(added.to_bytes(len(kept)))
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
