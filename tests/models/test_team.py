"""Processes that train together take the mean of their gradients, and equal steps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

PEER = """
import torch
from models.train.team import Team
team = Team()
parts = [torch.nn.Parameter(torch.zeros(3, 5)), torch.nn.Parameter(torch.zeros(7))]
idle = torch.nn.Parameter(torch.zeros(2))
for step in range(5):
    for part in parts:
        part.grad = torch.full_like(part, 2.0 * team.rank + step)
    progress = team.average([*parts, idle], float(team.rank))
    assert progress == 0.5
    assert all(torch.equal(part.grad, torch.full_like(part, 1.0 + step)) for part in parts)
    assert idle.grad is None
team.wait()
"""


def test_two_processes_share_their_gradients(tmp_path: Path) -> None:
    script = tmp_path / "peer.py"
    script.write_text(PEER, "utf8")
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        str(script),
    ]
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        command, cwd=root, env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_one_process_alone_leaves_its_gradients() -> None:
    import torch

    from models.train.team import Team

    part = torch.nn.Parameter(torch.zeros(3))
    part.grad = torch.ones(3)
    assert Team().average([part], 0.25) == 0.25
    assert torch.equal(part.grad, torch.ones(3))
