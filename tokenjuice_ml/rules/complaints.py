"""Lines with which a program complains, told apart from listings that merely hold such words.

A list of files, commits or processes may name an `error_handler.py`; a complaint starts like one
(`fatal: …`, `ls: …: Permission denied`, `java.lang.IllegalStateException: …`) or is unmistakable.
Rules with `signals: false`, tables and search results look for these alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tokenjuice_ml.compressors.needles import Needles
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
# Every complaint holds one of these, in lower case.
_WORDS = (
    *("fatal", "panic", "error", "critical", "severe", "warn", "fehler", "erreur"),
    *(
        "ошибка",
        "Ошибка",
        "ОШИБКА",
        "错误",
        "エラー",
        "\ne: ",
        "\nw: ",
        "not found",
        "npm err",
        "exception: ",
    ),
    *(
        "\nexception in ",
        "\ncaused by: ",
        "\nunhandled ",
        "\nuncaught ",
        "\ntraceback (",
        "\nsegmentation fault",
    ),
    *(
        "\naborted",
        "\nillegal instruction",
        "\nkilled",
        "\nassert",
        "econnre",
        "etimedout",
        "enoent",
        "eacces",
    ),
    *("\nout of memory", "\ncannot connect to ", "\ncould not ", *_ANYWHERE, *map(str.lower, _ERRNO)),
)


@lru_cache(maxsize=1)
def _start() -> re.Pattern[str]:
    starts = "|".join(
        (f"{_PLACE}(?:{'|'.join(_AFTER_PLACE)})", *_AT_START, *(f"{text}: " for text in _ERRNO))
    )
    return re.compile(starts, re.ASCII)


@lru_cache(maxsize=1)
def _needles() -> Needles:
    return Needles(_WORDS)


def complaints(view: LineView) -> Sequence[int]:
    """Returns the 0-based numbers of the lines that are complaints, in order."""
    base = view.base
    # Whatever the numbers in a line, it is a complaint or is none.
    return view.lines_of([at for at in base.with_any(_needles()) if is_complaint(base.matched[at])])


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
