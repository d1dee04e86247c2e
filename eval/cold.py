"""What a system costs the first time: one small case in a fresh process.

`python -m eval.cold NAME` is that process for ours and the baselines; `measure` starts it, or a
peer's command, and reads CPU, wall time and peak memory of the process from the system.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from eval.datasets import Case
from eval.systems import SALIENCY, System, baselines, cpu_of, own_systems, sidecar_pid

ROOT = Path(__file__).resolve().parent.parent
CASE = Case("cold", "A sentence about the first start of a thing. Nothing was written to /var/log.\n" * 40)


def measure(system: System) -> dict[str, int] | None:
    """Returns `cpu_ms`, `wall_ms` and `rss_mb` of the first answer; None where it cannot be told."""
    if system.cold is None or os.name != "posix":
        return None
    command, given = system.cold
    with tempfile.TemporaryDirectory() as home:
        from eval.peer_systems import environment

        env = {**environment(home), "PYTHONPATH": str(ROOT), "TOKENJUICE_RUNTIME_DIR": f"{home}/run"}
        done = subprocess.run(
            (sys.executable, "-I", "-S", str(ROOT / "eval" / "launch.py"), *command),
            input=given,
            capture_output=True,
            text=True,
            env=env,
            timeout=600,
            check=False,
        )
    if done.returncode:
        return None
    counted, more = json.loads(done.stderr.strip().split("\n")[-1]), _other(done.stdout)
    return {name: round(value + more.get(name, 0.0)) for name, value in counted.items()}


def _other(said: str) -> dict[str, float]:
    """Returns what our child said of the sidecar; nothing for a peer, whose answers are a list."""
    try:
        told = json.loads(said.strip().split("\n")[-1])
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {}


def _child(name: str) -> dict[str, Any]:
    system = {**own_systems(), **baselines()}[name]
    system.run(CASE, 0.5)
    if "saliency" not in name:
        return {}
    from tokenjuice_ml import Settings
    from tokenjuice_ml.saliency import control

    pid = sidecar_pid(SALIENCY)
    told = {"cpu_ms": 1000 * cpu_of(pid), "rss_mb": _peak_mb(pid)}
    control.stop(Settings().merged(SALIENCY))
    return told


def _peak_mb(pid: int | None) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").split("\n")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


if __name__ == "__main__":
    print(json.dumps(_child(sys.argv[1])))
