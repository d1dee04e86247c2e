"""Turns scores into a shorter text. Pure: text and numbers in, text and omissions out.

The promises hold whatever the scores are: what is kept is the input's own, in order; lines are never
fused; what belongs together (see `protect`) stays or goes together; the token budget is met unless that
forbids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.saliency import filler, protect
from tokenjuice_ml.saliency.choose import add_headings, choose, free_of_headings
from tokenjuice_ml.saliency.render import Piece, Rendered, render
from tokenjuice_ml.saliency.units import WHOLE, Kind, Segment, outline
from tokenjuice_ml.saliency.value import Words, values
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Omission

TOLERANCE = 0.01
_NOTE_TOKENS, _NOTE_CHARS = 16, 36
_ROUNDS = 6
_LAST = 1e6
_ABOVE = 0.015
NAMES = {Kind.FENCE: "code", Kind.TABLE: "table", Kind.LIST: "list"}
"""What the note about a block that is left out calls it."""


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
    text: str, scores: Sequence[float], ratio: float, granularity: str = "sentence", query: str | None = None
) -> Selection:
    """Returns `text` cut to `ratio` of its tokens.

    Args:
        text: the original.
        scores: one score a word (see `units.word_spans`), 0 to 1.
        ratio: share of the tokens to keep.
        granularity: ``sentence`` or ``span``.
        query: what the reader is looking for; raises the sentences that speak of it.

    Raises:
        ValueError: the number of scores is not the number of words.
    """
    if granularity == "span":
        from tokenjuice_ml.saliency.spans import select_spans

        return select_spans(text, scores, ratio, query)
    words = Words(text, scores)
    if len(words.starts) != len(scores):
        raise ValueError(f"{len(scores)} scores for {len(words.starts)} words")
    segments = outline(text, lambda a, b: protect.governed(text, a, b))
    return by_segments(text, segments, values(text, segments, words, query), ratio)


def by_segments(text: str, segments: Sequence[Segment], worth: Sequence[float], ratio: float) -> Selection:
    """Returns the best segments of `text` under the budget, rendered."""
    before = estimate(text)
    budget = before * aimed(ratio)
    if filler.is_spoken(text):
        trims = [filler.trimmed(text, segment) for segment in segments]
    else:
        trims = [[Piece(segment.start, segment.end)] for segment in segments]
    costs = _costs(text, segments, trims, before)
    order = _order(text, segments, worth, costs)
    free = free_of_headings(text, segments)
    best: tuple[float, Rendered, int] | None = None
    aim = budget
    for _ in range(_ROUNDS):
        kept = choose(free, order, costs, aim)
        add_headings(segments, costs, kept)
        shown = render(text, _pieces(text, segments, trims, kept))
        after = estimate(shown.text)
        miss = abs(after - budget)
        if best is None or miss < best[0]:
            best = (miss, shown, after)
        if miss <= TOLERANCE / 2 * before:
            break
        aim += (budget - after) * 0.8
    assert best is not None
    return Selection(best[1].text, best[1].omissions, before, best[2], miss_note(before, best[2], ratio))


def aimed(ratio: float) -> float:
    """Returns the share to aim at: a little more than was asked for, well inside the three points allowed."""
    return min(1.0, ratio + _ABOVE)


def miss_note(before: int, after: int, ratio: float) -> str:
    """Returns what to say when the asked ratio was missed, or an empty string."""
    if abs(after - before * ratio) <= 0.03 * before:
        return ""
    return f"kept {after / max(1, before):.2f}, asked {ratio:.2f}: what is left cannot be divided"


def _costs(
    text: str, segments: Sequence[Segment], trims: Sequence[Sequence[Piece]], total: int
) -> list[float]:
    """Returns the tokens of each segment: its share of all, by bytes and words, which go with tokens."""
    sizes: list[int] = []
    whole = 0
    for segment, pieces in zip(segments, trims, strict=True):
        body = text[segment.start : segment.end]
        size = utf8_len(body) + 4 * (body.count(" ") + 1)
        whole += size
        if len(pieces) > 1:
            size = size * sum([p.end - p.start + 1 for p in pieces]) // (len(body) + 1)
        sizes.append(size)
    scale = total / max(1, whole)
    return [size * scale for size in sizes]


def _order(
    text: str, segments: Sequence[Segment], worth: Sequence[float], costs: Sequence[float]
) -> list[int]:
    """Returns the indices of the segments, best first; headings for themselves and what is repeated last."""
    seen: set[str] = set()
    ranked: list[tuple[float, int]] = []
    for index, segment in enumerate(segments):
        if segment.kind is Kind.LABEL:
            continue
        body = text[segment.start : segment.end]
        last = segment.kind is Kind.HEADING or (len(body) > 24 and body in seen)
        seen.add(body)
        rank = -worth[index]
        if segment.kind in WHOLE:  # leaving it out saves less, for its note has to be paid
            rank *= costs[index] / max(1.0, costs[index] - _NOTE_TOKENS)
        ranked.append((rank + _LAST if last else rank, index))
    ranked.sort()
    return [index for _, index in ranked]


def _pieces(
    text: str, segments: Sequence[Segment], trims: Sequence[Sequence[Piece]], kept: bytearray
) -> list[Piece]:
    out: list[Piece] = []
    for index, segment in enumerate(segments):
        if kept[index]:
            out.extend(trims[index])
        elif segment.kind in WHOLE or has_lead(segments, segment, kept):
            add_note(text, out, segment, index == 0 or not kept[index - 1])
    return out


def has_lead(segments: Sequence[Segment], segment: Segment, kept: bytearray) -> bool:
    """Says whether a list is left out whose lead is kept."""
    if segment.kind is not Kind.LIST:
        return False
    return any(kept[n] and segments[n].kind is Kind.SENTENCE for n in segment.needs)


def add_note(text: str, pieces: list[Piece], segment: Segment, follows_gap: bool) -> None:
    """Adds the note for a block that is left out; one note for blocks with nothing kept between them.

    A block that is no longer than its note would be is shown instead.
    """
    what = NAMES[segment.kind]
    before = pieces[-1] if pieces else None
    if before and before.note and follows_gap:
        what = before.note if what in before.note else f"{before.note}, {what}"
        pieces[-1] = Piece(before.start, segment.end, what)
    elif segment.end - segment.start <= _NOTE_CHARS:
        pieces.append(Piece(segment.start, segment.end))
    else:
        pieces.append(Piece(segment.start, segment.end, what))
