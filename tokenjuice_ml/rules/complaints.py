"""Lines with which a program complains, told apart from listings that merely hold such words.

A list of files, commits or processes may name an `error_handler.py`; a complaint starts like one
(`fatal: …`, `ls: …: Permission denied`, `java.lang.IllegalStateException: …`) or is unmistakable.
Rules with `signals: false`, tables and search results look for these alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

from tokenjuice_ml.rules.patterns import candidate_lines
from tokenjuice_ml.rules.view import LineView

# What stands before the complaint: the program, the file, the place in it.
_PLACE = r"(?:[\w./@+~-]{1,80}+(?::\d+){0,2}: ){0,2}"
_AFTER_PLACE = (
    r"(?:fatal|FATAL|Fatal|panic|PANIC)(?: error)?(?:\[\w+\])?: ",
    r"(?:error|ERROR|Error|CRITICAL|SEVERE)(?:\[\w+\]| \w{1,12})?: ",
    r"(?:warning|WARNING|Warning|WARN)(?:\[\w+\])?: ",
    r"(?:Fehler|FEHLER|Erreur|ERREUR|Errore|ERRORE|ОШИБКА|Ошибка|错误|エラー)(?: \w{1,12})?\s?: ",
)
_AT_START = (
    r"\[?(?:ERROR|FATAL|CRITICAL|WARN|WARNING)\]?:? ",
    r"[EW]: ",
    r"(?:/\w{1,20}){0,3}/?\w{0,4}sh: (?:line )?\d{1,6}: .{1,80}: (?:command )?not found",
    r"npm (?:ERR!|error) ",
    r"(?:Exception in |Caused by: |Unhandled |Uncaught |Traceback \(|thread '.{1,80}' panicked)",
    r"(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Killed)\b",
    r"[Aa]ssert(?:ion)?\b.{0,80} failed",
    r"(?:\S{1,60}: )?(?:connect )?(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOENT|EACCES)\b",
    r"(?:Out of memory|Cannot connect to |Could not (?:resolve|connect|find|open) )",
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
_ANYWHERE = ("(core dumped)", "undefined reference to ")
_THROWN = re.compile(r"[\w.$]{0,120}(?:Error|Exception): ", re.ASCII)
_NEEDLES = (*_ANYWHERE, "Error: ", "Exception: ")


@lru_cache(maxsize=1)
def _start() -> re.Pattern[str]:
    starts = "|".join(
        (f"{_PLACE}(?:{'|'.join(_AFTER_PLACE)})", *_AT_START, *(f"{text}: " for text in _ERRNO))
    )
    return re.compile(starts, re.ASCII)


@lru_cache(maxsize=1)
def _starts() -> re.Pattern[str]:
    """The line ends before such starts."""
    return re.compile(rf"\n(?={_start().pattern})", re.ASCII)


def complaints(view: LineView, among: Iterable[int] | None = None) -> list[int]:
    """Returns the 0-based numbers of the lines that are complaints, in order.

    Args:
        view: the lines.
        among: look at these only, ascending; at all when None.
    """
    lines = view.matched
    found = _likely(view) if among is None else _likely_among(view, among)
    return [at for at in found if is_complaint(lines[at])]


def _likely(view: LineView) -> list[int]:
    """Returns the lines that may be complaints: the pattern runs over the whole text at once."""
    found = {bisect_right(view.starts, hit.end()) - 1 for hit in _starts().finditer(view.text)}
    found.update([at for at, line in enumerate(view.matched) if line.endswith(_ERRNO)])
    found.update(candidate_lines(view, view.text, _NEEDLES))
    return sorted(found)


def _likely_among(view: LineView, among: Iterable[int]) -> list[int]:
    lines = view.matched
    needles = [needle for needle in _NEEDLES if needle in view.text]
    match = _start().match
    return [
        at
        for at in among
        if match(lines[at]) or lines[at].endswith(_ERRNO) or any(needle in lines[at] for needle in needles)
    ]


def is_complaint(line: str) -> bool:
    """Returns True when `line` is a complaint.

    >>> is_complaint("ls: cannot open directory '/root': Permission denied"), is_complaint("src/error_handler.py")
    (True, False)
    """
    line = line[:2000]
    if _start().match(line) or any(needle in line for needle in _ANYWHERE):
        return True
    if _THROWN.match(line):
        return True
    # `prog: …: Permission denied`, and no `abc123 Fix: Permission denied`: the program's name has no space.
    return line.endswith(_ERRNO) and (": " not in line or " " not in line.split(": ", 1)[0])
