"""From a text to windows of tokens, and from token scores back to words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tokenjuice_ml.saliency.words import split

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

NEUTRAL = 0.5
"""Score of a word that no token covers."""


class Aligned:
    """A tokenized text that knows which words each token covers.

    Attributes:
        ids: (tokens,) token ids without specials.
        words: number of words.
    """

    def __init__(self, text: str, ids: list[int], offsets: list[tuple[int, int]]) -> None:
        begins, words = split(text)
        self.words = len(words)
        self.ids: Ints = np.asarray(ids, dtype=np.int64)
        starts = np.asarray(begins, dtype=np.int64)
        ends = starts + np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        at = np.asarray(offsets, dtype=np.int64).reshape(-1, 2)
        # first word that ends after the token starts, last word that starts before it ends
        self.first: Ints = np.searchsorted(ends, at[:, 0], side="right")
        self.last: Ints = np.searchsorted(starts, at[:, 1], side="left") - 1

    def touches(self) -> tuple[Ints, Ints]:
        """Returns token and word, (pairs,) each, of every word that a token covers at least in part."""
        counts = np.maximum(self.last - self.first + 1, 0)
        token = np.repeat(np.arange(len(self.ids)), counts)
        within = np.arange(len(token)) - np.repeat(np.cumsum(counts) - counts, counts)
        return token, self.first[token] + within

    def word_scores(self, token_scores: Floats, how: str = "mean") -> Floats:
        """Returns (words,) scores: mean, first or max of the scores of each word's tokens."""
        token, word = self.touches()
        values = token_scores[token]
        out = np.full(self.words, np.float32(NEUTRAL), dtype=np.float32)
        if how == "first":
            out[word[::-1]] = values[::-1]
            return out
        seen = np.bincount(word, minlength=self.words)
        if how == "max":
            best = np.zeros(self.words, dtype=np.float32)
            np.maximum.at(best, word, values)
            return np.where(seen > 0, best, out)
        sums = np.bincount(word, weights=values, minlength=self.words)
        mean: Floats = np.where(seen > 0, sums / np.maximum(seen, 1), out).astype(np.float32)
        return mean

    def word_of_token(self) -> Ints:
        """Returns (tokens,) the first word of each token, -1 where it covers none."""
        return np.where(self.last >= self.first, self.first, -1)


def windows(count: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yields the half-open token ranges of windows that overlap and together cover everything.

    All have one length, so that the last one does not read again what others have read.

    >>> list(windows(10, 6, 2)), list(windows(30, 20, 4))
    ([(0, 6), (4, 10)], [(0, 17), (13, 30)])
    """
    if count <= size:
        yield 0, count
        return
    overlap = min(overlap, size // 2)
    parts = -(-(count - overlap) // (size - overlap))
    length = -(-(count + (parts - 1) * overlap) // parts)
    for part in range(parts):
        start = min(part * (length - overlap), count - length)
        yield start, start + length


@lru_cache(maxsize=8)
def blend_weights(size: int, overlap: int) -> Floats:
    """Returns (size,) weights that fall off towards the edges, where a window sees little context."""
    ramp = max(1, overlap)
    place = np.arange(size, dtype=np.float32)
    edge = np.minimum(place + 1, size - place)
    weights: Floats = np.minimum(edge / ramp, 1.0).astype(np.float32)
    return weights


def clean(text: str) -> str:
    """Returns `text` of the same length with what no tokenizer can read replaced."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
