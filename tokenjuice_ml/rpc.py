"""The RPC server: eight methods under ``/rpc/``, and a page of the savings at ``/``.

Loopback or a Unix socket, a bearer token from a private file, live settings. Needs ``[serve]``.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from hmac import compare_digest
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import tokenjuice_ml
from tokenjuice_ml import command, detect, savings
from tokenjuice_ml import rpc_models as models
from tokenjuice_ml.api import TokenJuice, tool_output
from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.ccr.store import state_folder
from tokenjuice_ml.ccr.token import check_owner, keep_secret, parse
from tokenjuice_ml.errors import RequestError, StoreError, TokenJuiceError
from tokenjuice_ml.redact import redact
from tokenjuice_ml.tokens import estimate

T = TypeVar("T")

PAGE = Path(__file__).resolve().parent / "_web" / "index.html"
TOKEN_FILE = "rpc-token"
LEAST_TOKEN = 20
MOST_BODY_BYTES = 64 << 20
TIME_LIMIT_S = 60.0
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
KEPT_EVENTS = 50


def token_path() -> Path:
    """Returns the file with the bearer token."""
    return state_folder() / TOKEN_FILE


def bearer_token() -> str:
    """Returns the user's bearer token, made at the first call with mode 0600."""
    path = token_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            keep_secret(path.parent, secrets.token_urlsafe(32).encode(), TOKEN_FILE)
        check_owner(path)
        token = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError, StoreError) as error:
        raise RequestError(f"bearer token: {error}") from None
    if len(token) < LEAST_TOKEN:
        raise RequestError(f"{path}: holds no bearer token; remove the file to have a new one made")
    return token


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


def build(
    juice: TokenJuice | None = None,
    *,
    token: str | None = None,
    hosts: tuple[str, ...] = LOOPBACK,
    show_content: bool = False,
    time_limit_s: float = TIME_LIMIT_S,
) -> FastAPI:
    """Returns the application.

    Args:
        juice: the instance behind it; its settings are live.
        token: bearer token; default the user's.
        hosts: names the server answers to (a page elsewhere must not reach it by rebinding).
        show_content: keep the texts of the last events for the page; off means never.
        time_limit_s: longest time of one request.
    """
    juice = TokenJuice(surface="rpc") if juice is None else juice
    wanted = bearer_token() if token is None else token
    events: list[dict[str, Any]] = []
    app = FastAPI(title="TokenJuice", version=tokenjuice_ml.__version__, docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts, "testserver"] if token else list(hosts))
    app.add_middleware(BodyLimit, limit_s=time_limit_s)

    def authorised(request: Request) -> None:
        given = request.headers.get("authorization", "")
        if not compare_digest(given.encode(), f"Bearer {wanted}".encode()):
            raise HTTPException(401, "bearer token missing or wrong; it is in " + TOKEN_FILE)

    guard = [Depends(authorised)]

    async def limited(work: Callable[[], T]) -> T:
        try:
            return await asyncio.wait_for(asyncio.to_thread(work), time_limit_s)
        except TimeoutError:
            raise HTTPException(504, f"no answer within {time_limit_s:g} s") from None
        except TokenJuiceError as error:
            raise HTTPException(422, str(error)) from None

    @app.post("/rpc/tokenjuice_detect", dependencies=guard)
    async def tokenjuice_detect(body: models.DetectRequest) -> models.DetectAnswer:
        def work() -> models.DetectAnswer:
            output = tool_output(body.text, body.model_dump(exclude={"text"}))
            found = detect.detect(output, command.identify(output.command, output.argv))
            return models.DetectAnswer(
                kind=found.kind.value, by=found.by, evidence=found.evidence, format=found.format
            )

        return await limited(work)

    @app.post("/rpc/tokenjuice_compress", dependencies=guard)
    async def tokenjuice_compress(body: models.CompressRequest) -> models.CompressAnswer:
        def work() -> models.CompressAnswer:
            result = juice.compress(body.text, **body.model_dump(exclude={"text"}))
            if show_content:
                before = redact(body.text).text if result.masked else body.text
                events.append({"time": datetime.now().timestamp(), "before": before, "after": result.text})
                del events[:-KEPT_EVENTS]
            return models.CompressAnswer(**result.to_json())

        return await limited(work)

    @app.post("/rpc/tokenjuice_retrieve", dependencies=guard)
    async def tokenjuice_retrieve(body: models.RetrieveRequest) -> models.RetrieveAnswer:
        return await limited(lambda: _retrieve(juice, body))

    @app.post("/rpc/tokenjuice_cache_stats", dependencies=guard)
    async def tokenjuice_cache_stats() -> dict[str, Any]:
        return await limited(lambda: juice.store.stats() if juice.store else {})

    @app.post("/rpc/tokenjuice_settings_get", dependencies=guard)
    async def tokenjuice_settings_get() -> models.SettingsAnswer:
        return models.SettingsAnswer(settings=asdict(juice.settings))

    @app.post("/rpc/tokenjuice_settings_update", dependencies=guard)
    async def tokenjuice_settings_update(body: models.SettingsUpdateRequest) -> models.SettingsAnswer:
        return await limited(lambda: models.SettingsAnswer(settings=asdict(juice.update(body.patch))))

    @app.post("/rpc/tokenjuice_savings_stats", dependencies=guard)
    async def tokenjuice_savings_stats(body: models.SavingsRequest) -> dict[str, Any]:
        return await limited(lambda: _savings(body))

    @app.post("/rpc/tokenjuice_savings_reset", dependencies=guard)
    async def tokenjuice_savings_reset() -> models.ResetAnswer:
        return await limited(lambda: models.ResetAnswer(ok=True, removed=savings.reset()))

    @app.get("/events", dependencies=guard)
    async def last_texts() -> dict[str, Any]:
        return {"show_content": show_content, "events": events[::-1]}

    @app.get("/", response_class=HTMLResponse)
    async def page() -> HTMLResponse:
        # The page holds no data; its script asks with the token from the fragment of its address.
        return HTMLResponse(
            PAGE.read_text("utf-8"),
            headers={
                "Content-Security-Policy": "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
                "Referrer-Policy": "no-referrer",
                "X-Frame-Options": "DENY",
            },
        )

    @app.middleware("http")
    async def no_store(request: Request, call_next: Callable[[Request], Awaitable[Any]]) -> Any:
        response = await call_next(request)
        response.headers["Cache-Control"] = "no-store"
        return response

    return app


