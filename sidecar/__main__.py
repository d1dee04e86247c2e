"""`python -P -m sidecar`: takes the lock, loads the model, listens, and ends when nobody asks."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import sys
from pathlib import Path
from typing import Any

_LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path that every system takes."""


def main() -> int:
    """Runs the sidecar; returns the exit status."""
    args = _arguments()
    base = Path(args.files)
    lock = _take_lock(base.with_suffix(".lock"))
    if lock is None:
        return 0  # another one is there already
    try:
        return _serve(args, base)
    except Exception as error:
        _write(base.with_suffix(".error"), f"{type(error).__name__}: {error}"[:400])
        raise
    finally:
        with contextlib.suppress(OSError):
            os.close(lock)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sidecar")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--idle", type=float, default=900.0, help="seconds without a request until it ends")
    parser.add_argument("--files", required=True, help="its files in the runtime folder, without ending")
    parser.add_argument("--port", type=int, default=None, help="listen on loopback TCP instead of a socket")
    return parser.parse_args()


def _take_lock(path: Path) -> int | None:
    """Returns a descriptor that holds the lock as long as the process lives, None when it is taken."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        import fcntl
    except ImportError:
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    os.ftruncate(handle, 0)
    os.write(handle, str(os.getpid()).encode())
    return handle


def _serve(args: argparse.Namespace, base: Path) -> int:
    from sidecar.runtime import LoadError, load

    info_path = base.with_suffix(".json")
    info_path.unlink(missing_ok=True)
    try:
        scorer = load(args.model, args.device)
    except LoadError as error:
        _write(base.with_suffix(".error"), str(error))
        return 1
    try:
        listener, where = _listen(base.with_suffix(".sock"), args.port)
    except OSError as error:
        _write(base.with_suffix(".error"), f"cannot listen: {error}")
        return 1
    from tokenjuice_ml import __version__

    token = secrets.token_urlsafe(24)
    info = {"pid": os.getpid(), "token": token, "model": scorer.name, "device": scorer.device}
    info |= {"version": __version__, **where}
    try:
        asyncio.run(_run(scorer, token, args.idle, listener, info_path, info))
        base.with_suffix(".starts").unlink(missing_ok=True)  # it was stopped, or nobody asked: no fault
    finally:
        _remove_own(info_path, token)
        if where.get("socket"):
            Path(where["socket"]).unlink(missing_ok=True)
    return 0


async def _run(
    scorer: Any, token: str, idle_seconds: float, listener: socket.socket, path: Path, info: dict[str, Any]
) -> None:
    import uvicorn

    from sidecar.app import build
    from sidecar.idle import Idle

    idle = Idle(idle_seconds)
    config = uvicorn.Config(
        build(scorer, token, idle, path.with_suffix(".starts")),
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_keep_alive=2,
    )
    server = uvicorn.Server(config)

    def stop() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop)
    watch = asyncio.create_task(idle.watch(stop))
    _write(path, json.dumps(info))
    for ending in (".error", ".slow"):
        path.with_suffix(ending).unlink(missing_ok=True)
    await server.serve(sockets=[listener])
    watch.cancel()


def _listen(path: Path, port: int | None) -> tuple[socket.socket, dict[str, Any]]:
    """Returns a listening Unix socket of mode 0600, or loopback TCP where there is none.

    Raises:
        OSError: the place is taken.
    """
    fits = len(os.fsencode(path)) <= _LONGEST_SOCKET
    if port is None and fits and hasattr(socket, "AF_UNIX"):
        if path.is_socket():
            path.unlink()  # we hold the lock, so nobody listens there
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(before)
        listener.listen(128)
        return listener, {"socket": str(path)}
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", port or 0))
    listener.listen(128)
    return listener, {"port": listener.getsockname()[1]}


def _write(path: Path, text: str) -> None:
    """Writes a private file as a whole or not at all."""
    draft = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def _remove_own(path: Path, token: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        if json.loads(path.read_text("utf-8")).get("token") == token:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
