"""The failure drill: whatever is broken, the caller gets the native text, a reason, and no wait."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.saliency.conftest import files_of, until
from tokenjuice_ml.saliency import client, control, launch
from tokenjuice_ml.saliency.compress import compress
from tokenjuice_ml.types import Context, Detection, Kind, Reason, ToolOutput

TEXT = "\n\n".join(
    f"Paragraph {i} tells how pump {i} was repaired. The crew of shift {i % 3} changed the seal. "
    f"Nobody had expected that valve {i * 7} would leak. It was closed on day {i}."
    for i in range(40)
)


def run(settings, text: str = TEXT, query: str | None = None):
    output = ToolOutput(text, kind=Kind.PLAIN_TEXT, query=query)
    return compress(text, Context(output, settings, Detection(Kind.PLAIN_TEXT, "test", "kind")))


def native(settings, *words: str, text: str = TEXT) -> str:
    """Runs, checks that the native way was taken for a reason that says `words`, returns the reason."""
    got = run(settings, text)
    assert got is not None
    assert got.reason is Reason.NATIVE
    assert got.compressor == "native_text"
    assert 0 < len(got.text) < len(text)
    for word in words:
        assert word in got.detail
    return got.detail


@contextmanager
def fake_sidecar(settings, behave):
    """Listens where the sidecar would and does to each connection what `behave` says."""
    files = files_of(settings)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(files.socket))
    listener.listen(8)
    held = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            held.append(connection)
            behave(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    files.info.write_text(json.dumps({"pid": os.getpid(), "token": "t", "socket": str(files.socket)}))
    try:
        yield files
    finally:
        files.info.unlink(missing_ok=True)
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in held:
            connection.close()
        thread.join(2)


def answer(status: str, body: bytes):
    def behave(connection):
        connection.recv(1 << 20)
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    return behave


def test_cold_start_falls_back_at_once_and_works_the_next_time(ml):
    begin = time.monotonic()
    native(ml, "sidecar starting")
    assert time.monotonic() - begin < 1.0  # the budget is 50 ms of this process; the machine is shared
    assert until(lambda: client.read_info(files_of(ml)) is not None)
    got = run(ml)
    assert got.reason is Reason.SALIENCY
    assert "tiny" in got.detail


def test_wait_uses_the_model_on_the_first_call(ml):
    got = run(ml.merged({"ml_cold_start": "wait"}))
    assert got.reason is Reason.SALIENCY
    assert got.compressor == "saliency"
    assert got.lossy
    assert got.omissions


def test_no_extras_installed(ml, monkeypatch):
    monkeypatch.setattr(launch, "find_spec", lambda name: None)
    native(ml, "onnxruntime", "pip install 'tokenjuice-ml[ml]'")


def test_model_missing(ml, tmp_path):
    (tmp_path / "empty").mkdir()
    native(ml.merged({"ml_model_id": str(tmp_path / "empty")}), "model file missing")


def test_model_corrupt(ml, tiny_model, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    for path in tiny_model.iterdir():
        (broken / path.name).write_bytes(path.read_bytes())
    with (broken / "model.onnx").open("ab") as file:
        file.write(b"\0")
    settings = ml.merged({"ml_model_id": str(broken), "ml_cold_start": "wait"})
    begin = time.monotonic()
    native(settings, "model file corrupt")
    assert time.monotonic() - begin < 15
    begin = time.monotonic()
    native(settings.merged({"ml_cold_start": "fallback"}), "model file corrupt")
    assert time.monotonic() - begin < 1.0  # back-off: no new start


def test_killed_between_calls(ml):
    run(ml.merged({"ml_cold_start": "wait"}))
    info = client.read_info(files_of(ml))
    os.kill(info["pid"], signal.SIGKILL)
    launch._children[-1].wait(5)
    native(ml, "sidecar")
    assert run(ml.merged({"ml_cold_start": "wait"})).reason is Reason.SALIENCY


def test_killed_mid_request(ml):
    with fake_sidecar(ml, lambda connection: connection.shutdown(socket.SHUT_RDWR)) as files:
        native(ml, "went away")
        assert not files.info.exists()


def test_a_sidecar_that_dies_of_each_request_is_not_started_each_time(ml, monkeypatch):
    started = []
    monkeypatch.setattr(launch, "start", lambda files, settings: started.append(1))
    with fake_sidecar(ml, lambda connection: connection.shutdown(socket.SHUT_RDWR)) as files:
        files.starts.write_text(json.dumps({"attempts": 2, "last": time.time(), "pid": os.getpid()}))
        says = ("ended 2 times in a row before its first answer; started again in 10 s", "tj sidecar warm")
        native(ml, *says)
        native(ml, *says)
    assert not started


@pytest.mark.parametrize("budget_ms", [200, 600])
def test_hung(ml, budget_ms):
    settings = ml.merged({"ml_timeout_ms": budget_ms})
    with fake_sidecar(settings, lambda connection: None):
        begin = time.monotonic()
        native(settings, "did not answer within")
        assert time.monotonic() - begin < budget_ms / 1000 + 0.5
        begin = time.monotonic()
        native(settings, "too slow a moment ago")
        assert time.monotonic() - begin < 0.2


def test_dripping(ml):
    def drip(connection):
        try:
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + b" " * 900:
                connection.sendall(bytes([byte]))
                time.sleep(0.02)
        except OSError:
            pass

    settings = ml.merged({"ml_timeout_ms": 400})
    with fake_sidecar(settings, drip):
        begin = time.monotonic()
        native(settings)
        assert time.monotonic() - begin < 1.5


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        ("401 Unauthorized", b'{"detail": "wrong token"}', "wrong token"),
        ("503 Busy", b'{"detail": "busy: too many requests are waiting"}', "busy"),
        ("500 Oops", b'{"detail": "model failed: X"}', "model failed"),
        ("200 OK", b'{"scores": "many"}', "nonsense"),
        ("200 OK", b'{"scores": [0.5, 0.1]}', "scores for"),
        ("200 OK", b'{"scores": [0.5,', "went away"),
        ("200 OK", b"[]", "went away"),
    ],
)
def test_bad_answers(ml, status, body, says):
    with fake_sidecar(ml, answer(status, body)):
        native(ml, says)


def test_socket_place_taken(ml):
    files_of(ml).socket.mkdir()
    native(ml.merged({"ml_cold_start": "wait"}), "cannot listen")


def test_two_start_at_once(ml):
    files = files_of(ml)
    children = [launch.start(files, ml) for _ in range(4)]
    assert until(lambda: client.read_info(files) is not None)
    assert until(lambda: sum(child.poll() is None for child in children) == 1)
    assert all(child.returncode == 0 for child in children if child.poll() is not None)
    assert run(ml).reason is Reason.SALIENCY


def test_idle_exit_then_the_next_call(ml):
    settings = ml.merged({"ml_sidecar_idle_timeout_secs": 1, "ml_cold_start": "wait"})
    run(settings)
    files = files_of(settings)
    assert until(lambda: not files.info.exists())
    assert until(lambda: not launch.held(files))
    assert run(settings).reason is Reason.SALIENCY


def test_disk_full(ml, monkeypatch):
    real = os.open

    def full(path, flags, *rest, **more):
        if flags & os.O_CREAT:
            raise OSError(28, "No space left on device")
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", full)
    native(ml, "No space left on device")


def test_no_private_runtime_folder(ml, runtime_folder):
    runtime_folder.chmod(0o755)
    native(ml, "private folder")
    runtime_folder.chmod(0o700)


def test_over_the_cap(ml):
    native(ml.merged({"ml_max_input_chars": 1000}), "ml_max_input_chars")


def test_hub_id_without_network(ml):
    detail = native(ml.merged({"ml_model_id": "someone/some-model", "ml_cold_start": "wait"}))
    assert "not installed" in detail or "hf download" in detail


def test_two_hundred_calls_at_once(ml):
    run(ml.merged({"ml_cold_start": "wait"}))
    with ThreadPoolExecutor(50) as pool:
        got = list(pool.map(lambda i: run(ml, TEXT + f"\n\nRun {i}."), range(200)))
    assert all(reduction is not None for reduction in got)
    scored = [reduction for reduction in got if reduction.reason is Reason.SALIENCY]
    assert scored
    for reduction in got:
        assert reduction.reason is Reason.SALIENCY or "busy" in reduction.detail


def test_wrong_token_of_a_real_sidecar(ml):
    run(ml.merged({"ml_cold_start": "wait"}))
    files = files_of(ml)
    info = json.loads(files.info.read_text())
    files.info.write_text(json.dumps(info | {"token": "guess"}))
    native(ml, "wrong token")


def test_lock_and_socket_are_private(ml):
    run(ml.merged({"ml_cold_start": "wait"}))
    files = files_of(ml)
    for path in (files.info, files.lock, files.socket, files.log):
        assert path.stat().st_mode & 0o077 == 0, path


def test_two_models_do_not_mix(ml, tiny_model, tmp_path):
    from tests.saliency.tiny_model import write_tiny_model

    other = ml.merged({"ml_model_id": str(write_tiny_model(tmp_path / "other"))})
    wait = {"ml_cold_start": "wait"}
    try:
        assert "tiny" in run(ml.merged(wait)).detail
        assert "other" in run(other.merged(wait)).detail
        assert "tiny" in run(ml).detail
    finally:
        control.stop(other)


HOOK = """
    import sys
    from tokenjuice_ml import TokenJuice
    from tokenjuice_ml.settings import Settings
    settings = Settings().merged({"ml_compression_enabled": True, "ml_model_id": sys.argv[1]})
    result = TokenJuice(settings).compress(sys.stdin.read(), kind="plain_text")
    heavy = {"numpy", "onnxruntime", "torch", "transformers", "tokenizers", "fastapi", "pydantic"}
    print(result.reason.value, sorted(heavy & set(sys.modules)))
"""


def test_a_hook_returns_at_once_and_a_foreign_sidecar_never_runs(ml, tmp_path):
    evil = tmp_path / "sidecar"
    evil.mkdir()
    for name in ("__init__.py", "__main__.py"):
        (evil / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(HOOK), ml.ml_model_id],
        input=TEXT,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=20,
        check=True,
    )
    assert time.monotonic() - begin < 10
    assert done.stdout.split(" ", 1) == ["native_text", "[]\n"], done.stdout + done.stderr
    assert until(lambda: client.read_info(files_of(ml)) is not None)
    assert not (tmp_path / "ran").exists()
    assert run(ml).reason is Reason.SALIENCY


def test_only_local_sockets_are_opened(ml, monkeypatch):
    seen = []
    real = socket.socket.connect

    def connect(self, address):
        seen.append((self.family, address))
        return real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    run(ml.merged({"ml_cold_start": "wait"}))
    assert seen
    assert all(family == socket.AF_UNIX or address[0] == "127.0.0.1" for family, address in seen)
