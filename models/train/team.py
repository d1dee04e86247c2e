"""Data-parallel training over a few single-thread processes.

On a machine that is busy with other work, one process with two threads waits for the slower
thread after every operation; two processes with one thread each wait once a step.
Start with ``python -m torch.distributed.run --nproc-per-node N -m models.train.<stage> --threads 1``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

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

    @property
    def leads(self) -> bool:
        """Whether this process logs, measures and saves."""
        return self.rank == 0

    def average(self, parameters: Sequence[Tensor], progress: float) -> float:
        """Averages gradients in place, and a number with them, so that all peers take equal steps."""
        if self.size == 1:
            return progress
        grads = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([*(g.reshape(-1) for g in grads), torch.tensor([progress])])
        dist.all_reduce(flat)
        flat /= self.size
        at = 0
        for g in grads:
            g.copy_(flat[at : at + g.numel()].view_as(g))
            at += g.numel()
        return float(flat[-1])

    def wait(self) -> None:
        """Waits until every peer is here."""
        if self.size > 1:
            dist.barrier()
