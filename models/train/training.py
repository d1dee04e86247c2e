"""The training loop that teacher and student share."""

from __future__ import annotations

import copy
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from models.train.align import Encoded, token_targets, windows
from models.train.scoring import CLASSES, Special
from models.train.team import Team


@dataclass(frozen=True)
class Example:
    """One training window: ids ``(tokens,)``, targets ``(tokens, 3)``, weights ``(tokens,)``."""

    ids: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


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


def examples(encoded: Encoded, word_targets: np.ndarray, window: int, special: Special) -> list[Example]:
    """Cuts one encoded text into training windows of at most ``window`` tokens, specials included."""
    targets, weights = token_targets(encoded, word_targets)
    out = []
    for a, b in windows(len(encoded.ids), window - 2, 0):
        ids = np.concatenate([[special.bos], encoded.ids[a:b], [special.eos]])
        out.append(Example(ids, np.pad(targets[a:b], ((1, 1), (0, 0))), np.pad(weights[a:b], (1, 1))))
    return out


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


def collate(batch: Sequence[Example], pad: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pads a batch into ids, mask ``(batch, tokens)``, targets ``(batch, tokens, 3)`` and weights."""
    size = max(len(x.ids) for x in batch)
    ids = torch.full((len(batch), size), pad)
    mask = torch.zeros((len(batch), size), dtype=torch.long)
    targets = torch.zeros((len(batch), size, CLASSES))
    weights = torch.zeros((len(batch), size))
    for row, x in enumerate(batch):
        n = len(x.ids)
        ids[row, :n] = torch.from_numpy(x.ids)
        mask[row, :n] = 1
        targets[row, :n] = torch.from_numpy(x.targets)
        weights[row, :n] = torch.from_numpy(x.weights)
    return ids, mask, targets, weights


def loss_of(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy against soft targets; every word weighs the same, however many pieces it has."""
    entropy = -(targets * logits.float().log_softmax(-1)).sum(-1)
    return (entropy * weights).sum() / weights.sum().clamp(min=1)


class Average:
    """Exponential moving average of the trained weights: less noise than the last step's."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.shadow = {k: p.detach().clone() for k, p in model.named_parameters() if p.requires_grad}

    def update(self, model: nn.Module) -> None:
        """Takes in the weights after one step."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, p in model.named_parameters():
            if p.requires_grad:
                self.shadow[name].lerp_(p.detach(), 1 - decay)

    def model(self, model: nn.Module) -> Any:
        """Returns a copy of the model that carries the averaged weights."""
        averaged = copy.deepcopy(model)
        averaged.load_state_dict(self.shadow, strict=False)
        return averaged.eval()


def fit(
    model: nn.Module,
    items: Callable[[int], Sequence[Example]],
    plan: Plan,
    pad: int,
    log: logging.Logger,
    checkpoint: Path,
    on_epoch: Callable[[int, Any], None],
) -> None:
    """Trains in place, one checkpoint an epoch; a second call goes on after the last one.

    Args:
        model: the model.
        items: gives the windows of an epoch, so that a caller may resample.
        plan: hyperparameters.
        pad: id of the padding token.
        log: told about loss and speed.
        checkpoint: where the state after the last epoch is kept.
        on_epoch: called with the epoch and the averaged model.
    """
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        trained, lr=plan.learning_rate, weight_decay=plan.weight_decay, betas=(0.9, 0.98)
    )
    average = Average(model, plan.ema)
    done, step = 0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        average.shadow, average.steps = state["shadow"], state["average_steps"]
        done, step = state["epoch"] + 1, state["step"]
        log.info("resume after epoch %d", done - 1)
    clock, team, progress = _Clock(plan.minutes), Team(), 0.0
    for epoch in range(done, plan.epochs):
        if progress >= 1:
            break
        rng = np.random.default_rng(plan.seed * 1000 + epoch)
        groups = list(batches(items(epoch), plan.batch_tokens, rng))
        groups = groups[: len(groups) // team.size * team.size][team.rank :: team.size]
        # Epochs are about equally long, so the schedule's length follows from the current one.
        total = step + len(groups) * (plan.epochs - epoch)
        step, progress = _train_epoch(
            model, groups, optimizer, average, plan, pad, step, total, clock, team, log, epoch
        )
        if team.leads:
            on_epoch(epoch, average.model(model))
            _save(checkpoint, model, optimizer, average, epoch, step)
        team.wait()


class _Clock:
    """Share of the allowed wall time that is spent; always 0 where there is no limit."""

    def __init__(self, minutes: float | None) -> None:
        self.began, self.minutes = time.time(), minutes

    def progress(self) -> float:
        return (time.time() - self.began) / (60 * self.minutes) if self.minutes else 0.0


def _train_epoch(
    model: nn.Module, groups: list[list[Example]], optimizer: torch.optim.Optimizer, average: Average,
    plan: Plan, pad: int, step: int, total: int, clock: _Clock, team: Team, log: logging.Logger, epoch: int,
) -> tuple[int, float]:  # fmt: skip
    model.train()
    trained = [p for p in model.parameters() if p.requires_grad]
    began, tokens, losses, progress = time.time(), 0, [], step / total
    for i, batch in enumerate(groups):
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.learning_rate * _schedule(step, total, plan.warmup, progress)
        ids, mask, targets, weights = collate(batch, pad)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(input_ids=ids, attention_mask=mask).logits
        loss = loss_of(logits, targets, weights)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        progress = team.average(trained, max((step + 1) / total, clock.progress()))
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average.update(model)
        step += 1
        tokens += int(mask.sum())
        losses.append(loss.item())
        if i % 10 == 9 or i == len(groups) - 1:
            speed = tokens / (time.time() - began)
            log.info(
                "epoch %d %d/%d loss %.4f %.0f tokens/s",
                epoch,
                i + 1,
                len(groups),
                np.mean(losses[-10:]),
                speed,
            )
    return step, progress


def _schedule(step: int, total: int, warmup: float, progress: float) -> float:
    """Linear warm-up, then half a cosine over the progress, down to 2 % of the peak."""
    rise = min(1.0, (step + 1) / max(1, int(total * warmup)))
    return rise * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))


def _save(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, average: Average, epoch: int, step: int
) -> None:
    partial = path.with_suffix(".part")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "shadow": average.shadow,
             "average_steps": average.steps, "epoch": epoch, "step": step}  # fmt: skip
    torch.save(state, partial)
    partial.replace(path)
