"""How much each segment is worth: the model's scores together with what the page itself shows.

The weights are a logistic fit of "holds the answer to a question somebody asked about this document"
on a handful of features (`models/train` has no part in it). They are few on purpose.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from tokenjuice_ml.saliency.units import WORD, Kind, Segment

# One weight a feature, in the order of `_features`.
WEIGHTS = {
    "score": 7.0,
    "size": 0.75,
    "short": 3.0,
    "digit": 0.45,
    "governed": 0.5,
    "common": -0.7,
    "question": -1.2,
    "heading": -0.8,
    "item": 0.4,
}
COST_POWER = 0.9
_COST_FLOOR = 5.0
_QUERY_WEIGHT = 2.5

_GOVERNED = re.compile(
    r"(?<!\w)(?:not|no|never|none|only|unless|without|except|but|because|must|should|instead|therefore|cannot"
    r"|nicht|kein\w*|nur|ohne|aber|weil|muss|ne|pas|sans|mais|doit|sauf|jamais|sin|pero|porque|debe|nunca|solo"
    r"|не|нет|без|но|только|нельзя|должн\w+)(?!\w)|n['’]t(?!\w)|[不没沒未无無必須须]|ない|ません|않|없"
)
_DIGIT = re.compile(r"\d")
_COMMON = frozenset(
    (
        "a about all an and are as at be been but by can could did do does for from get go had has have he her "
        "his how i if in is it its just like me my no not of on one or our out she so some than that the their them "
        "then there these they this those to up us was we well were what when where which who will with would yeah you your okay"
    ).split()
)


class Words:
    """The words of a text with running sums over them, so that any range is summed at once."""

    def __init__(self, text: str, scores: Sequence[float] | None = None) -> None:
        self.starts = [match.start() for match in WORD.finditer(text)]
        low = text.lower()
        self.words = WORD.findall(low if len(low) == len(text) else text)
        counts = Counter(self.words)
        commons = {word: math.log1p(count) for word, count in counts.items()}
        self.common_sums = list(accumulate(map(commons.__getitem__, self.words), initial=0.0))
        self.score_sums = list(accumulate(scores, initial=0.0)) if scores is not None else None

    def range(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open range of words that start in ``text[start:end]``."""
        first = bisect_left(self.starts, start)
        return first, bisect_left(self.starts, end, first)


def values(text: str, segments: Sequence[Segment], words: Words, query: str | None = None) -> list[float]:
    """Returns the log-odds of each segment, `segments` long; only their differences matter."""
    low = text.lower()
    if len(low) != len(text):
        low = text
    asked = _query_bonus(words, segments, query) if query else None
    out = []
    for index, segment in enumerate(segments):
        value = _value(low, segment, words)
        out.append(value + asked[index] if asked else value)
    return out


def _value(low: str, segment: Segment, words: Words) -> float:
    first, last = words.range(segment.start, segment.end)
    count = max(1, last - first)
    body = low[segment.start : segment.end]
    weigh = WEIGHTS
    value = weigh["common"] * (words.common_sums[last] - words.common_sums[first]) / count
    if words.score_sums is not None:
        value += weigh["score"] * (words.score_sums[last] - words.score_sums[first]) / count
    size = min(count, 60)
    value += weigh["size"] * math.log1p(size) + weigh["short"] * min(size, 8) / 8
    if _DIGIT.search(body):
        value += weigh["digit"]
    if _GOVERNED.search(body):
        value += weigh["governed"]
    if body[-1] in "?？":
        value += weigh["question"]
    if segment.kind is Kind.HEADING:
        value += weigh["heading"]
    elif segment.kind is Kind.ITEM:
        value += weigh["item"]
    return value


def density(value: float, cost: float) -> float:
    """Returns the order in which segments are taken: worth against size in tokens."""
    return value - COST_POWER * math.log(cost + _COST_FLOOR)


def _query_bonus(words: Words, segments: Sequence[Segment], query: str) -> list[float]:
    """Returns what the words of a question add to each segment, its neighbours included."""
    counts = Counter(words.words)
    total = max(1, len(words.words))
    asked = {w for raw in WORD.findall(query.lower()) if (w := _stem(raw)) and w not in _COMMON}
    if not asked:
        return [0.0] * len(segments)
    weights: dict[str, float] = {}
    for word, count in counts.items():
        if _stem(word) in asked:
            weights[word] = math.log(1 + total / (1 + count))
    most = math.log(1 + total) * max(1.0, len(asked) / 2)
    own = []
    for segment in segments:
        first, last = words.range(segment.start, segment.end)
        own.append(sum(weights.get(word, 0.0) for word in set(words.words[first:last])) / most)
    near = [0.5 * max(own[max(0, i - 1)], own[min(len(own) - 1, i + 1)]) for i in range(len(own))]
    return [_QUERY_WEIGHT * max(a, b) for a, b in zip(own, near, strict=True)]


def _stem(word: str) -> str:
    bare = word.strip("\"'“”’.,;:!?()[]{}*`")
    if len(bare) > 4 and bare.isascii():
        for ending in ("ing", "ies", "es", "ed", "s"):
            if bare.endswith(ending) and len(bare) - len(ending) >= 3:
                return bare[: -len(ending)]
    return bare
