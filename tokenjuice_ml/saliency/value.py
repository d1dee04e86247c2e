"""What words are worth: their scores, and a few things about their sentence that scores do not see.

What people ask a long text for is facts. A sentence that gives a number, a name, a denial, a duty or a
reason answers more of what is asked than its scores say; an example, a question or an announcement less.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import mul, or_

from tokenjuice_ml.saliency.protect import lower_case
from tokenjuice_ml.saliency.units import WORD, Kind, Segment, split

NUMBER, NUMBER_WORD, NAME, BOUND, PLACE = 1.4, 1.4, 1.15, 1.2, 1.5
"""Factors for figures, numbers in words, a name within the sentence, denials, duties and reasons, paths and addresses."""
EXAMPLE, HEADING, QUESTION, OPENING = 0.8, 0.9, 0.7, 0.9
"""Factors for examples, headings, questions, and for the sentence that opens a paragraph: it announces."""
SHORT_WORDS = 6
"""Below this many words a segment says little by itself."""
_QUERY_FACTOR = 1.5
_MEAN, _SPREAD, _RARE = 0.4, 0.25, 0.2

PER_UNIT, PER_WORD, PER_CHAR = 0.18, 0.52, 0.18
"""Tokens that words which stand together cost, roughly: all of them, each word, each char."""
_LONG = 12
"""Chars from which a word costs more tokens than others."""

_PLACE = re.compile(
    r"(?<![^\s(\[\"'`“‘«])(?:[~.]{0,2}/[\w.@-]+(?:/[\w.@-]*)+|[~.]{1,2}/[\w.@-]+|[a-z]{2,10}://\S|[A-Za-z]:\\\w)"
)
_NAME = re.compile(r"(?<=[a-z,;0-9)] )[\"“‘(']?[A-Z][\w'’-]")
_NUMBER_WORDS = frozenset(
    (
        "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy "
        "eighty ninety hundred thousand million billion percent half third twice first zwei drei vier fünf sechs zehn "
        "hundert prozent deux trois quatre cinq dix cent mille dos tres cuatro cinco diez cien mil два две три четыре "
        "пять десять сто тысяч"
    ).split()
)
_BOUND_WORDS = frozenset(
    (
        "not no never none nor only unless without except but because since due must should shall cannot require "
        "requires required instead therefore until default means called "
        "nicht nur ohne aber weil muss müssen darf standard ne pas sans mais doit sauf jamais parce seulement "
        "sin pero porque debe nunca solo не нет без но только нельзя потому "
        "不 没 沒 未 无 無 必 須 须 仅 僅 因 ない"
    ).split()
)
_EXAMPLE_WORDS = frozenset(
    "example examples instance e.g eg z.b beispiel exemple ejemplo например 例".split()
)
_FIGURE, _SPELLED, _BINDS, _SHOWS = 1, 2, 4, 8
_KNOWN = (
    dict.fromkeys(_NUMBER_WORDS, _SPELLED)
    | dict.fromkeys(_BOUND_WORDS, _BINDS)
    | dict.fromkeys(_EXAMPLE_WORDS, _SHOWS)
)
_DIGIT = re.compile(r"\d")
_EDGES = "\"'“”‘’«»()[]{}*_`.,;:!?…—–-"
_COMMON = frozenset(
    (
        "a about all an and are as at be been but by can could did do does for from get go had has have he her "
        "his how i if in is it its just like me my no not of on one or our out she so some than that the their them "
        "then there these they this those to up us was we well were what when where which who will with would yeah you your okay"
    ).split()
)


class Words:
    """The words of a text, where they stand and what they tell.

    Attributes:
        starts: first char of each word.
        marks: what each word tells, see `_marks`.
        names: where a name stands within a sentence.
        places: where a path or an address stands.
    """

    def __init__(self, text: str) -> None:
        self.starts, self._words = split(lower_case(text))
        self._counts = Counter(self._words)
        marks = {word: _marks(word) for word in self._counts}
        self.marks = list(map(marks.__getitem__, self._words))
        self.names = [match.start() for match in _NAME.finditer(text)]
        self.places = (
            [match.start() for match in _PLACE.finditer(text)] if "/" in text or "\\" in text else []
        )

    def end(self, index: int) -> int:
        """Returns one past the last char of a word."""
        return self.starts[index] + len(self._words[index])

    @property
    def known(self) -> Iterable[str]:
        """The different words, in lower case."""
        return self._counts

    def within(self, start: int, end: int) -> list[str]:
        """Returns the words that start in ``text[start:end]``, in lower case."""
        first, last = self.range(start, end)
        return self._words[first:last]

    def range(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open range of words that start in ``text[start:end]``."""
        first = bisect_left(self.starts, start)
        return first, bisect_left(self.starts, end, first)

    def even(self, scores: Sequence[float]) -> list[float]:
        """Returns the scores on one scale, whatever model they are from, and more for what is rare here.

        What is said once in a text cannot be read elsewhere in it. A long word, an address as a rule, costs as
        many tokens as several others: it is worth as many, or it would never be kept.
        """
        factor, shift = _to_common_scale(scores)
        rare = {word: shift + _RARE / math.sqrt(count) for word, count in self._counts.items()}
        extra = map(rare.__getitem__, self._words)
        worth = [factor * score + bonus for score, bonus in zip(scores, extra, strict=True)]
        long = {word: _stretch(word) for word in self._counts if len(word) > _LONG}
        if long:
            for at, word in enumerate(self._words):
                if len(word) > _LONG and worth[at] > 0:
                    worth[at] *= long[word]
        return worth


