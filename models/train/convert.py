"""Starts a ModernBERT student from a fine-tuned BERT of the same width, layer by layer.

A BERT layer normalizes after each sum (``x' = LN(x + f(x))``), a ModernBERT layer before each part
(``s' = s + f(LN(s))``), turns its queries and keys by their position instead of adding position vectors, and
gates its feed-forward. No weights are equal under both, but most are nearly: with the BERT's stream written as
``x = d * s + c`` for each feature, the parts' outputs divided by ``d`` and the norms' gains fitted, the new
network computes nearly what the old one did. Whatever a part gets wrong is left to the next part's fit:

1. norms: gain and offset of each feature by least squares, from the student's stream to the BERT's;
2. output matrices: ridge regression, from the student's own heads or neurons to the change the BERT makes;
3. feed-forward: the neurons that matter most, with a gate that is open (1) at first;
4. queries and keys: the features of a head that matter least are put where rotation is fastest.

Without one step of training this keeps an AUC of .76 in English; the rest is training's work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

RIDGE = 1e-3


@dataclass(frozen=True)
class Fit:
    """An affine map ``x -> x @ weight.T + bias``; ``weight`` is ``(out,)`` where it only scales."""

    weight: Tensor
    bias: Tensor


@dataclass(frozen=True)
class Layer:
    """What a BERT layer takes and makes, for all calibration tokens: each ``(tokens, width)``.

    Attributes:
        given: input of the layer.
        attended: sum of input and attention, not normalized.
        between: the same, normalized: input of the feed-forward.
        made: sum of that and the feed-forward, not normalized.
    """

    given: Tensor
    attended: Tensor
    between: Tensor
    made: Tensor


@torch.no_grad()
def convert(student: Any, bert: Any, texts: Sequence[Sequence[int]], layers: Sequence[int]) -> None:
    """Overwrites all of the student's weights but its token embeddings.

    Args:
        student: ModernBertForTokenClassification with biases, global attention in every layer and the BERT's
            width and heads.
        bert: BertForTokenClassification.
        texts: token ids of the BERT, special tokens included, of some texts; 30,000 tokens are enough.
        layers: which of the BERT's layers become the student's, in order.
    """
    lengths = [len(text) for text in texts]
    start, seen, final = _activations(bert, texts)
    stream = start
    norm = bert.bert.embeddings.LayerNorm
    _set(student.model.embeddings.norm, Fit(norm.weight, norm.bias))
    for new, number in zip(student.model.layers, layers, strict=True):
        old, layer = bert.bert.encoder.layer[number], seen[number]
        given = stream if new is student.model.layers[0] else _fit_norm(new.attn_norm, layer.given, stream)
        heads = _attention(new.attn, old.attention.self, given, lengths)
        stream = stream + _fit_output(new.attn.Wo, heads, layer.given, layer.attended, stream)
        between = _fit_norm(new.mlp_norm, layer.between, stream)
        neurons = _feed_forward(new.mlp, old, between)
        stream = stream + _fit_output(new.mlp.Wo, neurons, layer.between, layer.made, stream)
    _head(student, bert, _fit_norm(student.model.final_norm, final, stream), final)


def token_offset(bert: Any) -> Tensor:
    """What a BERT adds to every token's vector, about: its type and the mean of the positions, ``(width,)``."""
    embeddings = bert.bert.embeddings
    offset: Tensor = embeddings.token_type_embeddings.weight[0] + embeddings.position_embeddings.weight[
        :200
    ].mean(0)
    return offset


def ridge(features: Tensor, targets: Tensor, strength: float = RIDGE) -> Fit:
    """Linear regression with a small penalty: ``(tokens, n)`` to ``(tokens, m)``."""
    about, mean = features.mean(0), targets.mean(0)
    centred = features - about
    product = centred.T @ centred / len(features)
    product += strength * product.diagonal().mean() * torch.eye(len(product))
    weight = torch.linalg.solve(product, centred.T @ (targets - mean) / len(features))
    return Fit(weight.T, mean - about @ weight)


def _activations(bert: Any, texts: Sequence[Sequence[int]]) -> tuple[Tensor, list[Layer], Tensor]:
    """Runs the BERT: the student's first stream (without positions), each layer's sums, the last output."""
    body, offset = bert.bert, token_offset(bert)
    starts, finals = [], []
    rows: list[list[list[Tensor]]] = [[[], [], [], []] for _ in body.encoder.layer]
    for text in texts:
        ids = torch.tensor([list(text)])
        starts.append(body.embeddings.LayerNorm(body.embeddings.word_embeddings(ids) + offset)[0])
        x = body.embeddings(ids)
        for layer, row in zip(body.encoder.layer, rows, strict=True):
            attended = layer.attention.output.dense(layer.attention.self(x)[0]) + x
            between = layer.attention.output.LayerNorm(attended)
            made = layer.output.dense(layer.intermediate(between)) + between
            for store, value in zip(row, (x, attended, between, made), strict=True):
                store.append(value[0])
            x = layer.output.LayerNorm(made)
        finals.append(x[0])
    return torch.cat(starts), [Layer(*map(torch.cat, row)) for row in rows], torch.cat(finals)


