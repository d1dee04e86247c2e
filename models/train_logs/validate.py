"""Projects left out: `python -m models.train_logs.validate CASES.jsonl LOGS`.

For each of five folds the scorer is trained on the other projects, and the log compressor runs
with it on the fold's logs. Printed: tokens saved, and how much of the marked cause is visible.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.train_logs.dataset import load, normal
from models.train_logs.train import FOLDS, folds, train
from tokenjuice_ml.compressors import log, log_model
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Detection, Kind, ToolOutput


@dataclass
class Result:
    """One log: tokens before and after, share of the cause's lines that are visible."""

    before: int
    after: int
    visible: float


def run(record: dict, logs: Path) -> Result | None:
    """Compresses one log and measures it; None where nothing was marked."""
    wanted = [line for line in record["chunk_lines"] if len(line) >= 4]
    if not wanted:
        return None
    text = (logs / record["log"]).read_bytes().decode("utf-8", "replace")
    output = ToolOutput(text, tool="exec", command="./ci.sh", exit_code=1)
    settings = Settings()
    context = Context(output, settings, Detection(Kind.LOG, "", "kind"), None, settings.max_inline_tokens)
    answer = log.compress(text, context)
    body = answer.text if answer else text
    shown = "\n".join(normal(line) for line in body.split("\n") if not line.startswith("[…"))
    return Result(estimate(text), estimate(body), sum(line in shown for line in wanted) / len(wanted))


def report(name: str, results: list[Result]) -> str:
    """Returns one line of percentages."""
    saved = 1 - sum(r.after for r in results) / sum(r.before for r in results)
    visible = np.array([r.visible for r in results])
    shares = (saved, (visible > 0.999).mean(), (visible >= 0.8).mean(), (visible > 0).mean())
    return f"{name}: n={len(results)} " + " ".join(
        f"{label}={100 * share:.1f}%"
        for label, share in zip(("reduction", "whole_cause", "ge80", "any"), shares, strict=True)
    )


def main(cases: Path, logs: Path) -> None:
    """Trains and measures fold by fold."""
    records = [json.loads(line) for line in cases.read_text("utf-8").splitlines()]
    data = load(cases, logs)
    fold, everything = folds(data), []
    for out in range(FOLDS):
        model = log_model.parse(train([data[i] for i in np.flatnonzero(fold != out)]))
        log_model.load = lambda model=model: model
        results = [run(records[i], logs) for i in np.flatnonzero(fold == out)]
        everything += [result for result in results if result]
        print(report(f"fold {out}", [result for result in results if result]), flush=True)
    print(report("projects left out", everything))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
