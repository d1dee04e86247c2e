"""The systems that are compared: ours, baselines and, when installed, peers.

A system gets a case and a ratio and gives a text. It may not see what is judged. Systems that take
no ratio say so: they have one point, not a curve.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from eval.baselines import BASELINES
from eval.datasets import Case

HERE = Path(__file__).resolve().parent
PEERS_VARIABLE = "TOKENJUICE_PEERS"
Run = Callable[[Case, float], str]


@dataclass(frozen=True)
class System:
    """One way to compress.

    Attributes:
        name: as on the command line.
        run: case and ratio to text.
        takes_ratio: False where the ratio changes nothing.
        version: what was measured.
        many: answers all cases at once (a peer in a process of its own), with CPU ms each.
        recover: gives the original back from an answer, where the system promises that.
    """

    name: str
    run: Run
    takes_ratio: bool = True
    version: str = "own"
    many: Callable[[Sequence[Case]], list[tuple[str, float]]] | None = None
    recover: Callable[[str], bytes | None] | None = None


@lru_cache(maxsize=1)
def _juice() -> Any:
    from tokenjuice_ml import Settings, TokenJuice
    from tokenjuice_ml.ccr.store import open_store

    settings = Settings(savings_enabled=False, max_cache_entries=100_000, max_cache_bytes=1 << 30)
    return TokenJuice(settings, store=open_store(settings))


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


SALIENCY = {
    "ml_compression_enabled": True,
    "ml_cold_start": "wait",
    "ml_timeout_ms": 60_000,
    "min_bytes_to_compress": 0,
    "ccr_min_tokens": 0,
    "lossy_without_ccr": True,
}


def native(case: Case, ratio: float) -> str:
    """Our plain-text compressor without a model."""
    from tokenjuice_ml.saliency.native import shorten

    return shorten(case.text, ratio).text


def _own_systems() -> dict[str, System]:
    from tokenjuice_ml import __version__

    def made(name: str, run: Run, takes_ratio: bool = True) -> System:
        return System(name, run, takes_ratio, __version__, recover=_recover)

    return {
        "tokenjuice-ml": made("tokenjuice-ml", ours({}), False),
        "tokenjuice-ml-no-hints": made(
            "tokenjuice-ml-no-hints", ours({}, ("kind", "tool", "command", "mime", "extension")), False
        ),
        "saliency": made("saliency", ours(SALIENCY)),
        "saliency-span": made("saliency-span", ours({**SALIENCY, "ml_granularity": "span"})),
        "native": System("native", native, True, __version__),
    }


def peers_folder() -> Path | None:
    """Returns the folder that `eval/peers/setup.sh` made, or None."""
    folder = Path(os.environ.get(PEERS_VARIABLE) or HERE.parent / ".peers")
    return folder.resolve() if folder.is_dir() else None


def _peer_systems() -> dict[str, System]:
    folder = peers_folder()
    if folder is None:
        return {}
    python = str(folder / "venv" / "bin" / "python")
    commands = {
        "npm-tokenjuice": [
            str(folder / "node_modules/.bin/node"),
            str(HERE / "peers/tokenjuice_node.mjs"),
            str(folder),
        ],
        "tokenjuice-py": [python, str(HERE / "peers/tokenjuice_py.py")],
        "headroom": [python, str(HERE / "peers/headroom_peer.py")],
        "llmlingua": [python, str(HERE / "peers/llmlingua_peer.py")],
    }
    found = {}
    for name, command in commands.items():
        version = _version(name, folder)
        if version:
            found[name] = System(name, _never, False, version, _many(command))
    return found


def _version(name: str, folder: Path) -> str:
    if name == "npm-tokenjuice":
        path = folder / "node_modules/tokenjuice/package.json"
        return str(json.loads(path.read_text("utf-8"))["version"]) if path.is_file() else ""
    package = {"tokenjuice-py": "tokenjuice-py", "headroom": "headroom-ai", "llmlingua": "llmlingua"}[name]
    code = f"from importlib.metadata import version; print(version({package!r}))"
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        return ""
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _never(case: Case, ratio: float) -> str:
    raise RuntimeError("a peer answers all cases at once")


def _many(command: list[str]) -> Callable[[Sequence[Case]], list[tuple[str, float]]]:
    def run(cases: Sequence[Case]) -> list[tuple[str, float]]:
        request = [
            {
                "text": case.text,
                "command": case.hints.get("command", ""),
                "exit_code": case.hints.get("exit_code", 0),
                "rounds": 1,
            }
            for case in cases
        ]
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                command,
                input=json.dumps(request),
                capture_output=True,
                text=True,
                timeout=3600,
                check=False,
                env={**os.environ, "HOME": home, "HF_HUB_OFFLINE": "1"},
            )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().split("\n")[-1][:300] or f"exit code {done.returncode}")
        return [(item["text"], item["ms"]) for item in json.loads(done.stdout)]

    return run


def available() -> dict[str, System]:
    """Returns every system that can run here, by name."""
    baselines = {
        name: System(name, run, name != "identity", "baseline", recover=None)
        for name, run in BASELINES.items()
    }
    return {**_own_systems(), **baselines, **_peer_systems()}
