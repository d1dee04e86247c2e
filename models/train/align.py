"""Moves scores between words and sub-word tokens by character offsets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

_BLANK_PIECES = frozenset({"▁", "Ġ", " "})


@dataclass(frozen=True)
class Encoded:
    """A text as tokens that know their words.

    Attributes:
        ids: token ids without special tokens, ``(tokens,)``.
        first: first word a token touches, -1 for a token without one, ``(tokens,)``.
        last: last word a token touches (inclusive), -1 likewise, ``(tokens,)``.
        words: number of words.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    words: int


def encode(tokenizer: Tokenizer, text: str, spans: list[tuple[int, int]]) -> Encoded:
    """Tokenizes raw text and records which words each token touches.

    A lone blank piece (``▁`` in front of a CJK character) belongs to no word: its
    vector would otherwise take the label of the character behind it.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    starts = np.array([a for a, _ in spans] or [0])
    ends = np.array([b for _, b in spans] or [0])
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    first = np.searchsorted(ends, offsets[:, 0], side="right")
    last = np.searchsorted(starts, offsets[:, 1], side="left") - 1
    bare = np.array([t in _BLANK_PIECES for t in encoding.tokens], dtype=bool)
    empty = bare | (last < first)
    return Encoded(
        np.array(encoding.ids, dtype=np.int64),
        np.where(empty, -1, first),
        np.where(empty, -1, last),
        len(spans),
    )


def token_targets(encoded: Encoded, word_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spreads word values over tokens.

    Args:
        encoded: the text.
        word_values: ``(words, classes)``.

    Returns:
        values ``(tokens, classes)``: mean over the words a token touches; and weights
        ``(tokens,)``: each word weighs one in all, tokens without a word zero.
    """
    total = np.vstack([np.zeros((1, word_values.shape[1])), np.cumsum(word_values, axis=0)])
    has = encoded.first >= 0
    lo, hi = np.where(has, encoded.first, 0), np.where(has, encoded.last + 1, 1)
    values = (total[hi] - total[lo]) / (hi - lo)[:, None]
    pieces = _touches(encoded)
    inverse = np.concatenate([[0.0], np.cumsum(1.0 / np.maximum(pieces, 1))])
    weights = np.where(has, inverse[hi] - inverse[lo], 0.0)
    return values.astype(np.float32), weights.astype(np.float32)


def word_scores(encoded: Encoded, token_values: np.ndarray) -> np.ndarray:
    """Averages token values ``(tokens, classes)`` into word values ``(words, classes)``.

    A word that no token touches (a lone combining mark that the normaliser ate) takes zero.
    """
    has = encoded.first >= 0
    change = np.zeros((encoded.words + 1, token_values.shape[1]))
    np.add.at(change, encoded.first[has], token_values[has])
    np.add.at(change, encoded.last[has] + 1, -token_values[has])
    sums = np.cumsum(change, axis=0)[:-1]
    return sums / np.maximum(_touches(encoded), 1)[:, None]


def windows(tokens: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Cuts ``tokens`` into equal windows of at most ``size`` that share ``overlap`` tokens.

    >>> windows(10, 20, 4), windows(30, 20, 4)
    ([(0, 10)], [(0, 17), (13, 30)])
    """
    if tokens <= size:
        return [(0, tokens)]
    count = -(-(tokens - overlap) // (size - overlap))
    length = -(-(tokens + (count - 1) * overlap) // count)
    begins = [min(i * (length - overlap), tokens - length) for i in range(count)]
    return [(b, b + length) for b in begins]


def _touches(encoded: Encoded) -> np.ndarray:
    """Counts the tokens that touch each word, ``(words,)``."""
    has = encoded.first >= 0
    change = np.zeros(encoded.words + 1)
    np.add.at(change, encoded.first[has], 1)
    np.add.at(change, encoded.last[has] + 1, -1)
    return np.cumsum(change)[:-1]