def _retrieve(juice: TokenJuice, body: models.RetrieveRequest) -> models.RetrieveAnswer:
    store = juice.store
    if store is None:
        return models.RetrieveAnswer(found=False, error="the store of originals is switched off")
    if body.as_base64:
        data = juice.retrieve(body.token, lines=body.lines, bytes=body.bytes)
        if data is None:
            return models.RetrieveAnswer(found=False, error=back.missing(store, body.token))
        return models.RetrieveAnswer(found=True, base64=base64.b64encode(data).decode())
    seen = back.view(
        store,
        body.token,
        lines=body.lines,
        bytes_=body.bytes,
        around=body.around,
        context=body.context,
        grep=body.grep,
        numbers=body.numbers,
        page=0 if body.whole else back.PAGE_LINES,
    )
    if seen.text is None:
        return models.RetrieveAnswer(found=False, error=seen.error)
    if juice.settings.savings_enabled:
        savings.debit(parse(body.token) or "", estimate(seen.text))
    return models.RetrieveAnswer(
        found=True,
        text=seen.text,
        first_line=seen.first_line,
        last_line=seen.last_line,
        total_lines=seen.total_lines,
        total_bytes=seen.total_bytes,
        complete=seen.complete,
    )


def _savings(body: models.SavingsRequest) -> dict[str, Any]:
    since = datetime.now().timestamp() - body.days * savings.DAY_S if body.days else 0.0
    groups = ("day", "compressor", "model", "rule", "family")
    return {
        "prices_as_of": savings.prices()["as_of"],
        "total": savings.totals(since, body.host_limit),
        "by": {group: savings.by(group, since, body.host_limit) for group in groups},
        "recent": savings.recent(body.recent),
    }
