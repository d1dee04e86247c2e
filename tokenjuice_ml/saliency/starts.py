"""The book of starts: which of them came to nothing, and when the next one may be made.

A start counts as vain until the sidecar has answered once, was stopped, or ended for want of work; then
the book is empty again. So a sidecar that is killed after it served is started at once, and one that dies
of whatever it is asked is not started for each call.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tokenjuice_ml.saliency.paths import Places

BACK_OFF = (0.0, 2.0, 10.0, 60.0, 300.0)
"""Seconds from the last start to the next one, by how many came to nothing in a row."""
PRESSING = 2.0
"""The most of them, in seconds, for one who would rather wait; only where the sidecar named no fault."""
YOUNG = 2.0
"""Seconds in which a process that was started may not have taken its lock yet."""
_FORGIVEN = 900.0
_AT_ONCE = "`tj sidecar warm` tries at once"


class Book(NamedTuple):
    """What is known of the starts.

    Attributes:
        vain: starts in a row that have not led to an answer yet.
        last: time of the last one, seconds since the epoch.
        pid: its process.
        died: that process was seen to go away.
    """

    vain: int = 0
    last: float = 0.0
    pid: int = 0
    died: bool = False

    @property
    def age(self) -> float:
        """Seconds since the last start; a clock that was put back forgives."""
        age = time.time() - self.last
        return age if age >= -1.0 else _FORGIVEN


def read(files: Places) -> Book:
    """Returns what the book says; an empty one when there is none or it cannot be read."""
    try:
        seen = json.loads(files.starts.read_text("utf-8"))
        book = Book(
            int(seen["attempts"]), float(seen["last"]), int(seen.get("pid", 0)), bool(seen.get("died"))
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Book()
    return book if book.age < _FORGIVEN else Book()


def begun(files: Places, vain: int, pid: int) -> None:
    """Notes a start.

    Raises:
        OSError: it cannot be written.
    """
    _write(files, Book(vain, time.time(), pid))


def ended(files: Places, pid: object) -> str:
    """Notes that the sidecar of this process went away while it was asked; returns what to say of it."""
    book = read(files)
    if not book.vain or book.pid != pid:  # it has served, or there is a newer one
        return "sidecar went away; it is started again on the next call"
    with suppress(OSError):
        _write(files, book._replace(died=True))
    return why(files)


def reset(files: Places) -> None:
    """Forgets what came to nothing: the next start is made at once."""
    for path in (files.starts, files.error, files.slow):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def is_fresh(files: Places, book: Book) -> bool:
    """Says whether a process was started so lately that it may still come."""
    return book.vain > 0 and book.age < YOUNG and not book.died and not files.error.exists()


def pause(files: Places, book: Book, pressing: bool = False) -> float:
    """Returns the seconds until the next start.

    Args:
        files: those of the sidecar.
        book: what is known of its starts.
        pressing: whoever asks would rather wait for the model than do without.
    """
    seconds = BACK_OFF[min(book.vain, len(BACK_OFF) - 1)]
    if pressing and not files.error.exists():
        seconds = min(seconds, PRESSING)
    return max(0.0, seconds - book.age) if book.vain else 0.0


def why(files: Places, pressing: bool = False) -> str:
    """Returns what the last starts came to and when the next is made, or an empty string."""
    book, error = read(files), last_error(files)
    if not error and not book.died and (not book.vain or book.age < YOUNG):
        return ""
    times = f"{book.vain} times in a row " if book.vain > 1 else ""
    what = error or f"sidecar ended {times}before its first answer"
    seconds = math.ceil(pause(files, book, pressing))
    again = f"in {seconds} s ({_AT_ONCE})" if seconds else "on the next call"
    return f"{what}; started again {again}"


def last_error(files: Places) -> str:
    """Returns what the sidecar said when it could not start, or an empty string."""
    try:
        return files.error.read_text("utf-8").strip()[:400]
    except OSError:
        return ""


@contextmanager
def alone(files: Places) -> Iterator[None]:
    """Lets one caller at a time decide on a start: of many that come at once one counts.

    Raises:
        OSError: the runtime folder cannot be written.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(Path(f"{files.starts}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(files: Places, book: Book) -> None:
    draft = Path(f"{files.starts}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"attempts": book.vain, "last": book.last, "pid": book.pid, "died": book.died}, file)
    draft.replace(files.starts)
