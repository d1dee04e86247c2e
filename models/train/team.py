"""Data-parallel training over a few single-thread processes.

On a machine that is busy with other work, one process with two threads waits for the slower
thread after every operation; two processes with one thread each wait once a step.
Start with ``python -m torch.distributed.run --nproc-per-node N -m models.train.<stage> --threads 1``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor


class Team:
    """This process among its peers; a team of one needs no set-up and costs nothing."""

    def __init__(self) -> None:
        self.rank = int(os.environ.get("RANK", "0"))
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        if self.size > 1 and not dist.is_initialized():
            dist.init_process_group("gloo")
        self._slots: list[Tensor] = []
        self._turn = 0

    @property
    def leads(self) -> bool:
        """Whether this process logs, measures and saves."""
        return self.rank == 0

    def average(self, parameters: Sequence[Tensor], progress: float) -> float:
        """Averages gradients in place, and a number with them, so that all peers take equal steps."""
        if self.size == 1:
            return progress
        grads = [p.grad for p in parameters if p.grad is not None]
        slots = self._shared(sum(g.numel() for g in grads) + 1)
        mine, at = slots[self.rank], 0
        for g in grads:
            mine[at : at + g.numel()].copy_(g.reshape(-1))
            at += g.numel()
        mine[at] = progress
        dist.barrier()
        at = 0
        for g in grads:
            torch.mean(slots[:, at : at + g.numel()], 0, out=g.view(-1))
            at += g.numel()
        return float(slots[:, at].mean())

    def _shared(self, width: int) -> Tensor:
        """Returns memory that all peers see, ``(peers, width)``: a socket would take longer than the step itself.

        Two pieces take turns: who writes into one has seen all peers leave it, because they met at the other since.
        """
        if not self._slots:
            name = f"tokenjuice-train-{os.environ['MASTER_PORT']}"
            folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
            path = folder / name
            whole = torch.from_file(str(path), shared=True, size=2 * self.size * width, dtype=torch.float32)
            self._slots = list(whole.view(2, self.size, width))
            dist.barrier()
            path.unlink(missing_ok=True)
        self._turn ^= 1
        return self._slots[self._turn]

    def wait(self) -> None:
        """Waits until every peer is here."""
        if self.size > 1:
            dist.barrier()
