"""The systems that are compared: ours, baselines and, when installed, peers.

A system gets a case and a ratio and gives a text. It may not see what is judged. Systems that take
no ratio say so: they have one point, not a curve.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from eval.baselines import BASELINES, WORD_SCORES
from eval.datasets import Case

HERE = Path(__file__).resolve().parent
RUNTIME = "TOKENJUICE_RUNTIME_DIR"
Run = Callable[[Case, float], str]
Scores = Callable[[Case], Sequence[Sequence[float]] | None]


@dataclass(frozen=True)
class System:
    """One way to compress.

    Attributes:
        name: as on the command line.
        run: case and ratio to text.
        takes_ratio: False where the ratio changes nothing.
        version: what was measured; answers of another version are not used again.
        many: answers all cases at once (a peer in a process of its own), with CPU ms each.
        recover: gives the original back from an answer, where the system promises that.
        scores: a score a word to be kept, and to be core, for systems that score words.
        cpu: CPU seconds used so far, other processes of the system included.
        cold: the command that answers one small case in a fresh process, and its standard input.
    """

    name: str
    run: Run
    takes_ratio: bool = True
    version: str = "own"
    many: Callable[[Sequence[Case]], list[tuple[str, float]]] | None = None
    recover: Callable[[str], bytes | None] | None = None
    scores: Scores | None = None
    cpu: Callable[[], float] = time.process_time
    cold: tuple[tuple[str, ...], str] | None = None


@lru_cache(maxsize=1)
def _juice() -> Any:
    from tokenjuice_ml import Settings, TokenJuice
    from tokenjuice_ml.ccr.store import open_store

    _own_sidecar()
    settings = Settings(savings_enabled=False, max_cache_entries=100_000, max_cache_bytes=1 << 30)
    return TokenJuice(settings, store=open_store(settings))


def _own_sidecar() -> None:
    """Gives this process a sidecar of its own, ended with it: nobody else's work is in its CPU time."""
    if RUNTIME in os.environ:
        return
    folder = tempfile.mkdtemp(prefix="tokenjuice-eval-")
    os.environ[RUNTIME] = f"{folder}/run"

    def end() -> None:
        from tokenjuice_ml.saliency import control

        control.stop(_juice().settings.merged(WITH_MODEL))
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)


def ours(options: dict[str, Any], drop: tuple[str, ...] = ()) -> Run:
    """Returns the product with settings; `drop` names hints it may not see."""

    def run(case: Case, ratio: float) -> str:
        hints = {key: value for key, value in case.hints.items() if key not in drop}
        mine = {**options, "ml_target_ratio": ratio} if options.get("ml_compression_enabled") else options
        text: str = _juice().compress(case.text, options=mine, **hints).text
        return text

    return run


def _recover(answer: str) -> bytes | None:
    from tokenjuice_ml import marker

    tokens = marker.tokens_in(answer)
    return _juice().retrieve(tokens[-1]) if tokens else None


WITH_MODEL = {"ml_compression_enabled": True, "ml_cold_start": "wait", "ml_timeout_ms": 60_000}
# The choice of words alone: short passages too, and no footer, which the ratio does not count.
SALIENCY = {**WITH_MODEL, "min_bytes_to_compress": 0, "ccr_enabled": False, "lossy_without_ccr": True}
NO_KINDS = {f"{kind}_enabled": False for kind in ("json", "diff", "log", "search", "code", "html")}
COMMAND = ("command", "argv", "tool")
ALL_HINTS = ("kind", "tool", "command", "argv", "mime", "extension")


def native(case: Case, ratio: float) -> str:
    """Our plain-text compressor without a model."""
    from tokenjuice_ml.saliency.native import shorten

    return shorten(case.text, ratio).text


def sidecar_pid(options: dict[str, Any]) -> int | None:
    """Returns the process that scores for these settings, if it runs."""
    from tokenjuice_ml.saliency import client, control

    try:
        info = client.read_info(control._files(_juice().settings.merged(options)))
    except OSError:
        return None
    return int(info["pid"]) if info and info.get("pid") else None


def _with_sidecar(options: dict[str, Any]) -> Callable[[], float]:
    """Returns a clock of CPU seconds, ours and the sidecar's together."""

    def cpu() -> float:
        return time.process_time() + cpu_of(sidecar_pid(options))

    return cpu


def cpu_of(pid: int | None) -> float:
    """Returns the CPU seconds of all threads of a process; 0 where the system does not tell."""
    folder = Path(f"/proc/{pid}/task")
    try:
        spent = [
            int((thread / "schedstat").read_text("ascii").split()[0])
            for thread in folder.iterdir()
        ]  # fmt: skip
    except (OSError, ValueError, IndexError):
        return 0.0
    return sum(spent) / 1e9


def _model_scores(model: str) -> Scores:
    def scores(case: Case) -> Sequence[Sequence[float]] | None:
        from tokenjuice_ml.saliency import local

        found: Sequence[Sequence[float]] = local.load(model).scores(case.text)
        return found

    return scores


def _saliency(name: str, model: str, version: str, **more: Any) -> System:
    options = {**SALIENCY, "ml_model_id": model, **more}
    return System(
        name,
        ours(options),
        True,
        version,
        scores=_model_scores(model),
        cpu=_with_sidecar(options),
        cold=cold_command(name),
    )


def cold_command(name: str) -> tuple[tuple[str, ...], str]:
    """Returns the command that runs one of our systems or a baseline in a fresh process."""
    return (sys.executable, "-m", "eval.cold", name), ""


def own_systems() -> dict[str, System]:
    """Returns ours: everything, single stages, and the saliency with each model that ships."""
    from eval.run import commit
    from tokenjuice_ml import __version__

    version = f"{__version__}+{commit()}"

    def made(name: str, options: dict[str, Any], drop: tuple[str, ...] = ()) -> System:
        return System(name, ours(options, drop), False, version, recover=_recover, cold=cold_command(name))

    systems = [
        made("tokenjuice-ml", {}),
        made("tokenjuice-ml-no-hints", {}, ALL_HINTS),
        made("rules-only", NO_KINDS),
        made("kinds-only", {}, COMMAND),
        System(
            "tokenjuice-ml-saliency",
            ours(WITH_MODEL),
            True,
            version,
            recover=_recover,
            cpu=_with_sidecar(WITH_MODEL),
            cold=cold_command("tokenjuice-ml-saliency"),
        ),
        _saliency("saliency", "bundled", version),
        _saliency("saliency-span", "bundled", version, ml_granularity="span"),
        System("native", native, True, version, cold=cold_command("native")),
    ]
    # The newest is the bundled one.
    older = sorted((HERE.parent / "models").glob("saliency-*"))[:-1]
    systems += [_saliency(folder.name, str(folder), version) for folder in older]
    return {system.name: system for system in systems}


def baselines() -> dict[str, System]:
    """Returns the systems that anybody could write."""
    return {
        name: System(
            name,
            run,
            name != "identity",
            "baseline",
            scores=WORD_SCORES.get(name),
            cold=cold_command(name),
        )
        for name, run in BASELINES.items()
    }


def available() -> dict[str, System]:
    """Returns every system that can run here, by name."""
    from eval.peer_systems import peer_systems

    return {**own_systems(), **baselines(), **peer_systems()}
