"""Runs a child as if we were not there: its stdin, signals and exit status are its own."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

# After the child ended, a grandchild may hold the pipe open for ever; wait this long for silence.
QUIET_AFTER_END_S = 0.3
KILL_AFTER_S = 3.0
PIECE = 1 << 16
TIMED_OUT = 124  # what timeout(1) says
NOT_FOUND, NOT_EXECUTABLE = 127, 126  # what shells say
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended.

    Attributes:
        exit_code: its exit status, 128+n after signal n, 124 after our time limit.
        signal: the signal that ended it, or 0.
        timed_out: our time limit ended it.
        note: one line about an unusual end, or "".
    """

    exit_code: int
    signal: int = 0
    timed_out: bool = False
    note: str = ""


def run(argv: list[str], sink: Callable[[bytes], None], timeout: float | None = None) -> Ended:
    """Runs `argv`, feeding stdout and stderr in order of arrival to `sink`.

    Args:
        argv: the command; no shell.
        sink: receives the bytes as they come.
        timeout: seconds after which the child and its children are ended; None means never.
    """
    read_end, write_end = os.pipe()
    try:
        child = subprocess.Popen(argv, stdout=write_end, stderr=write_end)
    except OSError as error:
        os.close(read_end)
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
        return Ended(code, note=f"{argv[0]}: {error.strerror}")
    finally:
        os.close(write_end)
    restore = _forward_signals(child)
    watch = _Watch(child, timeout)
    try:
        _pump(read_end, child, sink)
    finally:
        os.close(read_end)
        watch.stop()
        restore()
    return _ended(child.wait(), watch)


class _Watch:
    """Ends the child when its time is over."""

    def __init__(self, child: subprocess.Popen[bytes], timeout: float | None) -> None:
        self.fired = False
        self.timeout = timeout
        self._child = child
        self._timer = threading.Timer(timeout, self._end) if timeout else None
        if self._timer:
            self._timer.daemon = True
            self._timer.start()

    def _end(self) -> None:
        self.fired = True
        family = descendants(self._child.pid)
        _signal_all([self._child.pid, *family], signal.SIGTERM)
        deadline = monotonic() + KILL_AFTER_S
        while monotonic() < deadline and self._child.poll() is None:
            threading.Event().wait(0.05)
        _signal_all([self._child.pid, *family], signal.SIGKILL)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            if self.fired:
                self._timer.join(KILL_AFTER_S + 1)


def _ended(status: int, watch: _Watch) -> Ended:
    if watch.fired:
        return Ended(TIMED_OUT, timed_out=True, note=f"ended after the time limit of {watch.timeout:g} s")
    if status < 0:
        name = signal.Signals(-status).name if -status in signal.valid_signals() else str(-status)
        return Ended(128 - status, signal=-status, note=f"ended by {name}")
    return Ended(status)


def _pump(read_end: int, child: subprocess.Popen[bytes], sink: Callable[[bytes], None]) -> None:
    """Reads until the pipe closes, or until it is silent after the child's end."""
    with selectors.DefaultSelector() as selector:
        selector.register(read_end, selectors.EVENT_READ)
        while True:
            if not selector.select(QUIET_AFTER_END_S):
                if child.poll() is not None:
                    return
                continue
            data = os.read(read_end, PIECE)
            if not data:
                return
            sink(data)


def _forward_signals(child: subprocess.Popen[bytes]) -> Callable[[], None]:
    """Passes signals on to the child; returns what puts the old handlers back.

    A Ctrl-C at the terminal reaches the whole foreground group, the child included, so it is
    only passed on where no terminal did that.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    shared = _in_foreground()

    def pass_on(number: int, _frame: object) -> None:
        if number == signal.SIGINT and shared:
            return
        with suppress(ProcessLookupError, OSError):
            child.send_signal(number)

    numbers = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)] + [signal.SIGINT]
    old = {number: signal.signal(number, pass_on) for number in numbers}

    def restore() -> None:
        for number, handler in old.items():
            signal.signal(number, handler)

    return restore


def _in_foreground() -> bool:
    for stream in (sys.stdin, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            if os.tcgetpgrp(stream.fileno()) == os.getpgrp():
                return True
    return False


def descendants(pid: int) -> list[int]:
    """Returns the process ids below `pid`, where the system has /proc; else none."""
    parents: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for name in names:
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            parents.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found.extend(below)
        waiting.extend(below)
    return found


def _signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
