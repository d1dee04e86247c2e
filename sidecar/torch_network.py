"""Networks from transformers checkpoints: a trained token head, or a bare masked language model.

Only files that are on this machine are read; only safetensors; no code of a checkpoint is ever run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidecar.device import pick
from sidecar.onnx_network import columns_of
from sidecar.runtime import LoadError, Network, core_columns, keep_columns
from sidecar.words import Floats, Ints

STRIDE = 2
"""A bare encoder masks every second word, then the others."""
_LOCAL = {"local_files_only": True, "trust_remote_code": False}


def load_network(name: str, device: str) -> Network:
    """Returns the network of a folder in transformers form, or of a cached hub id.

    Raises:
        LoadError: a library or the checkpoint is missing, or it is of another kind.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise LoadError(f"{error.name} not installed: pip install 'tokenjuice-ml[ml,torch]'") from error
    torch.set_num_threads(1)
    device = pick(device)
    try:
        config = transformers.AutoConfig.from_pretrained(name, **_LOCAL)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **_LOCAL)
    except Exception as error:
        raise LoadError(
            f"{name} is not on this machine: hf download {name} ({_first_line(error)})"
        ) from error
    if not getattr(tokenizer, "is_fast", False):
        raise LoadError(f"{name} has no fast tokenizer")
    network = _classifier(name, config, device, tokenizer) if _has_head(config) else None
    return network or _masked(name, config, device, tokenizer)


def _has_head(config: Any) -> bool:
    return any(a.endswith("ForTokenClassification") for a in config.architectures or ())


def _classifier(name: str, config: Any, device: str, tokenizer: Any) -> Network | None:
    """Returns the token classifier, or None when the checkpoint has no weights for its head."""
    from transformers import AutoModelForTokenClassification

    model, seen = _load(AutoModelForTokenClassification, name)
    if any("classifier" in key for key in seen["missing_keys"]):
        return None
    labels = {int(k): str(v) for k, v in config.id2label.items()}
    return _Classifier(model, tokenizer, device, config, keep_columns(labels), core_columns(labels))


def _masked(name: str, config: Any, device: str, tokenizer: Any) -> Network:
    from transformers import AutoModelForMaskedLM

    if tokenizer.mask_token_id is None:
        raise LoadError(f"{name} has neither a token head nor a mask token")
    model, seen = _load(AutoModelForMaskedLM, name)
    if any(key.startswith(("decoder", "lm_head", "cls", "head")) for key in seen["missing_keys"]):
        raise LoadError(f"{name} has neither a trained token head nor a trained language model head")
    return _Surprisal(model, tokenizer, device, config)


def _load(kind: Any, name: str) -> tuple[Any, dict[str, Any]]:
    try:
        model, seen = kind.from_pretrained(name, output_loading_info=True, use_safetensors=True, **_LOCAL)
    except Exception as error:
        raise LoadError(f"cannot load {name}: {_first_line(error)}") from error
    return model, seen


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


class _TorchNetwork:
    """What both kinds share: the tokenizer, the window, the device."""

    overlap = 64
    how = "mean"
    label = "torch"

    def __init__(self, model: Any, tokenizer: Any, device: str, config: Any) -> None:
        self.model = model.to(device).eval()
        self.device = device
        self.tokenizer = tokenizer
        settings = getattr(config, "saliency", None) or {}
        self.window = min(int(settings.get("window", 512)), int(config.max_position_embeddings)) - 2
        self.overlap = min(int(settings.get("overlap", 64)), self.window // 4)
        self.how = str(settings.get("word_score", "mean"))
        self.head = _first_id(tokenizer.bos_token_id, tokenizer.cls_token_id)
        self.tail = _first_id(tokenizer.eos_token_id, tokenizer.sep_token_id)

    def encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Returns token ids without specials, and their char ranges."""
        got = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return list(got["input_ids"]), [tuple(pair) for pair in got["offset_mapping"]]

    def logits(self, rows: Ints) -> Floats:
        """Returns (rows, tokens, columns) without the specials, for (rows, tokens) ids."""
        import torch

        count = len(rows)
        parts = [np.full((count, 1), i, np.int64) for i in (self.head, self.tail) if i is not None]
        head = parts[:1] if self.head is not None else []
        tail = parts[-1:] if self.tail is not None else []
        ids = torch.from_numpy(np.concatenate([*head, rows, *tail], axis=1)).to(self.device)
        with torch.inference_mode():
            out = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        result: Floats = out[:, len(head) : ids.shape[1] - len(tail)].float().cpu().numpy()
        return result


def _first_id(*ids: int | None) -> int | None:
    return next((i for i in ids if i is not None), None)


class _Classifier(_TorchNetwork):
    """A trained token head, this project's or a foreign one."""

    def __init__(
        self, model: Any, tokenizer: Any, device: str, config: Any, keep: list[int], core: list[int]
    ) -> None:
        super().__init__(model, tokenizer, device, config)
        self._keep, self._core = keep, core

    def score(self, ids: Ints, word_of_token: Ints) -> Floats:
        """Returns (columns, tokens): the probability to be kept, and to be core where the model tells it."""
        return columns_of(self.logits(ids[None, :])[0], self._keep, self._core)


class _Surprisal(_TorchNetwork):
    """A bare encoder: what it would not have guessed is worth keeping.

    Every word is masked exactly once, so that it is judged by its context alone. The surprisal is turned
    into a rank within the window: its scale differs from model to model.
    """

    label = "surprisal"

    def score(self, ids: Ints, word_of_token: Ints) -> Floats:
        """Returns (1, tokens) the rank of each token's surprisal, 0 to 1."""
        rows, masks = masked_rows(ids, word_of_token, int(self.tokenizer.mask_token_id))
        logits = self.logits(rows)
        logits = logits - logits.max(axis=-1, keepdims=True)
        norm = np.log(np.exp(logits).sum(axis=-1))
        chosen = np.take_along_axis(logits, np.broadcast_to(ids[None, :, None], (*rows.shape, 1)), axis=-1)
        surprisal = norm - chosen[..., 0]
        own = np.where(masks, surprisal, 0.0).sum(axis=0)
        order = np.argsort(np.argsort(own, kind="stable"), kind="stable")
        ranks: Floats = ((order + 0.5) / len(order)).astype(np.float32)
        return ranks[None, :]


def masked_rows(ids: Ints, word_of_token: Ints, mask_id: int) -> tuple[Ints, np.ndarray[Any, Any]]:
    """Returns (STRIDE, tokens) ids with every STRIDE-th word masked, and where the masks are."""
    group = np.maximum(word_of_token, 0) % STRIDE
    masks = np.arange(STRIDE)[:, None] == group[None, :]
    return np.where(masks, mask_id, ids[None, :]), masks
