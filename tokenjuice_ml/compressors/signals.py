"""What a line of tool output says about success: how bad it is, and what part of a story it is.

A level that the line itself writes (`INFO`, `level=warn`, `[error]`) wins over its words, so
`INFO summary failed=0` is no error. Words count only where they are words: not inside paths,
flags or file names, not after "0" or "no", not on a line that reports a pass.

    severity("src/a.c:4:2: error: x")  one line
    scan(lines)                        a whole text, one linear pass
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from tokenjuice_ml.compressors.signal_words import (
    BENIGN,
    BENIGN_VALUES,
    ERROR_WORDS,
    LEVEL_RANK,
    NOTICE_WORDS,
    TRIGGERS,
    WARNING_WORDS,
    WIDE_TRIGGERS,
)

NONE, NOTICE, WARNING, ERROR = 0, 1, 2, 3

SUMMARY = 1  # totals: "3 failed, 2 passed", "BUILD FAILURE", "Found 2 errors"
DIAGNOSTIC = 2  # "path:line:col: error: …" and its relatives
EXIT = 4  # the line that says a command failed, with its code
FAILED_TEST = 8  # names a failing test
HEAD = 16  # the first line of a trace: "Traceback …", "thread 'x' panicked at …"
CAUSE = 32  # "Caused by: …"
OWN = 64  # matches one of the user's own words
QUIET = 128  # the line writes a level of info or below

# A longer line is judged by its start, its end and the places where a trigger stands.
LONG_LINE = 1200
# Lines that are searched as one text: bounds the memory of a scan.
CHUNK_LINES = 20_000


class _Later:
    """A pattern that is compiled when it is first used: all at once would cost each start 20 ms."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source, self._flags)
        self.search, self.match, self.sub = compiled.search, compiled.match, compiled.sub
        return getattr(compiled, name)


_ZERO = _Later(r"(?<![0-9])0(?![0-9])")
_LEVEL = _Later(
    r"(?:^|[\s\[(|<\"'=:,;])"
    r"(TRACE|DEBUG|FINER?|VERBOSE|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|ALERT"
    r"|EMERG)"
    r"(?=[\s\])|>\"',:;]|$)"
)
_LEVEL_KEY = _Later(r"(?:level|lvl|severity)[\"']?\s{0,2}[=:]\s{0,2}[\"']?([a-z]+|\d\d)\b")
_LEVEL_LOW = _Later(
    r"(?:^|[\s\]])(?:\[(trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|alert|emerg)\]"
    r"|(?<=[\dz] )(trace|debug|info|notice|warn|warning|error|fatal)(?=[\s:]))"
)
_GLOG = _Later(r"^([IWEF])\d{4} \d\d:\d\d:\d\d")
_PASS = _Later(
    r"^\s*(?:[✓✔√☑]|ok\b(?! -- )|pass(?:ed)?\b(?!.*\bfail)|skip(?:ped|ping)?\b|\[\s*(?:ok|pass|passed"
    r"|\+)\s*\])"
    r"|\bxfail\b|^\s*not ok\b.*# (?:todo|skip)"
    r"|(?:\.\.\.|:|\s)\s*(?:ok|passed|pass|success|✓|✔)\s*(?:\(?[\d.,]+ ?m?s\)?)?\s*$"
)
_ECHO = _Later(r"^\s*(?:\+{1,4}|\$|>) \S")
# Patterns that are searched for begin with letters or digits, never with an assertion: the
# engine then skips from one possible start to the next, which is several times faster.
_TOTALS = _Later(
    r"[0-9]+ (?:\w+ )?(?:tests?|specs?|examples?|assertions?|scenarios?|suites?|checks?|failures?"
    r"|fail(?:ed|ing)?|pass(?:ed|ing)?|errors?|warnings?|problems?|issues?|offen[sc]es?|violations?"
    r"|vulnerabilit(?:y|ies))\b"
)
_SUMMARY = _Later(
    r"tests?(?: run| suites?| files?)?:\s{1,8}[0-9]|test result:|failures?: [0-9]|assertions?: [0-9]"
    r"|errors?: [0-9]"
    r"|build (?:fail(?:ed|ure)|succe\w+)|compilation (?:failed|aborted)|tests? (?:failed|aborted)"
    r"|ran [0-9]+ tests?"
)
_DIAGNOSTIC_START = _Later(
    r"\s*(?:\[\w+\] )?(?:[a-z]:)?[^\s:()\"'=]*[./\\][^\s:()\"']*[:(]\d+[:,)]?(?:\d+)?[):]*\s"
    r"|\s*(?:error|warning)(?:\[\w+\]|:| [a-z]{1,4}\d{2,6}:)|\s*--> \S+:\d+"
)
_PLACED = _Later(r"[:(][0-9]|[]:] |error|warning")
_DIAGNOSTIC = _Later(r":[0-9]+:(?:[0-9]+:)? (?:fatal )?(?:error|warning)\b")
_EXIT = _Later(
    r"(?:exit(?:ed|ing)?(?: with)?(?: (?:code|status))?|returned(?: a)?(?: non-zero)?(?: (?:code"
    r"|exit status))?"
    r"|error code|status)[:= ]+\(?-?[1-9][0-9]{0,9}\b|recipe for target|command failed"
    r"|\*\*\* \[[^\]]*\] error|elifecycle|non-zero exit|killed by signal|terminated by signal"
)
_FAILED_TEST_START = _Later(
    r"\s*(?:[✗✘✖×❌✕]|not ok\b|--- fail\b|fail(?:ed)?[:!]? \S|\[(?:-|fail(?:ed)?|\s*failed\s*)\]|\d+\) \S)"
)
_FAILED_TEST_END = _Later(
    r"(?:\.\.\.\s*|[^\d\s]\s+)(?:fail(?:ed)?|error|✗|✘)(?: ?[\[(][^\])]*[\])])?!?\s*$|<<< (?:fail"
    r"|error)|\* failed \*"
)
_HEAD_START = _Later(
    r"\s*traceback \(most recent|\s*panic: |\s*exception in thread|fatal error:|goroutine \d+ \[run"
)
_HEAD = _Later(
    r"panicked at|unhandled exception|uncaught |segmentation fault|=+ ?failures ?=|=+ ?errors ?="
    r"|addresssanitizer:"
    r"|core dumped"
)
_CAUSE = _Later(r"\s*(?:\[\w+\]\s*)?(?:caused by|nested exception|suppressed|the above exception)\b")
_WORDS = _Later(rf"(?<![\w/.\-\\])(?:{ERROR_WORDS})(?![\w/\-]|\.\w)")
_WARNING = _Later(rf"(?<![\w/.\-\\])(?:{WARNING_WORDS})(?![\w/]|\.\w|-\w)")
_NOTICE = _Later(rf"(?<![\w/.\-\\])(?:{NOTICE_WORDS})(?![\w/]|\.\w)")
_BENIGN = _Later(BENIGN)
_BENIGN_VALUES = _Later(f"{BENIGN_VALUES}|{BENIGN}")
_FATAL_SUMMARY = _Later(
    r"\bbuild fail(?:ed|ure)\b|\btest result: failed\b|\b[1-9]\d* (?:\w+ )?(?:failed|failing"
    r"|failures?|errors?)\b"
)


