"""What `TokenJuice(settings)` takes."""

from __future__ import annotations

import pytest

from tokenjuice_ml import Settings, TokenJuice
from tokenjuice_ml.errors import SettingsError

TEXT = "error: no\n" + "a line of no interest at all\n" * 5000


def test_a_mapping_lies_on_top_of_what_is_configured(monkeypatch):
    monkeypatch.setenv("TOKENJUICE_PROFILE", "light")
    juice = TokenJuice({"granularity": "span", "ml_target_ratio": 1})
    assert juice.settings == Settings.load().merged({"ml_granularity": "span", "ml_target_ratio": 1.0})
    assert juice.settings.profile == "light"
    assert TokenJuice({"profile": "full"}).compress(TEXT, command="./x", exit_code=1).lossy
    assert TokenJuice({}).settings == TokenJuice().settings == TokenJuice(None).settings


@pytest.mark.parametrize(
    ("bad", "says"),
    [({"nope": 1}, "nope"), ({"ml_target_ratio": 9}, "at most 1.0"), ({"exact": "yes"}, "true")],
)
def test_a_mapping_is_validated(bad, says):
    with pytest.raises(SettingsError, match=says):
        TokenJuice(bad)


@pytest.mark.parametrize("bad", ["light", [("profile", "light")], 5, Settings])
def test_anything_else_says_what_to_pass(bad):
    with pytest.raises(TypeError, match=r"a Settings, a mapping .* TokenJuice\(Settings.load\(\)\)"):
        TokenJuice(bad)


def test_what_the_command_line_finds_of_the_library(tmp_path):
    """`tj retrieve` reads the disk, the library writes there when its settings say so."""
    token = TokenJuice({"ccr_disk_enabled": True}).compress(TEXT, command="./x", exit_code=1).token
    assert TokenJuice(disk=True).retrieve(token) == TEXT.encode()
    own = TokenJuice().compress(TEXT + "more\n", command="./x", exit_code=1).token
    assert TokenJuice(disk=True).retrieve(own) is None
