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
from itertools import compress
from math import log2

from tokenjuice_ml.compressors.gates import gate
from tokenjuice_ml.compressors.signals import (
    CAUSE,
    DIAGNOSTIC,
    ERROR,
    EXIT,
    FAILED_TEST,
    FEW,
    HEAD,
    SUMMARY,
    WARNING,
    Scan,
)
from tokenjuice_ml.record import Record

# A log of so many lines is scored whole; of a longer one so many lines are candidates. More have shown no
# more of the causes that people marked in CI logs.
WHOLE_LINES, MOST_CANDIDATES = 700, 300
MOST_HITS = 4000
PER_TEMPLATE = 8
BEFORE, AFTER = 5, 12
END, BEFORE_EXIT = 80, 60
FAR = 60

_WORD = re.compile(rb"[a-z][a-z']{2,24}")
_LONGEST_WORD = 25
_TO_BLANKS = bytes(byte if 0x61 <= byte <= 0x7A else 0x20 for byte in range(256))
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
    errors = [number for number in scan.hits if scan.levels[number] >= ERROR]
    heads = [lines[number][:400] for number in errors]
    likely = gate(_FINAL.pattern).candidates(heads) if len(heads) > FEW else range(len(heads))
    exits = [errors[at] for at in likely if _FINAL.search(heads[at].lower())]
    commands = [
        number
        for number, line in enumerate(lines)
        if line and line[0] in _COMMAND_FIRST and line.startswith(_COMMAND)
    ]
    return LogView(lines, keys, scan, Counter(keys), exits, commands)


def candidates(log: LogView) -> list[int]:
    """Returns the lines worth scoring, ascending: around signals, before exits, at the end."""
    total = len(log.lines)
    if total <= WHOLE_LINES:
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


def vectors(log: LogView, wanted: Sequence[int], weights: Mapping[bytes, float]) -> list[tuple[float, ...]]:
    """Returns one row of `NAMES` for each wanted line.

    Args:
        log: the log.
        wanted: 0-based lines, ascending.
        weights: learned weight of each word of the generic vocabulary.
    """
    places = _places(log)
    columns = (
        *_own(log, wanted),
        *_position(wanted, places),
        *_context(wanted, places),
        *_beside(log.lines, wanted),
        *_word_features(log.lines, wanted, weights),
    )
    return list(zip(*[map(float, column) for column in columns], strict=True))


_Column = Sequence[float]


def _lgs(values: Sequence[int]) -> list[float]:
    return [_LOG2[value] if value < 1025 else 10.0 for value in values]


def _own(log: LogView, wanted: Sequence[int]) -> tuple[_Column, ...]:
    """Features of a line by itself."""
    lines, levels = [log.lines[number] for number in wanted], log.scan.levels
    bares = [line.lstrip() for line in lines]
    copies = Counter(filter(set(lines).__contains__, log.lines))
    return (
        [levels[number] for number in wanted],
        _lgs([log.counts[log.keys[number]] for number in wanted]),
        _lgs([copies[line] for line in lines]),
        [min(24, len(line) - len(bare)) for line, bare in zip(lines, bares, strict=True)],
        _lgs([min(400, len(bare)) for bare in bares]),
        [_FIRST.get(bare[0], 20) if bare else 0 for bare in bares],
        [
            1 if (":" in line or "(" in line or "line " in line) and _PATH.search(line, 0, 400) else 0
            for line in lines
        ],
    )


def _beside(lines: Sequence[str], wanted: Sequence[int]) -> tuple[_Column, ...]:
    """Features of how a line is made, and of the two next to it."""
    raws = [lines[number][:400].strip().encode("utf-8", "replace") for number in wanted]
    below = [lines[number + 1] if number + 1 < len(lines) else "" for number in wanted]
    deeper = [
        max(-24, min(24, _indent(under) - _indent(lines[number]))) if under and not under.isspace() else 0
        for number, under in zip(wanted, below, strict=True)
    ]
    return (
        _shares(raws, _DIGITS),
        _shares(raws, _CAPITALS),
        [_first_char(lines[number - 1]) if number else 0 for number in wanted],
        [_first_char(under) for under in below],
        deeper,
    )


