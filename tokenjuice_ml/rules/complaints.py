"""Lines with which a program complains, told apart from listings that merely hold such words.

A list of files, commits or processes may name an `error_handler.py`; a complaint starts like one
(`fatal: …`, `ls: …: Permission denied`, `java.lang.IllegalStateException: …`) or is unmistakable.
Rules with `signals: false`, tables and search results look for these alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from tokenjuice_ml.compressors.needles import Needles
from tokenjuice_ml.rules.view import LineView

# What stands before the complaint: the program, the file, the place in it.
_PLACE = r"(?:[\w./@+~-]{1,80}+(?::\d+){0,2}: ){0,2}"
# How complaints start, each with the words (in lower case) one of which such a line holds: most lines
# need but one of the patterns, and to compile them all costs a start 2 ms.
_STARTS = (
    (("fatal", "panic"), rf"{_PLACE}(?:fatal|FATAL|Fatal|panic|PANIC)(?: error)?(?:\[\w+\])?: "),
    (
        ("error", "critical", "severe"),
        rf"{_PLACE}(?:error|ERROR|Error|CRITICAL|SEVERE)(?:\[\w+\]| \w{{1,12}})?: ",
    ),
    (("warn",), rf"{_PLACE}(?:warning|WARNING|Warning|WARN)(?:\[\w+\])?: "),
    (
        ("fehler", "erreur", "errore", "ошибка", "Ошибка", "ОШИБКА", "错误", "エラー"),
        rf"{_PLACE}(?:Fehler|FEHLER|Erreur|ERREUR|Errore|ERRORE|ОШИБКА|Ошибка|错误|エラー)(?: \w{{1,12}})?\s?: ",
    ),
    (("error", "fatal", "critical", "warn"), r"\[?(?:ERROR|FATAL|CRITICAL|WARN|WARNING)\]?:? "),
    (("e: ", "w: "), r"[EW]: "),
    (
        ("not found",),
        r"(?:/\w{1,20}){0,3}/?\w{0,4}sh: (?:line )?\d{1,6}: .{1,80}: (?:command )?not found",
    ),
    (("npm err",), r"npm (?:ERR!|error) "),
    (
        ("exception in ", "caused by: ", "unhandled ", "uncaught ", "traceback (", "panicked"),
        r"(?:Exception in |Caused by: |Unhandled |Uncaught |Traceback \(|thread '.{1,80}' panicked)",
    ),
    (
        ("segmentation fault", "bus error", "aborted", "illegal instruction", "killed"),
        r"(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Killed)\b",
    ),
    (("assert",), r"[Aa]ssert(?:ion)?\b.{0,80} failed"),
    (
        ("econnre", "etimedout", "enoent", "eacces"),
        r"(?:\S{1,60}: )?(?:connect )?(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOENT|EACCES)\b",
    ),
    (
        ("out of memory", "cannot connect to ", "could not "),
        r"(?:Out of memory|Cannot connect to |Could not (?:resolve|connect|find|open) )",
    ),
)
_ERRNO = (
    "Permission denied",
    "No such file or directory",
    "Operation not permitted",
    "Not a directory",
    "Input/output error",
    "Cannot allocate memory",
    "No space left on device",
    "ommand not found",
    "Is a directory",
    "Too many open files",
    "Connection refused",
    "Connection reset by peer",
    "Device or resource busy",
    "Read-only file system",
    "Stale file handle",
    "No route to host",
    "Name or service not known",
    "Broken pipe",
)
# More lines are asked with all starts in one pattern, which takes 2 ms to compile.
_FEW = 40
_ERRNO_START = tuple(f"{text}: " for text in _ERRNO)
_ANYWHERE = ("(core dumped)", "undefined reference to ")
_THROWN = re.compile(r"[\w.$]{0,120}(?:Error|Exception): ", re.ASCII)
# These count at the start of a line only.
_FIRST = (
    *(
        "e: ",
        "w: ",
        "exception in ",
        "caused by: ",
        "unhandled ",
        "uncaught ",
        "traceback (",
        "aborted",
        "killed",
    ),
    *(
        "segmentation fault",
        "illegal instruction",
        "assert",
        "out of memory",
        "cannot connect to ",
        "could not ",
    ),
)


def complaint_words() -> Iterator[str]:
    """Yields what complaints hold, one of them each; a line break before what a line starts with."""
    for words, _ in _STARTS:
        yield from (f"\n{word}" if word in _FIRST else word for word in words)
    yield from ("exception: ", *_ANYWHERE, *map(str.lower, _ERRNO))


@lru_cache(maxsize=32)
def _start(source: str) -> Callable[[str], Any]:
    return re.compile(source, re.ASCII).match


@lru_cache(maxsize=1)
def starts_of_complaints() -> Needles:
    """Returns the words of `complaint_words`, to look for."""
    return Needles(tuple(dict.fromkeys(complaint_words())))


def complaints(view: LineView) -> Sequence[int]:
    """Returns the 0-based numbers of the lines that are complaints, in order."""
    base = view.base
    found = base.with_any(starts_of_complaints())
    starts = _starts_at_once if len(found) > _FEW else _starts_in_parts
    # Whatever the numbers in a line, it is a complaint or is none.
    return view.lines_of([at for at in found if _is_complaint(base.matched[at], starts)])


def is_complaint(line: str) -> bool:
    """Returns True when `line` is a complaint.

    >>> is_complaint("ls: cannot open directory '/root': Permission denied"), is_complaint("src/error_handler.py")
    (True, False)
    """
    return _is_complaint(line, _starts_in_parts)


def _starts_in_parts(line: str) -> bool:
    low = line.lower()
    return any(
        any(map(low.__contains__, words)) and _start(source)(line) is not None for words, source in _STARTS
    )


def _starts_at_once(line: str) -> bool:
    return _start("|".join(source for _, source in _STARTS))(line) is not None


def _is_complaint(line: str, starts: Callable[[str], bool]) -> bool:
    line = line[:2000]
    if starts(line) or line.startswith(_ERRNO_START) or any(needle in line for needle in _ANYWHERE):
        return True
    if _THROWN.match(line):
        return True
    # `prog: …: Permission denied`, and no `abc123 Fix: Permission denied`: the program's name has no space.
    return line.endswith(_ERRNO) and (": " not in line or " " not in line.split(": ", 1)[0])
