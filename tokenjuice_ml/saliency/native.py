"""Shortens plain text without a model: repeats and boilerplate out, then the sentences that say most.

A sentence is worth more when its words are rare in this text, when it holds numbers, and when it is long
enough to say something. One pass for the words, one for the sentences; nothing is compared pairwise.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, compress

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.saliency.blocks import add_note, has_lead
from tokenjuice_ml.saliency.choose import add_headings, choose, needs_without_headings
from tokenjuice_ml.saliency.render import Piece, Rendered, render
from tokenjuice_ml.saliency.units import WHOLE, Kind, Segment, outline
from tokenjuice_ml.tokens import estimate

_COMMON, _DIGIT, _QUESTION, _COST_POWER = -0.7, 0.45, -1.2, 0.9
_BY_KIND = (0.0, -1e6, 0.0, 0.4, 0.0, 0.0, 0.4)
_BY_SIZE = [0.75 * math.log1p(words) + 3.0 * min(words, 8) / 8 for words in range(61)]
_REPEATED = 1e6
_ROUNDS = 4
_BLOCK, _BLOCKS = 2048, 10
_DIGITS = re.compile(r"[0-9]")
_BOILERPLATE = (
    "all rights reserved",
    "cookie",
    "subscribe to",
    "sign up for",
    "click here",
    "terms of service",
    "privacy policy",
    "unsubscribe",
    "share this",
    "follow us",
    "skip to content",
)


def shorten(text: str, ratio: float) -> Rendered:
    """Returns `text` cut to about `ratio` of its tokens, as near to it as its sentences allow."""
    segments = outline(text)
    low = text.lower()
    if len(low) != len(text):
        low = text
    bodies = [low[segment[0] : segment[1]] for segment in segments]
    words = [_words(body) for body in bodies]
    sizes = _sizes(bodies, words)
    order = _order(segments, bodies, words, sizes, _boilerplate(low, segments))
    kept = _within(text, segments, order, sizes, ratio)
    return render(text, _pieces(text, segments, kept))


def _within(
    text: str, segments: Sequence[Segment], order: Sequence[int], sizes: Sequence[int], ratio: float
) -> bytearray:
    """Returns what is kept: the budget is corrected by the tokens that the choice really has."""
    needs = needs_without_headings(text, segments)
    total = sum(sizes)
    whole = max(1e-6, _density(text) * len(text))
    budget, best = total * ratio, (2.0, bytearray(len(segments)))
    for _ in range(_ROUNDS):
        kept = choose(needs, order, sizes, budget)
        add_headings(segments, sizes, kept)
        missing = ratio - _tokens(text, segments, kept) / whole
        best = min(best, (abs(missing), kept))
        if abs(missing) <= 0.01:
            break
        budget += missing * total * 0.9
    return best[1]


def _tokens(text: str, segments: Sequence[Segment], kept: bytearray) -> float:
    """Returns the tokens of what is kept, from samples spread over it."""
    shown = "".join([text[s[0] : s[1] + 1] for s in compress(segments, kept)])
    if "\r\n" in text:
        shown = shown.replace("\r", "\r\n")
    return _density(shown) * len(shown)


def _density(text: str) -> float:
    """Returns tokens per char."""
    if len(text) > _BLOCK * _BLOCKS:
        step = len(text) // _BLOCKS
        text = "".join([text[i : i + _BLOCK] for i in range(0, len(text), step)])
    return estimate(text) / max(1, len(text))


def _sizes(bodies: Sequence[str], words: Sequence[Sequence[str]]) -> list[int]:
    """Returns what each segment costs, in units that go with tokens: bytes, and four a word."""
    return [utf8_len(body) + 4 * len(split) for body, split in zip(bodies, words, strict=True)]


def _pieces(text: str, segments: Sequence[Segment], kept: bytearray) -> list[Piece]:
    out: list[Piece] = []
    at, total = 0, len(segments)
    while at < total:
        segment = segments[at]
        if not kept[at]:
            if segment.kind in WHOLE or has_lead(segments, segment, kept):
                add_note(text, out, segment, at == 0 or not kept[at - 1])
            at += 1
            continue
        last = at
        while last + 1 < total and kept[last + 1]:
            last += 1
        out.append(Piece(segment.start, segments[last].end))
        at = last + 1
    return out


def _order(
    segments: Sequence[Segment],
    bodies: Sequence[str],
    split: Sequence[Sequence[str]],
    sizes: Sequence[int],
    poor: Mapping[int, float],
) -> list[int]:
    """Returns the segments, best first; headings for themselves and what is repeated last."""
    counts: Counter[str] = Counter(chain.from_iterable(split))
    logs = [math.log1p(count) for count in range(min(1000, max(counts.values(), default=0)) + 1)]
    weigh = {word: logs[min(count, 1000)] for word, count in counts.items()}.__getitem__
    seen: set[str] = set()
    ranked: list[tuple[float, int]] = []
    for index, body in enumerate(bodies):
        words = split[index]
        size = len(words)
        worth = (
            _BY_KIND[segments[index][2]] + _BY_SIZE[min(size, 60)] - _COST_POWER * math.log(sizes[index] + 30)
        )
        worth += _COMMON * sum(map(weigh, words)) / (size or 1)
        if _DIGITS.search(body):
            worth += _DIGIT
        if body[-1] in "?？":
            worth += _QUESTION
        if size > 3:
            if body in seen:
                worth -= _REPEATED
            seen.add(body)
        ranked.append((poor.get(index, 0.0) - worth, index))
    ranked.sort()
    return [index for _, index in ranked if segments[index][2] is not Kind.LABEL]


def _words(body: str) -> Sequence[str]:
    """Returns the words of a segment; text without spaces goes by pairs of characters."""
    words = body.split()
    if len(body) > 12 * len(words) and not body.isascii():
        return [body[i : i + 2] for i in range(len(body) - 1)]
    return words


def _boilerplate(low: str, segments: Sequence[Segment]) -> dict[int, float]:
    """Returns a malus for the short segments that hold a phrase of no substance."""
    starts = [segment[0] for segment in segments]
    found: dict[int, float] = {}
    for phrase in _BOILERPLATE:
        at = low.find(phrase)
        while at >= 0:
            index = bisect_right(starts, at) - 1
            if index >= 0 and segments[index][1] - segments[index][0] < 240:
                found[index] = 3.0
            at = low.find(phrase, at + len(phrase))
    return found
