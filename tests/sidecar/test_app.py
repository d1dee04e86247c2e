"""The HTTP side of a running sidecar, through its own socket."""

from __future__ import annotations

import json
import time

import pytest

from tests.saliency.conftest import files_of, ml, runtime_folder, tiny_model  # noqa: F401
from tests.saliency.tiny_model import write_tiny_model
from tokenjuice_ml.saliency import client, control, local
from tokenjuice_ml.saliency.units import word_spans

TEXT = "The Pump 12 was closed. 東京 OK."


@pytest.fixture
def info(ml):  # noqa: F811
    assert control.warm(ml)["ok"]
    return client.read_info(files_of(ml))


def ask(info, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return client.request(info, method, path, data, time.monotonic() + 20)


def test_one_text_and_many_give_the_same(info, ml):  # noqa: F811
    one = ask(info, "POST", "/v1/saliency", {"text": TEXT})
    many = ask(info, "POST", "/v1/saliency/batch", {"texts": [TEXT, "B c"]})
    assert one["model"] == "tiny"
    assert len(one["scores"]) == len(word_spans(TEXT))
    assert many["results"][0]["scores"] == one["scores"]
    assert [*local.score([TEXT], ml.ml_model_id)] == [[one["scores"]]]


def test_a_model_with_three_labels_tells_what_is_core(ml, tmp_path):  # noqa: F811
    folder = write_tiny_model(tmp_path / "three", ("drop", "keep", "core"))
    settings = ml.merged({"ml_model_id": str(folder), "ml_cold_start": "wait"})
    try:
        answer = client.scores(TEXT, settings)
        assert answer.scores is not None
        assert answer.core is not None
        assert all(core < keep for core, keep in zip(answer.core, answer.scores, strict=True))
    finally:
        control.stop(settings)


def test_a_direction_in_the_states_tells_what_is_asked_for(ml, tmp_path):  # noqa: F811
    folder = write_tiny_model(tmp_path / "asked", ("drop", "keep", "core"), asked=(0.0, 2.0, 1.0))
    settings = ml.merged({"ml_model_id": str(folder), "ml_cold_start": "wait"})
    try:
        answer = client.scores("The pump 12", settings)
        assert answer.asked == pytest.approx([2 * (2 - 1 - 1) / 3, -2, 4], abs=1e-3)
        assert client.scores("", settings).asked is None
    finally:
        control.stop(settings)


def test_without_core_nothing_is_told_of_what_is_asked_for(tmp_path):
    folder = write_tiny_model(tmp_path / "two", asked=(0.0, 2.0))
    assert len(local.load(str(folder)).scores(TEXT)) == 1


@pytest.mark.parametrize("direction", [(1.0,), ("x", 1.0, 2.0), (float("nan"), 1.0, 2.0)])
def test_a_direction_that_does_not_fit_is_an_error(tmp_path, direction):
    from sidecar.runtime import LoadError

    folder = write_tiny_model(tmp_path / "odd", ("drop", "keep", "core"), asked=direction)
    with pytest.raises(LoadError):
        local.load(str(folder))


def test_words_stand_for_a_text(info):
    got = ask(info, "POST", "/v1/saliency", {"words": ["Pump", "12"]})
    assert got["scores"] == ask(info, "POST", "/v1/saliency", {"text": "Pump 12"})["scores"]


def test_long_texts_go_through_windows(info):
    text = TEXT * 400
    assert len(ask(info, "POST", "/v1/saliency", {"text": text})["scores"]) == len(word_spans(text))


@pytest.mark.parametrize("text", ["", " ", "\udc80 lone", "\x00", "🇩🇪👍🏽", "a" * 5000, "e\u0301"])
def test_odd_texts_get_a_score_a_word(info, text):
    assert len(ask(info, "POST", "/v1/saliency", {"text": text})["scores"]) == len(word_spans(text))


def test_health_models_and_metrics(info):
    health = ask(info, "GET", "/healthz")
    assert health["ok"]
    assert health["model"] == "tiny"
    assert health["device"] == "cpu"
    assert health["rss_bytes"] < 250_000_000
    assert ask(info, "GET", "/v1/models")["data"][0]["by"] == "onnx"


def test_metrics_are_prometheus_text(info, monkeypatch):
    seen = {}
    monkeypatch.setattr(json, "loads", lambda data: seen.setdefault("page", bytes(data).decode()) and {})
    client.request(info, "GET", "/metrics", None, time.monotonic() + 5)
    page = seen["page"]
    assert 'tokenjuice_saliency_requests_total{outcome="ok"}' in page
    assert 'tokenjuice_saliency_model_info{model="tiny",device="cpu"} 1' in page


def test_what_cannot_be_in_time_is_refused_at_once(info):
    ask(info, "POST", "/v1/saliency", {"text": TEXT * 200})
    begin = time.monotonic()
    with pytest.raises(client.Refused, match="not in time"):
        ask(info, "POST", "/v1/saliency", {"text": TEXT * 3000, "deadline_ms": 1})
    assert time.monotonic() - begin < 10


def test_bad_requests_are_told(info):
    with pytest.raises(client.Refused):
        ask(info, "POST", "/v1/saliency", {"text": 5})
    with pytest.raises(client.Refused, match="wrong token"):
        ask(info | {"token": "guess"}, "GET", "/healthz")


def test_control_tells_how_it_stands(ml):  # noqa: F811
    assert control.status(ml)["state"] == "stopped"
    assert control.start(ml)["ok"]
    warm = control.warm(ml)
    assert warm["state"] == "running"
    assert control.start(ml)["state"] == "running"
    assert control.stop(ml)["ok"]
    assert control.status(ml)["state"] == "stopped"
    assert control.stop(ml) == {"ok": True, "state": "stopped"}


@pytest.mark.parametrize("manager", ["systemd", "launchd", None])
def test_units_name_the_command(ml, manager):  # noqa: F811
    text = control.unit(ml, manager)
    assert "-m" in text
    assert "sidecar" in text
    assert "PYTHONPATH" in text
