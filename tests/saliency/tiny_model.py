"""Makes a model folder in the shipped form, small enough for a test: one look-up a token."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

SPECIALS = ("<pad>", "<bos>", "<eos>")


def write_tiny_model(
    folder: Path, labels: tuple[str, ...] = ("drop", "keep"), asked: tuple[float, ...] = ()
) -> Path:
    """Writes a byte-level model whose capitals and digits score high.

    Args:
        folder: where it goes.
        labels: names of its labels.
        asked: the direction in its states, which are its logits, that tells what is asked for; none if empty.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {piece: i for i, piece in enumerate((*SPECIALS, *alphabet))}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[], unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = [[0.0, _logit(piece), *([0.0] * (len(labels) - 2))] for piece in vocab]
    (folder / "model.onnx").write_bytes(onnx_lookup(table))
    config = {
        "architectures": ["ModernBertForTokenClassification"],
        "id2label": {str(i): name for i, name in enumerate(labels)},
        "saliency": {
            "window": 64,
            "overlap": 16,
            "word_score": "mean",
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
        },
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    names = ["model.onnx", "tokenizer.json", "config.json"]
    if asked:
        (folder / "asked.json").write_text(json.dumps({"direction": asked}), encoding="utf-8")
        names.append("asked.json")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "MANIFEST.json").write_text(json.dumps({"files": digests}), encoding="utf-8")
    return folder


def _logit(piece: str) -> float:
    return 2.0 if piece.isupper() or piece.isdigit() else -1.0


def onnx_lookup(table: list[list[float]]) -> bytes:
    """Returns an ONNX file with one Gather: (rows, columns) `table` looked up by `input_ids`; states as well."""
    rows, columns = len(table), len(table[0])
    flat = struct.pack(f"<{rows * columns}f", *(value for row in table for value in row))
    tensor = _int(1, rows) + _int(1, columns) + _int(2, 1) + _text(8, "table") + _bytes(9, flat)
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "logits") + _text(4, "Gather")
    same = _text(1, "logits") + _text(2, "states") + _text(4, "Identity")
    graph = _bytes(1, node) + _bytes(1, same) + _text(2, "tiny") + _bytes(5, tensor)
    graph += _bytes(11, _value("input_ids", 7, ("batch", "length")))
    graph += _bytes(11, _value("attention_mask", 7, ("batch", "length")))
    graph += _bytes(12, _value("logits", 1, ("batch", "length", columns)))
    graph += _bytes(12, _value("states", 1, ("batch", "length", columns)))
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, _text(1, "") + _int(2, 17))


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    dims = b"".join(_bytes(1, _int(1, d) if isinstance(d, int) else _text(2, d)) for d in shape)
    return _text(1, name) + _bytes(2, _bytes(1, _int(1, kind) + _bytes(2, dims)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
