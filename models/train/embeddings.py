"""Starts the student's token embeddings from the teacher's.

A student token's vector is the mean of the teacher's vectors for the same text, reduced to the
student's width by principal components. Tokens that are no text (half a character) stay random.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from tokenizers import Tokenizer, decoders, pre_tokenizers

SCALE = 0.02  # standard deviation of ModernBERT's own initial embeddings


def transfer(model: Any, tokenizer: Tokenizer, teacher: Path) -> None:
    """Overwrites the model's input embeddings in place."""
    weight = model.get_input_embeddings().weight
    vectors, known = _mean_vectors(tokenizer, teacher)
    centred = vectors[known] - vectors[known].mean(0)
    _, components = np.linalg.eigh(centred.T @ centred)  # ascending: the last ones carry most
    reduced = centred @ components[:, ::-1][:, : weight.shape[1]]
    reduced *= SCALE / reduced.std()
    with torch.no_grad():
        weight[torch.from_numpy(np.flatnonzero(known))] = torch.from_numpy(reduced.astype(np.float32))


def _mean_vectors(tokenizer: Tokenizer, teacher: Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns vectors ``(vocabulary, teacher width)`` and which of them are known ``(vocabulary,)``."""
    outer = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    inner = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    inner.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="never")
    with safe_open(teacher / "model.safetensors", "pt") as file:
        table = file.get_tensor("embeddings.word_embeddings.weight").numpy()
    size, decoder = tokenizer.get_vocab_size(), decoders.ByteLevel()
    vectors, known = np.zeros((size, table.shape[1]), np.float32), np.zeros(size, bool)
    for token, index in tokenizer.get_vocab().items():
        text = decoder.decode([token])
        if not text.strip() or "\ufffd" in text or token.startswith("["):
            continue
        # A leading blank means the start of a word, which the teacher writes as a piece with "▁".
        pieces = (outer if text[0] == " " else inner).encode(text.strip(), add_special_tokens=False).ids
        if pieces:
            vectors[index], known[index] = table[pieces].mean(0), True
    return vectors, known
