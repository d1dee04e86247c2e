"""What in a log outweighs all that repeats: the end of a run, and the few lines of the worst kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tokenjuice_ml.compressors.needles import Needles
from tokenjuice_ml.compressors.signals import ERROR, Scan, lines_with

# Levels above error, and what an operating system or a data base says when it can go on no more.
_WORST = re.compile(
    r"\b(?:PANIC|FATAL|CRITICAL|CRIT|EMERG|EMERGENCY|ALERT)\b(?! (?:0|errors? 0)\b)"
    r"|(?i:\b(?:level|severity|lvl)[\"']?\s?[=:]\s?[\"']?(?:fatal|critical|crit|panic|emerg|alert|60)\b"
    r"|no space left on device|out of memory: kill|oom-kill|oomkilled|kernel panic|core dumped|segfault at"
    r"|(?:all|other active) server processes|read-only file system|too many open files)"
)
# One of these is in each such line, in lower case: to ask for them first, of all lines at once, is far faster.
_WORST_WORDS = (
    *("panic", "fatal", "crit", "emerg", "alert", ":60", "=60", ": 60", "= 60", '"60', "'60"),
    *("no space left", "out of memory: kill", "oom", "core dumped", "segfault at", "server processes"),
    *("read-only file system", "too many open files"),
)
LOOKED_AT = 600
RARE, MOST_WORST = 2, 6
# A line that says a command failed ends the run if it stands so near the end, lines.
NEAR_END = 30
# Services print of any command that it exited; these words are a build's or its service's own.
_OF_RUN = re.compile(
    r"process completed with exit code|job failed: (?:exit|command)|script returned exit code|marked build as fail|\*\*\* \[|elifecycle"
    r"|build (?:exited|fail)|rake aborted|##\[error\]|(?:^\W{0,8}|[0-9z] )(?:the )?command (?:\S.* )?exited with"
)


def says_worst(line: str) -> bool:
    """Returns True for a line above all errors: a level such as FATAL, a full disk, a kill for memory.

    >>> says_worst("03:11 FATAL: could not write: No space left on device"), says_worst("ERROR: bad zip")
    (True, False)
    """
    return _WORST.search(line, 0, LOOKED_AT) is not None


def worst_of(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Returns those of the numbered lines that say the worst."""
    parts = [lines[number][:LOOKED_AT] for number in numbers]
    likely = lines_with(parts, _worst_words())
    return [numbers[at] for at in likely if says_worst(parts[at])]


@lru_cache(maxsize=1)
def _worst_words() -> Needles:
    return Needles(_WORST_WORDS)


def ends_run(lines: Sequence[str], number: int) -> bool:
    """Returns True where a line that tells of a failed command is about the run that the log is of.

    Args:
        lines: the log.
        number: the 0-based line.
    """
    if number >= len(lines) - NEAR_END:
        return True
    return _OF_RUN.search(lines[number][:400].lower()) is not None


def rare_worst(
    lines: Sequence[str], keys: Sequence[str], counts: Mapping[str, int], found: Scan
) -> list[int]:
    """Returns the first line of each rare kind that says the worst, at most a few.

    Args:
        lines: the log.
        keys: template key of each line.
        counts: lines by key.
        found: the signals.
    """
    rare = [number for number in found.hits if found.levels[number] >= ERROR and counts[keys[number]] <= RARE]
    chosen: dict[str, int] = {}
    for number in worst_of(lines, rare):
        chosen.setdefault(keys[number], number)
        if len(chosen) == MOST_WORST:
            break
    return list(chosen.values())
