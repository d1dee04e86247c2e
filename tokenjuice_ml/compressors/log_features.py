"""Which lines of a log are worth scoring, and what the scorer knows about each of them.

Everything is relative (distances in log2 lines, counts inside this log), so that what was
learned from one project's logs holds for another's. The work is bounded: whatever the size of
the log, at most `MOST_CANDIDATES` lines are looked at closely.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2

from tokenjuice_ml.compressors.signals import (
    CAUSE,
    DIAGNOSTIC,
    ERROR,
    EXIT,
    FAILED_TEST,
    HEAD,
    SUMMARY,
    WARNING,
    Scan,
)
from tokenjuice_ml.record import Record

MOST_CANDIDATES = 700
MOST_HITS = 4000
PER_TEMPLATE = 8
BEFORE, AFTER = 5, 12
END, BEFORE_EXIT = 80, 60
FAR = 60

_WORD = re.compile(r"[a-z][a-z']{2,24}")
_PATH = re.compile(r"\w\.\w+[:(]\d|\bline \d|\d:\d")
_COMMAND = ("$ ", "+ ", "++ ", "##[group]", "[command]", "travis_fold:start", "section_start", "> ")
_COMMAND_FIRST = frozenset(start[0] for start in _COMMAND)
_FINAL = re.compile(
    r"\bexited with [1-9]|process completed with exit code [1-9]|job failed: exit|exit code [1-9]"
    r"|marked build as fail|\*\*\* \[|elifecycle|build (?:exited|fail)|has been terminated|rake aborted|command failed"
)
_FIRST_CHARS = (
    *("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"),
    *("-", "+", "[", "(", ">", "#", "=*~_", "|", "\"'`", "/.", "@", "$", ":", "✗✘✖×❌✕✓✔"),
)
_FIRST = {letter: place for place, letters in enumerate(_FIRST_CHARS, start=1) for letter in letters}
_DIGITS, _CAPITALS = b"0123456789", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOG2 = [log2(value + 1) for value in range(1025)]

NAMES = (
    *("level", "count", "copies", "indent", "length", "first_char", "path", "to_end", "to_first_exit"),
    *("next_exit", "since_command", "errors", "strong", "strong_before", "strong_after", "errors_10"),
    *("next_error", "last_error", "next_strong", "last_strong", "last_warning", "next_test", "last_test"),
    *("last_summary", "last_head", "next_blank", "paragraph", "head_above", "error_above", "error_below"),
    *("digits", "capitals", "first_up", "first_down", "indent_down"),
    *("word", "word_most", "word_up", "word_near"),
)


def lg(value: int) -> float:
    """Returns log2(value + 1), capped at 10."""
    return _LOG2[value] if value < 1025 else 10.0


class LogView(Record):
    """A log with what every feature needs, made once.

    Attributes:
        lines: cleaned lines.
        keys: template key of each line.
        scan: signals.
        counts: lines by template key.
        exits: 0-based lines that say the run failed, ascending.
        commands: 0-based lines that echo a command or open a fold, ascending.
    """

    lines: Sequence[str]
    keys: Sequence[str]
    scan: Scan
    counts: Mapping[str, int]
    exits: Sequence[int]
    commands: Sequence[int]


def view(lines: Sequence[str], keys: Sequence[str], scan: Scan) -> LogView:
    """Gathers counts and anchors of a log."""
    exits = [
        number
        for number in scan.hits
        if scan.levels[number] >= ERROR and _FINAL.search(lines[number][:400].lower())
    ]
    commands = [
        number
        for number, line in enumerate(lines)
        if line[:1] in _COMMAND_FIRST and line.startswith(_COMMAND)
    ]
    return LogView(lines, keys, scan, Counter(keys), exits, commands)


def candidates(log: LogView) -> list[int]:
    """Returns the lines worth scoring, ascending: around signals, before exits, at the end."""
    total = len(log.lines)
    if total <= MOST_CANDIDATES:
        return list(range(total))
    chosen = set(range(total - END, total))
    for exit_line in (*log.exits[-2:], *log.exits[:1]):
        chosen.update(range(max(0, exit_line - BEFORE_EXIT), min(total, exit_line + 4)))
    seen: Counter[str] = Counter()
    for number in _best_hits(log):
        if len(chosen) >= MOST_CANDIDATES:
            break
        key = log.keys[number]
        seen[key] += 1
        if seen[key] <= PER_TEMPLATE:
            chosen.update(range(max(0, number - BEFORE), min(total, number + AFTER + 1)))
    return sorted(chosen)


def _best_hits(log: LogView) -> list[int]:
    """Returns signal lines: bad and rare ones first, then those near the end."""
    scan, total = log.scan, len(log.lines)
    worth: list[tuple[float, int]] = []
    for number in reversed(scan.hits):
        level, marks = scan.levels[number], scan.marks[number]
        if level < WARNING and not marks & (SUMMARY | DIAGNOSTIC):
            continue
        value = (0.5, 0.6, 1.0, 3.0)[level] + (1.0 if marks & (HEAD | CAUSE | EXIT) else 0.0)
        value += 2.0 if marks & FAILED_TEST and level == ERROR else 0.0
        value = value / (1 + 0.5 * lg(log.counts[log.keys[number]])) - 0.05 * lg((total - number) // 16)
        worth.append((-value, -number))
        if len(worth) >= MOST_HITS:
            break
    return [-number for _, number in sorted(worth)]


def vectors(log: LogView, wanted: Sequence[int], weights: Mapping[str, float]) -> list[list[float]]:
    """Returns one row of `NAMES` for each wanted line.

    Args:
        log: the log.
        wanted: 0-based lines, ascending.
        weights: learned weight of each word of the generic vocabulary.
    """
    words = {number: _words(log.lines[number], weights) for number in wanted}
    places = _places(log)
    texts = {log.lines[number] for number in wanted}
    copies = Counter(filter(texts.__contains__, log.lines))
    return [
        [
            *_own(log, number, copies),
            *_position(number, places),
            *_context(number, places),
            *_beside(log.lines, number),
            *_word_features(number, words),
        ]
        for number in wanted
    ]


def _own(log: LogView, number: int, copies: Mapping[str, int]) -> tuple[float, ...]:
    """Features of a line by itself."""
    line = log.lines[number]
    bare = line.lstrip()
    return (
        log.scan.levels[number],
        lg(log.counts[log.keys[number]]),
        lg(copies[line]),
        min(24, len(line) - len(bare)),
        lg(min(400, len(bare))),
        _FIRST.get(bare[0], 20) if bare else 0,
        1 if _PATH.search(line, 0, 400) else 0,
    )


def _beside(lines: Sequence[str], number: int) -> tuple[float, ...]:
    """Features of how a line is made, and of the two next to it."""
    line = lines[number]
    raw = line[:400].strip().encode("utf-8", "replace")
    size = max(1, len(raw))
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return (
        (size - len(raw.translate(None, _DIGITS))) / size,
        (size - len(raw.translate(None, _CAPITALS))) / size,
        _first_char(lines[number - 1]) if number else 0,
        _first_char(below),
        max(-24, min(24, _indent(below) - _indent(line))) if below and not below.isspace() else 0,
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _first_char(line: str) -> int:
    bare = line.lstrip()
    return _FIRST.get(bare[0], 20) if bare else 0


def _words(line: str, weights: Mapping[str, float]) -> tuple[float, float]:
    """Returns the sum and the greatest weight of a line's words."""
    found = [weights[word] for word in set(_WORD.findall(line[:400].lower())) if word in weights]
    return (sum(sorted(found)), max(found)) if found else (0.0, 0.0)


