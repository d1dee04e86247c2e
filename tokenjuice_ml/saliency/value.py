"""What words are worth: by their scores, and by what their sentence may be asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain, repeat
from operator import add, mul, sub

from tokenjuice_ml.saliency.answers import densities
from tokenjuice_ml.saliency.lexicon import BINDS, FIGURE, LONG, LONG_CHARS, SHOWS, SPELLED, WORTH
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.units import Kind, Segment
from tokenjuice_ml.saliency.words import WORD, Words

NUMBER, NUMBER_WORD, NAME, BOUND, PLACE = 1.4, 1.4, 1.15, 1.2, 1.5
"""Factors for figures, numbers in words, a name within the sentence, denials, duties and reasons, paths and addresses."""
EXAMPLE, HEADING, QUESTION, OPENING = 0.8, 0.9, 0.7, 0.9
"""Factors for examples, headings, questions, and for the sentence that opens a paragraph: it announces."""
SHORT_WORDS = 6
"""Below this many words a segment says little by itself."""
_QUERY_FACTOR = 1.5
_TOLD = 0.3
"""Part of the hand-set factors in the worth of a segment; the rest is fitted, see `answers`."""
_LEAN = 4.0
"""Densities over the text's median count this much at most."""
_MEAN, _SPREAD, _RARE = 0.4, 0.25, 0.2

_HEADING = Kind.HEADING

PER_UNIT, PER_WORD, PER_CHAR = 0.18, 0.52, 0.18
"""Tokens that words which stand together cost, roughly: all of them, each word, each char."""
_COMMON = frozenset(
    (
        "a about all an and are as at be been but by can could did do does for from get go had has have he her "
        "his how i if in is it its just like me my no not of on one or our out she so some than that the their them "
        "then there these they this those to up us was we well were what when where which who will with would yeah you your okay"
    ).split()
)


def even(words: Words, scores: Sequence[float]) -> list[float]:
    """Returns the scores on one scale, whatever model they are from, and more for what is rare here.

    What is said once in a text cannot be read elsewhere in it. A long word, an address as a rule, costs as
    many tokens as several others: it is worth as many, or it would never be kept.
    """
    factor, shift = _to_common_scale(scores)
    rare = {word: shift + _RARE / math.sqrt(count) for word, count in words.counts.items()}
    worth = list(map(add, map(mul, scores, repeat(factor)), map(rare.__getitem__, words.texts)))
    for index in words.telling(LONG):
        if worth[index] > 0:
            worth[index] *= _stretch(words.texts[index])
    return worth


def _stretch(word: str) -> float:
    """Returns how many times the tokens of a usual word a long word costs."""
    one = PER_UNIT + PER_WORD
    return (one + PER_CHAR * len(word)) / (one + PER_CHAR * LONG_CHARS)


def _to_common_scale(scores: Sequence[float]) -> tuple[float, float]:
    """Returns factor and shift that bring scores to `_MEAN` and `_SPREAD`."""
    count = max(1, len(scores))
    mean = sum(scores) / count
    spread = math.sqrt(max(0.0, sum(map(mul, scores, scores)) / count - mean * mean))
    factor = _SPREAD / max(spread, 0.02)
    return factor, _MEAN - factor * mean


def factors(
    text: str,
    sections: Sections,
    words: Words,
    scores: Sequence[float],
    worth: Sequence[float],
    asked: Sequence[float] | None = None,
) -> list[float]:
    """Returns by how much to raise or lower the words of each segment, so that it is worth what it may answer.

    A segment is worth its tokens times the answers that a token of it may hold (see `answers`), and to a part
    what its words and hand-set factors tell: the geometric mean of both. Among its words that is shared out by
    their own worth. All segments together are worth what they were.

    Args:
        text: the text.
        sections: its segments and what is known of each.
        words: its words.
        scores: the model's, one a word.
        worth: what each word is worth by itself, not negative.
        asked: one a word, how likely it is to answer a question, where the model tells it.
    """
    paid = segment_tokens(sections, words)
    held = _by_segment(worth, sections.firsts)
    density = densities(text, sections, words, scores, asked)
    whole = [
        (cost * each) ** (1 - _TOLD) * (have * more) ** _TOLD
        for cost, each, have, more in zip(paid, density, held, told(text, sections), strict=True)
    ]
    scale = sum(held) / max(1e-9, sum(whole))
    return [scale * value / have if have > 0 else 0.0 for value, have in zip(whole, held, strict=True)]


