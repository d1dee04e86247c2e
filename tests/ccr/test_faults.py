"""Whatever happens to the store: the agent loop goes on, and nothing is lossy without a way back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr import sqlite as sqlite_tier
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Reason

CALL = {"command": "./build.sh", "exit_code": 1}


def log(number: int, lines: int = 1500) -> str:
    return "\n".join(f"step {n} of run {number} went well" for n in range(lines)) + "\nerror: it failed\n"


def check(juice: TokenJuice, number: int) -> Reason:
    """One turn of an agent loop: what is lossy must come back from another process's view."""
    text = log(number)
    result = juice.compress(text, **CALL)
    if result.lossy:
        fresh = open_store(juice.settings, disk=True)
        assert fresh is not None
        assert fresh.get(result.token) == text.encode()
        fresh.close()
    else:
        assert result.text == text
    return result.reason


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("needs root and the package mount for a small tmpfs")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)], capture_output=True
    )
    if done.returncode:
        pytest.skip("needs a tmpfs: mounting is not allowed here")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_full_disk(small_disk):
    (small_disk / "filler").write_bytes(os.urandom(500_000))
    settings = Settings(ccr_dir=str(small_disk / "ccr"), savings_enabled=False)
    juice = TokenJuice(settings, disk=True)
    dice = os.urandom(40_000).hex()
    juice.store.put(dice.encode(), lines=1)
    reasons = [check(juice, number) for number in range(60)]
    assert Reason.COMPRESSED in reasons
    assert Reason.STORE_FAILED in reasons
    (small_disk / "filler").unlink()
    assert check(juice, 99) is Reason.COMPRESSED


def test_a_disk_that_is_full_from_the_start(small_disk):
    with suppress(OSError):
        (small_disk / "filler").write_bytes(bytes(2 << 20))
    juice = TokenJuice(Settings(ccr_dir=str(small_disk / "ccr"), savings_enabled=False), disk=True)
    assert check(juice, 1) is Reason.STORE_FAILED
    assert not list((small_disk / "ccr").glob("secret*")) if (small_disk / "ccr").exists() else True


