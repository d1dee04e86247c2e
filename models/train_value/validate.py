"""Measures what the weights are worth with documents left out: `python -m models.train_value.validate PROSE`.

Five folds over documents; in each the weights are fitted on the others, and every document left out is
shortened by the product with these weights and with none. Prints the share of answers that survive, and
of those that survive with what they need beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from models.train_value.dataset import Document, folds, read, sentences, squashed
from models.train_value.train import fit
from tokenjuice_ml.saliency import answers, local
from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.value import blend
from tokenjuice_ml.tokens import estimate

FOLDS, RATIOS = 5, (0.5, 0.3)
Probabilities = Sequence[Sequence[float]]
Weights = tuple[float, ...] | None


def survival(
    document: Document, probabilities: Probabilities, ratio: float, weights: Weights
) -> tuple[int, int, float]:
    """Returns how many answers survive, how many with what they need, and the share of tokens kept."""
    scores = blend(probabilities[0], probabilities[1], ratio)
    with mock.patch.object(answers, "weights", return_value=weights):
        shown = select(document.text, scores, ratio).text
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
    """Fits and measures fold by fold, and prints both ways at both ratios."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    scorer = local.load("bundled")
    documents = read(Path(sys.argv[1]))
    scored = [scorer.scores(document.text) for document in documents]
    parts = [sentences(d, p) for d, p in zip(documents, scored, strict=True)]
    fitted: dict[int, Weights] = {}
    for inside, outside in folds(documents, FOLDS):
        weights = tuple(fit([parts[i] for i in inside]).values())
        fitted.update(dict.fromkeys(outside, weights))
    asked = sum(len(document.questions) for document in documents)
    for ratio in RATIOS:
        for name in ("no weights", "fitted, documents left out"):
            rows = [
                survival(d, p, ratio, fitted[i] if name.startswith("fitted") else None)
                for i, (d, p) in enumerate(zip(documents, scored, strict=True))
            ]
            print(report(f"{ratio} {name}", rows, asked), flush=True)


if __name__ == "__main__":
    main()
