"""What a token classifier has around it while it learns, and loses when it is saved.

Two kinds of people said what is worth keeping: the graders, whose taste is the aim, and the markers of this
project, who graded three times as many words and agree with them in part. One body learns from both; each kind
has a matrix of its own at the end, and only the graders' stays. A student also has to tell the teacher's states
from its own: what a word means there is more than three probabilities say, and most of it is of use here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.scoring import CLASSES

GRADERS, MARKERS = 0, 1
TASTES = {"train": GRADERS, "marked": MARKERS}
"""By the name of the passages in the configuration."""


@dataclass(frozen=True)
class Batch:
    """Padded windows.

    Attributes:
        ids: token ids ``(batch, tokens)``.
        mask: 1 where a token is, ``(batch, tokens)``.
        targets: probabilities ``(batch, tokens, 3)``.
        weights: ``(batch, tokens)``; the tokens of one word weigh one in all.
        taste: whose targets they are, `GRADERS` or `MARKERS`, ``(batch,)``.
        states: the teacher's, ``(batch, tokens, width)``; of width 0 where nobody asks for them.
    """

    ids: Tensor
    mask: Tensor
    targets: Tensor
    weights: Tensor
    taste: Tensor
    states: Tensor


class Learner(nn.Module):
    """A token classifier, `core`, with a second matrix for the markers and one that tells the teacher's states.

    Args:
        core: BertForTokenClassification or ModernBertForTokenClassification.
        states: width of the teacher's states; 0 for none.
        states_weight: share of their loss in the whole at the first step and at the last one.
    """

    def __init__(self, core: Any, states: int = 0, states_weight: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__()
        self.core = core
        self.markers = nn.Linear(core.config.hidden_size, CLASSES)
        self.reader = nn.Linear(core.config.hidden_size, states) if states else None
        if self.reader is not None:
            # What it tells at first is nothing, so that a trained body is not thrown off its way.
            nn.init.zeros_(self.reader.weight)
        self.states_weight = states_weight

    def forward(self, batch: Batch, progress: float) -> Tensor:
        """Returns the loss.

        Args:
            batch: the windows.
            progress: how much of the training is over, 0 to 1.
        """
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states, features = read(self.core, batch.ids, batch.mask)
            by = batch.taste[:, None, None] == MARKERS
            logits = torch.where(by, self.markers(features), self.core.classifier(features))
            loss = loss_of(logits, batch.targets, batch.weights)
            if self.reader is None:
                return loss
            told = self.reader(functional.layer_norm(states, states.shape[-1:]))
        first, last = self.states_weight
        return loss + (first + (last - first) * progress) * distance(told, batch.states, batch.weights)


def read(core: Any, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the body's last states and what the classifier reads, both ``(batch, tokens, width)``."""
    if hasattr(core, "bert"):
        states = core.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return states, core.dropout(states)
    states = core.model(input_ids=ids, attention_mask=mask).last_hidden_state
    return states, core.drop(core.head(states))


def loss_of(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy against soft targets; every word weighs the same, however many pieces it has."""
    entropy = -(targets * logits.float().log_softmax(-1)).sum(-1)
    return (entropy * weights).sum() / weights.sum().clamp(min=1)


def distance(told: Tensor, states: Tensor, weights: Tensor) -> Tensor:
    """Squared distance to the teacher's states; they vary by one in all, so 1 is what knowing nothing costs.

    Words of which the teacher's states were not kept have none but zeros, and do not count.
    """
    counted = weights * (states != 0).any(-1)
    return ((told.float() - states).square().sum(-1) * counted).sum() / counted.sum().clamp(min=1)