@pytest.fixture
def read_only(tmp_path):
    """A file system that can only be read: modes do not stop root."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("needs root and the package mount for a read-only tmpfs")
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(tmp_path)], capture_output=True).returncode:
        pytest.skip("needs a tmpfs: mounting is not allowed here")
    try:
        store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
        store.put(b"before", lines=1)
        store.close()
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.mark.parametrize("inside", ["", "new"])
def test_a_read_only_folder(read_only, inside):
    juice = TokenJuice(Settings(ccr_dir=str(read_only / inside), savings_enabled=False), disk=True)
    result = juice.compress(log(1), **CALL)
    assert result.reason is Reason.STORE_FAILED
    assert result.text == log(1)
    assert result.detail


def test_one_shot_surfaces_never_fall_back_to_memory(tmp_path):
    """A token that dies with the process is no way back."""
    (tmp_path / "file").write_text("in the way of a folder")
    env = {**os.environ, "TOKENJUICE_CCR_DIR": str(tmp_path / "file" / "ccr")}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tokenjuice_ml.cli.main",
            "reduce",
            "--command",
            "./build.sh",
            "--exit-code",
            "1",
        ],
        input=log(1),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    assert done.stdout == log(1)


def test_a_locked_store_is_waited_for_and_then_given_up(tmp_path, monkeypatch):
    import sqlite3

    monkeypatch.setattr(sqlite_tier, "BUSY_MS", 200)
    juice = TokenJuice(Settings(ccr_dir=str(tmp_path), savings_enabled=False), disk=True)
    assert check(juice, 1) is Reason.COMPRESSED
    blocker = sqlite3.connect(tmp_path / sqlite_tier.FILE, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    result = juice.compress(log(2), **CALL)
    assert result.reason is Reason.STORE_FAILED
    assert "locked" in result.detail
    blocker.rollback()
    blocker.close()
    assert check(juice, 3) is Reason.COMPRESSED


@pytest.mark.parametrize("damage", ["truncate", "junk", "remove", "folder", "wal"])
def test_damage_while_an_agent_works(tmp_path, damage):
    folder = tmp_path / "ccr"
    juice = TokenJuice(Settings(ccr_dir=str(folder), savings_enabled=False), disk=True)
    path = folder / sqlite_tier.FILE
    assert check(juice, 0) is Reason.COMPRESSED
    if damage == "truncate":
        os.truncate(path, 5000)
    elif damage == "junk":
        path.write_bytes(os.urandom(path.stat().st_size))
    elif damage == "remove":
        path.unlink()
    elif damage == "folder":
        shutil.rmtree(folder)
    else:
        (folder / f"{sqlite_tier.FILE}-wal").write_bytes(os.urandom(9000))
    reasons = [juice.compress(log(number), **CALL).reason for number in range(1, 4)]
    assert set(reasons) <= {Reason.COMPRESSED, Reason.STORE_FAILED}
    assert [check(juice, number) for number in range(4, 7)] == [Reason.COMPRESSED] * 3


def test_changed_settings_keep_the_tokens_of_a_running_instance(tmp_path):
    juice = TokenJuice(Settings(savings_enabled=False))
    first = juice.compress(log(1), **CALL)
    juice.update({"max_cache_entries": 50})
    second = juice.compress(log(2), **CALL)
    juice.update({"ccr_disk_enabled": True, "ccr_dir": str(tmp_path)})
    third = juice.compress(log(3), **CALL)
    for number, result in enumerate((first, second, third), 1):
        assert juice.retrieve(result.token) == log(number).encode()
        assert juice.retrieve(result.token, lines=(2, 2)) == f"step 1 of run {number} went well\n".encode()
    assert juice.store.stats()["disk"]["entries"] == 1
    juice.update({"ccr_enabled": False})
    assert juice.compress(log(4), **CALL).reason is Reason.LOSSY_REFUSED
    juice.update({"ccr_enabled": True})
    assert juice.retrieve(first.token) == log(1).encode()


def test_settings_change_under_threads():
    juice = TokenJuice(Settings(savings_enabled=False, max_cache_entries=10_000))
    failures = []

    def work(which: int) -> None:
        for number in range(12):
            text = log(which * 100 + number, 300)
            result = juice.compress(text, **CALL)
            if result.token and juice.retrieve(result.token) != text.encode():
                failures.append(result.token)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(3)]
    for thread in threads:
        thread.start()
    for number in range(20):
        juice.update({"max_cache_entries": 9_000 + number})
    for thread in threads:
        thread.join()
    assert not failures


def test_light_loses_nothing():
    juice = TokenJuice(Settings(profile="light", savings_enabled=False))
    assert juice.compress(log(1), **CALL).reason is Reason.LOSSY_REFUSED
    rows = [{"id": n, "name": f"item {n}", "state": "ready", "size": n * 7} for n in range(300)]
    import json

    result = juice.compress(json.dumps(rows, indent=2))
    assert result.reason is Reason.LOSSLESS
    assert not result.lossy
    assert result.token is None
    assert result.detail.startswith("no data lost")
    assert result.to_json()["detail"] == result.detail
    assert all(f"item {n}" in result.text for n in range(300))


def test_small_texts_are_kept_when_the_cut_is_heavy():
    juice = TokenJuice(Settings(savings_enabled=False))
    size = juice.compress(log(1), **CALL).tokens_before
    heavy = juice.compress(log(1), **CALL, options={"ccr_min_tokens": 2 * size})
    assert heavy.token is not None
    light = juice.compress(log(1), **CALL, options={"ccr_min_tokens": 5 * size})
    assert light.reason is Reason.TOO_SMALL