@dataclass(frozen=True, slots=True)
class Scan:
    """The signals of a text, one entry a line.

    Attributes:
        levels: NONE, NOTICE, WARNING or ERROR.
        marks: SUMMARY, DIAGNOSTIC, … or-ed together.
        hits: 0-based numbers of the lines that were judged, ascending.
    """

    levels: bytearray
    marks: bytearray
    hits: tuple[int, ...]

    @property
    def found(self) -> bool:
        """True when any line is a warning or an error."""
        return any(self.levels[number] >= WARNING for number in self.hits)


def severity(line: str) -> int:
    """Returns how bad a line is: NONE, NOTICE, WARNING or ERROR.

    >>> severity("2024-01-02 INFO done, failed=0"), severity("TypeError: x is not a function")
    (0, 3)
    """
    return judge(line)[0]


def judge(line: str) -> tuple[int, int]:
    """Returns the level and the marks of one line (long lines by their start and end).

    >>> judge("==== 2 failed, 3 passed in 1.2s ====") == (ERROR, SUMMARY)
    True
    """
    if len(line) > LONG_LINE:
        line = f"{line[:700]} {line[-400:]}"
    lower = line.lower()
    marks = _marks(lower)
    level = _written_level(line, lower)
    if level is not None:
        if level <= NONE and _FATAL_SUMMARY.search(lower) and marks & SUMMARY and "build fail" in lower:
            return ERROR, marks
        return level, marks | (QUIET if level == NONE else 0)
    if marks & SUMMARY and _FATAL_SUMMARY.search(lower):
        return ERROR, marks
    if _PASS.search(lower) or (_ECHO.match(lower) and not marks & FAILED_TEST):
        return NONE, marks & SUMMARY
    if marks & (EXIT | HEAD | FAILED_TEST | CAUSE):
        return ERROR, marks
    return _word_level(lower), marks


def _marks(lower: str) -> int:
    marks = 0
    for find, mark in _mark_finders():
        if find(lower):
            marks |= mark
    return marks


def _diagnostic(lower: str) -> bool:
    if _DIAGNOSTIC.search(lower):
        return True
    # The pattern for starts goes back and forth inside a path: only where a number follows one.
    return bool(_PLACED.search(lower) and _DIAGNOSTIC_START.match(lower[:300]))


@lru_cache(maxsize=1)
def _mark_finders() -> tuple[tuple[Callable[[str], Any], int], ...]:
    return (
        (_TOTALS.search, SUMMARY),
        (_SUMMARY.search, SUMMARY),
        (_diagnostic, DIAGNOSTIC),
        (_EXIT.search, EXIT),
        (_FAILED_TEST_START.match, FAILED_TEST),
        (_FAILED_TEST_END.search, FAILED_TEST),
        (_HEAD_START.match, HEAD),
        (_HEAD.search, HEAD),
        (_CAUSE.match, CAUSE),
    )