_NO_WORDS = (0.0, 0.0)


def _word_features(number: int, words: Mapping[int, tuple[float, float]]) -> tuple[float, ...]:
    near = [words.get(at, _NO_WORDS)[0] for at in range(number - 3, number + 4)]
    word, most = words[number]
    return word, most, near[2], sum(near)


class _Places(Record):
    """Where the signals are, ascending, for distances by bisection."""

    total: int
    errors: list[int]
    strong: list[int]
    warnings: list[int]
    tests: list[int]
    summaries: list[int]
    heads: list[int]
    blanks: list[int]
    exits: Sequence[int]
    commands: Sequence[int]


def _places(log: LogView) -> _Places:
    levels, marks, hits = log.scan.levels, log.scan.marks, log.scan.hits
    errors = [number for number in hits if levels[number] >= ERROR]
    return _Places(
        total=len(log.lines),
        errors=errors,
        strong=[number for number in errors if log.counts[log.keys[number]] <= 3],
        warnings=[number for number in hits if levels[number] >= WARNING],
        tests=[number for number in hits if marks[number] & FAILED_TEST],
        summaries=[number for number in hits if marks[number] & SUMMARY],
        heads=[number for number in hits if marks[number] & (HEAD | CAUSE)],
        blanks=[number for number, line in enumerate(log.lines) if not line or line.isspace()],
        exits=log.exits,
        commands=log.commands,
    )


def _after(places: Sequence[int], number: int) -> int:
    at = bisect_left(places, number)
    return min(FAR, places[at] - number) if at < len(places) else FAR + 1


def _before(places: Sequence[int], number: int) -> int:
    at = bisect_right(places, number)
    return min(FAR, number - places[at - 1]) if at else FAR + 1


def _signed(distance: int) -> float:
    return lg(distance) if distance >= 0 else -lg(-distance)


def _position(number: int, p: _Places) -> tuple[float, ...]:
    first = p.exits[0] if p.exits else p.total - 1
    at = bisect_left(p.exits, number)
    rank = bisect_left(p.strong, number)
    command = bisect_right(p.commands, number)
    return (
        lg(p.total - 1 - number),
        _signed(first - number),
        lg(p.exits[at] - number) if at < len(p.exits) else 11.0,
        lg(number - p.commands[command - 1]) if command else 11.0,
        lg(len(p.errors)),
        lg(len(p.strong)),
        lg(rank),
        lg(len(p.strong) - rank),
        bisect_right(p.errors, number + 10) - bisect_left(p.errors, number - 10),
    )


def _context(number: int, p: _Places) -> tuple[float, ...]:
    next_blank = _after(p.blanks, number)
    above, below = number - _before(p.blanks, number), number + next_blank
    return (
        _after(p.errors, number),
        _before(p.errors, number),
        _after(p.strong, number),
        _before(p.strong, number),
        _before(p.warnings, number),
        _after(p.tests, number),
        _before(p.tests, number),
        _before(p.summaries, number),
        _before(p.heads, number),
        next_blank,
        min(FAR, number - above + next_blank),
        _between(p.heads, above, number),
        _between(p.errors, above, number),
        _between(p.errors, number, below),
    )


def _between(places: Sequence[int], low: int, high: int) -> bool:
    return bisect_right(places, low) < bisect_left(places, high)