def _attention(new: Any, old: Any, given: Tensor, lengths: Sequence[int]) -> Tensor:
    """Sets queries, keys and values; returns what the heads give, ``(tokens, width)``."""
    heads, width = old.num_attention_heads, old.attention_head_size
    order = _slowest_last(old.query(given), old.key(given), heads)
    parts = [
        Fit(old.query.weight[order], old.query.bias[order]),
        Fit(old.key.weight[order], old.key.bias[order]),
    ]
    parts.append(Fit(old.value.weight, old.value.bias))
    _set(new.Wqkv, Fit(torch.cat([p.weight for p in parts]), torch.cat([p.bias for p in parts])))
    query, key, value = (given @ p.weight.T + p.bias for p in parts)
    cos, sin = _angles(new.rotary_emb.inv_freq, max(lengths))
    out = []
    for part in zip(*(x.split(list(lengths)) for x in (query, key, value)), strict=True):
        q, k, v = (x.view(len(x), heads, width).transpose(0, 1) for x in part)
        q, k = (_turned(x, cos[: x.shape[1]], sin[: x.shape[1]]) for x in (q, k))
        weights = (q @ k.transpose(1, 2) / math.sqrt(width)).softmax(-1)
        out.append((weights @ v).transpose(0, 1).flatten(1))
    return torch.cat(out)


def _slowest_last(query: Tensor, key: Tensor, heads: int) -> Tensor:
    """Order of the features of queries and keys: rotation turns feature i with i + half, the first ones fastest."""
    matter = (query.std(0) * key.std(0)).view(heads, -1)
    width = matter.shape[1]
    order = matter.argsort(1)
    placed = torch.cat([order[:, 0::2], order[:, 1::2]], 1)
    return (placed + width * torch.arange(heads)[:, None]).flatten()


def _angles(frequencies: Tensor, tokens: int) -> tuple[Tensor, Tensor]:
    angles = torch.outer(torch.arange(tokens).float(), frequencies.float()).repeat(1, 2)
    return angles.cos(), angles.sin()


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


def _feed_forward(new: Any, old: Any, given: Tensor) -> Tensor:
    """Keeps the neurons that matter most; returns what they give, ``(tokens, neurons)``."""
    size = new.Wo.in_features
    neurons = functional.gelu(old.intermediate.dense(given))
    matter = neurons.std(0) * old.output.dense.weight.norm(dim=0)
    kept = matter.argsort(descending=True)[:size].sort().values
    # A gate that is exactly constant learns as well, but from a saddle; a little noise lifts it off.
    gate = 0.002 * torch.randn(size, given.shape[1])
    weight = torch.cat([old.intermediate.dense.weight[kept], gate])
    _set(new.Wi, Fit(weight, torch.cat([old.intermediate.dense.bias[kept], torch.ones(size)])))
    return neurons[:, kept]


def _fit_norm(norm: Any, wanted: Tensor, stream: Tensor) -> Tensor:
    """Fits a norm's gain and offset; returns what it then gives."""
    plain = functional.layer_norm(stream, stream.shape[-1:])
    fit = _scaled(wanted, plain)
    _set(norm, fit)
    return plain * fit.weight + fit.bias


def _fit_output(linear: Any, features: Tensor, before: Tensor, after: Tensor, stream: Tensor) -> Tensor:
    """Fits an output matrix so that the stream becomes ``after``; returns what it adds to the stream."""
    scale = _scaled(before, stream)
    # A feature that follows the stream badly would blow the stream up.
    least = scale.weight.abs().median()
    divisor = torch.where(scale.weight < 0, -1.0, 1.0) * scale.weight.abs().clamp(min=least)
    fit = ridge(features, (after - (divisor * stream + scale.bias)) / divisor)
    _set(linear, fit)
    return features @ fit.weight.T + fit.bias


def _scaled(wanted: Tensor, given: Tensor) -> Fit:
    """Least squares for each feature by itself."""
    about, mean = given.mean(0), wanted.mean(0)
    weight = ((given - about) * (wanted - mean)).mean(0) / ((given - about) ** 2).mean(0)
    return Fit(weight, mean - weight * about)


def _head(student: Any, bert: Any, given: Tensor, final: Tensor) -> None:
    """Lets the prediction head pass its input on (GELU is nearly linear far above zero) and fits the classifier."""
    head, lift = student.head, 4.0 * given.std()
    _set(head.dense, Fit(torch.eye(given.shape[1]), lift.expand(given.shape[1])))
    _set(head.norm, Fit(torch.ones(given.shape[1]), torch.zeros(given.shape[1])))
    passed = functional.layer_norm(functional.gelu(given + lift), given.shape[-1:])
    _set(student.classifier, ridge(passed, bert.classifier(final)))


def _set(module: Any, fit: Fit) -> None:
    module.weight.copy_(fit.weight)
    module.bias.copy_(fit.bias)
