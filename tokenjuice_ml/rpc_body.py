"""A limit on what a client may send to the RPC server, and on how long it may take."""

from __future__ import annotations

import asyncio

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY_BYTES = 64 << 20
TIME_LIMIT_S = 60.0


class BodyLimit:
    """Refuses bodies over a size, also those that do not say how long they are, and slow ones."""

    def __init__(self, app: ASGIApp, most: int = MOST_BODY_BYTES, limit_s: float = TIME_LIMIT_S) -> None:
        self._app, self._most, self._limit_s = app, most, limit_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the bytes that come in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > self._most:
            await JSONResponse({"detail": f"body over {self._most} bytes"}, 413)(scope, receive, send)
            return
        seen, ended = 0, False
        until = asyncio.get_running_loop().time() + self._limit_s

        async def counted() -> Message:
            nonlocal seen, ended
            if ended:  # what comes now is only the news that the client went away
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), until - asyncio.get_running_loop().time())
            except TimeoutError:
                raise HTTPException(408, f"no whole body within {self._limit_s:g} s") from None
            seen += len(message.get("body", b""))
            ended = not message.get("more_body", False)
            if seen > self._most:
                raise HTTPException(413, f"body over {self._most} bytes")
            return message

        await self._app(scope, counted, send)
