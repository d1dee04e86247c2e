"""Makes the student's probabilities mean what they say, and folds the correction into its head.

One temperature and one bias per class are fitted on val. They become part of the classifier's
weights, so nothing downstream has to know about them.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from models.train.align import encode
from models.train.data import read_passages
from models.train.learner import loss_of
from models.train.metrics import calibration_error
from models.train.scoring import score_texts, torch_forward
from models.train.settings import Run, start, write_json
from models.train.student import load, special
from models.train.training import graded_examples


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.calibrate")
    parser.add_argument("--name", default="student")
    run, args = start("calibrate", parser)
    folder = run.work / args.name
    tokenizer = Tokenizer.from_file(str(run.work / "tokenizer.json"))
    model = load(folder / "best")
    before = _errors(run, model, tokenizer)
    temperature, bias = fit(*_logits(run, model, tokenizer))
    fold(model, temperature, bias)
    model.save_pretrained(folder / "calibrated")
    found = {
        "temperature": temperature,
        "bias": bias.tolist(),
        "before": before,
        "after": _errors(run, model, tokenizer),
    }
    write_json(folder / "calibration.json", found)
    run.log.info("%s", found)


def fit(logits: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor) -> tuple[float, torch.Tensor]:
    """Finds the temperature and the class biases that minimize the likelihood loss.

    Args:
        logits: ``(tokens, 3)``.
        targets: ``(tokens, 3)``.
        weights: ``(tokens,)``.
    """
    log_scale = torch.zeros((), requires_grad=True)
    bias = torch.zeros(logits.shape[-1], requires_grad=True)
    optimizer = torch.optim.LBFGS([log_scale, bias], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_of(logits * log_scale.exp() + bias, targets, weights)
        loss.backward()
        return loss

    optimizer.step(closure)
    return float((-log_scale).exp()), bias.detach() - bias.detach().mean()


def fold(model: Any, temperature: float, bias: torch.Tensor) -> None:
    """Applies ``logits / temperature + bias`` to the classifier's weights in place."""
    with torch.no_grad():
        model.classifier.weight /= temperature
        model.classifier.bias.copy_(model.classifier.bias / temperature + bias)


def _logits(run: Run, model: Any, tokenizer: Tokenizer) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    forward, ids, window = torch_forward(model), special(tokenizer), run.config["student"]["window"]
    cut = [
        x for p in read_passages(run.data / "val.jsonl") for x in graded_examples(tokenizer, p, window, ids)
    ]
    parts = [(forward(x.ids[None], np.ones((1, len(x.ids)), np.int64))[0], x.targets, x.weights) for x in cut]
    logits, targets, weights = (torch.from_numpy(np.concatenate(c)) for c in zip(*parts, strict=True))
    return logits, targets, weights


def _errors(run: Run, model: Any, tokenizer: Tokenizer) -> dict[str, float]:
    """Expected calibration error of P(kept) and P(core) over the words of val."""
    passages, c = read_passages(run.data / "val.jsonl"), run.config["student"]
    encoded = [encode(tokenizer, p.text, p.spans) for p in passages]
    scores = np.concatenate(
        score_texts(torch_forward(model), encoded, c["window"], c["overlap"], special(tokenizer))
    )
    grade = np.concatenate([p.grade for p in passages])
    return {
        "ece_keep": calibration_error(grade > 0, scores[:, 1:].sum(1)),
        "ece_core": calibration_error(grade == 2, scores[:, 2]),
    }


if __name__ == "__main__":
    main()
