"""Measures what the weights are worth with documents left out: `python -m models.train_value.validate PROSE`.

Five folds over documents; in each the weights are fitted on the others, and every document left out is
shortened by the product with no weights, with the features' alone and with the model's states. Prints the share of answers that survive, and
of those that survive with what they need beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from models.train_value.dataset import Document, folds, read, squashed
from models.train_value.train import fit, fit_asked, observed
from tokenjuice_ml.saliency import answers, local
from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.value import blend
from tokenjuice_ml.tokens import estimate

FOLDS, RATIOS = 5, (0.5, 0.3)
WAYS = ("no weights", "features, documents left out", "features and states, documents left out")
Weights = tuple[float, ...] | None


def survival(
    document: Document, scores: Sequence[float], ratio: float, weights: Weights, asked: Sequence[float] | None
) -> tuple[int, int, float]:
    """Returns how many answers survive, how many with what they need, and the share of tokens kept."""
    with mock.patch.object(answers, "weights", return_value=weights):
        shown = select(document.text, scores, ratio, asked=asked).text
    body = squashed(shown)
    alive = [q for q in document.questions if squashed(q.answer) in body]
    whole = [q for q in alive if all(squashed(need) in body for need in q.needs)]
    return len(alive), len(whole), estimate(shown) / estimate(document.text)


def report(name: str, rows: Sequence[tuple[int, int, float]], asked: int) -> str:
    """Returns one line: what survived of all that was asked."""
    alive, whole = sum(row[0] for row in rows), sum(row[1] for row in rows)
    kept = sum(row[2] for row in rows) / len(rows)
    return f"{name}: tokens {kept:.3f}, survive {100 * alive / asked:.1f} %, attributable {100 * whole / asked:.1f} %"


def main() -> None:
    """Fits and measures fold by fold, and prints all ways at both ratios."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    documents = read(Path(sys.argv[1]))
    seen = observed(local.load("bundled"), documents)
    parts = [part for *_, part in seen]
    fitted: dict[int, dict[str, tuple[Weights, Sequence[float] | None]]] = {}
    for inside, outside in folds(documents, FOLDS):
        plain = tuple(fit([parts[i] for i in inside]).values())
        weights, direction = fit_asked([parts[i] for i in inside])
        for i in outside:
            asked = (seen[i][1].astype(np.float32) @ direction).tolist()
            fitted[i] = {
                WAYS[0]: (None, None),
                WAYS[1]: (plain, None),
                WAYS[2]: (tuple(weights.values()), asked),
            }
    count = sum(len(document.questions) for document in documents)
    for ratio in RATIOS:
        for way in WAYS:
            rows = [
                survival(d, blend(scores[0], scores[1], ratio), ratio, *fitted[i][way])
                for i, (d, (scores, *_)) in enumerate(zip(documents, seen, strict=True))
            ]
            print(report(f"{ratio} {way}", rows, count), flush=True)


if __name__ == "__main__":
    main()
