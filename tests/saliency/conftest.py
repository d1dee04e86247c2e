from __future__ import annotations

import time

import pytest

from tokenjuice_ml import __version__
from tokenjuice_ml.saliency import control
from tokenjuice_ml.saliency.paths import places
from tokenjuice_ml.settings import Settings


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    pytest.importorskip("tokenizers")
    pytest.importorskip("onnxruntime")
    from tests.saliency.tiny_model import write_tiny_model

    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def runtime_folder(tmp_path_factory, monkeypatch):
    """A short path: a Unix socket's name has to fit."""
    folder = tmp_path_factory.mktemp("run")
    folder.chmod(0o700)
    monkeypatch.setenv("TOKENJUICE_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def ml(tiny_model, runtime_folder):
    """Settings with the model on; whatever sidecar was started is ended again."""
    settings = Settings().merged(
        {
            "ml_compression_enabled": True,
            "ml_model_id": str(tiny_model),
            "ml_timeout_ms": 20000,
            "savings_enabled": False,
        }
    )
    yield settings
    control.stop(settings)


def files_of(settings: Settings):
    return places(settings.ml_model_id, settings.ml_device, __version__)


def until(condition, seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
