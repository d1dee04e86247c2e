"""Lets the process end when nobody asked for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Idle:
    """Knows when the last request was."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.busy = 0
        self._last = time.monotonic()

    def touch(self) -> None:
        """Notes that something was asked."""
        self._last = time.monotonic()

    @property
    def left(self) -> float:
        """Seconds until the process may end."""
        if self.busy:
            return self.seconds
        return self.seconds - (time.monotonic() - self._last)

    async def watch(self, stop: Callable[[], None]) -> None:
        """Calls `stop` once the idle time is over."""
        while self.left > 0:
            await asyncio.sleep(min(max(self.left, 0.05), 5.0))
        stop()
