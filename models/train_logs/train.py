"""Trains the line scorer: `python -m models.train_logs.train CASES.jsonl LOGS OUT_FOLDER`.

Needs numpy, scipy, scikit-learn and lightgbm. Two stages: a logistic regression over words that
stand in the logs of many projects, then boosted trees over `log_features.NAMES`, where each
log's word scores come from a regression that has not seen its project. One thread and fixed
seeds: the same data gives the same weights.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path

import lightgbm as lgb
import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

from models.train_logs.dataset import Case, load
from tokenjuice_ml.compressors.log_features import NAMES

FOLDS, TREES = 5, 200
CAUSE_PROJECTS, ALL_PROJECTS = 4, 14
PARAMETERS = {
    "objective": "binary",
    "num_leaves": 16,
    "learning_rate": 0.05,
    "min_data_in_leaf": 80,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "verbose": -1,
}


def folds(cases: list[Case]) -> np.ndarray:
    """Returns a fold for each case; all logs of a project share one."""
    projects = sorted({case.project for case in cases})
    np.random.RandomState(0).shuffle(projects)
    fold = {project: place % FOLDS for place, project in enumerate(projects)}
    return np.array([fold[case.project] for case in cases])


def vocabulary(cases: list[Case]) -> dict[str, int]:
    """Returns the generic words: in the causes of several projects, or in many projects' logs."""
    seen, cause = defaultdict(set), defaultdict(set)
    for case in cases:
        for words, label in zip(case.words, case.labels, strict=True):
            for word in words:
                seen[word].add(case.project)
                if label:
                    cause[word].add(case.project)
    generic = (w for w in seen if len(cause[w]) >= CAUSE_PROJECTS or len(seen[w]) >= ALL_PROJECTS)
    return {word: place for place, word in enumerate(sorted(generic))}


def word_matrix(case: Case, words: dict[str, int]) -> csr_matrix:
    """Returns (candidates, vocabulary) with a one for each word of a line."""
    pointers, places = [0], []
    for line in case.words:
        places += sorted(words[word] for word in line if word in words)
        pointers.append(len(places))
    shape = (len(case.words), len(words))
    return csr_matrix((np.ones(len(places)), places, pointers), shape=shape)


def weights(case: Case) -> np.ndarray:
    """Returns a weight a line: long causes do not drown short ones."""
    positives = max(1, int(case.labels.sum()))
    return np.where(case.labels == 1, 3 / positives**0.5, 0.05)


def fit_words(cases: list[Case], matrices: list[csr_matrix]) -> np.ndarray:
    """Returns the weight of each word."""
    model = LogisticRegression(C=0.3, max_iter=40, solver="liblinear", random_state=0)
    labels = np.concatenate([case.labels for case in cases])
    model.fit(vstack(matrices), labels, sample_weight=np.concatenate([weights(case) for case in cases]))
    return model.coef_[0]


def with_words(case: Case, matrix: csr_matrix, coefficients: np.ndarray) -> np.ndarray:
    """Returns the rows of a case with their word features set, as `log_features` sets them."""
    rows = case.rows.copy()
    sums = np.asarray(matrix @ coefficients).ravel()
    of = dict(zip(case.numbers, sums, strict=True))
    for place, number in enumerate(case.numbers):
        used = coefficients[matrix.indices[matrix.indptr[place] : matrix.indptr[place + 1]]]
        near = [of.get(at, 0.0) for at in range(number - 3, number + 4)]
        rows[place, -4:] = (sums[place], used.max() if len(used) else 0.0, near[2], sum(near))
    return rows


def fit_trees(cases: list[Case], rows: list[np.ndarray]) -> lgb.Booster:
    """Returns the boosted trees."""
    labels = np.concatenate([case.labels for case in cases])
    data = lgb.Dataset(np.vstack(rows), labels, weight=np.concatenate([weights(case) for case in cases]))
    return lgb.train(PARAMETERS, data, TREES)


def as_list(node: dict) -> list | float:
    """Returns a tree as nested [feature, threshold, low, high] with numbers as leaves."""
    if "leaf_value" in node:
        return round(node["leaf_value"], 5)
    low, high = as_list(node["left_child"]), as_list(node["right_child"])
    return [node["split_feature"], round(node["threshold"], 6), low, high]


def document(words: dict[str, int], coefficients: np.ndarray, trees: lgb.Booster) -> dict:
    """Returns the weights document that `log_model.parse` reads."""
    kept = {word: round(float(coefficients[place]), 4) for word, place in words.items()}
    kept = {word: weight for word, weight in kept.items() if weight}
    dumped = trees.dump_model()["tree_info"]
    structure = [as_list(tree["tree_structure"]) for tree in dumped]
    return {"version": 1, "features": list(NAMES), "bias": 0.0, "words": kept, "trees": structure}


def train(cases: list[Case]) -> dict:
    """Returns the weights document for these cases."""
    words, fold = vocabulary(cases), folds(cases)
    matrices = [word_matrix(case, words) for case in cases]
    rows: list[np.ndarray] = [np.empty(0)] * len(cases)
    for out in range(FOLDS):
        inside = [place for place in range(len(cases)) if fold[place] != out]
        coefficients = fit_words([cases[i] for i in inside], [matrices[i] for i in inside])
        for place in np.flatnonzero(fold == out):
            rows[place] = with_words(cases[place], matrices[place], coefficients)
    return document(words, fit_words(cases, matrices), fit_trees(cases, rows))


def write(weights_document: dict, folder: Path) -> None:
    """Writes weights.json and its MANIFEST.json."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(weights_document, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"
    (folder / "weights.json").write_text(text, "utf-8")
    files = {"weights.json": hashlib.sha256(text.encode()).hexdigest()}
    (folder / "MANIFEST.json").write_text(json.dumps({"files": files}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write(train(load(Path(sys.argv[1]), Path(sys.argv[2]))), Path(sys.argv[3]))
