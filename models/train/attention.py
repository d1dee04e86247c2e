"""Two ways to write ModernBERT's attention that cost less than the library's, and give the same numbers.

Scores and everything else that is measured run the library's own; the release compares the exported one with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers.models.modernbert import modeling_modernbert as modernbert

FUNCTIONS = modernbert.MODERNBERT_ATTENTION_FUNCTION
LONGEST = 2048
"""Positions for which an exported model has angles, tokens."""
Turned = Callable[[Any, Tensor, Tensor | None], tuple[Tensor, ...]]


def install_for_training() -> None:
    """Lets every ModernBERT of this process that asks for ``sdpa`` use `trained`.

    PyTorch's fused attention takes a third of a training step on a CPU, nearly all of it in its backward pass;
    plain products with a softmax in bfloat16 take a tenth.
    """
    FUNCTIONS["sdpa"] = trained


@contextmanager
def for_export() -> Iterator[None]:
    """Lets every ModernBERT that asks for ``eager`` be exported with `exported`."""
    library, FUNCTIONS["eager"] = FUNCTIONS["eager"], exported
    try:
        yield
    finally:
        FUNCTIONS["eager"] = library


def _attention(turned: Turned) -> Callable[..., tuple[Tensor]]:
    """Returns a function of the library's contract: ``qkv (batch, tokens, 3, heads, width)`` to ``(batch, tokens, dim)``.

    Args:
        turned: gives scaled and rotated queries, rotated keys, and values, each ``(batch, heads, tokens, width)``.
    """

    def attend(
        module: Any,
        qkv: Tensor,
        attention_mask: Tensor,
        sliding_window_mask: Tensor,
        local_attention: tuple[int, int],
        bs: int,
        dim: int,
        position_ids: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor]:
        query, key, value = turned(module, qkv, position_ids)
        # Where all is attended to, one row of the mask serves all tokens.
        mask = attention_mask[:, :, :1] if local_attention == (-1, -1) else sliding_window_mask
        weights = (query @ key.transpose(2, 3) + mask.to(query.dtype)).softmax(-1)
        return ((weights @ value).transpose(1, 2).reshape(bs, -1, dim),)

    return attend


def _by_library(module: Any, qkv: Tensor, position_ids: Tensor | None) -> tuple[Tensor, ...]:
    cos, sin = module.rotary_emb(qkv, position_ids=position_ids)
    query, key, value = qkv.transpose(3, 1).unbind(dim=2)
    query, key = modernbert.apply_rotary_pos_emb(query * module.head_dim**-0.5, key, cos, sin)
    return query, key, value


def _by_operator(module: Any, qkv: Tensor, _: Tensor | None) -> tuple[Tensor, ...]:
    """Turns by onnxruntime's own operator, in place of six slower ones."""
    heads, width = module.num_heads, module.head_dim
    angles = torch.outer(torch.arange(LONGEST).float(), module.rotary_emb.inv_freq.float())
    query, key, value = qkv.flatten(2).split(heads * width, -1)
    query, key = (_Rotation.apply(x, angles.cos(), angles.sin(), heads) for x in (query, key))
    query, key, value = (x.unflatten(-1, (heads, width)).transpose(1, 2) for x in (query, key, value))
    return query * width**-0.5, key, value


trained, exported = _attention(_by_library), _attention(_by_operator)


class _Rotation(torch.autograd.Function):
    """``com.microsoft.RotaryEmbedding`` in an exported graph; computes nothing in torch."""

    @staticmethod
    def forward(_: Any, x: Tensor, cos: Tensor, sin: Tensor, heads: int) -> Tensor:
        return x.clone()

    @staticmethod
    def symbolic(graph: Any, x: Any, cos: Any, sin: Any, heads: int) -> Any:
        start = graph.op("Constant", value_t=torch.zeros(1, dtype=torch.long))
        turned = graph.op("com.microsoft::RotaryEmbedding", x, start, cos, sin, num_heads_i=heads)
        turned.setType(x.type())
        return turned
