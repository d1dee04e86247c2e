"""Chooses runs of words: the best set under a budget in tokens, with a price on every cut.

Words that belong together (see `protect`) are one unit first, so no cut can fall between them. Then one
dynamic program over the units finds the best runs for a given price of a token; the price that meets the
budget is found by interpolation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import NamedTuple

from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.graphemes import extends
from tokenjuice_ml.saliency.render import Piece, render
from tokenjuice_ml.saliency.select import TOLERANCE, Selection, add_note, aimed, miss_note
from tokenjuice_ml.saliency.units import WHOLE, Kind, Segment, outline, word_spans
from tokenjuice_ml.tokens import estimate

CUT_PRICE = 0.3
"""What a run that starts or ends inside a sentence costs, in words of full score."""
EDGE_PRICE = 0.06
"""The same at the edge of a sentence."""
SHORTEST = 3
"""Words that a run inside a sentence has at least."""
_UNDIVIDED = (*WHOLE, Kind.LIST, Kind.LABEL, Kind.HEADING)
_TRIES = 8
_CLOSE = 0.98
_ROUNDS = 3


class _Units(NamedTuple):
    """Glued words: where each unit starts and ends, what it is worth and costs, where sentences open."""

    starts: list[int]
    ends: list[int]
    worth: list[float]
    cost: list[float]
    words: list[int]
    opens: bytearray
    closes: bytearray
    fees: list[float]


def select_spans(text: str, scores: Sequence[float], ratio: float, query: str | None = None) -> Selection:
    """Returns the best runs of words of `text` under the budget; see `select.select`."""
    spans = word_spans(text)
    if len(spans) != len(scores):
        raise ValueError(f"{len(scores)} scores for {len(spans)} words")
    before = estimate(text)
    if not spans:
        return Selection(text, (), before, before)
    low = protect.lower_case(text)
    segments = outline(text)
    units = _glue(text, low, segments, spans, scores, query)
    goal = before * aimed(ratio)
    aim, price, best = goal, 0.3, None
    scale = before / max(1e-9, sum(units.cost))
    leads = _leads(text, segments)
    for _ in range(_ROUNDS):
        kept, price = _best_runs(units, aim / scale, price)
        kept = _bring_along(units, segments, leads, kept)
        pieces, cuts = _pieces(text, segments, units, kept)
        shown = render(text, pieces, cuts)
        after = estimate(shown.text)
        miss = after - goal
        if best is None or abs(miss) < best[0]:
            best = (abs(miss), shown, after)
        if abs(miss) <= TOLERANCE / 2 * before:
            break
        aim -= miss * 0.95
    assert best is not None
    return Selection(best[1].text, best[1].omissions, before, best[2], miss_note(before, best[2], ratio))


def _glue(
    text: str,
    low: str,
    segments: Sequence[Segment],
    spans: Sequence[tuple[int, int]],
    scores: Sequence[float],
    query: str | None,
) -> _Units:
    """Makes units of the words that no cut may separate."""
    word_starts = [span[0] for span in spans]
    free = bytearray(b"\1") * (len(spans) + 1)
    opens = bytearray(len(spans) + 1)
    for start, end in _closed(text, segments):
        first = bisect_left(word_starts, start + 1)
        last = bisect_left(word_starts, end, first)
        free[first:last] = bytes(last - first)
    for segment in segments:
        opens[bisect_left(word_starts, segment.start)] = 1
    if not text.isascii():
        for index, (start, _) in enumerate(spans):
            if start and extends(text, start):
                free[index] = 0
    opens[0] = opens[len(spans)] = free[0] = free[len(spans)] = 1
    asked = _asked(low, spans, query)
    sums = list(accumulate(scores, initial=0.0))
    costs = list(accumulate([0.7 + 0.18 * (b - a) for a, b in spans], initial=0.0))
    firsts = [i for i in range(len(spans)) if free[i]]
    lasts = [*firsts[1:], len(spans)]
    pairs = list(zip(firsts, lasts, strict=True))
    return _Units(
        [spans[a][0] for a in firsts],
        [spans[b - 1][1] for b in lasts],
        [sums[b] - sums[a] + asked.get(a, 0.0) for a, b in pairs],
        [costs[b] - costs[a] for a, b in pairs],
        [b - a for a, b in pairs],
        bytearray([opens[a] for a in firsts]),
        bytearray([opens[b] for b in lasts]),
        [EDGE_PRICE if opens[a] else CUT_PRICE for a in firsts],
    )


def _asked(low: str, spans: Sequence[tuple[int, int]], query: str | None) -> dict[int, float]:
    if not query:
        return {}
    asked = {w.strip(".,;:!?\"'()") for w in query.lower().split() if len(w) > 3}
    return {i: 1.0 for i, (a, b) in enumerate(spans) if low[a:b].strip(".,;:!?\"'()") in asked}


def _closed(text: str, segments: Sequence[Segment]) -> list[tuple[int, int]]:
    """Returns all ranges that no cut may fall into."""
    ranges = protect.atoms(text)
    for segment in segments:
        if segment.kind in _UNDIVIDED:
            ranges.append((segment.start, segment.end))
        else:
            ranges.extend(protect.governed(text, segment.start, segment.end))
    return ranges


def _best_runs(units: _Units, budget: float, price: float) -> tuple[bytearray, float]:
    """Returns one flag a unit, the best runs that cost at most `budget`, and the price that led there."""
    low, low_cost, high, high_cost = 0.0, sum(units.cost), 1.2, 0.0
    kept, over = bytearray(len(units.worth)), bytearray(b"\1") * len(units.worth)
    for _ in range(_TRIES):
        tried = _runs(units, price)
        cost = sum(compress(units.cost, tried))
        if cost <= budget:
            high, high_cost, kept = price, cost, tried
            if cost >= budget * _CLOSE:
                break
        else:
            low, low_cost, over = price, cost, tried
        share = (low_cost - budget) / max(1e-9, low_cost - high_cost)
        price = low + (high - low) * min(0.9, max(0.1, share))
    return _fill(units, kept, over, budget), high


def _runs(units: _Units, price: float) -> bytearray:
    """Returns the best runs when each token costs `price`: two states, one pass, one way back.

    `ended` says that leaving the unit out after keeping the one before was best, `began` that keeping
    it after leaving out the one before was.
    """
    on, off = -1e18, 0.0
    ended, began = bytearray(len(units.worth)), bytearray(len(units.worth))
    for at, (worth, cost, fee) in enumerate(zip(units.worth, units.cost, units.fees, strict=True)):
        entered = off - fee
        if on - fee > off:
            off = on - fee
            ended[at] = 1
        if entered > on:
            on = entered
            began[at] = 1
        on += worth - price * cost
    return _way_back(on, off, ended, began)


def _way_back(on: float, off: float, ended: bytearray, began: bytearray) -> bytearray:
    """Returns the flags of the best path: from its end, jumping from turn to turn."""
    kept = bytearray(len(ended))
    at, inside = len(kept), on - EDGE_PRICE > off
    while at > 0:
        turn = (began if inside else ended).rfind(1, 0, at)
        if inside:
            start = max(turn, 0)
            kept[start:at] = b"\1" * (at - start)
        at, inside = turn, not inside
    return kept


def _leads(text: str, segments: Sequence[Segment]) -> list[tuple[int, int]]:
    """Returns (segment, segment it needs): list items and their lead, text and a heading that denies it."""
    denying: dict[int, bool] = {}
    out: list[tuple[int, int]] = []
    for index, segment in enumerate(segments):
        for needed in segment.needs:
            lead = segments[needed]
            if lead.kind is Kind.HEADING and needed not in denying:
                denying[needed] = bool(protect.governed(text, lead.start, lead.end))
            if lead.kind is not Kind.LABEL and denying.get(needed, True):
                out.append((index, needed))
    return out


def _bring_along(
    units: _Units, segments: Sequence[Segment], leads: Sequence[tuple[int, int]], kept: bytearray
) -> bytearray:
    """Keeps the lead of everything that is kept and needs one."""
    for index, needed in leads:
        a, b = _unit_range(units, segments[index])
        if kept.find(1, a, b) >= 0:
            a, b = _unit_range(units, segments[needed])
            kept[a:b] = b"\1" * (b - a)
    return kept


def _unit_range(units: _Units, segment: Segment) -> tuple[int, int]:
    first = bisect_left(units.starts, segment.start)
    return first, bisect_left(units.starts, segment.end, first)


def _fill(units: _Units, kept: bytearray, over: bytearray, budget: float) -> bytearray:
    """Spends what is left on the best of what a slightly lower price would have kept.

    A price for each token cannot reach every budget: between two prices whole runs come in at once.
    """
    left = budget - sum(compress(units.cost, kept))
    more = bytearray(a & ~b & 1 for a, b in zip(over, kept, strict=True))
    for a, b in sorted(_parts(units, more), key=lambda part: -_density(units, *part)):
        at = a
        while at < b and units.cost[at] <= left:
            left -= units.cost[at]
            kept[at] = 1
            at += 1
        if at < b and a and not kept[a - 1] and sum(units.words[a:at]) < SHORTEST:
            left += sum(units.cost[a:at])
            kept[a:at] = bytes(at - a)
    for a, b in _ranges(kept):
        whole = units.opens[a] and units.closes[b - 1]
        if not whole and sum(units.words[a:b]) < SHORTEST:
            kept[a:b] = bytes(b - a)
    return kept


def _parts(units: _Units, flags: bytearray) -> list[tuple[int, int]]:
    """Returns the runs of set flags, divided where a sentence opens."""
    out: list[tuple[int, int]] = []
    for a, b in _ranges(flags):
        cut = units.opens.find(1, a + 1, b)
        while cut > 0:
            out.append((a, cut))
            a = cut
            cut = units.opens.find(1, a + 1, b)
        out.append((a, b))
    return out


def _density(units: _Units, first: int, last: int) -> float:
    return sum(units.worth[first:last]) / max(1e-9, sum(units.cost[first:last]))


def _ranges(kept: bytearray) -> list[tuple[int, int]]:
    """Returns the half-open ranges of set flags."""
    out: list[tuple[int, int]] = []
    at = kept.find(1)
    while at >= 0:
        end = kept.find(0, at)
        end = len(kept) if end < 0 else end
        out.append((at, end))
        at = kept.find(1, end)
    return out


def _pieces(
    text: str, segments: Sequence[Segment], units: _Units, kept: bytearray
) -> tuple[list[Piece], frozenset[int]]:
    """Returns the kept runs as pieces, notes for dropped blocks, and where a `…` has to stand."""
    pieces: list[Piece] = []
    cuts: set[int] = set()
    last = 0
    for a, b in _ranges(kept):
        start, end = units.starts[a], units.ends[b - 1]
        if pieces and not units.opens[a] and _bridges(text, last, start):
            cuts.add(start)
        pieces.append(Piece(start, end))
        last = end
    return _with_notes(text, segments, pieces), frozenset(cuts)


def _with_notes(text: str, segments: Sequence[Segment], pieces: list[Piece]) -> list[Piece]:
    """Returns the pieces with a note for each block that is left out."""
    blocks = [s for s in segments if s.kind in WHOLE]
    if not blocks:
        return pieces
    out: list[Piece] = []
    at = 0
    for block in blocks:
        while at < len(pieces) and pieces[at].start < block.start:
            out.append(pieces[at])
            at += 1
        if (at and pieces[at - 1].end > block.start) or (at < len(pieces) and pieces[at].start < block.end):
            continue
        add_note(text, out, block, follows_gap=True)
    return out + pieces[at:]


def _bridges(text: str, last: int, start: int) -> bool:
    """Says whether a reader would take two runs for one statement although a sentence ended between."""
    if text[last - 1] in ".!?:;。！？；：" or "\n" in text[last:start]:
        return False
    return any(map(text[last:start].__contains__, (". ", "! ", "? ", "; ", "。", "！", "？", "；")))
