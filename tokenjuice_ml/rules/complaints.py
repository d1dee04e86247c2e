"""Lines with which a program complains, told apart from listings that merely hold such words.

A list of files, commits or processes may name an `error_handler.py`; a complaint starts like one
(`fatal: …`, `ls: …: Permission denied`, `java.lang.IllegalStateException: …`) or is unmistakable.
Rules with `signals: false`, tables and search results look for these alone.
"""

from __future__ import annotations

from tokenjuice_ml.rules.patterns import Pattern, hits_of
from tokenjuice_ml.rules.view import LineView

_PLACE = r"(?:[\w./@+~-]{1,80}(?::\d+){0,2}: ){0,2}"
_ERRNO = (
    "Permission denied|No such file or directory|Operation not permitted|Not a directory|Input/output error"
    "|Cannot allocate memory|No space left on device|[Cc]ommand not found|Is a directory|Too many open files"
    "|Connection refused|Connection reset by peer|Device or resource busy|Read-only file system"
    "|Stale file handle|No route to host|Name or service not known|Broken pipe"
)
COMPLAINTS = tuple(
    Pattern(source)
    for source in (
        rf"^{_PLACE}(?:fatal|FATAL|Fatal|panic|PANIC)(?: error)?(?:\[\w+\])?: ",
        rf"^{_PLACE}(?:error|ERROR|Error|CRITICAL|SEVERE)(?:\[\w+\]| \w{{1,12}})?: ",
        rf"^{_PLACE}(?:warning|WARNING|Warning|WARN)(?:\[\w+\])?: ",
        r"^\[?(?:ERROR|FATAL|CRITICAL|WARN|WARNING)\]?:? ",
        r"^[EW]: ",
        r"^npm (?:ERR!|error) ",
        r"^(?:Exception in |Caused by: |Unhandled |Uncaught |Traceback \(|thread '.{1,80}' panicked)",
        r"^[\w.$]{0,120}(?:Error|Exception): ",
        rf"^(?:\S{{1,60}}: .{{0,300}})?(?:{_ERRNO})\W{{0,3}}(?:\(.{{0,40}}\))?$",
        rf"^(?:{_ERRNO}): ",
        r"^(?:Segmentation fault|Bus error|Aborted|Illegal instruction)\b",
        r"^Killed\b",
        r"\(core dumped\)",
        r"^[^:]{0,80}\bundefined reference to ",
        r"^[Aa]ssert(?:ion)?\b.{0,80} failed",
        r"^\W{0,3}(?:\S{1,60}: )?(?:connect )?(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOENT|EACCES)\b",
        r"^(?:Out of memory|Cannot connect to |Could not (?:resolve|connect|find|open) )",
    )
)


def complaints(view: LineView) -> list[int]:
    """Returns the 0-based numbers of the lines that are complaints, in order."""
    return hits_of(COMPLAINTS, view)


def is_complaint(line: str) -> bool:
    """Returns True when `line` is a complaint.

    >>> is_complaint("ls: cannot open directory '/root': Permission denied"), is_complaint("src/error_handler.py")
    (True, False)
    """
    return any(pattern.test(line[:2000]) for pattern in COMPLAINTS)
