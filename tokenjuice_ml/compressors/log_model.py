"""The learned line scorer: a small additive set of trees over `log_features`, in pure Python.

The weights are data (`models/log-scorer-v1/weights.json`); the recipe that makes them stands in
`models/train_logs/`. Where the weights are missing, `log_score` falls back to hand-set scores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import Any

from tokenjuice_ml.compressors.log_features import NAMES
from tokenjuice_ml.record import Record
from tokenjuice_ml.resources import data_dir

MODEL = "log-scorer-v1"
# Deeper trees are refused: they would only come from a damaged file.
MOST_DEPTH = 40
# Trees in the first look, the log-odds below which there is no second one, and what the second
# look takes from such lines on average. On the training logs no line that the first look finds
# hopeless would have reached a probability of 0.05.
COARSE, HOPELESS, REST = 50, -2.5, -3.2

Row = Sequence[float]


class LogModel(Record):
    """A loaded scorer.

    Attributes:
        words: weight of each word of the generic vocabulary.
        coarse: returns the bias and the sum of the first trees for the `log_features.NAMES` of a line.
        fine: returns the sum of the other trees.
    """

    words: Mapping[bytes, float]
    coarse: Callable[..., float]
    fine: Callable[..., float]

    def probability(self, row: Row) -> float:
        """Returns how likely the row's line belongs to the cause, 0 to 1.

        Lines that the first trees find hopeless, most of them, are not looked at by the others.
        """
        raw = self.coarse(*row)
        raw += self.fine(*row) if raw > HOPELESS else REST
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, raw))))


@lru_cache(maxsize=1)
def load() -> LogModel | None:
    """Returns the shipped scorer, or None where it is missing or not for these features."""
    try:
        path = data_dir("models") / MODEL / "weights.json"
        document = json.loads(path.read_text("utf-8"))
        return parse(document)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def parse(document: Mapping[str, Any]) -> LogModel:
    """Returns the scorer of a weights document.

    Raises:
        ValueError: it was made for other features, or a tree is malformed.
    """
    if tuple(document["features"]) != NAMES:
        raise ValueError("the weights are for other features")
    words = {str(word).encode(): float(weight) for word, weight in document["words"].items()}
    trees = [_expression(tree, 0) for tree in document["trees"]]
    bias = repr(float(document["bias"]))
    return LogModel(words, _compiled([bias, *trees[:COARSE]]), _compiled(["0.0", *trees[COARSE:]]))


def _compiled(terms: Sequence[str]) -> Callable[..., float]:
    """Returns the sum of the terms as a function of the features.

    The terms are built from checked numbers only; compiled once they are many times faster than
    walking the trees, and names are out of their reach. A feature is an argument of its own, which
    is looked up faster than an item of a row.
    """
    names = ",".join(f"f{feature}" for feature in range(len(NAMES)))
    function: Callable[..., float] = eval(f"lambda {names}: {'+'.join(terms)}", {"__builtins__": {}})
    return function


def _expression(node: Any, depth: int) -> str:
    """Returns a tree as a nested conditional: a number, or [feature, threshold, low, high]."""
    if depth > MOST_DEPTH:
        raise ValueError("a tree is too deep")
    if isinstance(node, (int, float)):
        return repr(float(node))
    feature, threshold, low, high = node
    if not 0 <= int(feature) < len(NAMES):
        raise ValueError("a tree asks for an unknown feature")
    below, above = _expression(low, depth + 1), _expression(high, depth + 1)
    return f"({below} if f{int(feature)}<={float(threshold)!r} else {above})"
