"""How much each segment is worth a token: the mean score of its words, and a few things scores do not see.

On long documents with questions and answers, most of what could be added to the mean score made no
difference: position, coverage, repetition of words, length, names. What is left here did.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain

from tokenjuice_ml.saliency.units import WORD, Kind, Segment

DIGIT, GOVERNED, HEADING, QUESTION = 1.05, 1.08, 0.9, 0.8
"""Factors for numbers; for denials, duties and reasons; for headings; for questions."""
SHORT_WORDS = 6
"""Below this many words a segment says little by itself."""
_QUERY_FACTOR = 1.5
_MEAN, _SPREAD, _RARE = 0.4, 0.25, 0.2

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
    """The words of a text with running sums of what they are worth, so that any range is summed at once.

    A word is worth its score, brought to one mean and spread so that every model's scores weigh alike
    against the rest, and a little more when it is rare in this text: what is said once cannot be read
    elsewhere.
    """

    def __init__(self, text: str, scores: Sequence[float]) -> None:
        low = text.lower()
        self.starts = [match.start() for match in WORD.finditer(text)]
        words = WORD.findall(low if len(low) == len(text) else text)
        counts = Counter(words)
        rare = {word: _RARE / math.sqrt(count) for word, count in counts.items()}
        factor, shift = _to_common_scale(scores)
        worth = [
            factor * score + bonus for score, bonus in zip(scores, map(rare.__getitem__, words), strict=False)
        ]
        self.sums = list(accumulate(worth, initial=0.0))
        self.shift = shift

    def range(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open range of words that start in ``text[start:end]``."""
        first = bisect_left(self.starts, start)
        return first, bisect_left(self.starts, end, first)


def _to_common_scale(scores: Sequence[float]) -> tuple[float, float]:
    """Returns factor and shift that bring scores to `_MEAN` and `_SPREAD`."""
    count = max(1, len(scores))
    mean = sum(scores) / count
    spread = math.sqrt(max(0.0, sum([score * score for score in scores]) / count - mean * mean))
    factor = _SPREAD / max(spread, 0.02)
    return factor, _MEAN - factor * mean


def values(text: str, segments: Sequence[Segment], words: Words, query: str | None = None) -> list[float]:
    """Returns what a token of each segment is worth, in the order of the segments."""
    low = text.lower()
    if len(low) != len(text):
        low = text
    worth = [_value(low, segment, words) for segment in segments]
    if not query:
        return worth
    asked = _asked(low, segments, query)
    return [value * (1 + _QUERY_FACTOR * share) for value, share in zip(worth, asked, strict=True)]


def _value(low: str, segment: Segment, words: Words) -> float:
    first, last = words.range(segment.start, segment.end)
    count = last - first
    if not count:
        return 0.0
    value = max(0.01, words.shift + (words.sums[last] - words.sums[first]) / count)
    value *= min(1.0, (count + 1) / SHORT_WORDS)
    body = low[segment.start : segment.end]
    if _DIGIT.search(body):
        value *= DIGIT
    if _GOVERNED.search(body):
        value *= GOVERNED
    if segment.kind is Kind.HEADING:
        value *= HEADING
    if body[-1] in "?？":
        value *= QUESTION
    return value


def blend(keep: Sequence[float], core: Sequence[float] | None, ratio: float) -> list[float]:
    """Returns the scores to choose by: what is core, and where there is room also what is worth keeping.

    Args:
        keep: probability of each word to be kept at a moderate budget.
        core: probability to be kept at a hard budget, where the model tells it.
        ratio: share of the tokens to keep.
    """
    if core is None:
        return list(keep)
    share = max(0.0, ratio - 0.5)
    return [share * a + (1 - share) * b for a, b in zip(keep, core, strict=True)]


def _asked(low: str, segments: Sequence[Segment], query: str) -> list[float]:
    """Returns how much of a question each segment answers, 0 to 1, half of a neighbour's included."""
    asked = {w for raw in WORD.findall(query.lower()) if (w := stem(raw)) and w not in _COMMON}
    if not asked:
        return [0.0] * len(segments)
    split = [{stem(word) for word in WORD.findall(low[s.start : s.end])} & asked for s in segments]
    counts = Counter(chain.from_iterable(split))
    weights = {word: math.log(1 + len(segments) / counts[word]) for word in counts}
    most = sum(weights.values()) or 1.0
    own = [sum(weights[word] for word in found) / most for found in split]
    last = len(own) - 1
    return [max(own[i], 0.5 * own[max(0, i - 1)], 0.5 * own[min(last, i + 1)]) for i in range(len(own))]


def stem(word: str) -> str:
    """Returns a word without its punctuation and commonest English ending."""
    bare = word.strip("\"'“”’.,;:!?()[]{}*`")
    if len(bare) > 4 and bare.isascii():
        for ending in ("ing", "ies", "es", "ed", "s"):
            if bare.endswith(ending) and len(bare) - len(ending) >= 3:
                return bare[: -len(ending)]
    return bare
