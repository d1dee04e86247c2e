"""Scores whole texts with a token classifier, in overlapping windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from models.train.align import Encoded, windows, word_scores
from models.train.data import Passage
from models.train.metrics import Scored

CLASSES = 3
# A word's ranking score: core counts in full, plain keep in part.
RANK = np.array([0.0, 0.6, 1.0])


@dataclass(frozen=True)
class Special:
    """Ids of the special tokens that stand around each window."""

    bos: int
    eos: int
    pad: int


Forward = Callable[[np.ndarray, np.ndarray], np.ndarray]


def torch_forward(model: nn.Module, half: bool = True) -> Forward:
    """Wraps a torch model as a function from ids and mask to logits ``(batch, tokens, 3)``.

    Args:
        model: the model; switched to evaluation.
        half: computes in bfloat16, twice as fast and exact enough for choosing.
    """

    @torch.inference_mode()
    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            out = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).logits
        return out.float().numpy()

    model.eval()
    return forward


def score_texts(
    forward: Forward,
    texts: Sequence[Encoded],
    window: int,
    overlap: int,
    special: Special,
    batch_tokens: int = 4096,
    width: int = 0,
) -> list[np.ndarray]:
    """Scores whole texts in overlapping windows; probabilities are averaged where windows meet.

    Args:
        forward: gives logits, and behind them further columns that are averaged as they are.
        texts: the texts.
        window: most tokens of a window, special ones included.
        overlap: tokens that neighbouring windows share.
        special: ids of the special tokens.
        batch_tokens: most padded tokens of a batch.
        width: number of the further columns.

    Returns:
        Word probabilities, and what stands behind them, ``(words, 3 + width)`` for each text.
    """
    jobs = [(t, a, b) for t, e in enumerate(texts) for a, b in windows(len(e.ids), window - 2, overlap)]
    sums = [np.zeros((len(e.ids), CLASSES + width), np.float32) for e in texts]
    seen = [np.zeros((len(e.ids), 1)) for e in texts]
    for group in _by_length(jobs, batch_tokens):
        size = max(b - a for _, a, b in group) + 2
        ids = np.full((len(group), size), special.pad, dtype=np.int64)
        mask = np.zeros((len(group), size), dtype=np.int64)
        for row, (t, a, b) in enumerate(group):
            ids[row, : b - a + 2] = np.concatenate([[special.bos], texts[t].ids[a:b], [special.eos]])
            mask[row, : b - a + 2] = 1
        found = forward(ids, mask)
        probabilities = np.concatenate([softmax(found[..., :CLASSES]), found[..., CLASSES:]], -1)
        for row, (t, a, b) in enumerate(group):
            sums[t][a:b] += probabilities[row, 1 : b - a + 1]
            seen[t][a:b] += 1
    return [word_scores(e, s / np.maximum(n, 1)) for e, s, n in zip(texts, sums, seen, strict=True)]


def softmax(logits: np.ndarray) -> np.ndarray:
    """Softmax over the last axis."""
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def _by_length(jobs: list[tuple[int, int, int]], budget: int) -> Iterator[list[tuple[int, int, int]]]:
    group: list[tuple[int, int, int]] = []
    for job in sorted(jobs, key=lambda j: j[1] - j[2]):
        longest = (group or [job])[0]
        if group and (longest[2] - longest[1] + 2) * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(job)
    if group:
        yield group


def scored(
    forward: Forward,
    passages: list[Passage],
    encoded: list[Encoded],
    window: int,
    overlap: int,
    special: Special,
) -> list[Scored]:
    """Scores labelled passages with any model that has three classes."""
    probabilities = score_texts(forward, encoded, window, overlap, special)
    return [
        Scored(np.array(p.grade), s @ RANK, p.lang, p.genre)
        for p, s in zip(passages, probabilities, strict=True)
    ]
