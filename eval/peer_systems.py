"""Other people's tools, each in a process of its own, from the folder that `eval/peers/setup.sh` made."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from eval.datasets import Case
from eval.systems import HERE, System

PEERS_VARIABLE = "TOKENJUICE_PEERS"
BATCH = 64
PACKAGES = {"tokenjuice-py": "tokenjuice-py", "headroom": "headroom-ai", "llmlingua": "llmlingua"}
SCRIPTS = {
    "tokenjuice-py": "tokenjuice_py.py",
    "headroom": "headroom_peer.py",
    "llmlingua": "llmlingua_peer.py",
}
COLD_CASE = [{"text": "the first line\nError: no such file\n" * 60, "command": "make", "exit_code": 2}]


def peers_folder() -> Path | None:
    """Returns the folder with the peers, or None."""
    folder = Path(os.environ.get(PEERS_VARIABLE) or HERE.parent / ".peers")
    return folder.resolve() if folder.is_dir() else None


def peer_systems() -> dict[str, System]:
    """Returns the peers that are installed."""
    folder = peers_folder()
    if folder is None:
        return {}
    found = {}
    for name in ("npm-tokenjuice", *PACKAGES):
        version = _version(name, folder)
        if version and not why_not(name):
            command = _command(name, folder)
            cold = (tuple(command), json.dumps(COLD_CASE))
            found[name] = System(name, _never, False, version, many(command), cold=cold)
    return found


def missing() -> dict[str, str]:
    """Returns the peers that cannot run here, each with why."""
    folder = peers_folder()
    if folder is None:
        where = f"set {PEERS_VARIABLE} to the folder that eval/peers/setup.sh made"
        return dict.fromkeys(("npm-tokenjuice", *PACKAGES), where)
    gone = {}
    for name in ("npm-tokenjuice", *PACKAGES):
        why = "not installed" if not _version(name, folder) else why_not(name)
        if why:
            gone[name] = why
    return gone


def why_not(name: str) -> str:
    """Returns what an installed peer lacks; empty when it can run."""
    if name == "llmlingua" and not Path(os.environ.get("LLMLINGUA_MODEL", "/nowhere")).is_dir():
        return "needs weights: LLMLINGUA_MODEL names a folder with a local LLMLingua-2 model"
    return ""


def _command(name: str, folder: Path) -> list[str]:
    if name == "npm-tokenjuice":
        node = str(folder / "node_modules/.bin/node")
        return [node, str(HERE / "peers/tokenjuice_node.mjs"), str(folder)]
    return [str(folder / "venv" / "bin" / "python"), str(HERE / "peers" / SCRIPTS[name])]


def _version(name: str, folder: Path) -> str:
    if name == "npm-tokenjuice":
        path = folder / "node_modules/tokenjuice/package.json"
        return str(json.loads(path.read_text("utf-8"))["version"]) if path.is_file() else ""
    code = f"from importlib.metadata import version; print(version({PACKAGES[name]!r}))"
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        return ""
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _never(case: Case, ratio: float) -> str:
    raise RuntimeError("a peer answers all cases at once")


def environment(home: str) -> dict[str, str]:
    """Returns the environment of a peer: a home of its own, hubs and telemetry off."""
    off = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HEADROOM_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    return {**os.environ, "HOME": home, "HEADROOM_TELEMETRY": "off", **off}


def many(command: list[str]) -> Callable[[Sequence[Case]], list[tuple[str, float]]]:
    """Returns what answers cases by a command that reads them as JSON and writes texts with CPU ms."""

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
                env=environment(home),
            )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().split("\n")[-1][:300] or f"exit code {done.returncode}")
        # A peer may print before its answer: that is the last line.
        return [(item["text"], item["ms"]) for item in json.loads(done.stdout.strip().split("\n")[-1])]

    return run
