"""Settings: layers, validation, and what a project may not set."""

from __future__ import annotations

import json

import pytest

from tokenjuice_ml.errors import SettingsError
from tokenjuice_ml.settings import DEFAULTS, FIELDS, Settings, check_value, load_layers, parse_text


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A user file, a project folder and an environment of their own."""
    home, project = tmp_path / "home", tmp_path / "project"
    user = home / ".config" / "tokenjuice" / "config.toml"
    user.parent.mkdir(parents=True)
    (project / ".tokenjuice").mkdir(parents=True)

    def load(user_text: str = "", project_text: str = "", **env: str):
        user.write_text(user_text, encoding="utf-8")
        (project / ".tokenjuice" / "config.toml").write_text(project_text, encoding="utf-8")
        problems: list[str] = []
        settings, origin = load_layers(project, {"HOME": str(home), **env}, problems)
        return settings, origin, problems

    return load


def test_defaults_without_any_file(tmp_path):
    assert Settings.load(tmp_path, env={"HOME": str(tmp_path)}) == DEFAULTS


def test_later_layers_win(places):
    settings, origin, problems = places(
        "[tokenjuice]\nmax_inline_tokens = 100\ntail_lines = 10\ncontext_after = 9",
        "[tokenjuice]\nmax_inline_tokens = 200\ntail_lines = 20",
        TOKENJUICE_MAX_INLINE_TOKENS="300",
    )
    assert (settings.max_inline_tokens, settings.tail_lines, settings.context_after) == (300, 20, 9)
    assert origin["max_inline_tokens"] == "TOKENJUICE_MAX_INLINE_TOKENS"
    assert problems == []
    assert settings.merged({"max_inline_tokens": 400}).max_inline_tokens == 400


@pytest.mark.parametrize(
    "key", ["ccr_dir", "ccr_redis_url", "ml_model_id", "ml_device", "project_rules", "redact_secrets"]
)
def test_a_project_may_not_set_paths_models_or_trust(places, key):
    settings, _, problems = places("", f'[tokenjuice]\n{key} = "x"')
    assert getattr(settings, key) == getattr(DEFAULTS, key)
    assert len(problems) == 1
    assert key in problems[0]
    assert "config.toml" in problems[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[tokenjuice]\nmax_inline_tokns = 5", "max_inline_tokns"),
        ("[tokenjuice]\nmax_inline_tokens = 'many'", "max_inline_tokens"),
        ("[tokenjuice]\nrouter_enabled = 1", "router_enabled"),
        ("[tokenjuice]\nprofile = 'fast'", "profile"),
        ("[tokenjuice]\nml_target_ratio = 3", "ml_target_ratio"),
        ("[tokenjuice]\nsignal_patterns = [1]", "signal_patterns"),
        ("tokenjuice = 3", "[tokenjuice]"),
        ("[tokenjuice\n", "not read"),
    ],
)
def test_a_bad_key_or_value_is_told_once_and_the_rest_is_used(places, text, word):
    good = text.replace("[tokenjuice]\n", "[tokenjuice]\ntail_lines = 11\n")
    settings, _, problems = places(good, "")
    assert len(problems) == 1
    assert word in problems[0]
    if good != text:
        assert settings.tail_lines == 11


def test_environment_problems_name_the_variable(places):
    settings, _, problems = places(TOKENJUICE_TAIL_LINES="x", TOKENJUICE_NOPE="1", TOKENJUICE_LOG="debug")
    assert settings == DEFAULTS
    assert sorted(problem.split(":")[0] for problem in problems) == [
        "TOKENJUICE_NOPE",
        "TOKENJUICE_TAIL_LINES",
    ]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("router_enabled", "off", False),
        ("ccr_ttl_secs", "none", None),
        ("ccr_ttl_secs", "60", 60),
        ("ml_target_ratio", "0.3", 0.3),
        ("signal_patterns", "one,two", ("one", "two")),
        ("granularity", "span", "span"),
        ("ccr_redis_url", "unix:///run/redis.sock", "unix:///run/redis.sock"),
    ],
)
def test_text_values(name, text, value):
    assert parse_text(name, text, "test") == value


def test_config_show_tells_where_each_value_comes_from(own_places, tmp_path, monkeypatch, capfd):
    from tokenjuice_ml.cli import config

    own = own_places / ".config/tokenjuice/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[tokenjuice]\ntail_lines = 11\nccr_redis_url = "redis://me:geheim99@cache/0"\n')
    (tmp_path / ".tokenjuice").mkdir()
    (tmp_path / ".tokenjuice/config.toml").write_text("[tokenjuice]\nml_target_ratio = 0.4\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKENJUICE_PROFILE", "light")
    assert config.run(["show", "--json"]) == 0
    text = capfd.readouterr().out
    shown = json.loads(text)
    assert shown["tail_lines"] == {"value": 11, "from": str(own)}
    assert shown["ml_target_ratio"]["from"] == str(tmp_path / ".tokenjuice/config.toml")
    assert shown["profile"] == {"value": "light", "from": "TOKENJUICE_PROFILE"}
    assert shown["json_enabled"]["from"] == "default"
    assert "geheim99" not in text


def test_unknown_option_of_a_call_raises():
    with pytest.raises(SettingsError, match="no_such_key"):
        DEFAULTS.merged({"no_such_key": 1})


def test_every_default_passes_its_own_check_and_is_documented():
    for name, item in FIELDS.items():
        assert check_value(name, item.default, "default") == item.default
        assert item.metadata["doc"].endswith(".")
