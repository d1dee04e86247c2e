"""The learned scorer: its weights load, are pinned, and bad weights are refused."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.compressors.log_samples import body, reduce, travis
from tokenjuice_ml.compressors import log_model
from tokenjuice_ml.compressors.log_features import NAMES
from tokenjuice_ml.resources import data_dir

FOLDER = data_dir("models") / log_model.MODEL


def test_the_shipped_weights_are_those_of_the_manifest() -> None:
    manifest = json.loads((FOLDER / "MANIFEST.json").read_text("utf-8"))
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest


def test_the_shipped_weights_load() -> None:
    model = log_model.load()
    assert model is not None
    assert 0.0 <= model.probability([0.0] * len(NAMES)) <= 1.0


def document(**changes: object) -> dict[str, object]:
    return {
        "features": list(NAMES),
        "bias": 0.5,
        "words": {"error": 1.0},
        "trees": [[0, 1.5, -2, 3.0]],
        **changes,
    }


def test_trees_are_added_up() -> None:
    model = log_model.parse(document(trees=[[0, 1.5, -2, 3.0], 0.25]))
    assert model.coarse(*[1.0] * len(NAMES)) == -1.25
    assert model.coarse(*[2.0] * len(NAMES)) == 3.75


def test_later_trees_see_only_lines_with_a_chance() -> None:
    trees = [0.0] * log_model.COARSE + [9.0]
    chance, hopeless = log_model.parse(document(trees=trees)), log_model.parse(document(trees=trees, bias=-9))
    assert chance.probability([0.0] * len(NAMES)) > 0.99
    assert hopeless.probability([0.0] * len(NAMES)) < 0.01


@pytest.mark.parametrize(
    "bad",
    [
        {"features": ["other"]},
        {"trees": [[99, 1.5, -2, 3.0]]},
        {"trees": [["__import__('os')", 1.5, -2, 3.0]]},
        {"trees": ["__import__('os')"]},
        {"bias": "x"},
    ],
)
def test_bad_weights_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        log_model.parse(document(**bad))


def test_without_weights_hand_set_scores_find_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_model, "load", lambda: None)
    assert "main.c:7:27: error:" in reduce(travis(body("make"))).text
