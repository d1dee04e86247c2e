"""The training loop that teacher and student share."""

from __future__ import annotations

import copy
import logging
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from models.train.align import Encoded, encode, token_targets, windows
from models.train.data import Passage
from models.train.learner import GRADERS, Batch, Learner
from models.train.scoring import CLASSES, Special
from models.train.team import Team

# How often a checkpoint is written inside an epoch.
SAVE_SECONDS = 300
# The teacher's states are stored as 8-bit numbers of this unit; over all their components they vary by one.
STATE_UNIT = 1 / 128


@dataclass(frozen=True)
class Example:
    """One training window: ids ``(tokens,)``, targets ``(tokens, 3)``, weights ``(tokens,)``.

    Attributes:
        taste: whose targets they are, `models.train.learner.GRADERS` or ``MARKERS``.
        word: the word a token begins with, a row of ``states``, -1 for none, ``(tokens,)``.
        states: the teacher's states of the text's words, 8-bit numbers ``(words, width)``, or None.
    """

    ids: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    taste: int = GRADERS
    word: np.ndarray | None = None
    states: np.ndarray | None = None


@dataclass(frozen=True)
class Plan:
    """Hyperparameters of one training phase.

    Attributes:
        minutes: wall time after which the phase ends early; the learning rate then falls with
            the time instead of the steps, so that a busy machine still ends on a low rate.
    """

    epochs: int
    learning_rate: float
    weight_decay: float
    warmup: float
    batch_tokens: int
    ema: float
    seed: int
    minutes: float | None = None


def grades_to_targets(grade: Sequence[int]) -> np.ndarray:
    """One-hot ``(words, 3)`` over drop, keep, core."""
    return np.eye(CLASSES, dtype=np.float32)[np.asarray(grade)]


def examples(
    encoded: Encoded,
    word_targets: np.ndarray,
    window: int,
    special: Special,
    taste: int = GRADERS,
    states: np.ndarray | None = None,
) -> list[Example]:
    """Cuts one encoded text into training windows of at most ``window`` tokens, specials included."""
    targets, weights = token_targets(encoded, word_targets)
    out = []
    for a, b in windows(len(encoded.ids), window - 2, 0):
        ids = np.concatenate([[special.bos], encoded.ids[a:b], [special.eos]])
        word = np.pad(encoded.first[a:b], (1, 1), constant_values=-1) if states is not None else None
        around = np.pad(targets[a:b], ((1, 1), (0, 0))), np.pad(weights[a:b], (1, 1))
        out.append(Example(ids, *around, taste, word, states))
    return out


def graded_examples(
    tokenizer: Tokenizer, passage: Passage, window: int, special: Special, taste: int = GRADERS
) -> list[Example]:
    """Cuts a passage into training windows whose targets are its grades."""
    encoded = encode(tokenizer, passage.text, passage.spans)
    return examples(encoded, grades_to_targets(passage.grade), window, special, taste)


def batches(items: Sequence[Example], budget: int, rng: np.random.Generator) -> Iterator[list[Example]]:
    """Groups windows of similar length into batches of about ``budget`` padded tokens, in random order."""
    length = np.array([len(x.ids) for x in items]) * rng.uniform(0.9, 1.1, len(items))
    groups: list[list[Example]] = [[]]
    longest = 0
    for i in np.argsort(length):
        longest = max(longest, len(items[i].ids))
        if groups[-1] and longest * (len(groups[-1]) + 1) > budget:
            groups.append([])
            longest = len(items[i].ids)
        groups[-1].append(items[i])
    for g in rng.permutation(len(groups)):
        yield groups[g]


def collate(batch: Sequence[Example], pad: int, width: int = 0) -> Batch:
    """Pads windows into a batch.

    Args:
        batch: the windows.
        pad: id of the padding token.
        width: of the teacher's states; 0 for none.
    """
    size = max(len(x.ids) for x in batch)
    ids = torch.full((len(batch), size), pad)
    mask = torch.zeros((len(batch), size), dtype=torch.long)
    targets = torch.zeros((len(batch), size, CLASSES))
    weights = torch.zeros((len(batch), size))
    states = torch.zeros((len(batch), size, width))
    for row, x in enumerate(batch):
        n = len(x.ids)
        ids[row, :n] = torch.from_numpy(x.ids)
        mask[row, :n] = 1
        targets[row, :n] = torch.from_numpy(x.targets)
        weights[row, :n] = torch.from_numpy(x.weights)
        if width and x.states is not None and x.word is not None:
            at = np.flatnonzero(x.word >= 0)
            states[row, at] = torch.from_numpy(x.states[x.word[at]]).float() * STATE_UNIT
    taste = torch.tensor([x.taste for x in batch])
    return Batch(ids, mask, targets, weights, taste, states)


