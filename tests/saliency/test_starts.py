"""After a fault the model comes back as soon as it can, and what is said of it is true."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.saliency.conftest import files_of, until
from tests.saliency.test_failures import fake_sidecar, native, run
from tokenjuice_ml.saliency import client, control, launch, starts
from tokenjuice_ml.types import Reason

WAIT = {"ml_cold_start": "wait"}
NO_NUMBERS = {"attempts": "many"}


@pytest.fixture
def started(monkeypatch):
    """Counts starts instead of making them."""
    made = []

    def start(files, settings):
        made.append(files)
        return type("Child", (), {"pid": 4_000_000 + len(made)})()

    monkeypatch.setattr(launch, "start", start)
    return made


def note(files, vain: int, age: float = 0.0, **more: object) -> None:
    files.starts.write_text(json.dumps({"attempts": vain, "last": time.time() - age} | more))


def hang_up(connection):
    connection.recv(1)
    connection.close()


def kill(settings) -> None:
    os.kill(client.read_info(files_of(settings))["pid"], signal.SIGKILL)
    launch._children[-1].wait(5)


def test_starts_that_served_do_not_count(ml):
    for _ in range(5):
        assert run(ml.merged(WAIT)).reason is Reason.SALIENCY
        assert starts.read(files_of(ml)).vain == 0
        kill(ml)
    native(ml, "sidecar starting")
    assert until(lambda: client.read_info(files_of(ml)) is not None)
    assert run(ml).reason is Reason.SALIENCY


@pytest.mark.parametrize("end", ["stop", "idle", "terminated"])
def test_a_sidecar_that_ended_in_order_does_not_count(ml, end):
    settings = ml.merged({"ml_sidecar_idle_timeout_secs": 1 if end == "idle" else 900})
    files = files_of(settings)
    assert control.start(settings)["ok"]
    assert starts.read(files).vain == 1
    assert until(lambda: client.read_info(files) is not None)
    if end == "stop":
        control.stop(settings)
    elif end == "terminated":
        os.kill(client.read_info(files)["pid"], signal.SIGTERM)
    assert until(lambda: not launch.held(files))
    assert starts.read(files).vain == 0
    assert "why" not in control.status(settings)


def test_killed_while_many_ask_then_it_is_back_on_the_next_call(ml):
    run(ml.merged(WAIT))
    info = client.read_info(files_of(ml))
    killer = threading.Timer(0.05, os.kill, (info["pid"], signal.SIGKILL))
    killer.start()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: run(ml), range(30)))
    killer.join()
    assert until(lambda: run(ml.merged(WAIT)).reason is Reason.SALIENCY, 20)
    assert starts.read(files_of(ml)).vain == 0


def test_many_that_come_at_once_are_one_start(ml, started):
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: run(ml), range(32)))
    assert len(started) == 1
    assert starts.read(files_of(ml)).vain == 1


@pytest.mark.parametrize("vain", [1, 2, 3, 4, 9])
def test_the_reason_agrees_with_what_happens_next(ml, started, vain):
    back_off = starts.BACK_OFF[min(vain, 4)]
    with fake_sidecar(ml, hang_up) as files:
        note(files, vain, age=1.5, pid=os.getpid())
        first = native(ml, "before its first answer", f"in {back_off - 1.5 + 0.5:.0f} s (`tj sidecar warm`")
    native(ml, first.rpartition(" in ")[0])
    assert not started
    note(files, vain, age=back_off + 0.5, died=True)
    assert "on the next call" in control.status(ml)["why"]
    native(ml, "sidecar starting")
    assert len(started) == 1


def test_one_that_died_without_a_word_is_not_started_for_each_call(ml, started):
    note(files_of(ml), 3, age=5.0)
    native(ml, "ended 3 times in a row", "started again in 55 s")
    assert not started


def test_an_old_sidecars_end_says_nothing_about_the_new_one(ml):
    files = files_of(ml)
    note(files, 1, pid=1)
    assert starts.ended(files, 2) == "sidecar went away; it is started again on the next call"
    assert not starts.read(files).died


@pytest.mark.parametrize("verb", [control.start, control.warm])
@pytest.mark.parametrize("fault", ["died", "error"])
def test_who_asks_by_name_is_not_held_off(ml, verb, fault):
    files = files_of(ml)
    note(files, 9, died=True)
    if fault == "error":
        files.error.write_text("model file corrupt: once")
    assert verb(ml)["ok"]
    assert until(lambda: client.read_info(files) is not None)
    assert run(ml).reason is Reason.SALIENCY
    assert starts.read(files).vain == 0


def test_who_waits_is_held_off_for_two_seconds_at_most(ml):
    note(files_of(ml), 9, died=True)
    begin = time.monotonic()
    assert run(ml.merged(WAIT)).reason is Reason.SALIENCY
    assert time.monotonic() - begin > 1.5


def test_who_waits_waits_no_longer_than_allowed(ml, started):
    note(files_of(ml), 9, died=True)
    begin = time.monotonic()
    native(ml.merged(WAIT | {"ml_timeout_ms": 500}), "started again in 2 s")
    assert time.monotonic() - begin < 1.0
    assert not started


def test_a_fault_that_the_sidecar_named_is_told_at_once_with_the_way_out(ml, started):
    files = files_of(ml)
    note(files, 4, age=10.0)
    files.error.write_text("model file corrupt: x")
    begin = time.monotonic()
    native(ml.merged(WAIT), "model file corrupt: x; started again in 290 s (`tj sidecar warm` tries at once)")
    assert time.monotonic() - begin < 1.0
    assert not started


@pytest.mark.parametrize(
    "book", ["", "[]", "null", "{", json.dumps(NO_NUMBERS), '{"attempts": 4, "last": 1e12}']
)
def test_a_book_that_cannot_be_read_or_is_of_the_future_holds_nobody_off(ml, started, book):
    files_of(ml).starts.write_text(book)
    native(ml, "sidecar starting")
    assert len(started) == 1
