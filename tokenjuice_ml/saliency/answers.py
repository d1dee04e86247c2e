"""How likely a sentence is to answer what somebody asks of its text.

A model's scores say which words carry a passage. What people ask a long text for are its facts, and
which sentences hold them shows in a little more than the scores: a figure, a rare word, how long its
words are, whether it opens a paragraph or asks itself. `NAMES` are these features, relative to the text
wherever that is possible, so that the scores of any model will do; `models/train_value/` fits one weight
for each of them to questions written over documents of many kinds, and the logarithm of the answers
that a token holds is their weighted sum (a Poisson regression, with the tokens as exposure).
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul, sub

from tokenjuice_ml.resources import data_dir
from tokenjuice_ml.saliency.lexicon import BINDS, FIGURE, LONG, LONG_CHARS, SHOWS, SPELLED
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.units import Kind
from tokenjuice_ml.saliency.words import Words

MODEL = "sentence-value-v1"
NAMES = (
    "mean",
    "most",
    "top",
    "rare",
    "once",
    "figure",
    "spelled",
    "bound",
    "bounds",
    "example",
    "name",
    "names",
    "place",
    "heading",
    "list",
    "first",
    "question",
    "short",
    "length",
    "width",
    "quotes",
    "continued",
    "position",
    "asked",
)
"""Features of a sentence, in the order of the weights.

``mean``, ``most``, ``top``: mean score of its words, highest, and mean of the three highest, in deviations of the
text's sentences; ``rare``, ``once``: mean of one by the root of how often a word stands in the text,
and the share of words that stand there once; ``figure``, ``spelled``, ``bound``, ``example``, ``name``, ``place``:
1 where it has a figure, a number in words, a denial, duty or reason, an example, a name, a path or address; ``bounds``, ``names``:
their share of the words; ``heading``, ``list``, ``first``, ``question``: 1 where it is one, and where it opens
its paragraph; ``short``: how far below six words it is; ``length``: logarithm of its words, thirty at most;
``width``: logarithm of its chars a word, where a long one, a path or an identifier, counts twelve; ``quotes``: how
many open, four at most;
``continued``: 1 where it begins with a small letter; ``position``: place in the text, 0 to 1; ``asked``: mean of what
the model says of its words in that respect, less the text's mean; 0 where it says nothing.
"""
_BEST, _FLAT = 3, 1e-6
_SHORT, _LONG = 6, math.log(30)
_QUOTES = 4
_MOST = 50.0
"""Exponent of the highest density: what a foreign model says must not overflow."""

Row = tuple[float, ...]


@lru_cache(maxsize=2)
def weights(asked: bool = False) -> tuple[float, ...] | None:
    """Returns the shipped weights in the order of `NAMES`, or None where they are missing or for others.

    Args:
        asked: the ones for a model that tells how likely a word is to answer a question.
    """
    try:
        stored = json.loads((data_dir("models") / MODEL / "weights.json").read_text("utf-8"))
        found = stored["with_asked" if asked else "weights"]
        return tuple(float(found[name]) for name in NAMES) if len(found) == len(NAMES) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def densities(
    text: str, sections: Sections, words: Words, scores: Sequence[float], asked: Sequence[float] | None = None
) -> list[float]:
    """Returns of each segment how many answers a token of it holds, on a scale of the text's own.

    Without weights all are alike.
    """
    fitted = weights(asked is not None)
    if fitted is None:
        return [1.0] * len(sections.segments)
    found = rows(text, sections, words, scores, asked)
    return [math.exp(min(_MOST, sum(map(mul, fitted, row)))) for row in found]


def rows(
    text: str, sections: Sections, words: Words, scores: Sequence[float], asked: Sequence[float] | None = None
) -> list[Row]:
    """Returns the features of each segment, in the order of `NAMES`.

    Args:
        text: the text.
        sections: its segments and what is known of each.
        words: its words.
        scores: one a word.
        asked: one a word, how likely it is to answer a question, where the model tells it.
    """
    firsts = sections.firsts
    sizes = list(map(sub, firsts[1:], firsts))
    parts = (
        _scored(firsts, sizes, scores),
        _rare(firsts, sizes, words),
        _told(sections, sizes, words),
        _shown(text, sections, sizes, words),
        [(0.0,)] * len(sizes) if asked is None else _asked(firsts, sizes, asked),
    )
    return [
        scored + rare + told + shown + telling
        for scored, rare, told, shown, telling in zip(*parts, strict=True)
    ]


def _asked(firsts: Sequence[int], sizes: Sequence[int], asked: Sequence[float]) -> list[Row]:
    """Returns by how much the mean of each segment's words is over the text's."""
    sums = list(accumulate(asked, initial=0.0))
    middle = sums[-1] / max(1, len(asked))
    return [
        ((sums[first + size] - sums[first]) / size - middle if size else 0.0,)
        for first, size in zip(firsts, sizes, strict=False)
    ]


def _scored(firsts: Sequence[int], sizes: Sequence[int], scores: Sequence[float]) -> list[Row]:
    """Returns mean score, highest, and mean of the three highest, in deviations of the segments' means."""
    sums = list(accumulate(scores, initial=0.0))
    totals = [sums[b] - sums[a] for a, b in pairwise(firsts)]
    count = max(1, sum(sizes))
    middle = sum(totals) / count
    means = [total / size if size else middle for total, size in zip(totals, sizes, strict=True)]
    spread = math.sqrt(sum(n * (mean - middle) ** 2 for mean, n in zip(means, sizes, strict=True)) / count)
    scale = 1.0 / spread if spread > _FLAT else 0.0
    best = [sorted(scores[a:b])[-_BEST:] if b > a else [middle] for a, b in pairwise(firsts)]
    return [
        ((mean - middle) * scale, (top[-1] - middle) * scale, (sum(top) / len(top) - middle) * scale)
        for mean, top in zip(means, best, strict=True)
    ]


