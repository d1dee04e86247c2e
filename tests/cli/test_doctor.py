"""``tj doctor`` says what stands in the way, with path and cause."""

from __future__ import annotations

import json
import os

import pytest

from tokenjuice_ml.ccr.store import state_folder
from tokenjuice_ml.cli import main

LOG = "error: no\n" + "a line of no interest at all\n" * 5000


def checks(capfd) -> dict[str, dict[str, object]]:
    main(["doctor", "--json"])
    return {check["name"]: check for check in json.loads(capfd.readouterr().out)}


def test_all_is_well(capfd):
    found = checks(capfd)
    assert found["store"]["ok"] is found["ledger"]["ok"] is found["round trip"]["ok"] is True
    assert found["ledger"]["says"] == f"{state_folder()}/savings.sqlite3 (0 events)"


@pytest.mark.parametrize("place", ["file", "dangling link", "file above"])
def test_an_unusable_state_folder_is_told_with_path_and_cause(place, capfd, monkeypatch, tmp_path):
    folder = state_folder()
    if place == "file":
        folder.write_text("")
    elif place == "dangling link":
        folder.symlink_to("/proc/nowhere")
    else:
        (tmp_path / "file").write_text("")
        folder = tmp_path / "file" / "state"
        monkeypatch.setenv("TOKENJUICE_STATE_DIR", str(folder))
    found = checks(capfd)
    for name in ("store", "ledger"):
        assert found[name]["ok"] is False
        assert str(folder) in found[name]["says"]
        causes = [*(os.strerror(n) for n in (2, 17, 20)), f"{folder} is not a folder"]
        assert any(cause in found[name]["says"] for cause in causes), found[name]
    assert f"store_failed: no store of originals: {folder}" in found["round trip"]["says"]


def test_a_store_that_is_off_is_no_fault(capfd, monkeypatch):
    monkeypatch.setenv("TOKENJUICE_CCR_ENABLED", "false")
    found = checks(capfd)["store"]
    assert found["ok"] is True
    assert "off (ccr_enabled = false)" in found["says"]
