"""Simple word scorers that a trained model has to beat. All learn from training text only."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from models.train.data import Passage, read_passages, read_prose, word_spans
from models.train.settings import Run

Scorer = Callable[[Passage], np.ndarray]

_EDGE = re.compile(r"^\W+|\W+$")
_NUMBER_OR_CODE = re.compile(r"\d|[_/\\@#$%=<>{}]|[a-z][A-Z]|^--?\w|[A-Z]{2}")
_NEGATION = frozenset(
    "no not never none nor cannot without n't nicht kein nie sans pas jamais sin nunca не нет".split()
)
# Passages whose words are counted; more changes nothing.
_COUNTED = 12_000
_STOP_WORDS = 150


def all_scorers(run: Run) -> dict[str, Scorer]:
    """Builds every baseline."""
    documents, frequency = _document_frequency(run)
    stop = _stop_words(run)
    prior = _unigram_prior(run)
    rng = np.random.default_rng(run.seed)

    def idf(word: str) -> float:
        return math.log((documents + 1) / (frequency[word] + 1))

    def must_keep_idf(p: Passage) -> np.ndarray:
        raw = [p.text[a:b] for a, b in p.spans]
        return np.array([idf(_plain(w)) + 2.0 * _must_keep(w, i) for i, w in enumerate(raw)])

    return {
        "random": lambda p: rng.random(len(p.spans)),
        "head": lambda p: -np.arange(len(p.spans)) / len(p.spans),
        "stop words": lambda p: np.array([w not in stop[p.lang] for w in _words(p)], dtype=float),
        "idf": lambda p: np.array([idf(w) for w in _words(p)]),
        "must-keep + idf": must_keep_idf,
        "unigram prior": lambda p: np.array([prior(w) for w in _words(p)]),
    }


def _plain(word: str) -> str:
    return _EDGE.sub("", word).lower() or word


def _words(p: Passage) -> list[str]:
    return [_plain(p.text[a:b]) for a, b in p.spans]


def _must_keep(word: str, position: int) -> bool:
    bare = _EDGE.sub("", word)
    name = position > 0 and bare[:1].isupper()
    return bool(_NUMBER_OR_CODE.search(word)) or name or bare.lower() in _NEGATION


def _document_frequency(run: Run) -> tuple[int, Counter[str]]:
    counts: Counter[str] = Counter()
    seen = 0
    for i, p in enumerate(read_prose(run.data / "prose_unlabelled.jsonl.xz")):
        if p.lang != "en" or i % 6 == 0:
            counts.update({_plain(p.text[a:b]) for a, b in word_spans(p.text)})
            seen += 1
            if seen == _COUNTED:
                break
    return seen, counts


def _stop_words(run: Run) -> dict[str, frozenset[str]]:
    """The most frequent words of each language, counted in the labelled training texts."""
    by_lang: dict[str, Counter[str]] = {}
    for p in read_passages(run.data / "train.jsonl"):
        by_lang.setdefault(p.lang, Counter()).update(_words(p))
    return {k: frozenset(w for w, _ in c.most_common(_STOP_WORDS)) for k, c in by_lang.items()}


def _unigram_prior(run: Run) -> Callable[[str], float]:
    """Mean grade of a word in the training labels, drawn towards the mean of all words."""
    total: Counter[str] = Counter()
    grade: Counter[str] = Counter()
    for p in read_passages(run.data / "train.jsonl"):
        for word, g in zip(_words(p), p.grade, strict=True):
            total[word] += 1
            grade[word] += g
    mean = grade.total() / total.total()
    return lambda word: (grade[word] + 5 * mean) / (total[word] + 5)