def _rare(firsts: Sequence[int], sizes: Sequence[int], words: Words) -> list[Row]:
    """Returns how rare the words of each segment are in the text."""
    by_word = {word: 1.0 / math.sqrt(count) for word, count in words.counts.items()}
    each = list(map(by_word.__getitem__, words.texts))
    rare = list(accumulate(each, initial=0.0))
    once = list(accumulate(map((1.0).__eq__, each), initial=0))
    return [
        ((rare[first + size] - rare[first]) / max(1, size), (once[first + size] - once[first]) / max(1, size))
        for first, size in zip(firsts, sizes, strict=False)
    ]


def _told(sections: Sections, sizes: Sequence[int], words: Words) -> list[Row]:
    """Returns what the words of each segment tell: figures, numbers, bonds, names, places."""
    bonds = words.telling(BINDS)
    ends = [bisect_left(bonds, first) for first in sections.firsts]
    told = zip(sections.marks, sizes, map(sub, ends[1:], ends), sections.names, sections.places, strict=True)
    return [
        (
            float(marks & FIGURE > 0),
            float(marks & SPELLED > 0),
            float(bound > 0),
            bound / max(1, size),
            float(marks & SHOWS > 0),
            float(names > 0),
            names / max(1, size),
            float(places > 0),
        )
        for marks, size, bound, names, places in told
    ]


def _shown(text: str, sections: Sections, sizes: Sequence[int], words: Words) -> list[Row]:
    """Returns what each segment is, its size and signs, and where it stands."""
    length, count = max(1, len(text)), text.count
    chars = _capped(words)
    out: list[Row] = []
    for (start, end, kind, first, *_), at, size in zip(
        sections.segments, sections.firsts, sizes, strict=False
    ):
        words_in = max(1, size)
        quotes = count('"', start, end) + count("“", start, end)
        out.append(
            (
                float(kind is Kind.HEADING),
                float(kind is Kind.LIST),
                float(first),
                float(text[end - 1] in "?？"),
                max(0, _SHORT - words_in) / _SHORT,
                min(math.log(words_in), _LONG),
                math.log(max(1, chars[at + size] - chars[at]) / words_in),
                float(min(_QUOTES, quotes)),
                float(text[start].islower()),
                start / length,
            )
        )
    return out


def _capped(words: Words) -> list[int]:
    """Returns the chars of all words before each one, where a long one counts as many as `LONG_CHARS`."""
    sizes = list(map(len, words.texts))
    for index in words.telling(LONG):
        sizes[index] = LONG_CHARS
    return list(accumulate(sizes, initial=0))
