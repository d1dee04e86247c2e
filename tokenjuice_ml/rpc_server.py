"""Runs the RPC application under uvicorn and tells its address once it listens."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from tokenjuice_ml import rpc


class Server(uvicorn.Server):
    """A server that prints where it listens, for people and for programs that started it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens, then prints the address; of a socket file only its owner may use."""
        await super().startup(sockets)
        if not self.started:
            return
        name = self.servers[0].sockets[0].getsockname()
        if isinstance(name, str):
            address = name
        else:
            host, port = name[:2]
            # The fragment stays in the browser: it is in no request and in no log.
            address = f"http://{host}:{port}/#{rpc.bearer_token()}"
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        sys.stderr.write(f"tj serve: bearer token in {rpc.token_path()}; stop with Ctrl-C\n")


def serve(app: FastAPI, host: str, port: int, path: str | None) -> bool:
    """Serves until told to stop; returns False when it could not listen.

    Args:
        app: the application.
        host: address to listen on.
        port: port; 0 picks one.
        path: a Unix socket instead.

    Raises:
        OSError: the socket cannot be made, or is somebody's.
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    server = Server(config)
    if path is None:
        server.run()
        return server.started
    own = private_socket(path)
    try:
        server.run(sockets=[own])
    finally:
        own.close()
        Path(path).unlink(missing_ok=True)
    return server.started


def private_socket(path: str) -> socket.socket:
    """Returns a bound Unix socket that only its owner may use, from its first moment on.

    Raises:
        OSError: the path is another user's, no socket, or somebody listens there.
    """
    if os.path.lexists(path):
        found = os.lstat(path)
        if found.st_uid != os.geteuid() or not stat.S_ISSOCK(found.st_mode):
            raise OSError(f"{path} exists and is no socket of yours")
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(path) == 0:
                raise OSError(f"somebody listens on {path} already")
        os.unlink(path)
    own = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        own.bind(path)
    except OSError:
        own.close()
        raise
    finally:
        os.umask(before)
    return own
