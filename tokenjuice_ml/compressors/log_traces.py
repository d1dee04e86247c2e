"""Stack traces in logs of records: each is one thing, from the line that it was logged with to its last frame.

Two traces are alike when their exceptions are, whatever frames lie between. One that is shown keeps the
message of each exception in its chain and the frames that say where; what lies between is counted there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from tokenjuice_ml.compressors.base import OMISSION_PREFIX
from tokenjuice_ml.compressors.needles import Needles
from tokenjuice_ml.compressors.signals import lines_with
from tokenjuice_ml.record import Record

# What programs that join logs put before each line of a trace: the service, the time, the host and program.
_BEFORE = re.compile(
    r"[\w./-]{1,60} {0,30}\| |\d{4}-\d\d-\d\dT[^\s]{8,30} "
    r"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[^\s]{8,30}) [\w.-]{1,60} [^\s:\[]{1,60}(?:\[\d+\])?: "
)
_FRAME = re.compile(r"\s+(?:at \S|\.\.\. \d+ (?:more|common)|File \"|from \S+:\d+:in |#\d{1,4}\s+\S)")
_FRAMES, _BLANK = ("\tat ", "    at "), ("\t", " ", "")
_CAUSE = re.compile(
    r"\s*(?:Caused by\b|Suppressed: |\[cause\]|---> |(?:During handling of|The above exception) )"
)
_PYTHON = "Traceback (most recent call last)"
# One of these is in each line that only traces have, in lower case.
_MARKS = (
    "\tat ",
    "  at ",
    "... ",
    "caused by",
    "traceback (most",
    ' file "',
    "\tfrom ",
    "  from ",
    "  #0 ",
    "\t#0 ",
)
# Frames of what a program is built on; the first of other frames say where it was itself.
_LIBRARY = re.compile(
    r"\s+(?:at |File \"|from )(?:async |new )?(?:java|javax|jdk|sun|jakarta|kotlin|scala|akka|groovy|io\.netty|reactor"
    r"|org\.(?:springframework|apache|hibernate|eclipse|jboss|postgresql)|com\.(?:sun|zaxxer|mysql|fasterxml|google\.common)"
    r"|System|Microsoft)\b|\s+(?:at |File \"|from ).{0,200}(?:site-packages|dist-packages|node_modules|node:|/lib/python|/gems/|<frozen)"
    # Frames of native code: the allocator, the sanitizer, the start of a program, the standard library.
    r"|\s+#\d{1,4}\s+(?:0x[0-9a-f]+ )?(?:in )?(?:(?:__|_start\b|operator (?:new|delete)|std::|(?:m|c|re)?alloc\b|free\b|start_thread\b|clone\b)"
    r"|.{0,300}(?:/usr/(?:include|lib)|libsanitizer|/sysdeps/|libc\.so|libstdc\+\+|compiler-rt))"
)
# Lines: from the head of a trace to its first frame, without a frame inside it, of one trace.
FAR_HEAD, FAR_FRAME, MOST_LINES = 12, 4, 4000
# Lines of a message that are shown, its own frames, chars of a line that tell its kind.
MESSAGE, OWN_FRAMES, KEY_CHARS = 4, 2, 160
# Of a longer chain, so many messages and runs of frames at its start and at its end: what failed, and why.
ENDS = 6


class Trace(Record):
    """A trace: its 0-based first line, the line behind its last, and the lines that tell it from others."""

    first: int
    end: int
    told: tuple[int, ...]


def find(lines: Sequence[str], is_record: re.Pattern[str]) -> list[Trace]:
    """Returns the traces of a log, in order.

    Args:
        lines: the cleaned log.
        is_record: matches the start of a line that begins a record.
    """
    found: list[Trace] = []
    end = 0
    for at in lines_with(lines, _marks()):
        if at < end or not _is_anchor(bare(lines[at])):
            continue
        trace = _around(lines, at, end, is_record)
        if trace.end - trace.first > 1:
            found.append(trace)
        end = trace.end
    return found


def shown(lines: Sequence[str], trace: Trace) -> list[int]:
    """Returns the lines of a trace that stay: messages, and of each run of frames those that say where."""
    kept: list[int] = []
    runs = _runs(lines, trace)
    for frames, run in runs if len(runs) <= 2 * ENDS else [*runs[:ENDS], *runs[-ENDS:]]:
        if frames:
            kept += _frames_kept(lines, run)
        else:
            solid = [number for number in run if lines[number].strip()]
            kept += run if len(solid) <= MESSAGE else [*solid[: MESSAGE - 1], solid[-1]]
    return kept


def gap(lines: Sequence[str], before: int, after: int) -> str:
    """Returns the line for what lies between two shown lines of a trace, "" where nothing does."""
    gone = after - before - 1
    if gone <= 0:
        return ""
    one = "frame" if all(_is_frame(bare(line)) for line in lines[before + 1 : after]) else "line"
    return f"{OMISSION_PREFIX} {gone:,} {one if gone == 1 else one + 's'}]"


def with_gaps(lines: Sequence[str], trace: Trace) -> list[tuple[int, str]]:
    """Returns the shown lines under the head of a trace, by number, each with the gap line before it."""
    kept = [number for number in shown(lines, trace) if number > trace.first]
    pairs = list(pairwise([trace.first, *kept, trace.end]))
    return [(number, gap(lines, before, number)) for before, number in pairs]


def is_library(frame: str) -> bool:
    """Tells whether a frame, with blanks before it, is of what a program is built on."""
    return _LIBRARY.match(frame) is not None


def bare(line: str) -> str:
    """Returns a line without what a program that joins logs put before it."""
    if line[:1] in _BLANK:
        return line
    before = _BEFORE.match(line, 0, 200)
    return line[before.end() :] if before else line


def _is_anchor(body: str) -> bool:
    """Tells whether only traces have such a line: a frame, a cause, the words above them."""
    return _is_frame(body) or body.startswith(("Caused by", _PYTHON))


def _is_frame(body: str) -> bool:
    return body.startswith(_FRAMES) or _FRAME.match(body) is not None


@lru_cache(maxsize=1)
def _marks() -> Needles:
    return Needles(_MARKS)


def _around(lines: Sequence[str], at: int, floor: int, is_record: re.Pattern[str]) -> Trace:
    """Returns the trace of the frame or cause at a line; nothing before `floor` belongs to it."""
    first = at
    own = lines[at] == bare(lines[at])  # then a time before other lines is that of their record
    for number in range(at - 1, max(floor, at - FAR_HEAD) - 1, -1):
        if not _same_source(lines[at], lines[number]) or not bare(lines[number]).strip():
            break
        if is_record.match((lines[number] if own else bare(lines[number]))[:220]):
            first = number
            break
    strict = first == at
    if (
        strict
        and at > floor
        and not bare(lines[at]).startswith(_PYTHON)
        and _same_source(lines[at], lines[at - 1])
    ):
        first = at - 1 if bare(lines[at - 1]).strip() else at
    end = _end(lines, at, is_record, strict)
    return Trace(first, end, tuple(_told(lines, first, end)))


def _same_source(one: str, other: str) -> bool:
    """Tells whether two lines of joined logs are of one service."""
    if "| " not in one[:95]:
        return True
    return one[:95].split("| ")[0] == other[:95].split("| ")[0]


def _end(lines: Sequence[str], at: int, is_record: re.Pattern[str], strict: bool) -> int:
    """Returns the line behind the last of a trace; a `strict` one has no record whose end would tell."""
    last, python = at, _PYTHON in lines[at]
    own = lines[at] == bare(lines[at])
    for number in range(at + 1, min(len(lines), at + MOST_LINES)):
        if own and lines[number].startswith(_FRAMES):
            last = number
            continue
        body = bare(lines[number])
        if is_record.match((lines[number] if own else body)[:220]) or not _same_source(
            lines[at], lines[number]
        ):
            break
        indented = body[:1].isspace() and bool(body.strip())
        if _FRAME.match(body) or _CAUSE.match(body) or _PYTHON in body or (indented and last == number - 1):
            python = python or _PYTHON in body or 'File "' in body
            last = number
        elif python and last == number - 1 and body.strip():
            python, last = False, number  # what was raised stands below its frames
        elif number - last > (1 if strict and body.strip() else FAR_FRAME) or (strict and body.strip()):
            break
    return last + 1


def _runs(lines: Sequence[str], trace: Trace) -> list[tuple[bool, list[int]]]:
    """Returns the runs of frames (with what is indented under them) and of other lines, in order."""
    sorts: list[bool] = []
    for number in range(trace.first, trace.end):
        body = bare(lines[number])
        if _is_frame(body):
            sorts.append(True)
        else:
            under = bool(sorts) and sorts[-1] and body[:1].isspace() and not _CAUSE.match(body)
            sorts.append(under and _PYTHON not in body)
    numbered = zip(sorts, range(trace.first, trace.end), strict=True)
    return [(sort, [number for _, number in run]) for sort, run in groupby(numbered, key=lambda one: one[0])]


def _frames_kept(lines: Sequence[str], run: Sequence[int]) -> list[int]:
    """Returns the frame nearest to what was raised, and the first of the program's own."""
    python = 'File "' in lines[run[0]]
    frames = [number for number in run if _is_frame(bare(lines[number]))]
    nearest = frames[::-1] if python else frames
    own = [
        number
        for number in nearest
        if not _LIBRARY.match(bare(lines[number])) and not bare(lines[number]).lstrip().startswith("... ")
    ]
    kept = sorted({*nearest[:1], *own[:OWN_FRAMES]})
    if not python:
        return kept
    code = [number + 1 for number in kept if number + 1 in run and number + 1 not in frames]
    return sorted({*kept, *code})


def _told(lines: Sequence[str], first: int, end: int) -> Iterator[int]:
    """Yields the lines by which a trace is known: its messages, and where the last exception was raised."""
    place: list[int] = []
    for frames, run in _runs(lines, Trace(first, end, ())):
        if frames:
            order = reversed(run) if 'File "' in lines[run[0]] else run
            place = [next((number for number in order if _is_frame(bare(lines[number]))), run[0])]
        else:
            yield from run[:MESSAGE]
    yield from place
