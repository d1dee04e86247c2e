"""Slots of a log line: numbers whose name, unit or place says what they mean, and which values are bad."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tokenjuice_ml.record import Record

MEASURED, STATUS, EXIT, CODE, COUNT, PLACE = "measured", "status", "exit", "code", "count", "place"
CODED = frozenset((STATUS, EXIT, CODE, COUNT))
# Slots of one kind of lines that are read, measured and others.
MOST_SLOTS = 4
# More different values of a coded slot are ids, not answers.
MOST_TOLD = 12
_FIELD = re.compile(
    r"(?P<head>[\"'(\[{<]{0,3}(?:(?P<name>[A-Za-z_][\w.-]{0,60})[\"']?[=:][\"']?)?)"
    r"(?P<value>\d{1,15}(?:\.\d{1,9})?)(?P<unit>%|[A-Za-zµμ]{0,5}(?:/s)?)(?P<end>[\"')\]}>,;:.]{0,4})$"
)
_PLACED = re.compile(
    r"[\"'(\[{]{0,3}(?P<name>upstream|backend|host|node|pod|server|target|instance|shard|replica|dest|addr|peer|endpoint)"
    r"[\"']?[=:][\"']?\S",
    re.I,
)
UNITS = frozenset("ns us µs μs ms s sec secs msec seconds m min b kb mb gb kib mib gib bytes %".split())
# Units that are as often a part of a name.
_VAGUE = frozenset(("%", "m", "s", "b"))
_SCALES = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "msec": 1.0, "s": 1e3, "sec": 1e3}
_SCALES |= {"secs": 1e3, "seconds": 1e3, "m": 6e4, "min": 6e4}
_SCALES |= {
    "b": 1.0,
    "bytes": 1.0,
    "kb": 1e3,
    "kib": 1024.0,
    "mb": 1e6,
    "mib": 1024.0**2,
    "gb": 1e9,
    "gib": 1024.0**3,
}
_MEASURES = (
    "dur",
    "elapsed",
    "took",
    "latency",
    "lag",
    "time",
    "wait",
    "delay",
    "rss",
    "mem",
    "heap",
    "size",
    "bytes",
)
_SHORT_MEASURES = frozenset(("rt", "ms", "age", "ttfb", "rtt", "after", "in", "cost", "spent"))
_EXIT_WORDS = ("exit", "exited")
_EXITS = (
    "exit",
    "exit_code",
    "exit_status",
    "exitcode",
    "exitstatus",
    "retcode",
    "returncode",
    "return_code",
)
_COUNTS = (
    "fail",
    "error",
    "errs",
    "timeout",
    "reject",
    "drop",
    "lost",
    "abort",
    "refused",
    "exception",
    "panic",
    "crash",
)
_GOOD_STATUS = frozenset((200, 201, 202, 204, 206, 301, 302, 304))
_KNOWN = frozenset(
    (*range(200, 209), *range(300, 309), *range(400, 418), *range(421, 430), 431, 444, 451, 499)
)
_KNOWN |= frozenset((*range(500, 509), 511, 520, 521, 522, 523, 524, 525, 526, 530))
TRIM = "\"'()[]{}<>,;:=."


class Slot(Record):
    """A place in the lines of one kind.

    Attributes:
        at: number of the word.
        kind: what it means.
        name: its name in lower case, "" where it has none.
        prefix: what stands before the number in the word.
        suffix: what stands behind it.
        unit: its unit in lower case, "" where it has none.
    """

    at: int
    kind: str
    name: str
    prefix: str
    suffix: str
    unit: str


def slots_of(words: Sequence[str]) -> list[Slot]:
    """Returns the slots of a line that are worth a look.

    >>> [(slot.kind, slot.name) for slot in slots_of("GET /a/17 status=200 took 5 ms id=4".split())]
    [('status', 'status'), ('measured', 'took')]
    """
    found: list[Slot] = []
    for at, word in enumerate(words):
        slot = _slot(words, at, word)
        if slot is not None and sum(one.kind == slot.kind for one in found) < MOST_SLOTS:
            found.append(slot)
    return found


def _slot(words: Sequence[str], at: int, word: str) -> Slot | None:
    match = _FIELD.match(word) if len(word) <= 120 else None
    if match is None:
        placed = _PLACED.match(word) if len(word) <= 120 else None
        return Slot(at, PLACE, placed["name"].lower(), "", "", "") if placed else None
    name = (match["name"] or (words[at - 1].strip(TRIM)[-40:] if at else "")).lower()
    if name in ("code", "status") and at > 1 and words[at - 2].lower() in _EXIT_WORDS:
        name = f"exit_{name}"
    unit = match["unit"].lower()
    behind = words[at + 1].strip(TRIM).lower() if at + 1 < len(words) and not unit else ""
    kind = _kind(name, unit, behind, match["value"], bool(match["name"]))
    suffix = match["unit"] + match["end"]
    unit = unit or (behind if behind in UNITS else "")
    return Slot(at, kind, name, match["head"], suffix, unit) if kind else None


def _kind(name: str, unit: str, behind: str, value: str, named: bool) -> str:
    if (
        unit in _VAGUE
        and not named
        and name not in _SHORT_MEASURES
        and not any(word in name for word in _MEASURES)
    ):
        return ""
    if unit in UNITS or (behind in UNITS - _VAGUE and not named):
        return MEASURED
    if unit:
        return ""
    if name.endswith(_EXITS) or name == "rc":
        return EXIT
    if name.endswith(("status", "statuscode", "status_code", "http_code", "response")):
        return STATUS
    if named and (
        name.endswith(_SHORT_ENDS) or any(word in name for word in _MEASURES) or name in _SHORT_MEASURES
    ):
        return MEASURED
    if name.endswith("code"):
        return CODE
    if named and any(word in name for word in _COUNTS):
        return COUNT
    if behind.startswith(("failed", "failure", "error")) and value == "0":
        return COUNT
    return STATUS if not named and value.isdigit() and int(value) in _KNOWN else ""


_SHORT_ENDS = ("_ms", "_us", "_ns", "_s", "_kb", "_mb", "seconds", "millis", "ms")


def scale(unit: str) -> float:
    """Returns what one of a unit is in ms or bytes; 1 for an unknown one."""
    return _SCALES.get(unit.strip(TRIM).lower(), 1.0)


def number_of(word: str, slot: Slot) -> int | None:
    """Returns the whole number in a slot, None for any other word."""
    text = word[len(slot.prefix) :].rstrip(TRIM)
    return int(text) if text.isdecimal() and len(text) < 16 else None


def tells(slot: Slot, counts: Mapping[str, int]) -> bool:
    """Returns True where the values of a coded slot are few, and answers where they look like some."""
    if len(counts) > MOST_TOLD:
        return False
    if slot.kind != STATUS:
        return True
    numbers = {number_of(word, slot) for word in counts}
    most = number_of(max(counts, key=lambda word: counts[word]), slot)
    return numbers <= _KNOWN and (_is_named(slot) or most in _GOOD_STATUS)


def _is_named(slot: Slot) -> bool:
    return slot.name.endswith(("status", "code", "response")) or slot.name.startswith("http/")


def bad_values(slot: Slot, counts: Mapping[str, int]) -> set[str]:
    """Returns the words of a slot that mean failure.

    Args:
        slot: a coded slot.
        counts: lines by word.
    """
    numbers = {word: number_of(word, slot) for word in counts}
    total = sum(counts.values())
    known = sum(count for word, count in counts.items() if (numbers[word] or 0) in _KNOWN)
    if slot.kind in (STATUS, CODE) and known == total:
        most = max(counts, key=lambda word: counts[word])
        if not _is_named(slot) and numbers[most] not in _GOOD_STATUS:
            return set()
        return {word for word, number in numbers.items() if number is not None and number >= 500}
    zero = sum(count for word, count in counts.items() if numbers[word] == 0)
    if zero * 2 <= total and slot.kind != EXIT:
        return set()
    if slot.kind == STATUS and not slot.name.endswith("status"):
        return set()
    return {word for word, number in numbers.items() if number}