class Average:
    """Exponential moving average of the trained weights: less noise than the last step's."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.shadow = {k: p.detach().clone() for k, p in model.named_parameters() if p.requires_grad}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Takes in the weights; only every fourth step does so, because it reads them all."""
        self.steps += 1
        if self.steps % 4:
            return
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps)) ** 4
        weights = [p for p in model.parameters() if p.requires_grad]
        torch._foreach_lerp_(list(self.shadow.values()), weights, 1 - decay)

    def model(self, model: nn.Module) -> Any:
        """Returns a copy of the model that carries the averaged weights."""
        averaged = copy.deepcopy(model)
        averaged.load_state_dict(self.shadow, strict=False)
        return averaged.eval()


class Trainer:
    """Trains a model in place; started again, it goes on from its checkpoint."""

    def __init__(self, model: Learner, plan: Plan, pad: int, log: logging.Logger, checkpoint: Path) -> None:
        self.model, self.plan, self.pad, self.log, self.checkpoint = model, plan, pad, log, checkpoint
        self.trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.trained, lr=plan.learning_rate, weight_decay=plan.weight_decay, betas=(0.9, 0.98), fused=True
        )
        self.average = Average(model, plan.ema)
        self.team = Team()
        self.began = time.time()
        self.epoch = self.at = self.step = 0  # at: batches done in the current epoch
        self.progress = 0.0
        if checkpoint.exists():
            self._resume()

    def fit(self, items: Sequence[Example], on_epoch: Callable[[int, Any], None]) -> None:
        """Trains until the epochs or the minutes are over.

        Args:
            items: the windows; all of them are seen once an epoch.
            on_epoch: called with the epoch and the averaged core.
        """
        while self.epoch < self.plan.epochs and self.progress < 1:
            rng = np.random.default_rng(self.plan.seed * 1000 + self.epoch)
            groups = list(batches(items, self.plan.batch_tokens, rng))
            groups = groups[: len(groups) // self.team.size * self.team.size]
            self._run_epoch(groups[self.team.rank :: self.team.size])
            if self.team.leads:
                on_epoch(self.epoch, self.average.model(self.model).core)
            self.epoch, self.at = self.epoch + 1, 0
            self._save()
            self.team.wait()

    def _run_epoch(self, groups: list[list[Example]]) -> None:
        self.model.train()
        # Epochs are about equally long, so the schedule's length follows from the current one.
        total = self.step - self.at + len(groups) * (self.plan.epochs - self.epoch)
        began, saved, tokens, losses = time.time(), time.time(), 0, []
        for batch in groups[self.at :]:
            if self.progress >= 1:
                break
            losses.append(self._train_step(batch, total))
            tokens += sum(len(x.ids) for x in batch) * self.team.size
            if self.at % 10 == 0 or self.at == len(groups):
                speed = tokens / (time.time() - began)
                now = (self.epoch, self.at, len(groups), statistics.mean(losses[-10:]), speed)
                self.log.info("epoch %d %d/%d loss %.4f %.0f tokens/s", *now)
            if time.time() - saved > SAVE_SECONDS:
                self._save()
                saved = time.time()

    def _train_step(self, batch: list[Example], total: int) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.plan.learning_rate * schedule(
                self.step, total, self.plan.warmup, self.progress
            )
        width = self.model.reader.out_features if self.model.reader is not None else 0
        loss = self.model(collate(batch, self.pad, width), self.progress)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.step, self.at = self.step + 1, self.at + 1
        self.progress = self.team.average(self.trained, max(self.step / total, self._time_spent()))
        nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        self.average.update(self.model)
        return loss.item()

    def _time_spent(self) -> float:
        """Share of the allowed wall time; always 0 where there is no limit."""
        return (time.time() - self.began) / (60 * self.plan.minutes) if self.plan.minutes else 0.0

    def _save(self) -> None:
        if not self.team.leads:
            return
        state = {
            "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(),
            "shadow": self.average.shadow, "average_steps": self.average.steps,
            "epoch": self.epoch, "at": self.at, "step": self.step,
        }  # fmt: skip
        partial = self.checkpoint.with_suffix(".part")
        torch.save(state, partial)
        partial.replace(self.checkpoint)

    def _resume(self) -> None:
        state = torch.load(self.checkpoint, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.shadow, self.average.steps = state["shadow"], state["average_steps"]
        self.epoch, self.at, self.step = state["epoch"], state["at"], state["step"]
        self.log.info("resume in epoch %d after %d batches", self.epoch, self.at)


def schedule(step: int, total: int, warmup: float, progress: float) -> float:
    """Linear warm-up, then half a cosine over the progress, down to 2 % of the peak."""
    rise = min(1.0, (step + 1) / max(1, int(total * warmup)))
    return rise * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))
