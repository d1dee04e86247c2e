"""Fits what a sentence may be asked for: `python -m models.train_value.train PROSE OUT_FOLDER`.

A Poisson regression of the answers in a sentence, with its tokens as exposure: the weights say how many answers
a token of it holds, which is what a choice under a budget of tokens needs. It is fitted twice: on the features
`answers.NAMES` alone, for any model, and on these together with what the bundled model holds of the words. The
weights of the latter are one direction in the model's states; it goes into the model's folder (`asked.json`), and
the sidecar tells of each word how far it lies in that direction.

Needs numpy, scikit-learn and the bundled model. The same data and model give the same weights.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import PoissonRegressor

from models.train_value.dataset import Document, Sentences, read, sentences
from models.train_value.states import word_states
from tokenjuice_ml.resources import data_dir
from tokenjuice_ml.saliency import local
from tokenjuice_ml.saliency.answers import NAMES

PENALTY = 3e-4
# Who reads a document seldom asks for a path or an address; an agent goes on with them.
PLACE = 0.4
BUNDLED = "saliency-modernbert-v1"

Weights = dict[str, float]


def fit(parts: Sequence[Sentences]) -> Weights:
    """Returns a weight for each feature, for features as they are (not standardised), without the model's states."""
    features = np.concatenate([part.features for part in parts])
    return _named(_poisson(parts, features))


def fit_asked(parts: Sequence[Sentences]) -> tuple[Weights, np.ndarray]:
    """Returns the same, fitted together with a direction ``(width,)`` in the states; it counts as it is."""
    features = np.concatenate([np.hstack([part.features, part.states]) for part in parts])
    found = _poisson(parts, features)
    return _named(found[: len(NAMES)]) | {"asked": 1.0}, found[len(NAMES) :]


def _poisson(parts: Sequence[Sentences], features: np.ndarray) -> np.ndarray:
    tokens = np.concatenate([part.tokens for part in parts])
    answers = np.concatenate([part.answers for part in parts])
    spread = features.std(0) + 1e-9
    scaled = (features - features.mean(0)) / spread
    model = PoissonRegressor(alpha=PENALTY, max_iter=1000)
    model.fit(scaled, answers / tokens, sample_weight=tokens / tokens.mean())
    coefficients: np.ndarray = model.coef_ / spread
    return coefficients


def _named(values: np.ndarray) -> Weights:
    found = {name: round(float(w), 4) for name, w in zip(NAMES, values, strict=True)}
    return found | {"place": max(PLACE, found["place"]), "asked": 0.0}


def observed(
    scorer: Any, documents: Sequence[Document]
) -> list[tuple[list[list[float]], np.ndarray, Sentences]]:
    """Returns of each document its words' scores and states, and its sentences."""
    out = []
    for document in documents:
        scores, states = scorer.scores(document.text)[:2], word_states(scorer.network, document.text)
        out.append((scores, states.astype(np.float16), sentences(document, scores, states)))
    return out


def main() -> None:
    """Reads the documents, scores and fits them, writes weights, direction and manifests."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    prose, folder = Path(sys.argv[1]), Path(sys.argv[2])
    documents = read(prose)
    parts = [part for *_, part in observed(local.load("bundled"), documents)]
    plain, (weights, direction) = fit(parts), fit_asked(parts)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"weights": plain, "with_asked": weights}, indent=1) + "\n"
    (folder / "weights.json").write_text(text, "utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / "MANIFEST.json").write_text(json.dumps({"files": {"weights.json": digest}}, indent=1) + "\n")
    write_direction(data_dir("models") / BUNDLED, direction)
    print(f"{len(documents)} documents, {sum(len(d.questions) for d in documents)} questions")
    print(text)


def write_direction(model: Path, direction: np.ndarray) -> None:
    """Writes ``asked.json`` into a model's folder and its digest into the manifest there."""
    text = json.dumps({"direction": [round(float(x), 5) for x in direction]}) + "\n"
    (model / "asked.json").write_text(text, "utf-8")
    path = model / "MANIFEST.json"
    manifest = json.loads(path.read_text("utf-8"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    manifest["files"]["asked.json"] = {"bytes": len(text.encode()), "sha256": digest}
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