def _written_level(line: str, lower: str) -> int | None:
    """Returns the level that the line itself states near its start, or None."""
    head = line[:200]
    if match := _LEVEL.search(head):
        return LEVEL_RANK[match[1].lower()]
    if ("level" in lower or "severity" in lower or "lvl" in lower) and (
        match := _LEVEL_KEY.search(lower[:1000])
    ):
        return LEVEL_RANK.get(match[1])
    if match := _LEVEL_LOW.search(lower[:200]):
        return LEVEL_RANK[match[1] or match[2]]
    if match := _GLOG.match(head):
        return {"I": NONE, "W": WARNING}.get(match[1], ERROR)
    return None


def _word_level(lower: str) -> int:
    plain = (_BENIGN_VALUES if "=" in lower else _BENIGN).sub(" ", lower)
    if _WORDS.search(plain):
        return ERROR
    if _WARNING.search(plain):
        return WARNING
    return NOTICE if _NOTICE.search(plain) else NONE


def own_pattern(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """Returns one pattern for the user's own words, matched in lower case; None without any.

    Words are taken literally, so that none of them can run away.
    """
    words = [re.escape(word.lower()) for word in patterns if word.strip()]
    return re.compile("|".join(words)) if words else None


def scan(
    source: str | Sequence[str], signal_patterns: Sequence[str] = (), keys: Sequence[str] | None = None
) -> Scan:
    """Judges a whole text; only lines with a trigger word are looked at closely.

    Args:
        source: the text, or its lines without line ends.
        signal_patterns: the user's own words; their lines are at least WARNING.
        keys: template keys (equal for lines that differ in digits only); such lines are judged once.
    """
    lines = source.split("\n") if isinstance(source, str) else source
    levels, marks = bytearray(len(lines)), bytearray(len(lines))
    numbers = _line_numbers(lines, trigger_pattern(), WIDE_TRIGGERS)
    memo: dict[str | tuple[str, bool], tuple[int, int]] = {}
    for number in numbers:
        line = lines[number]
        # Zero is another message than any other number ("0 failed"), and so are levels ("level":50).
        exact = keys is None or '"level":' in line
        name = line if exact or keys is None else (keys[number], _ZERO.search(line) is None)
        found = memo.get(name)
        if found is None:
            found = memo[name] = judge(line)
        levels[number], marks[number] = found
    if own := own_pattern(signal_patterns):
        extra = _line_numbers(lines, own)
        for number in extra:
            levels[number] = max(levels[number], WARNING)
            marks[number] |= OWN
        numbers = sorted({*numbers, *extra})
    return Scan(levels, marks, tuple(numbers))


def _line_numbers(lines: Sequence[str], pattern: re.Pattern[str], wide: Sequence[str] = ()) -> list[int]:
    """Returns the numbers of the lines with a match or a wide word, ascending, each once."""
    numbers: list[int] = []
    for first in range(0, len(lines), CHUNK_LINES):
        part = lines[first : first + CHUNK_LINES]
        text = "\n".join(part)
        lower = text.lower()
        found = _matching(part, lower, pattern, len(lower) == len(text))
        if wide and not lower.isascii() and (used := [word for word in wide if word in lower]):
            other = re.compile("|".join(map(re.escape, used)))
            found = sorted({*found, *_matching(part, lower, other, len(lower) == len(text))})
        numbers += [first + number for number in found]
    return numbers


def _matching(lines: Sequence[str], lower: str, pattern: re.Pattern[str], aligned: bool) -> list[int]:
    if not aligned:
        # A few letters grow in lower case and would shift every offset behind them.
        return [number for number, line in enumerate(lines) if pattern.search(line.lower())]
    ends = list(accumulate(map(len, lines), lambda end, size: end + size + 1, initial=0))[1:]
    numbers: list[int] = []
    position, search = 0, pattern.search
    # One pattern of ASCII words, measured: 3 ms for 100 KB; finding word by word 7, with words of
    # all scripts in the pattern 6.5.
    while match := search(lower, position):
        number = bisect_right(ends, match.start())
        numbers.append(number)
        position = ends[number]
        if position >= len(lower):
            break
    return numbers


@lru_cache(maxsize=1)
def trigger_pattern() -> re.Pattern[str]:
    """Returns the pattern that finds, in lower-cased text, the lines worth a closer look."""
    tree: dict[str, dict[str, object]] = {}
    for word in TRIGGERS:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = {}
    return re.compile(_branch(tree))


def _branch(node: dict[str, dict[str, object]]) -> str:
    if "" in node:
        return ""
    parts = [re.escape(letter) + _branch(below) for letter, below in node.items()]  # type: ignore[arg-type]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
