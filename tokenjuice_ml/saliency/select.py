"""Turns scores into a shorter text. Pure: text and numbers in, text and omissions out.

The promises hold whatever the scores are: what is kept is the input's own, in order; lines are never
fused; what belongs together (see `protect`) stays or goes together; the token budget is met unless that
forbids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from operator import mul
from typing import NamedTuple

from tokenjuice_ml.resting import resting
from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.blocks import UNDIVIDED, Company, pieces
from tokenjuice_ml.saliency.graphemes import joints
from tokenjuice_ml.saliency.lexicon import COUNTS, MODAL
from tokenjuice_ml.saliency.render import Piece, compose, gaps
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.spans import Prices, Search, Units, glue
from tokenjuice_ml.saliency.units import outline
from tokenjuice_ml.saliency.value import even, factors, leanings, raised
from tokenjuice_ml.saliency.words import Words
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Omission

PRICES = {"sentence": Prices(1.0, 0.6, 0.1, 0.8), "span": Prices(0.45, 0.3, 0.06)}
"""By granularity: whole sentences, and clauses where that pays; or the best words in readable runs."""
TOLERANCE = 0.01
_ROUNDS, _MORE_ROUNDS = 4, 4
_LEAST_HEADLESS = 0.375
"""Part of the price of a sentence without its head that holds at the hardest budget."""
_NEAR = 0.022
_ABOVE = 0.008


class Selection(NamedTuple):
    """A shorter text.

    Attributes:
        text: the kept text.
        omissions: what was left out, in order.
        before: estimated tokens of the original.
        after: estimated tokens of `text`.
        detail: why the asked ratio was missed; empty when it was reached.
    """

    text: str
    omissions: tuple[Omission, ...]
    before: int
    after: int
    detail: str = ""


def select(
    text: str,
    scores: Sequence[float],
    ratio: float,
    granularity: str = "sentence",
    query: str | None = None,
    asked: Sequence[float] | None = None,
) -> Selection:
    """Returns `text` cut to `ratio` of its tokens.

    Args:
        text: the original.
        scores: one score a word (see `units.word_spans`), 0 to 1.
        ratio: share of the tokens to keep.
        granularity: ``sentence`` or ``span``.
        query: what the reader is looking for; raises the sentences that speak of it.
        asked: one number a word, the more the likelier it is to answer a question, where the model tells it.

    Raises:
        ValueError: the number of scores is not the number of words.
    """
    with resting():
        return _select(text, scores, ratio, granularity, query, asked)


def _select(
    text: str,
    scores: Sequence[float],
    ratio: float,
    granularity: str,
    query: str | None,
    asked: Sequence[float] | None,
) -> Selection:
    words = Words(text)
    for given in (scores, scores if asked is None else asked):
        if len(words.starts) != len(given):
            raise ValueError(f"{len(given)} scores for {len(words.starts)} words")
    if not words.starts:
        before = estimate(text)
        return Selection(text, (), before, before)
    sections = Sections(text, outline(text), words)
    by_segment = raised(words, sections.segments, query)
    if granularity == "span":
        worth, more = scores, leanings(text, sections, words, scores, asked)
    else:
        worth = even(words, scores)
        if min(worth) < 0:
            worth = list(map(max, worth, repeat(0.0)))
        more = factors(text, sections, words, scores, worth, asked)
    by_segment = list(map(mul, by_segment, more))
    prices = PRICES[granularity]
    # Where there is room, sentences keep their heads; at a hard budget more of them matter more.
    prices = prices._replace(headless=prices.headless * min(1.0, max(_LEAST_HEADLESS, 5 * ratio - 1.5)))
    units = glue(
        text, sections, words, worth, by_segment, _closed(text, sections, words, granularity), prices
    )
    return _within(text, sections, units, ratio)


def _closed(text: str, sections: Sections, words: Words, granularity: str) -> list[tuple[int, int]]:
    """Returns all ranges that no cut may fall into."""
    ranges = protect.atoms(
        text, map(words.span, words.telling(COUNTS)), map(words.span, words.telling(MODAL))
    )
    governing, marks, low = sections.governing, words.marks, words.low
    wide = protect.wide_hits(low, sections.segments)
    for index, (start, end, kind, *_) in enumerate(sections.segments):
        if UNDIVIDED[kind] or (wide and wide[index] == protect.HELD):
            ranges.append((start, end))
        elif wide and (wide[index] or index in governing):
            ranges += protect.governed(text, start, end, index in governing)
        elif index in governing:
            by = [(*words.span(word), marks[word]) for word in governing[index]]
            ranges += protect.governed_by(text, low, start, end, by)
    ranges += [(at - 1, at + 1) for at in joints(text)]
    ranges += protect.announced(text)
    ranges += protect.unspaced(text, granularity == "span")
    return ranges


def _within(text: str, sections: Sections, units: Units, ratio: float) -> Selection:
    """Returns the best runs, the budget corrected by the tokens that the choice really has."""
    before = estimate(text)
    goal = before * aimed(ratio)
    scale = before / max(1e-9, sum(units.cost))
    company = Company(text, sections, units)
    search, aim = Search(units), goal
    best: tuple[float, str, int, list[Piece]] | None = None
    for turn in range(_ROUNDS + _MORE_ROUNDS):
        kept = search.best(aim / scale)
        company.bring(kept)
        shown, cuts = pieces(text, sections.segments, units, kept)
        body = compose(text, shown, cuts)
        after = estimate(body)
        miss = after - goal
        if best is None or abs(miss) < best[0]:
            best = (abs(miss), body, after, shown)
        # More turns are for texts of few, long sentences, where a step jumps over the goal.
        if abs(miss) <= TOLERANCE / 2 * before or (turn >= _ROUNDS - 1 and best[0] <= _NEAR * before):
            break
        aim -= miss * (0.95 if turn < _ROUNDS - 1 else 0.5)
    assert best is not None
    _, body, after, shown = best
    return Selection(body, gaps(text, shown), before, after, miss_note(before, after, ratio))


def aimed(ratio: float) -> float:
    """Returns the share to aim at: a little more than was asked for, well inside the three points allowed."""
    return min(1.0, ratio + _ABOVE)


def miss_note(before: int, after: int, ratio: float) -> str:
    """Returns what to say when the asked ratio was missed, or an empty string."""
    if abs(after - before * ratio) <= 0.03 * before:
        return ""
    return f"kept {after / max(1, before):.2f}, asked {ratio:.2f}: what is left cannot be divided"