def _stretch(word: str) -> float:
    """Returns how many times the tokens of a usual word a long word costs."""
    one = PER_UNIT + PER_WORD
    return (one + PER_CHAR * len(word)) / (one + PER_CHAR * _LONG)


def _marks(word: str) -> int:
    """Returns what a word in lower case tells: a figure, a number, a bond, an example."""
    if word.isalpha():
        return _KNOWN.get(word, 0) or _BINDS * word.startswith(("kein", "должн"))
    bare = word.strip(_EDGES)
    known = _KNOWN.get(bare, 0)
    if _DIGIT.search(word):
        known |= _FIGURE
    if bare.endswith(("n't", "n’t")):
        known |= _BINDS
    if "-" in bare and bare.partition("-")[0] in _NUMBER_WORDS:
        known |= _SPELLED
    return known


def _to_common_scale(scores: Sequence[float]) -> tuple[float, float]:
    """Returns factor and shift that bring scores to `_MEAN` and `_SPREAD`."""
    count = max(1, len(scores))
    mean = sum(scores) / count
    spread = math.sqrt(max(0.0, sum(map(mul, scores, scores)) / count - mean * mean))
    factor = _SPREAD / max(spread, 0.02)
    return factor, _MEAN - factor * mean


def factors(text: str, segments: Sequence[Segment], words: Words, query: str | None = None) -> list[float]:
    """Returns of each segment how much more, or less, its words are worth for standing in it."""
    out = [_factor(text, segment, words) for segment in segments]
    if not query:
        return out
    asked = _asked(lower_case(text), segments, query)
    return [factor * (1 + _QUERY_FACTOR * share) for factor, share in zip(out, asked, strict=True)]


def _factor(text: str, segment: Segment, words: Words) -> float:
    first, last = words.range(segment.start, segment.end)
    count = last - first
    if not count:
        return 0.0
    value = _FACTORS[reduce(or_, set(words.marks[first:last]))]
    if count < SHORT_WORDS:
        value *= (count + 1) / SHORT_WORDS
    if _stands_in(segment, words.names):
        value *= NAME
    if _stands_in(segment, words.places):
        value *= PLACE
    if segment.kind is Kind.HEADING:
        value *= HEADING
    if segment.first:
        value *= OPENING
    if text[segment.end - 1] in "?？":
        value *= QUESTION
    return value


def _stands_in(segment: Segment, places: Sequence[int]) -> bool:
    at = bisect_left(places, segment.start)
    return at < len(places) and places[at] < segment.end


_FACTORS = [
    (NUMBER if marks & _FIGURE else 1.0)
    * (NUMBER_WORD if marks & _SPELLED else 1.0)
    * (BOUND if marks & _BINDS else 1.0)
    * (EXAMPLE if marks & _SHOWS else 1.0)
    for marks in range(16)
]


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
