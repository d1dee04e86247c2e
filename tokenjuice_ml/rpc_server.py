"""Runs the RPC application under uvicorn and tells its address once it listens."""

from __future__ import annotations

import os
import socket
import sys

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
        path = self.config.uds
        if path:
            os.chmod(path, 0o600)
            address = path
        else:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
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
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        uds=path,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    server = Server(config)
    server.run()
    return server.started
