"""The HTTP side: scores, batches, health and metrics, behind a bearer token."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel

from sidecar.idle import Idle
from sidecar.runtime import OutOfTime, Scorer
from tokenjuice_ml import __version__

MAX_CHARS = 4_000_000
QUEUE = 16
"""Requests that may wait; more are told to come again."""


class Ask(BaseModel):
    """One text to score; `words` stands for a text of these words."""

    text: str | None = None
    words: list[str] | None = None
    query: str | None = None
    deadline_ms: int | None = None


class AskMany(BaseModel):
    """Several texts to score in one go."""

    texts: list[str]
    deadline_ms: int | None = None


class Meter:
    """Counts for `/metrics`."""

    def __init__(self) -> None:
        self.requests: dict[str, int] = {"ok": 0, "busy": 0, "late": 0, "error": 0}
        self.seconds = 0.0
        self.words = 0
        self.waiting = 0
        self.started = time.time()

    def page(self, scorer: Scorer) -> str:
        """Returns the metrics in Prometheus text form."""
        name = "tokenjuice_saliency"
        lines = [f"# TYPE {name}_requests_total counter"]
        lines += [f'{name}_requests_total{{outcome="{k}"}} {v}' for k, v in self.requests.items()]
        for kind, key, value in (
            ("counter", "inference_seconds_total", f"{self.seconds:.6f}"),
            ("counter", "words_total", self.words),
            ("gauge", "waiting", self.waiting),
            ("gauge", "start_time_seconds", f"{self.started:.3f}"),
            ("gauge", "resident_memory_bytes", resident_bytes()),
        ):
            lines += [f"# TYPE {name}_{key} {kind}", f"{name}_{key} {value}"]
        lines.append(f'{name}_model_info{{model="{scorer.name}",device="{scorer.device}"}} 1')
        return "\n".join(lines) + "\n"


def resident_bytes() -> int:
    """Returns the process's resident memory in bytes, 0 where it cannot be read."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


class Desk:
    """One inference at a time, a bounded queue before it."""

    def __init__(self, scorer: Scorer, idle: Idle, starts: Path | None = None) -> None:
        self.scorer, self.idle, self.meter, self.starts = scorer, idle, Meter(), starts
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="inference")

    async def score(self, texts: list[str], deadline_ms: int | None) -> tuple[list[list[list[float]]], float]:
        """Returns the scores of each text and the milliseconds they took.

        Raises:
            HTTPException: 413 too long, 503 busy or not in time, 500 the model failed.
        """
        if sum(map(len, texts)) > MAX_CHARS:
            raise HTTPException(413, f"more than {MAX_CHARS:,} characters")
        if self.meter.waiting >= QUEUE:
            self.meter.requests["busy"] += 1
            raise HTTPException(503, "busy: too many requests are waiting")
        deadline = time.monotonic() + deadline_ms / 1000 if deadline_ms else None
        self.meter.waiting += 1
        self.idle.busy += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._worker, self._run, texts, deadline)
        except OutOfTime as error:
            self.meter.requests["late"] += 1
            raise HTTPException(503, f"not in time: {error}") from error
        except Exception as error:
            self.meter.requests["error"] += 1
            raise HTTPException(500, f"model failed: {type(error).__name__}: {error}") from error
        finally:
            self.meter.waiting -= 1
            self.idle.busy -= 1
            self.idle.touch()

    def _run(self, texts: list[str], deadline: float | None) -> tuple[list[list[list[float]]], float]:
        begin = time.monotonic()
        if deadline is not None and begin > deadline:
            raise OutOfTime("it waited too long for its turn")
        out = [self.scorer.scores(text, deadline) for text in texts]
        seconds = time.monotonic() - begin
        self.meter.seconds += seconds
        self.meter.words += sum(len(one[0]) for one in out)
        self.meter.requests["ok"] += 1
        if self.starts is not None:
            with contextlib.suppress(OSError):
                self.starts.unlink(missing_ok=True)  # it works: the count of vain starts begins anew
            self.starts = None
        return out, round(seconds * 1000, 1)


def _json(answer: dict[str, Any]) -> Response:
    """Returns an answer as it is: to check thousands of numbers one by one would take longer than to write them."""
    body = json.dumps(answer, allow_nan=False, separators=(",", ":"))
    return Response(body, media_type="application/json")


def columns(scores: list[list[float]]) -> dict[str, list[float]]:
    """Returns the scores under their names."""
    return dict(zip(("scores", "core", "asked"), scores, strict=False))


def build(scorer: Scorer, token: str, idle: Idle, starts: Path | None = None) -> FastAPI:
    """Returns the application."""
    app = FastAPI(title="tokenjuice saliency sidecar", version=__version__, docs_url=None, redoc_url=None)
    desk = Desk(scorer, idle, starts)

    @app.middleware("http")
    async def guard(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), token.encode()):
            return JSONResponse({"detail": "wrong token"}, status_code=401)
        return await call(request)

    @app.post("/v1/saliency")
    async def saliency(ask: Ask) -> Response:
        text = ask.text if ask.text is not None else " ".join(ask.words or [])
        found, ms = await desk.score([text], ask.deadline_ms)
        return _json({**columns(found[0]), "model": scorer.name, "ms": ms})

    @app.post("/v1/saliency/batch")
    async def batch(ask: AskMany) -> Response:
        found, ms = await desk.score(ask.texts, ask.deadline_ms)
        return _json({"results": [columns(one) for one in found], "model": scorer.name, "ms": ms})

    @app.get("/healthz")
    async def healthz() -> dict[str, Any]:
        return {
            "ok": True,
            "version": __version__,
            "model": scorer.name,
            "device": scorer.device,
            "pid": os.getpid(),
            "waiting": desk.meter.waiting,
            "idle_left_s": round(idle.left, 1),
            "rss_bytes": resident_bytes(),
        }

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        network = scorer.network
        return {
            "data": [
                {"id": scorer.name, "device": scorer.device, "by": network.label, "window": network.window}
            ]
        }

    @app.get("/metrics")
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(desk.meter.page(scorer))

    return app
