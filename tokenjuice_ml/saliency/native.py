"""Shortens plain text without a model: repeats and boilerplate out, then the sentences that say most.

A sentence is worth more when its words are rare in this text, when it holds numbers, and when it is long
enough to say something. One pass for the words, one for the sentences; nothing is compared pairwise.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, repeat
from operator import add, mul

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.resting import resting
from tokenjuice_ml.saliency.blocks import add_note, has_lead
from tokenjuice_ml.saliency.choose import add_headings, choose, needs_without_headings
from tokenjuice_ml.saliency.render import Piece, Rendered, render
from tokenjuice_ml.saliency.spans import runs
from tokenjuice_ml.saliency.units import WHOLE, Kind, Segment, outline
from tokenjuice_ml.tokens import estimate

_COMMON, _DIGIT, _QUESTION, _COST_POWER = -0.7, 0.45, -1.2, 0.9
_BY_KIND = (0.0, -1e6, 0.0, 0.4, 0.0, 0.0, 0.4)
_BY_SIZE = [0.75 * math.log1p(words) + 3.0 * min(words, 8) / 8 for words in range(61)]
_REPEATED = 1e6
_ROUNDS = 4
_BLOCK, _BLOCKS = 2048, 10
_DIGITS = re.compile(r"[0-9]")
_ONE_DIGIT = {ord(digit): "0" for digit in "123456789"}
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
    with resting():
        return _shorten(text, ratio)


def _shorten(text: str, ratio: float) -> Rendered:
    segments = outline(text)
    low = text.lower()
    if len(low) != len(text):
        low = text
    bodies = [low[segment[0] : segment[1]] for segment in segments]
    narrow = low.isascii()
    words = _words(bodies, narrow)
    sizes = _sizes(bodies, words, narrow)
    poor, figures = _boilerplate(low, segments), _figures(low, segments)
    order = _order(segments, bodies, words, sizes, poor, figures)
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


def _sizes(bodies: Sequence[str], words: Sequence[Sequence[str]], narrow: bool) -> list[int]:
    """Returns what each segment costs, in units that go with tokens: bytes, and four a word."""
    long = map(len if narrow else utf8_len, bodies)
    return list(map(add, long, map(mul, map(len, words), repeat(4))))


def _pieces(text: str, segments: Sequence[Segment], kept: bytearray) -> list[Piece]:
    """Returns the kept runs as pieces, with a note for each block that is left out."""
    sentence, label = Kind.SENTENCE, Kind.LABEL
    blocks = [
        index
        for index, segment in enumerate(segments)
        if segment[2] is not sentence and segment[2] is not label and not kept[index]
    ]
    out: list[Piece] = []
    at = 0
    for a, b in [*runs(kept), (len(kept), len(kept))]:
        while at < len(blocks) and blocks[at] < a:
            index = blocks[at]
            segment = segments[index]
            if segment.kind in WHOLE or has_lead(segments, segment, kept):
                add_note(text, out, segment, index == 0 or not kept[index - 1])
            at += 1
        if a < b:
            out.append(Piece(segments[a][0], segments[b - 1][1]))
    return out


def _order(
    segments: Sequence[Segment],
    bodies: Sequence[str],
    split: Sequence[Sequence[str]],
    sizes: Sequence[int],
    poor: Mapping[int, float],
    figures: Sequence[bool],
) -> list[int]:
    """Returns the segments, best first; headings for themselves and what is repeated last."""
    weigh = _weights(Counter(chain.from_iterable(split))).__getitem__
    counts = list(map(len, split))
    kinds = [segment[2] for segment in segments]
    faults = [
        _COST_POWER * log
        - _BY_KIND[kind]
        - _BY_SIZE[count if count < 60 else 60]
        - _COMMON * common / (count or 1)
        for kind, count, log, common in zip(
            kinds,
            counts,
            map(math.log, map(add, sizes, repeat(30))),
            map(sum, map(map, repeat(weigh), split)),
            strict=True,
        )
    ]
    for index, worth in _extras(bodies, counts, figures):
        faults[index] -= worth
    for index, fault in poor.items():
        faults[index] += fault
    label = Kind.LABEL
    return [
        index for index in sorted(range(len(faults)), key=faults.__getitem__) if kinds[index] is not label
    ]


def _extras(
    bodies: Sequence[str], counts: Sequence[int], figures: Sequence[bool]
) -> Iterator[tuple[int, float]]:
    """Yields what figures, questions and repeats add to the worth of a segment."""
    for index in compress(range(len(bodies)), figures):
        yield index, _DIGIT
    for index, body in enumerate(bodies):
        if body[-1] in "?？":
            yield index, _QUESTION
    if len(set(bodies)) < len(bodies):
        seen: set[str] = set()
        for index, body in enumerate(bodies):
            if body in seen and counts[index] > 3:
                yield index, -_REPEATED
            seen.add(body)


def _figures(low: str, segments: Sequence[Segment]) -> list[bool]:
    """Returns of each segment whether it has a digit."""
    if not low.isascii():
        return [bool(_DIGITS.search(low, segment[0], segment[1])) for segment in segments]
    # All digits are made one, which is quickly found.
    marked = low.translate(_ONE_DIGIT)
    return [marked.find("0", segment[0], segment[1]) >= 0 for segment in segments]


def _weights(counts: Counter[str]) -> dict[str, float]:
    """Returns of each word how common it is here."""
    most = min(1000, max(counts.values(), default=0))
    logs = [math.log1p(count) for count in range(most + 1)]
    times: Iterable[int] = counts.values()
    if most == 1000:
        times = [min(count, 1000) for count in times]
    return dict(zip(counts, map(logs.__getitem__, times), strict=True))


def _words(bodies: Sequence[str], narrow: bool) -> list[list[str]]:
    """Returns the words of each segment; text without spaces goes by pairs of characters."""
    split = list(map(str.split, bodies))
    if narrow:
        return split
    return [
        [body[i : i + 2] for i in range(len(body) - 1)]
        if len(body) > 12 * len(words) and not body.isascii()
        else words
        for body, words in zip(bodies, split, strict=True)
    ]


def _boilerplate(low: str, segments: Sequence[Segment]) -> dict[int, float]:
    """Returns a malus for the short segments that hold a phrase of no substance."""
    found: dict[int, float] = {}
    starts: list[int] = []
    for phrase in _BOILERPLATE:
        at = low.find(phrase)
        if at >= 0 and not starts:
            starts = [segment[0] for segment in segments]
        while at >= 0:
            index = bisect_right(starts, at) - 1
            if index >= 0 and segments[index][1] - segments[index][0] < 240:
                found[index] = 3.0
            at = low.find(phrase, at + len(phrase))
    return found