def _shares(raws: Sequence[bytes], signs: bytes) -> list[float]:
    """Returns which part of each text is made of these signs."""
    sizes = [max(1, len(raw)) for raw in raws]
    return [(size - len(raw.translate(None, signs))) / size for raw, size in zip(raws, sizes, strict=True)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _first_char(line: str) -> int:
    bare = line.lstrip()
    return _FIRST.get(bare[0], 20) if bare else 0


def _words(line: str, weights: Mapping[bytes, float], known: frozenset[bytes]) -> tuple[float, float]:
    """Returns the sum and the greatest weight of a line's words."""
    low = line[:400].lower().encode("utf-8", "surrogatepass")
    words = low.translate(_TO_BLANKS).split() if b"'" not in low else ()
    if not words or len(max(words, key=len)) > _LONGEST_WORD:
        words = _WORD.findall(low)
    found = [weights[word] for word in known.intersection(words)]
    return (sum(sorted(found)), max(found)) if found else (0.0, 0.0)


def _word_features(
    lines: Sequence[str], wanted: Sequence[int], weights: Mapping[bytes, float]
) -> tuple[_Column, ...]:
    vocabulary = frozenset(weights)
    known = {line: _words(line, weights, vocabulary) for line in {lines[number] for number in wanted}}
    words = [known[lines[number]] for number in wanted]
    sums = {number: word for number, (word, _) in zip(wanted, words, strict=True)}
    get = sums.get
    near = [[get(at, 0.0) for at in range(number - 3, number + 4)] for number in wanted]
    return (
        [word for word, _ in words],
        [most for _, most in words],
        [around[2] for around in near],
        [sum(around) for around in near],
    )


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
        blanks=_blanks(log.lines),
        exits=log.exits,
        commands=log.commands,
    )


def _blanks(lines: Sequence[str]) -> list[int]:
    return list(compress(range(len(lines)), map(str.isspace, [line or " " for line in lines])))


def _after(places: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Returns how far below each line the next of the places is, itself included."""
    total, found = len(places), []
    for number in wanted:
        at = bisect_left(places, number)
        far = places[at] - number if at < total else FAR + 1
        found.append(far if far < FAR or at == total else FAR)
    return found


def _before(places: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Returns how far above each line the last of the places is, itself included."""
    found = []
    for number in wanted:
        at = bisect_right(places, number)
        far = number - places[at - 1] if at else FAR + 1
        found.append(far if far < FAR or not at else FAR)
    return found


def _signed(distance: int) -> float:
    return lg(distance) if distance >= 0 else -lg(-distance)


def _position(wanted: Sequence[int], p: _Places) -> tuple[_Column, ...]:
    first = p.exits[0] if p.exits else p.total - 1
    exits = [bisect_left(p.exits, number) for number in wanted]
    commands = [bisect_right(p.commands, number) for number in wanted]
    ranks = [bisect_left(p.strong, number) for number in wanted]
    errors, strong = len(p.errors), len(p.strong)
    return (
        _lgs([p.total - 1 - number for number in wanted]),
        [_signed(first - number) for number in wanted],
        [lg(p.exits[at] - n) if at < len(p.exits) else 11.0 for n, at in zip(wanted, exits, strict=True)],
        [lg(n - p.commands[at - 1]) if at else 11.0 for n, at in zip(wanted, commands, strict=True)],
        [lg(errors)] * len(wanted),
        [lg(strong)] * len(wanted),
        _lgs(ranks),
        _lgs([strong - rank for rank in ranks]),
        [bisect_right(p.errors, n + 10) - bisect_left(p.errors, n - 10) for n in wanted],
    )


def _context(wanted: Sequence[int], p: _Places) -> tuple[_Column, ...]:
    down, up = _after(p.blanks, wanted), _before(p.blanks, wanted)
    above = [number - far for number, far in zip(wanted, up, strict=True)]
    below = [number + far for number, far in zip(wanted, down, strict=True)]
    return (
        _after(p.errors, wanted),
        _before(p.errors, wanted),
        _after(p.strong, wanted),
        _before(p.strong, wanted),
        _before(p.warnings, wanted),
        _after(p.tests, wanted),
        _before(p.tests, wanted),
        _before(p.summaries, wanted),
        _before(p.heads, wanted),
        down,
        [min(FAR, one + other) for one, other in zip(up, down, strict=True)],
        _between(p.heads, above, wanted),
        _between(p.errors, above, wanted),
        _between(p.errors, wanted, below),
    )


def _between(places: Sequence[int], lows: Sequence[int], highs: Sequence[int]) -> list[bool]:
    pairs = zip(lows, highs, strict=True)
    return [bisect_right(places, low) < bisect_left(places, high) for low, high in pairs]
