"""The store: byte-exact, private, bounded, and honest when it cannot keep anything."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml.ccr import sqlite as sqlite_tier
from tokenjuice_ml.ccr.retrieve import FOREIGN, GONE, MALFORMED, fetch, view
from tokenjuice_ml.ccr.slices import slice_bytes, slice_lines
from tokenjuice_ml.ccr.store import open_store, store_folder
from tokenjuice_ml.ccr.token import DIGITS, parse
from tokenjuice_ml.errors import StoreError
from tokenjuice_ml.settings import Settings

CHUNK = sqlite_tier.CHUNK


def varied(count: int, seed: int = 7) -> list[bytes]:
    """Originals of all shapes: empty, CRLF, invalid UTF-8, NULs, one long line, chunk borders."""
    dice = random.Random(seed)
    alphabets = (
        b"ab \n", b"error: x\r\n", bytes(range(256)), "äß你好🙂\n".encode(), b"\x1b[31m\n", b"\n", b"\xff\xfe\x00\n",
    )  # fmt: skip
    sizes = (0, 1, 2, 80, 511, 4096, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 17)
    weights = (2, 2, 2, 20, 20, 20, 1, 1, 1, 1)
    return [
        bytes(dice.choices(dice.choice(alphabets), k=dice.choices(sizes, weights)[0])) for _ in range(count)
    ]


@pytest.fixture
def disk():
    return open_store(Settings(), disk=True)


def forget_memory(store) -> None:
    store.tiers[0].clear()


def test_five_hundred_originals_come_back_byte_exact_in_another_process(disk, tmp_path):
    originals = varied(500)
    names = [disk.put(data, lines=data.count(b"\n")) for data in originals]
    script = (
        "import sys, json; from tokenjuice_ml.ccr.store import open_store\n"
        "from tokenjuice_ml.settings import Settings\n"
        "store = open_store(Settings(), disk=True)\n"
        "for token in sys.stdin.read().split(): print(store.get(token).hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=" ".join(names), capture_output=True, text=True, check=True
    )
    assert [bytes.fromhex(row) for row in done.stdout.split("\n")[:-1]] == originals


@pytest.mark.parametrize("from_disk", [True, False])
def test_ranges_equal_slices_of_the_original(disk, from_disk):
    dice = random.Random(3)
    for data in varied(60, seed=5):
        lines = data.count(b"\n") + 2
        token = disk.put(data, lines=lines)
        if from_disk:
            forget_memory(disk)
        for _ in range(8):
            first, last = dice.randint(-3, lines + 2), dice.randint(-3, lines + 2)
            assert disk.get_lines(token, first, last) == slice_lines(data, first, last)
            start, end = dice.randint(-3, len(data) + 3), dice.randint(-3, len(data) + 3)
            assert disk.get_bytes(token, start, end) == slice_bytes(data, start, end)


@given(st.binary(max_size=3000))
def test_any_bytes_come_back(data):
    store = open_store(Settings())
    assert store.get(store.put(data, lines=1)) == data


def test_the_same_content_has_one_token_and_another_store_another(tmp_path):
    first = open_store(Settings(ccr_dir=str(tmp_path / "a")), disk=True)
    second = open_store(Settings(ccr_dir=str(tmp_path / "b")), disk=True)
    token = first.put(b"text", lines=1)
    assert first.put(b"text", lines=1) == token
    assert second.put(b"text", lines=1) != token
    assert second.get(token) is None
    assert not second.contains(token)


@pytest.mark.parametrize(
    "text", ["", "1" * 26, "1" * 28, "../" + "1" * 24, "x" * 27, "١" * 27, "⟦tj:⟧", "1" * 26 + "\n2"]
)
def test_malformed_tokens_are_refused(disk, text):
    assert parse(text) is None
    assert fetch(disk, text) is None
    assert view(disk, text).error == MALFORMED


def test_an_unknown_token_says_that_the_view_stays_valid(disk):
    answers = [view(disk, str(number) * DIGITS).error for number in range(10)]
    assert answers.count(FOREIGN) >= 9  # two check digits: a stranger's passes once in 100
    assert all("stays valid" in answer for answer in answers)


def test_a_token_that_was_made_here_is_told_from_a_foreign_one(disk, tmp_path):
    token = disk.put(b"gone soon", lines=1)
    disk.clear()
    assert view(disk, token).error == GONE
    other = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    foreign = [disk.put(b"%d" % number, lines=1) for number in range(50)]
    assert sum(view(other, name).error == FOREIGN for name in foreign) > 40
    assert all(other.get(name) is None for name in foreign)


def test_guesses_find_nothing(disk):
    """Also those of one who knows the content and how tokens are made, but not the secret."""
    from tokenjuice_ml.ccr.token import Minter

    token = disk.put(b"known content", lines=1)
    assert disk.get(Minter(b"\0" * 32).token_of(b"known content")) is None
    near = [str((int(token) + step) % 10**DIGITS).zfill(DIGITS) for step in range(-300, 300) if step]
    assert not any(disk.contains(name) for name in near)


def test_modes_are_private(disk):
    disk.put(b"x", lines=1)
    folder = store_folder(Settings())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_caps_hold_and_the_oldest_go_first(tmp_path):
    store = open_store(Settings(ccr_dir=str(tmp_path), disk_max_entries=10), disk=True)
    names = [store.put(b"entry %d" % number, lines=1) for number in range(25)]
    forget_memory(store)
    assert store.stats()["disk"]["entries"] <= 10
    assert store.get(names[-1]) == b"entry 24"
    assert store.get(names[0]) is None


def test_byte_cap_on_disk(tmp_path):
    store = open_store(Settings(ccr_dir=str(tmp_path), disk_max_bytes=100_000), disk=True)
    for number in range(10):
        store.put(os.urandom(30_000) + bytes([number]), lines=1)
    assert store.stats()["disk"]["bytes"] <= 100_000
    with pytest.raises(StoreError, match="disk_max_bytes"):
        store.put(os.urandom(200_000), lines=1)


def test_memory_caps():
    store = open_store(Settings(max_cache_entries=3, max_cache_bytes=100))
    names = [store.put(b"%d" % number * 30, lines=1) for number in range(5)]
    assert [store.get(name) is not None for name in names] == [False, False, True, True, True]
    with pytest.raises(StoreError, match="max_cache_bytes"):
        store.put(b"x" * 101, lines=1)


def test_what_is_expired_is_gone(tmp_path, monkeypatch):
    store = open_store(Settings(ccr_dir=str(tmp_path), ccr_ttl_secs=100), disk=True)
    token = store.put(b"old", lines=1)
    forget_memory(store)
    later = sqlite_tier.time() + 101
    monkeypatch.setattr(sqlite_tier, "time", lambda: later)
    assert store.get(token) is None
    assert store.gc() == 1
    assert store.stats()["disk"]["entries"] == 0


def test_a_clock_that_jumps_back_loses_nothing(tmp_path, monkeypatch):
    store = open_store(Settings(ccr_dir=str(tmp_path), ccr_ttl_secs=100), disk=True)
    token = store.put(b"young", lines=1)
    forget_memory(store)
    earlier = sqlite_tier.time() - 10_000
    monkeypatch.setattr(sqlite_tier, "time", lambda: earlier)
    assert store.get(token) == b"young"


@pytest.mark.parametrize(
    "junk", [b"", b"not a database at all, just text" * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_is_put_aside_and_the_store_goes_on(tmp_path, junk):
    store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    store.put(b"before", lines=1)
    store.close()
    path = tmp_path / sqlite_tier.FILE
    for tail in ("-wal", "-shm"):
        (tmp_path / (sqlite_tier.FILE + tail)).unlink(missing_ok=True)
    path.write_bytes(junk)
    assert_goes_on(tmp_path)


def assert_goes_on(tmp_path):
    fresh = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    token = None
    for _ in range(2):  # the call that finds the damage may be withdrawn
        try:
            token = fresh.put(b"after", lines=1)
            break
        except StoreError:
            continue
    forget_memory(fresh)
    assert token is not None
    assert fresh.get(token) == b"after"


def test_an_altered_original_is_never_shown(tmp_path):
    store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    token = store.put(b"the truth", lines=1)
    forget_memory(store)
    import zlib

    with sqlite3.connect(tmp_path / sqlite_tier.FILE) as db:
        db.execute("UPDATE chunks SET data = ?", (zlib.compress(b"a lie"),))
    db.close()
    assert store.get(token) is None
    assert store.get_lines(token, 1, 1) is None
    assert store.get_bytes(token, 0, 5) is None


def test_parts_of_another_original_are_never_shown(tmp_path):
    """Each part is tied to its token and its place."""
    store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    dice = random.Random(1)
    first, second = (store.put(dice.randbytes(3 * CHUNK), lines=1) for _ in range(2))
    forget_memory(store)
    with sqlite3.connect(tmp_path / sqlite_tier.FILE) as db:
        db.execute("DELETE FROM chunks WHERE original = 2 AND n = 1")
        db.execute("UPDATE chunks SET original = 2, n = 1 WHERE original = 1 AND n = 2")
    db.close()
    assert store.get_bytes(second, CHUNK, CHUNK + 9) is None
    assert store.get_bytes(second, 0, 9) is not None
    assert store.get(first) is None


def test_the_folder_may_be_removed_under_a_running_process(tmp_path):
    folder = tmp_path / "ccr"
    store = open_store(Settings(ccr_dir=str(folder)), disk=True)
    lost = store.put(b"before", lines=1)
    shutil.rmtree(folder)
    kept = store.put(b"after", lines=1)
    forget_memory(store)
    assert store.get(lost) is None
    assert store.get(kept) == b"after"
    assert open_store(Settings(ccr_dir=str(folder)), disk=True).get(kept) == b"after"


def test_a_folder_that_became_another_store_is_refused(tmp_path):
    folder = tmp_path / "ccr"
    store = open_store(Settings(ccr_dir=str(folder)), disk=True)
    shutil.rmtree(folder)
    other = open_store(Settings(ccr_dir=str(folder)), disk=True)
    with pytest.raises(StoreError, match="another store"):
        store.put(b"x", lines=1)
    assert other.get(other.put(b"x", lines=1)) == b"x"


def test_the_clock_does_not_decide_who_is_oldest(tmp_path, monkeypatch):
    store = open_store(Settings(ccr_dir=str(tmp_path), disk_max_entries=3), disk=True)
    now = sqlite_tier.time()
    names = []
    for jump in (9e6, -9e6, 0, 5e5, -5e5):
        monkeypatch.setattr(sqlite_tier, "time", lambda jump=jump: now + jump)
        names.append(store.put(b"at %d" % jump, lines=1))
    forget_memory(store)
    assert [store.get(name) is not None for name in names] == [False, False, True, True, True]


def test_a_full_store_evicts_only_what_it_must(tmp_path):
    """Large originals reach the cap on bytes long before that on entries."""
    store = open_store(Settings(ccr_dir=str(tmp_path), disk_max_bytes=1_000_000), disk=True)
    names = [store.put(os.urandom(90_000), lines=1) for _ in range(20)]
    forget_memory(store)
    assert sum(store.get(name) is not None for name in names) >= 9


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="needs root to give files away")
@pytest.mark.parametrize("which", ["", "secret", sqlite_tier.FILE])
def test_another_users_store_is_refused(tmp_path, which):
    store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    store.put(b"x", lines=1)
    store.close()
    os.chown(tmp_path / which, 65534, 65534)
    fresh = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    if fresh is not None:
        with pytest.raises(StoreError, match="another user"):
            fresh.put(b"y", lines=1)


def test_rights_of_others_are_taken_back(tmp_path):
    open_store(Settings(ccr_dir=str(tmp_path)), disk=True).put(b"x", lines=1)
    for path in (tmp_path, tmp_path / "secret", tmp_path / sqlite_tier.FILE):
        path.chmod(0o777 if path.is_dir() else 0o666)
    open_store(Settings(ccr_dir=str(tmp_path)), disk=True).put(b"y", lines=1)
    for path in (tmp_path, tmp_path / "secret", tmp_path / sqlite_tier.FILE):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_store_in_the_workspace_is_not_committed(tmp_path):
    store = open_store(Settings(ccr_dir="workspace"), tmp_path, disk=True)
    store.put(b"x", lines=1)
    assert (tmp_path / ".tokenjuice/ccr/.gitignore").read_text() == "*\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_is_told(tmp_path):
    tmp_path.chmod(0o500)
    assert open_store(Settings(ccr_dir=str(tmp_path / "x")), disk=True) is None


def test_a_folder_that_cannot_be_made_gives_no_store(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert open_store(Settings(ccr_dir=str(tmp_path / "file")), disk=True) is None


def test_a_file_too_large_for_memory_is_kept_in_pieces(tmp_path, disk):
    path = tmp_path / "spool"
    line = b"a line of a very large output that is stored without being read whole\n"
    path.write_bytes(line * 100_000)
    token = disk.put_file(path, lines=100_000)
    assert token == disk.put(line * 100_000, lines=100_000)
    forget_memory(disk)
    assert disk.get_lines(token, 99_999, 100_000) == line * 2


@pytest.mark.parametrize("keep", [0, 3000, None])
def test_a_file_truncated_or_overwritten_while_open(tmp_path, keep):
    """No lie comes back, nothing is told as stored that is not, and the store goes on."""
    store = open_store(Settings(ccr_dir=str(tmp_path)), disk=True)
    dice = random.Random(5)
    kept = {store.put(data, lines=1): data for data in (dice.randbytes(20_000) for _ in range(5))}
    path = tmp_path / sqlite_tier.FILE
    if keep is None:
        path.write_bytes(dice.randbytes(path.stat().st_size))
    else:
        os.truncate(path, keep)
    forget_memory(store)
    for token, data in kept.items():
        assert store.get(token) in (None, data)
    stored = {}
    for number in range(6):
        try:
            stored[store.put(b"after %d" % number, lines=1)] = b"after %d" % number
        except StoreError:
            continue
    assert len(stored) >= 3
    forget_memory(store)
    for token, data in list(stored.items())[-3:]:
        assert store.get(token) == data


WRITER = """
import os, sys, random
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.settings import Settings
store = open_store(Settings(disk_max_entries=100000), disk=True)
for number in range(int(sys.argv[2])):
    data = (sys.argv[1] + " %d " % number).encode() * 20
    print(store.put(data, lines=1), number, flush=True)
"""


def test_two_writers_a_reader_and_a_killed_one_lose_nothing(disk):
    """What a process was told is stored stays stored, whoever dies meanwhile."""
    count = 400
    start = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*start, name, str(count)], stdout=subprocess.PIPE, text=True)
        for name in ("one", "two")
    ]
    doomed = subprocess.Popen([*start, "doomed", "100000"], stdout=subprocess.PIPE, text=True)
    told = [doomed.stdout.readline() for _ in range(50)]
    doomed.kill()
    told += doomed.stdout.readlines()[:-1]
    doomed.wait()
    doomed.stdout.close()
    seen = {}
    for name, writer in zip(("one", "two"), writers, strict=True):
        out, _ = writer.communicate(timeout=120)
        assert writer.returncode == 0
        seen[name] = out.split("\n")[:-1]
    seen["doomed"] = [row for row in told if row.endswith("\n")]
    for name, rows in seen.items():
        for row in rows:
            token, number = row.split()
            assert disk.get(token) == f"{name} {number} ".encode() * 20
    assert len(seen["one"]) == len(seen["two"]) == count
