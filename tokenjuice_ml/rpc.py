"""The RPC server: eight methods under ``/rpc/``, and a page of the savings at ``/``.

Loopback or a Unix socket, a bearer token from a private file, live settings. Needs ``[serve]``.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from hmac import compare_digest
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse
from starlette.middleware.trustedhost import TrustedHostMiddleware

import tokenjuice_ml
from tokenjuice_ml import command, detect, savings
from tokenjuice_ml import rpc_models as models
from tokenjuice_ml.api import TokenJuice, tool_output
from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.ccr.store import state_folder
from tokenjuice_ml.ccr.token import check_owner, keep_secret
from tokenjuice_ml.errors import RequestError, StoreError, TokenJuiceError
from tokenjuice_ml.redact import redact
from tokenjuice_ml.rpc_body import TIME_LIMIT_S, BodyLimit

T = TypeVar("T")

PAGE = Path(__file__).resolve().parent / "_web" / "index.html"
TOKEN_FILE = "rpc-token"
LEAST_TOKEN = 20
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
KEPT_EVENTS = 50
METHODS = (
    "detect", "compress", "retrieve", "cache_stats", "settings_get", "settings_update", "savings_stats",
    "savings_reset",
)  # fmt: skip
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


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
    app = FastAPI(title="TokenJuice", version=tokenjuice_ml.__version__, docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts, "testserver"] if token else list(hosts))
    app.add_middleware(BodyLimit, limit_s=time_limit_s)
    app.middleware("http")(_no_store)
    methods = Methods(juice, show_content, time_limit_s)
    guard = [Depends(_guard(wanted))]
    for name in METHODS:
        app.post(f"/rpc/tokenjuice_{name}", dependencies=guard)(getattr(methods, name))
    app.get("/events", dependencies=guard)(methods.last_texts)
    app.get("/", response_class=HTMLResponse)(_page)
    return app


class Methods:
    """What the server answers, one method each; all work is done off the event loop and in time."""

    def __init__(self, juice: TokenJuice, show_content: bool, time_limit_s: float) -> None:
        self._juice, self._show_content, self._time_limit_s = juice, show_content, time_limit_s
        self._events: deque[dict[str, Any]] = deque(maxlen=KEPT_EVENTS)

    async def detect(self, body: models.DetectRequest) -> models.DetectAnswer:
        """What kind of output a text is, and why."""
        return await self._limited(lambda: _detect(body))

    async def compress(self, body: models.CompressRequest) -> models.CompressAnswer:
        """Cuts a text; the same as `TokenJuice.compress`."""
        return await self._limited(lambda: self._compress(body))

    async def retrieve(self, body: models.RetrieveRequest) -> models.RetrieveAnswer:
        """The original behind a token, or a part of it."""
        return await self._limited(lambda: _retrieve(self._juice, body))

    async def cache_stats(self) -> dict[str, Any]:
        """How many originals are kept, and how large they are."""
        return await self._limited(lambda: self._juice.store.stats() if self._juice.store else {})

    async def settings_get(self) -> models.SettingsAnswer:
        """The settings in force."""
        return models.SettingsAnswer(settings=asdict(self._juice.settings))

    async def settings_update(self, body: models.SettingsUpdateRequest) -> models.SettingsAnswer:
        """Changes settings of this server while it runs."""
        return await self._limited(
            lambda: models.SettingsAnswer(settings=asdict(self._juice.update(body.patch)))
        )

    async def savings_stats(self, body: models.SavingsRequest) -> dict[str, Any]:
        """What was saved, in tokens and money."""
        return await self._limited(lambda: _savings(body))

    async def savings_reset(self) -> models.ResetAnswer:
        """Empties the ledger of savings."""
        return await self._limited(lambda: models.ResetAnswer(ok=True, removed=savings.reset()))

    async def last_texts(self) -> dict[str, Any]:
        """The texts of the last calls, newest first, where the user asked for them to be kept."""
        return {"show_content": self._show_content, "events": list(self._events)[::-1]}

    def _compress(self, body: models.CompressRequest) -> models.CompressAnswer:
        result = self._juice.compress(body.text, **body.model_dump(exclude={"text"}))
        if self._show_content:
            before = redact(body.text).text if result.masked else body.text
            self._events.append({"time": datetime.now().timestamp(), "before": before, "after": result.text})
        return models.CompressAnswer(**result.to_json())

    async def _limited(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.wait_for(asyncio.to_thread(work), self._time_limit_s)
        except TimeoutError:
            raise HTTPException(504, f"no answer within {self._time_limit_s:g} s") from None
        except TokenJuiceError as error:
            raise HTTPException(422, str(error)) from None


def _guard(wanted: str) -> Callable[[Request], None]:
    def authorised(request: Request) -> None:
        given = request.headers.get("authorization", "")
        if not compare_digest(given.encode(), f"Bearer {wanted}".encode()):
            raise HTTPException(401, "bearer token missing or wrong; it is in " + TOKEN_FILE)

    return authorised


async def _page() -> HTMLResponse:
    # The page holds no data; its script asks with the token from the fragment of its address.
    return HTMLResponse(PAGE.read_text("utf-8"), headers=PAGE_HEADERS)


async def _no_store(request: Request, call_next: Callable[[Request], Awaitable[Any]]) -> Any:
    response = await call_next(request)
    response.headers["Cache-Control"] = "no-store"
    return response


def _detect(body: models.DetectRequest) -> models.DetectAnswer:
    output = tool_output(body.text, body.model_dump(exclude={"text"}))
    found = detect.detect(output, command.identify(output.command, output.argv))
    return models.DetectAnswer(
        kind=found.kind.value, by=found.by, evidence=found.evidence, format=found.format
    )


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
        savings.debit_part(body.token, seen.text)
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
