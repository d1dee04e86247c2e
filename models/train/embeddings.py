"""Starts the student's token embeddings from those of other encoders.

A student token's vector is the mean of the other encoder's vectors for the same text. Tokens that are no text
(half a character) stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from tokenizers import Tokenizer, decoders, pre_tokenizers

from models.train import convert

SCALE = 0.02  # standard deviation of ModernBERT's own initial embeddings


def from_e5(model: Any, tokenizer: Tokenizer, e5: Path) -> None:
    """Overwrites the input embeddings with e5's, reduced to the student's width by principal components."""
    weight = model.get_input_embeddings().weight
    vectors, known = e5_vectors(tokenizer, e5)
    centred = vectors[known] - vectors[known].mean(0)
    _, components = np.linalg.eigh(centred.T @ centred)  # ascending: the last ones carry most
    reduced = centred @ components[:, ::-1][:, : weight.shape[1]]
    reduced *= SCALE / reduced.std()
    with torch.no_grad():
        weight[torch.from_numpy(np.flatnonzero(known))] = torch.from_numpy(reduced.astype(np.float32))


@torch.no_grad()
def from_minilm(model: Any, tokenizer: Tokenizer, bert: Any, pieces: Tokenizer, e5: Path) -> None:
    """Overwrites the input embeddings with MiniLM's; what it does not know comes from e5.

    e5's vectors are moved into MiniLM's space by the linear map that fits best on the tokens of plain ASCII,
    which both know: so a Chinese word starts near its English translation.

    Args:
        model: a student of MiniLM's width, which :func:`models.train.convert.convert` fits.
        tokenizer: the student's.
        bert: the fine-tuned MiniLM.
        pieces: its WordPiece tokenizer.
        e5: folder of the unpacked e5.
    """
    table = bert.bert.embeddings.word_embeddings.weight
    vectors, known = _minilm_vectors(tokenizer, table, pieces)
    others, e5_knows = e5_vectors(tokenizer, e5)
    plain = np.array(
        [_text(token).isascii() for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda x: x[1])]
    )
    both, only_e5 = (
        torch.from_numpy(np.flatnonzero(x)) for x in (known & e5_knows & plain, e5_knows & ~known)
    )
    foreign = torch.from_numpy(others)
    fit = convert.ridge(foreign[both], vectors[both], 1e-2)
    vectors[only_e5] = foreign[only_e5] @ fit.weight.T + fit.bias
    unknown = torch.from_numpy(np.flatnonzero(~known & ~e5_knows))
    vectors[unknown] = vectors[both].mean(0) + 0.2 * vectors[both].std(0) * torch.randn(
        len(unknown), table.shape[1]
    )
    config = model.config
    for ours, theirs in ((config.bos_token_id, "[CLS]"), (config.eos_token_id, "[SEP]")):
        vectors[ours] = table[pieces.token_to_id(theirs)]
    vectors[config.pad_token_id] = 0
    model.get_input_embeddings().weight.copy_(vectors + convert.token_offset(bert))


def e5_vectors(tokenizer: Tokenizer, e5: Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns e5's vectors ``(vocabulary, width)`` and which of them are known ``(vocabulary,)``."""
    outer = Tokenizer.from_file(str(e5 / "tokenizer.json"))
    inner = Tokenizer.from_file(str(e5 / "tokenizer.json"))
    inner.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="never")
    with safe_open(e5 / "model.safetensors", "pt") as file:
        table = file.get_tensor("embeddings.word_embeddings.weight").numpy()
    size = tokenizer.get_vocab_size()
    vectors, known = np.zeros((size, table.shape[1]), np.float32), np.zeros(size, bool)
    for token, index in tokenizer.get_vocab().items():
        text = _text(token)
        # A leading blank means the start of a word, which e5 writes as a piece with "▁".
        pieces = (
            text and (outer if text[0] == " " else inner).encode(text.strip(), add_special_tokens=False).ids
        )
        if pieces:
            vectors[index], known[index] = table[pieces].mean(0), True
    return vectors, known


def _minilm_vectors(
    tokenizer: Tokenizer, table: torch.Tensor, pieces: Tokenizer
) -> tuple[torch.Tensor, np.ndarray]:
    size, vocabulary = tokenizer.get_vocab_size(), pieces.get_vocab()
    vectors, known = torch.zeros(size, table.shape[1]), np.zeros(size, bool)
    for token, index in tokenizer.get_vocab().items():
        text = _text(token)
        found = pieces.encode(text.strip(), add_special_tokens=False).ids if text else []
        # Without a leading blank, small letters go on with a word, which WordPiece writes with "##".
        rest = vocabulary.get("##" + text) if text.isalpha() and text.islower() else None
        if rest is not None:
            found = [rest]
        if found and vocabulary["[UNK]"] not in found:
            vectors[index], known[index] = table[found].mean(0), True
    return vectors, known


def _text(token: str) -> str:
    """The text of a byte-level token; empty for special ones, blanks and parts of characters."""
    text = str(decoders.ByteLevel().decode([token]))
    return "" if not text.strip() or "\ufffd" in text or token.startswith("[") else text
