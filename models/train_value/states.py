"""What a model holds of each word of a text before it decides: the input of its last matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidecar.words import Aligned, clean, windows


def word_states(network: Any, text: str) -> np.ndarray:
    """Returns the states of the words ``(words, width)``, each the mean over its tokens.

    Args:
        network: a ``sidecar.onnx_network.OnnxNetwork`` whose graph gives ``states``.
        text: the text; it is read in the sidecar's windows.
    """
    ids, offsets = network.encode(clean(text))
    aligned = Aligned(text, ids, offsets)
    total, seen = np.zeros((0, 0), np.float32), np.zeros((len(ids), 1), np.float32)
    for start, end in windows(len(ids), network.window, network.overlap):
        found = network.states(aligned.ids[start:end])
        if not total.size:
            total = np.zeros((len(ids), found.shape[1]), np.float32)
        total[start:end] += found
        seen[start:end] += 1
    return _by_word(aligned, total / np.maximum(seen, 1))


def _by_word(aligned: Aligned, states: np.ndarray) -> np.ndarray:
    token, word = aligned.touches()
    sums, seen = (
        np.zeros((aligned.words, states.shape[1]), np.float32),
        np.zeros((aligned.words, 1), np.float32),
    )
    np.add.at(sums, word, states[token])
    np.add.at(seen, word, 1)
    return sums / np.maximum(seen, 1)
