"""Systems that anybody could write: floors that a real one must beat at equal kept tokens."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

from eval.datasets import Case
from eval.metrics import CLASSES, NEGATIONS
from eval.text import words
from tokenjuice_ml.tokens import estimate

STOP = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its me my no not of on or our she so "
    "that the their them then there they this to up was we were what when which who will with would you your".split()
)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|[。！？]|(?=\n)|$)[^\S\n]*|\n+")


def pieces(text: str) -> list[str]:
    """Returns the sentences of a text, line ends with them; joined they are the text."""
    return _SENTENCE.findall(text)


def within(parts: Sequence[str], order: Sequence[int], ratio: float) -> str:
    """Returns the parts that fit a share of all parts' tokens, taken in `order`, shown in their own."""
    costs = [estimate(part) for part in parts]
    kept: set[int] = set()
    used, budget = 0.0, ratio * sum(costs)
    for at in order:
        if used + costs[at] <= budget:
            kept.add(at)
            used += costs[at]
    return "".join(part for at, part in enumerate(parts) if at in kept or part.isspace())


def identity(case: Case, ratio: float) -> str:
    """Everything."""
    return case.text


def head(case: Case, ratio: float) -> str:
    """The beginning, to the last whole line or sentence."""
    parts = pieces(case.text)
    return within(parts, _until(parts, range(len(parts)), ratio), 1.01)


def tail(case: Case, ratio: float) -> str:
    """The end."""
    parts = pieces(case.text)
    return within(parts, _until(parts, range(len(parts) - 1, -1, -1), ratio), 1.01)


def head_tail(case: Case, ratio: float) -> str:
    """Half of the budget at each end."""
    parts = pieces(case.text)
    first = _until(parts, range(len(parts)), ratio / 2)
    last = _until(parts, range(len(parts) - 1, -1, -1), ratio / 2)
    return within(parts, [*first, *last], 1.01)


def _until(parts: Sequence[str], order: Sequence[int] | range, ratio: float) -> list[int]:
    budget = ratio * sum(map(estimate, parts))
    taken: list[int] = []
    for at in order:
        budget -= estimate(parts[at])
        if budget < 0:
            break
        taken.append(at)
    return taken


def _lot(word: str, dice: random.Random) -> float:
    return dice.random()


def _no_stop(word: str, dice: random.Random) -> float:
    return dice.random() + (word.lower().strip(".,") not in STOP)


def _pinned(counts: Counter[str], total: int) -> Callable[[str, random.Random], float]:
    def score(word: str, dice: random.Random) -> float:
        pinned = any(pattern.match(word) for pattern in CLASSES.values()) or NEGATIONS.search(word)
        seen = counts.get(word.lower(), total)
        return (100 if pinned else 0) - math.log(seen / total)

    return score


def _scorer(name: str, text: str) -> Callable[[str, random.Random], float]:
    if name == "must-keep-idf":
        counts = Counter(word.lower() for word in words(text))
        return _pinned(counts, max(1, sum(counts.values())))
    return _lot if name == "random-words" else _no_stop


def random_words(case: Case, ratio: float) -> str:
    """Words by lot."""
    return _by_word("random-words", case.text, ratio)


def stop_words(case: Case, ratio: float) -> str:
    """Stop words go first, then words by lot."""
    return _by_word("stop-words", case.text, ratio)


def must_keep_idf(case: Case, ratio: float) -> str:
    """Numbers, identifiers, paths and negations first, then words by self-information."""
    return _by_word("must-keep-idf", case.text, ratio)


def _by_word(name: str, text: str, ratio: float) -> str:
    parts = re.findall(r"\S+[^\S\n]*|\n+", text) if any(c == " " for c in text[:400]) else [*text]
    dice, score = random.Random(len(text)), _scorer(name, text)
    values = [score(part.strip(), dice) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: -values[at])
    return within(parts, order, ratio)


def _scores_of(name: str) -> Callable[[Case], list[list[float]]]:
    def scores(case: Case) -> list[list[float]]:
        dice, score = random.Random(len(case.text)), _scorer(name, case.text)
        return [[score(word, dice) for word in case.words or words(case.text)]]

    return scores


def random_sentences(case: Case, ratio: float) -> str:
    """Sentences by lot."""
    parts = pieces(case.text)
    order = list(range(len(parts)))
    random.Random(len(case.text)).shuffle(order)
    return within(parts, order, ratio)


def tfidf_sentences(case: Case, ratio: float) -> str:
    """Sentences whose words are rare across sentences and frequent in the text."""
    parts = pieces(case.text)
    bags = [Counter(word.lower().strip(".,;:()") for word in words(part)) for part in parts]
    spread = Counter(word for bag in bags for word in bag)
    total = Counter(word for bag in bags for word in bag.elements())

    def score(bag: Counter[str]) -> float:
        weight = sum(count * total[word] * math.log(len(parts) / spread[word]) for word, count in bag.items())
        return weight / max(1, sum(bag.values()))

    order = sorted(range(len(parts)), key=lambda at: -score(bags[at]))
    return within(parts, order, ratio)


def textrank(case: Case, ratio: float) -> str:
    """Sentences that are like many others (power iteration on word overlap)."""
    parts = pieces(case.text)[:1200]
    bags = [{word.lower().strip(".,;:()") for word in words(part)} - STOP for part in parts]
    by_word: dict[str, list[int]] = {}
    for at, bag in enumerate(bags):
        for word in bag:
            by_word.setdefault(word, []).append(at)
    links: list[Counter[int]] = [Counter() for _ in parts]
    for members in by_word.values():
        if 1 < len(members) <= 60:
            for one in members:
                links[one].update(other for other in members if other != one)
    rank = [1.0] * len(parts)
    totals = [sum(link.values()) or 1 for link in links]
    for _ in range(20):
        rank = [
            0.15 + 0.85 * sum(rank[o] * weight / totals[o] for o, weight in link.items()) for link in links
        ]
    order = sorted(range(len(parts)), key=lambda at: -rank[at])
    return within(parts, order, ratio)


BASELINES: dict[str, Callable[[Case, float], str]] = {
    "identity": identity,
    "head": head,
    "tail": tail,
    "head-tail": head_tail,
    "random-words": random_words,
    "random-sentences": random_sentences,
    "stop-words": stop_words,
    "must-keep-idf": must_keep_idf,
    "tfidf-sentences": tfidf_sentences,
    "textrank": textrank,
}

WORD_SCORES = {name: _scores_of(name) for name in ("random-words", "stop-words", "must-keep-idf")}