def leanings(
    text: str, sections: Sections, words: Words, scores: Sequence[float], asked: Sequence[float] | None
) -> list[float]:
    """Returns by how much to raise or lower the words of each segment where single spans are chosen.

    The words' own scores decide there. What a segment may be asked for leans on them a little: by the fourth
    root of its density over the text's median, beside what stands in it. More of it keeps more answers and fewer core words.

    Args:
        text: the text.
        sections: its segments and what is known of each.
        words: its words.
        scores: the model's, one a word.
        asked: one a word, how likely it is to answer a question, where the model tells it.
    """
    density = densities(text, sections, words, scores, asked)
    middle = max(1e-300, sorted(density)[len(density) // 2]) if density else 1.0
    leaned = [min(_LEAN, max(1 / _LEAN, each / middle)) ** 0.25 for each in density]
    return list(map(mul, leaned, told(text, sections)))


def segment_tokens(sections: Sections, words: Words) -> list[float]:
    """Returns what the words of each segment cost, in tokens, roughly."""
    firsts = sections.firsts
    chars = _by_segment(list(map(len, words.texts)), firsts)
    return [
        PER_WORD * size + PER_CHAR * each
        for size, each in zip(map(sub, firsts[1:], firsts), chars, strict=True)
    ]


def _by_segment(values: Sequence[float], firsts: Sequence[int]) -> list[float]:
    """Returns the sum over each segment's words."""
    sums = list(accumulate(values, initial=0.0))
    ends = list(map(sums.__getitem__, firsts))
    return list(map(sub, ends[1:], ends))


def told(text: str, sections: Sections) -> list[float]:
    """Returns of each segment how much more, or less, its words are worth for what stands in it.

    Figures, names, paths, denials, duties and reasons are what an agent goes on with; an example, a question
    or an announcement is not.
    """
    segments, firsts = sections.segments, sections.firsts
    return list(
        map(
            _factor,
            segments,
            [text[segment[1] - 1] in "?？" for segment in segments],
            map(sub, firsts[1:], firsts),
            sections.marks,
            sections.names,
            sections.places,
        )
    )


def _factor(segment: Segment, asks: bool, count: int, marks: int, names: int, places: int) -> float:
    """Returns what a segment of `count` words is worth; everything that is known of it is an argument."""
    if not count:
        return 0.0
    value = _FACTORS[marks & WORTH]
    if count < SHORT_WORDS:
        value *= (count + 1) / SHORT_WORDS
    if names:
        value *= NAME
    if places:
        value *= PLACE
    if segment[2] is _HEADING:
        value *= HEADING
    if segment[3]:
        value *= OPENING
    if asks:
        value *= QUESTION
    return value


_FACTORS = [
    (NUMBER if marks & FIGURE else 1.0)
    * (NUMBER_WORD if marks & SPELLED else 1.0)
    * (BOUND if marks & BINDS else 1.0)
    * (EXAMPLE if marks & SHOWS else 1.0)
    for marks in range(16)
]


def raised(words: Words, segments: Sequence[Segment], query: str | None) -> list[float]:
    """Returns by how much the words of each segment are worth more for what the reader looks for."""
    if not query:
        return [1.0] * len(segments)
    return [1 + _QUERY_FACTOR * share for share in _asked(words.low, segments, query)]


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
    if not share:
        return list(core)
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
