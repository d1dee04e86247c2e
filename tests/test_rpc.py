"""The RPC server: a real process on a loopback port and on a Unix socket, and its page in Chromium."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="needs fastapi: pip install 'tokenjuice-ml[serve]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'tokenjuice-ml[serve]'")

LOG = "\n".join(f"step {n} went well" for n in range(1500)) + "\nerror: the one that matters\n" + "tail\n" * 5
METHODS = (
    "detect compress retrieve cache_stats settings_get settings_update savings_stats savings_reset".split()
)


class Client:
    """What the README shows, in a class."""

    def __init__(self, address: str) -> None:
        base, _, self.token = address.partition("#")
        self.host = base.removeprefix("http://").rstrip("/")

    def call(self, method: str, body=None, *, token=None, host=None, path=None, raw=None):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        if host:
            headers["Host"] = host
        data = json.dumps(body or {}) if raw is None else raw
        connection.request(
            "POST", path or f"/rpc/tokenjuice_{method}", data, {**headers, "Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith(("{", "[")) else text


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], Client]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tokenjuice_ml.cli.main", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process, Client(process.stdout.readline().strip())
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    process.stdout.close()


def test_the_eight_methods(server):
    client = server[1]
    assert client.call("detect", {"text": '{"a": [1, 2]}'})[1]["kind"] == "json"
    status, answer = client.call("compress", {"text": LOG, "command": "./build.sh", "exit_code": 1})
    assert status == 200
    assert "error: the one that matters" in answer["text"]
    token = answer["token"]
    assert (
        client.call("retrieve", {"token": token, "lines": [1501, 1501]})[1]["text"]
        == "error: the one that matters\n"
    )
    whole = client.call("retrieve", {"token": token, "as_base64": True})[1]
    assert base64.b64decode(whole["base64"]) == LOG.encode()
    page = client.call("retrieve", {"token": token})[1]
    assert page["text"].endswith("step 399 went well\n[… 1,106 more lines; ask for L401-L1506]")
    assert (page["first_line"], page["last_line"], page["total_lines"], page["complete"]) == (
        1,
        400,
        1506,
        False,
    )
    assert client.call("retrieve", {"token": token, "whole": True})[1]["text"] == LOG
    hits = client.call("retrieve", {"token": token, "grep": "MATTERS", "context": 0})[1]
    assert hits["text"] == "L1501: error: the one that matters"
    assert client.call("retrieve", {"token": token, "bytes": [0, 6]})[1]["text"] == "step 0"
    assert "expired" in client.call("retrieve", {"token": "1" * 27})[1]["error"]
    assert "not a token" in client.call("retrieve", {"token": "../../secret"})[1]["error"]
    assert client.call("cache_stats")[1]["disk"]["entries"] == 1
    stats = client.call("savings_stats", {"days": 1})[1]
    assert stats["total"]["events"] == 1
    assert stats["recent"][0]["family"] == "build.sh"
    assert client.call("savings_reset")[1] == {"ok": True, "removed": 1}


def test_settings_are_live_and_patched_partially(server):
    client = server[1]
    before = client.call("settings_get")[1]["settings"]
    after = client.call("settings_update", {"patch": {"router_enabled": False}})[1]["settings"]
    assert after == {**before, "router_enabled": False}
    assert client.call("compress", {"text": LOG, "command": "./x"})[1]["reason"] == "router_off"
    status, answer = client.call("settings_update", {"patch": {"tail_lines": 5, "profile": "fast"}})
    assert status == 422
    assert "profile" in answer["detail"]
    assert client.call("settings_get")[1]["settings"] == after


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"method": "detect", "body": {"text": "x"}, "token": "wrong"}, 401),
        ({"method": "detect", "body": {"text": "x"}, "token": ""}, 401),
        ({"method": "detect", "body": {"text": "x"}, "host": "evil.example.org"}, 400),
        ({"method": "detect", "body": {"txt": "x"}}, 422),
        ({"method": "compress", "body": {"text": "x", "surprise": 1}}, 422),
        ({"method": "compress", "body": {"text": "x", "options": {"nope": 1}}}, 422),
        ({"method": "compress", "raw": "{"}, 422),
        ({"method": "", "path": "/rpc/nothing"}, 404),
    ],
)
def test_what_is_refused(server, request_, status):
    assert server[1].call(**request_)[0] == status


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server):
    client = server[1]
    connection = http.client.HTTPConnection(client.host, timeout=30)
    connection.putrequest("POST", "/rpc/tokenjuice_detect")
    connection.putheader("Authorization", f"Bearer {client.token}")
    connection.putheader("Content-Length", str(65 << 20))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_body_that_does_not_say_its_length_is_refused_too(server):
    client = server[1]
    connection = http.client.HTTPConnection(client.host, timeout=60)
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    pieces = (b"x" * (1 << 20) for _ in range(66))
    try:
        connection.request("POST", "/rpc/tokenjuice_detect", pieces, headers, encode_chunked=True)
        status = connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):  # answered and closed before it was all sent
        status = 413
    connection.close()
    assert status == 413
    assert client.call("detect", {"text": "x"})[0] == 200


@pytest.mark.parametrize("show", [False, True])
def test_texts_are_kept_for_the_page_only_when_switched_on_and_masked(show):
    from tokenjuice_ml.api import TokenJuice
    from tokenjuice_ml.settings import Settings

    secret = "npm_" + "a1B2" * 9
    juice = TokenJuice(Settings(redact_secrets=True))
    body = {"text": f"{LOG}error: {secret}\n", "command": "./x", "exit_code": 1}
    status, cut, kept = in_process(juice, body, events=True, show_content=show)
    assert (status, cut["masked"]) == (200, 1)
    assert secret not in json.dumps([cut, kept])
    assert kept["show_content"] is show
    assert len(kept["events"]) == (1 if show else 0)


def in_process(juice, body, *, events=False, **more):
    """Asks an application of this process to compress, and then for its last texts."""
    import asyncio

    from tokenjuice_ml.rpc import build

    app = build(juice, token="t" * 30, **more)

    async def ask(method, path, data):
        sent = []

        async def receive():
            return {"type": "http.request", "body": json.dumps(data).encode(), "more_body": False}

        async def send(message):
            sent.append(message)

        headers = [
            (b"host", b"localhost"),
            (b"authorization", b"Bearer " + b"t" * 30),
            (b"content-type", b"application/json"),
        ]
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
                 "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("localhost", 80)}  # fmt: skip
        await app(scope, receive, send)
        return sent[0]["status"], json.loads(b"".join(part.get("body", b"") for part in sent[1:]))

    async def both():
        answer = await ask("POST", "/rpc/tokenjuice_compress", body)
        return (*answer, (await ask("GET", "/events", {}))[1]) if events else answer

    return asyncio.run(both())


def test_a_request_that_takes_too_long_is_answered(monkeypatch):
    from tokenjuice_ml.api import TokenJuice
    from tokenjuice_ml.settings import Settings

    monkeypatch.setattr(TokenJuice, "compress", lambda self, text, **hints: time.sleep(0.5))
    status, answer = in_process(TokenJuice(Settings()), {"text": "x"}, time_limit_s=0.05)
    assert status == 504
    assert answer["detail"] == "no answer within 0.05 s"


def test_a_body_that_never_ends_is_given_up():
    """The time limit holds for reading, too."""
    import asyncio

    from fastapi import HTTPException

    from tokenjuice_ml.rpc import BodyLimit

    async def app(scope, receive, send):
        while (await receive())["more_body"]:
            pass

    async def receive():
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    limited = BodyLimit(app, limit_s=0.1)
    with pytest.raises(HTTPException, match="408"):
        asyncio.run(limited({"type": "http", "headers": []}, receive, None))


def refused(*words: str) -> str:
    """Returns what `tj serve` says when it does not start for wrong usage."""
    command = [sys.executable, "-m", "tokenjuice_ml.cli.main", "serve", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    return done.stderr


def test_an_empty_token_file_opens_no_door(own_places):
    state = own_places / "state"
    state.mkdir()
    (state / "rpc-token").write_text("")
    assert "holds no bearer token" in refused("--port", "0")


def test_the_token_file_is_private(server, own_places):
    client = server[1]
    path = own_places / "state" / "rpc-token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == client.token


def test_changed_store_settings_keep_what_was_stored(server):
    """A running instance with its originals on disk still has them there after a change."""
    client = server[1]
    cut = client.call("compress", {"text": LOG, "command": "./build.sh", "exit_code": 1})[1]
    client.call("settings_update", {"patch": {"disk_max_entries": 7, "max_cache_entries": 3}})
    stats = client.call("cache_stats")[1]
    assert stats["disk"]["max_entries"] == 7
    assert stats["disk"]["entries"] == 1
    assert stats["memory"]["max_entries"] == 3
    assert client.call("retrieve", {"token": cut["token"], "whole": True})[1]["text"] == LOG


def test_a_request_in_flight_is_answered_before_the_end(server):
    process, client = server
    body = json.dumps({"text": LOG, "command": "./x", "exit_code": 1}).encode()
    head = (
        f"POST /rpc/tokenjuice_compress HTTP/1.1\r\nHost: {client.host}\r\nAuthorization: Bearer {client.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    host, port = client.host.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(head.encode() + body[:1000])
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        line.sendall(body[1000:])
        answer = b""
        while piece := line.recv(1 << 16):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"error: the one that matters" in answer
    assert process.wait(20) in (0, -signal.SIGTERM)


def test_concurrent_calls_are_all_answered(server):
    client = server[1]
    answers = []

    def one(number: int) -> None:
        text = LOG.replace("matters", f"matters {number}")
        answers.append(
            client.call("compress", {"text": text, "command": "./build.sh", "exit_code": 1})[1]["text"]
        )

    threads = [threading.Thread(target=one, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 24
    for number in range(24):
        assert any(f"error: the one that matters {number}\n" in text for text in answers)


def test_openapi_lists_the_methods(server):
    client = server[1]
    connection = http.client.HTTPConnection(client.host, timeout=30)
    connection.request("GET", "/openapi.json")
    paths = json.loads(connection.getresponse().read())["paths"]
    connection.close()
    assert {f"/rpc/tokenjuice_{name}" for name in METHODS} <= set(paths)


def test_it_ends_gracefully(server):
    process, _ = server
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) in (0, -signal.SIGTERM)


def test_a_remote_address_needs_words():
    assert "--allow-remote" in refused("--host", "0.0.0.0")


def test_a_unix_socket_is_private(tmp_path):
    path = tmp_path / "rpc.sock"
    process = subprocess.Popen(
        [sys.executable, "-m", "tokenjuice_ml.cli.main", "serve", "--socket", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout.readline().strip() == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path))
        line.sendall(b"POST /rpc/tokenjuice_cache_stats HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert b" 401 " in line.recv(200)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    process.stdout.close()


def test_a_socket_path_of_others_is_left_alone(tmp_path):
    from tokenjuice_ml.rpc_server import private_socket

    (tmp_path / "file").write_text("not a socket")
    with pytest.raises(OSError, match="no socket of yours"):
        private_socket(str(tmp_path / "file"))
    with private_socket(str(tmp_path / "s")) as first:
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
        first.listen()
        with pytest.raises(OSError, match="listens"):
            private_socket(str(tmp_path / "s"))
    private_socket(str(tmp_path / "s")).close()  # what a dead server left behind is taken over
    if os.geteuid() == 0:
        os.chown(tmp_path / "s", 65534, 65534)
        with pytest.raises(OSError, match="no socket of yours"):
            private_socket(str(tmp_path / "s"))


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,1400"
).split()


@pytest.mark.skipif(CHROMIUM is None, reason="needs the package chromium: apt-get install chromium")
def test_the_page_shows_the_savings_in_a_real_browser(server, tmp_path):
    client = server[1]
    for number in range(3):
        client.call(
            "compress", {"text": LOG + str(number), "command": "make all", "exit_code": 1, "model": "gpt-5"}
        )
    dom = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=8000", "--dump-dom",
         f"http://{client.host}/#{client.token}"],
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout  # fmt: skip
    assert "tokens saved" in dom
    assert ">make all</td>" in dom
    assert "gpt-5" in dom
    assert dom.count("<rect") >= 4
    assert ">Cannot read" not in dom


@pytest.mark.skipif(CHROMIUM is None, reason="needs the package chromium: apt-get install chromium")
def test_the_page_without_the_token_shows_nothing(server, tmp_path):
    client = server[1]
    dom = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=8000", "--dump-dom",
         f"http://{client.host}/"],
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout  # fmt: skip
    assert "Cannot read: 401" in dom
