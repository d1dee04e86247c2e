"""Asks the sidecar for scores: finds it, starts it in the background, and never waits too long.

Nothing here raises. Whatever goes wrong is the second half of the answer, in words a person can act on.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenjuice_ml.saliency import starts
from tokenjuice_ml.saliency.paths import Places, places
from tokenjuice_ml.saliency.starts import last_error

if TYPE_CHECKING:
    from http.client import HTTPConnection

    from tokenjuice_ml.settings import Settings

SLOW_SECONDS = 30.0
"""How long a sidecar that did not answer in time is left alone."""
_POLL_SECONDS = 0.02
# A start this long ago counts as over, seconds: then whoever waits looks whether it lives.
_START_AGAIN = 2.5
_TRANSFER_RESERVE = 0.03


class Answer(NamedTuple):
    """Scores, or why there are none.

    Attributes:
        scores: one a word, the probability to be kept; None when nobody answered.
        why: the model that gave them, or what kept it from answering.
        core: one a word, the probability to be kept at a hard budget, where the model tells it.
        asked: one a word, the more the likelier it is to answer a question, where the model tells it.
    """

    scores: list[float] | None
    why: str
    core: list[float] | None = None
    asked: list[float] | None = None


class Refused(Exception):
    """The sidecar answered, but not with scores."""

    def __init__(self, why: str, status: int = 0) -> None:
        super().__init__(why)
        self.status = status


def scores(text: str, settings: Settings, query: str | None = None) -> Answer:
    """Returns the scores of the words of `text`.

    With ``ml_cold_start = "fallback"`` a sidecar that is not there yet is started and not waited for.
    In no case does the call take much longer than ``ml_timeout_ms``.
    """
    deadline = time.monotonic() + settings.ml_timeout_ms / 1000
    try:
        return _scores(text, settings, query, deadline)
    except OSError as error:
        return Answer(None, f"no sidecar: {error.strerror or error}")


def _scores(text: str, settings: Settings, query: str | None, deadline: float) -> Answer:
    from tokenjuice_ml import __version__

    files = places(settings.ml_model_id, settings.ml_device, __version__)
    info = read_info(files)
    if info is None:
        from tokenjuice_ml.saliency.launch import ensure_started

        waits = settings.ml_cold_start == "wait"
        problem = ensure_started(files, settings, deadline if waits else None)
        if problem:
            return Answer(None, problem)
        if not waits:
            return Answer(None, "sidecar starting")
        info = wait_ready(files, min(deadline, time.monotonic() + _START_AGAIN))
        if info is None and not last_error(files):
            # One that was started a moment ago may have died meanwhile; then nobody starts another.
            ensure_started(files, settings, deadline)
            info = wait_ready(files, deadline)
        if info is None:
            return Answer(None, starts.why(files) if last_error(files) else "sidecar still starting")
    elif _is_slow(files):
        return Answer(None, "sidecar was too slow a moment ago; asked again soon")
    return _asked(text, settings, query, files, info, deadline)


def _asked(
    text: str, settings: Settings, query: str | None, files: Places, info: dict[str, Any], deadline: float
) -> Answer:
    left = max(1, int((deadline - time.monotonic() - _TRANSFER_RESERVE) * 1000))
    body = json.dumps({"text": text, "query": query, "deadline_ms": left}).encode("ascii")
    try:
        reply = request(info, "POST", "/v1/saliency", body, deadline)
        values, core, asked = reply["scores"], reply.get("core"), reply.get("asked")
        others = [column for column in (core, asked) if column is not None]
        if not _numbers(values) or not all(_numbers(x) and len(x) == len(values) for x in others):
            raise Refused("sidecar answered nonsense")
        return Answer(values, f"{reply.get('model')} in {reply.get('ms')} ms", core, asked)
    except TimeoutError:
        _touch(files)
        return Answer(None, f"sidecar did not answer within {settings.ml_timeout_ms} ms")
    except Refused as error:
        if error.status == 401:
            forget(files, info)  # a stranger listens there
        return Answer(None, str(error))
    except (OSError, ValueError, KeyError, TypeError):
        forget(files, info)
        return Answer(None, starts.ended(files, info.get("pid")))


def _numbers(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is float or type(value) is int for value in values)


def read_info(files: Places) -> dict[str, Any] | None:
    """Returns how to reach the sidecar, or None when none answers."""
    try:
        info = json.loads(files.info.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(info, dict) or not alive(info.get("pid")):
        return None
    return info


def alive(pid: object) -> bool:
    """Says whether a process of this number is there."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if os.name == "nt":
        return True  # there, signal 0 would end it; a stale entry shows when nobody answers
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def wait_ready(files: Places, deadline: float) -> dict[str, Any] | None:
    """Returns the sidecar's info once it answers; None at the deadline or when it gave up."""
    while time.monotonic() < deadline:
        info = read_info(files)
        if info is not None:
            return info
        if last_error(files):
            return None
        time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
    return None


def forget(files: Places, info: dict[str, Any]) -> None:
    """Removes the info of a sidecar that is gone, unless a new one has written its own since."""
    try:
        if json.loads(files.info.read_text("utf-8")).get("token") == info.get("token"):
            files.info.unlink(missing_ok=True)
    except (OSError, ValueError):
        pass


def _is_slow(files: Places) -> bool:
    try:
        return time.time() - files.slow.stat().st_mtime < SLOW_SECONDS
    except OSError:
        return False


def _touch(files: Places) -> None:
    try:
        files.slow.touch(mode=0o600)
        os.utime(files.slow)
    except OSError:
        pass


def request(
    info: dict[str, Any], method: str, path: str, body: bytes | None, deadline: float
) -> dict[str, Any]:
    """Returns the sidecar's JSON answer.

    Raises:
        TimeoutError: the deadline passed.
        Refused: it answered with an error; the text says which.
        OSError: it cannot be reached.
        ValueError: what it said is no JSON object.
    """
    connection = _connection(info, deadline)
    try:
        headers = {"Authorization": f"Bearer {info.get('token', '')}", "Content-Type": "application/json"}
        _arm(connection, deadline)
        connection.request(method, path, body, headers)
        _arm(connection, deadline)
        response = connection.getresponse()
        data = bytearray()
        while True:
            _arm(connection, deadline)
            chunk = response.read1(1 << 16)
            if not chunk:
                break
            data += chunk
        reply = json.loads(data)
    finally:
        connection.close()
    if not isinstance(reply, dict):
        raise ValueError("no JSON object")
    if response.status != 200:
        raise Refused(f"sidecar: {reply.get('detail', response.status)}", response.status)
    return reply


def _arm(connection: HTTPConnection, deadline: float) -> None:
    """Gives the next step on the socket what is left of the time.

    Raises:
        TimeoutError: nothing is left.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    if connection.sock is not None:
        connection.sock.settimeout(left)


def _connection(info: dict[str, Any], deadline: float) -> HTTPConnection:
    from http.client import HTTPConnection

    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    if not info.get("socket"):
        connection = HTTPConnection("127.0.0.1", int(info["port"]), timeout=left)
        connection.connect()
        return connection
    connection = HTTPConnection("localhost", timeout=left)
    connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.sock.settimeout(left)
    try:
        connection.sock.connect(str(info["socket"]))
    except BaseException:
        connection.close()
        raise
    return connection
