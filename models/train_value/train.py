"""Fits the weights of a sentence's features: `python -m models.train_value.train PROSE OUT_FOLDER`.

A Poisson regression of the answers in a sentence on `answers.NAMES`, with its tokens as exposure: the
weights say how many answers a token of it holds, which is what a choice under a budget of tokens needs.
Needs numpy and scikit-learn, and the bundled model for the scores. The same data and model give the same
weights.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import PoissonRegressor

from models.train_value.dataset import Sentences, read, sentences
from tokenjuice_ml.saliency import local
from tokenjuice_ml.saliency.answers import NAMES

PENALTY = 3e-4
# Who reads a document seldom asks for a path or an address; an agent goes on with them.
PLACE = 0.4


def fit(parts: Sequence[Sentences]) -> dict[str, float]:
    """Returns a weight for each feature, for features as they are (not standardised)."""
    features = np.concatenate([part.features for part in parts])
    tokens = np.concatenate([part.tokens for part in parts])
    answers = np.concatenate([part.answers for part in parts])
    spread = features.std(0) + 1e-9
    scaled = (features - features.mean(0)) / spread
    model = PoissonRegressor(alpha=PENALTY, max_iter=1000)
    model.fit(scaled, answers / tokens, sample_weight=tokens / tokens.mean())
    found = {name: round(float(w), 4) for name, w in zip(NAMES, model.coef_ / spread, strict=True)}
    return found | {"place": max(PLACE, found["place"])}


def main() -> None:
    """Reads the documents, scores and fits them, writes weights and manifest."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    prose, folder = Path(sys.argv[1]), Path(sys.argv[2])
    scorer = local.load("bundled")
    documents = read(prose)
    weights = fit([sentences(d, scorer.scores(d.text)) for d in documents])
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"weights": weights}, indent=1) + "\n"
    (folder / "weights.json").write_text(text, "utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / "MANIFEST.json").write_text(json.dumps({"files": {"weights.json": digest}}, indent=1) + "\n")
    print(f"{len(documents)} documents, {sum(len(d.questions) for d in documents)} questions")
    print(text)


if __name__ == "__main__":
    main()
