"""The teacher's states of each word, reduced to what varies most.

The middle of the encoder knows more of the text, its end more of the task: half of the components are of either.
Each component is divided by the root of its deviation, between leaving the largest as large as they are and
making all alike, and all of them together vary by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from models.train.align import Encoded
from models.train.scoring import CLASSES, Forward, Special, score_texts
from models.train.training import STATE_UNIT

LAYERS = (8, 12)
COMPONENTS = 64
"""Of each layer."""
WIDTH = COMPONENTS * len(LAYERS)


@dataclass(frozen=True)
class Components:
    """What turns states into their components.

    Attributes:
        mean: of each layer, ``(layers, hidden)``.
        matrix: of each layer, ``(layers, hidden, components)``.
    """

    mean: np.ndarray
    matrix: np.ndarray

    def save(self, path: Path) -> None:
        """Writes both through a temporary file."""
        partial = path.with_suffix(".part")
        with partial.open("wb") as stream:
            np.savez(stream, mean=self.mean, matrix=self.matrix)
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Components:
        """Reads what `save` wrote."""
        with np.load(path) as stored:
            return cls(stored["mean"], stored["matrix"])


def forward(model: Any, components: Components | None) -> Forward:
    """Wraps a BERT classifier: ids and mask to logits and components ``(batch, tokens, 3 + width)``.

    Args:
        model: the classifier.
        components: None to get the states of all `LAYERS` as they are.
    """
    model.eval()
    reduce = None
    if components is not None:
        reduce = torch.from_numpy(components.mean), torch.from_numpy(components.matrix)

    @torch.inference_mode()
    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = model(
                input_ids=torch.from_numpy(ids),
                attention_mask=torch.from_numpy(mask),
                output_hidden_states=True,
            )
        columns = [found.logits.float()]
        for i, layer in enumerate(LAYERS):
            states = found.hidden_states[layer].float()
            columns.append(states if reduce is None else (states - reduce[0][i]) @ reduce[1][i])
        return torch.cat(columns, -1).numpy()

    return run


def fit(model: Any, texts: Sequence[Encoded], window: int, special: Special) -> Components:
    """Finds the principal components of the states of the words of some texts."""
    hidden = model.config.hidden_size
    found = score_texts(forward(model, None), texts, window, 0, special, 2048, hidden * len(LAYERS))
    words = np.concatenate(found)[:, CLASSES:]
    means, matrices = [], []
    for states in np.split(words, len(LAYERS), 1):
        values, vectors = np.linalg.eigh(np.cov(states.T))
        values, vectors = values[::-1][:COMPONENTS], vectors[:, ::-1][:, :COMPONENTS]
        # Divided by the root of a deviation, a component varies by its deviation.
        scale = np.sqrt(np.sqrt(values).sum() * len(LAYERS))
        means.append(states.mean(0))
        matrices.append(vectors / values**0.25 / scale)
    return Components(np.stack(means).astype(np.float32), np.stack(matrices).astype(np.float32))


def stored(components: np.ndarray) -> np.ndarray:
    """Components as 8-bit numbers of `STATE_UNIT`."""
    return np.clip(np.rint(components / STATE_UNIT), -127, 127).astype(np.int8)
