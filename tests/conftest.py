"""Every test runs with a home, a state folder and an environment of its own."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Two shared cores: a deadline would measure the neighbours.
settings.register_profile("ci", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")


def pytest_addoption(parser):
    parser.addoption("--update-goldens", action="store_true", help="write expected outputs anew")


@pytest.fixture
def update_goldens(request) -> bool:
    """True when expected outputs are to be written instead of compared."""
    return bool(request.config.getoption("--update-goldens"))


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory, monkeypatch):
    """No test reads the developer's config or writes into his state folder."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("TOKENJUICE_") and name != "TOKENJUICE_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("TOKENJUICE_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("TOKENJUICE_RUNTIME_DIR", str(home / "run"))
    return home
