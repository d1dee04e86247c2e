"""A model that is not there is told as that, before what else may be missing."""

from __future__ import annotations

import pytest

from tests.saliency.conftest import files_of
from tests.saliency.test_failures import native
from tokenjuice_ml.cli import main
from tokenjuice_ml.saliency import control, launch, paths
from tokenjuice_ml.settings import Settings


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch, runtime_folder):
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(launch, "find_spec", lambda name: None)  # nothing is installed
    return tmp_path / "hf" / "hub"


WRONG = [
    ("/nonexistent/model", "no such folder: /nonexistent/model"),
    ("./nonexistent", "no such folder: ./nonexistent"),
    ("~/nonexistent/x/y", "/nonexistent/x/y (ml_model_id)"),
    ("a/b/c", "no such folder: a/b/c"),
    ("a\0b", "no such folder"),
    ("x" * 5000 + "/" + "y" * 5000, "nothing is downloaded"),
    ("org/not-there", "nothing is downloaded by itself: hf download org/not-there"),
    ("not-there", "hf download not-there"),
]


@pytest.mark.parametrize(("model", "says"), WRONG)
@pytest.mark.parametrize("verb", [control.start, control.status, control.warm])
def test_the_path_is_looked_at_before_the_extras(model, says, verb):
    answer = verb(Settings().merged({"ml_model_id": model}))
    assert not answer["ok"]
    assert says in answer["why"]
    assert "not installed" not in answer["why"]


def test_a_text_and_the_doctor_say_so_too(monkeypatch, capsys):
    native(Settings().merged({"ml_model_id": "/nonexistent/model"}), "no such folder: /nonexistent/model")
    monkeypatch.setenv("TOKENJUICE_ML_MODEL_ID", "/nonexistent/model")
    main(["doctor"])
    assert "no such folder: /nonexistent/model" in capsys.readouterr().out


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "model.onnx").touch()
    answer = control.status(Settings().merged({"ml_model_id": str(tmp_path / "model.onnx")}))
    assert "is not a folder" in answer["why"]


def test_a_hub_id_in_the_cache_asks_for_the_extras(caches):
    (caches / "models--org--there").mkdir(parents=True)
    assert "pip install" in control.status(Settings().merged({"ml_model_id": "org/there"}))["why"]


def test_a_relative_folder_means_the_same_from_everywhere(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path)
    assert paths.model_folder("own") == tmp_path / "own"
    settings = Settings().merged({"ml_model_id": "own"})
    assert f"--model={tmp_path / 'own'}" in launch.command(files_of(settings), settings)
    assert files_of(settings) == files_of(settings.merged({"ml_model_id": str(tmp_path / "own")}))


def test_config_set_warns_and_writes(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TOKENJUICE_CONFIG", str(tmp_path / "config.toml"))
    assert main(["config", "set", "ml_model_id", "/nonexistent/x"]) == 0
    seen = capfd.readouterr()
    assert "no such folder: /nonexistent/x" in seen.err
    assert "/nonexistent/x" in (tmp_path / "config.toml").read_text()
    assert main(["config", "set", "ml_target_ratio", "0.4"]) == 0
    assert capfd.readouterr().err == ""
