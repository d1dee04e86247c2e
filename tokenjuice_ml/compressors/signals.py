"""What a line of tool output says about success: how bad it is, and what part of a story it is.

A level that the line itself writes (`INFO`, `level=warn`, `[error]`) wins over its words, so
`INFO summary failed=0` is no error. Words count only where they are words: not inside paths,
flags or file names, not after "0" or "no", not on a line that reports a pass.

    severity("src/a.c:4:2: error: x")  one line
    scan(lines)                        a whole text, one linear pass
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.compressors.needles import Needles, cased, lowered
from tokenjuice_ml.compressors.same import different, spread
from tokenjuice_ml.compressors.signal_fields import empty_fields
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
from tokenjuice_ml.record import Record

if TYPE_CHECKING:
    from tokenjuice_ml.compressors.gates import Gates

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
# Lines that are searched as one text, and those that are judged at once: bounds the memory of a scan.
CHUNK_LINES, CHUNK_JUDGED = 8_000, 2_000
# Fewer lines are judged without asking first which patterns may match.
FEW = 48
# What a line may be, as the gates of a text tell it.
MAY_TOTALS, MAY_SUMMARY, MAY_DIAGNOSTIC, MAY_EXIT = 1, 2, 4, 8
MAY_FAILED_TEST, MAY_HEAD, MAY_CAUSE, MAY_FATAL = 16, 32, 64, 128
MAY_PASS, MAY_WORDS, MAY_WARNING, MAY_NOTICE = 256, 512, 1024, 2048
MAY_BENIGN, MAY_LEVEL, MAY_LEVEL_KEY, MAY_LEVEL_LOW = 4096, 8192, 16384, 32768
MAY_FAILED_START, MAY_HEAD_START, MAY_PASS_START, MAY_ECHO, MAY_PLACED = (1 << bit for bit in range(16, 21))
MAY_ALL = (1 << 21) - 1
_MAY_DIAGNOSTICS = MAY_DIAGNOSTIC | MAY_PLACED
_MAY_LEVELS = MAY_LEVEL | MAY_LEVEL_KEY | MAY_LEVEL_LOW
_MAY_MARKS = MAY_TOTALS | MAY_SUMMARY | MAY_DIAGNOSTIC | MAY_PLACED | MAY_EXIT | MAY_FAILED_START
_MAY_MARKS |= MAY_FAILED_TEST | MAY_HEAD_START | MAY_HEAD | MAY_CAUSE
# Bits from here on stand for the alternatives of what is benign.
_FIRST_BENIGN = 21


class _Later:
    """A pattern that is compiled when it is first used: all at once would cost each start 20 ms."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.source, self._flags)
        self.search, self.match, self.sub = compiled.search, compiled.match, compiled.sub
        return getattr(compiled, name)


_ZERO = _Later(r"(?<![0-9])0(?![0-9])")
_LEVEL = _Later(
    r"(?:^|[\s\[(|<\"'=:,;])"
    r"(TRACE|DEBUG|FINER?|VERBOSE|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|ALERT"
    r"|EMERG)"
    r"(?=[\s\])|>\"',:;]|$)(?! 0\b)"
)
_LEVEL_KEY = _Later(r"(?:level|lvl|severity)[\"']?\s{0,2}[=:]\s{0,2}[\"']?([a-z]+|\d\d)\b")
# Each of the words in _LEVEL begins with one of these.
_LEVEL_STARTS = (
    *(
        "TRACE",
        "DEBUG",
        "FINE",
        "VERBOSE",
        "INFO",
        "NOTICE",
        "WARN",
        "ERR",
        "FATAL",
        "CRIT",
        "SEVERE",
        "ALERT",
    ),
    "EMERG",
)
_IN_BRACKETS = "trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|alert|emerg"
_BEHIND_TIME = "trace|debug|info|notice|warn|warning|error|fatal"
_LEVEL_LOW = _Later(rf"(?:^|[\s\]])(?:\[({_IN_BRACKETS})\]|(?<=[\dz] )({_BEHIND_TIME})(?=[\s:]))")
_GLOG = _Later(r"^([IWEF])\d{4} \d\d:\d\d:\d\d")
_GLOG_LETTERS = ("I", "W", "E", "F")
_PASS_START = _Later(
    r"\s*(?:[✓✔√☑]|ok\b(?! -- )|pass(?:ed)?\b(?!.*\bfail)|skip(?:ped|ping)?\b|\[\s*(?:ok|pass|passed"
    r"|\+)\s*\]|not ok\b.*# (?:todo|skip)|- .*\(\d+ (?:milli)?seconds?\)$"
    r"|\d\d:\d\d \+\d+(?: [~-]\d+)*: (?!.*\[e\]$|some tests failed))"
)
_NEXT = _Later(
    r"\s*(?:\[ ?run\b|=== run|\[\d+/\d+\] |test case '.*' started"
    # The memory around a fault, byte by byte, and what its bytes stand for.
    r"|shadow bytes? (?:around|legend)|(?:=>)?0x[0-9a-f]{6,16}: (?:[0-9a-f]{2}[ \[\]]){8}"
    r"|[a-z][a-z ]{2,30}:\s{2,20}(?:[0-9a-f]{2} ?){1,8}\s*$)"
)
_XFAIL = _Later(r"\bxfail\b")
_PASS_END = _Later(r"(?:\.\.\.|:|\s)\s*(?:ok|passed|pass|success|✓|✔)\s*(?:\(?[\d.,]+ ?m?s\)?)?\s*$")
_PASS_ENDS = ("ok", "passed", "pass", "success", "✓", "✔", "s", ")")
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
    r"\s*(?:>\s+)?(?:[✗✘✖×❌✕]|not ok\b|--- fail\b|fail(?:ed)?[:!]? (?!false|0|none|no\b)\S"
    r"|\[(?:-|\s*fail(?:ed)?\s*)\]|\d+\) \S|failure/error:|xpass:|assert:|● .+ › |##teamcity\[testfailed"
    r"|\(\d+/\d+\) \[[\w ]+\] \(x\)|\w+#test_\w+ (?:\[.*\]:$|= [\d.]+ s = [fe]$)"
    r"|(?:rspec|cucumber|crystal spec) \S+:\d+ # |test \S+ condition:$|\(in test file )"
)
_FAILED_TEST_END = _Later(
    r"(?:\.\.\.\s*|[^\d\s]\s+)(?:fail(?:ed)?|error|✗|✘)(?: ?[\[(][^\])]*[\])])?!?\s*$|<<< (?:fail"
    r"|error)|\* failed \*|\[unittest\] |\stimeout in [\d.]+s\s*$|\+\d+ (?:~\d+ )?-\d+: .* \[e\]$"
)
_FAILED_ENDS = ("fail", "failed", "error", "✗", "✘", "!", "]", ")")
_FAILED_INSIDE = ("<<<", "* failed *", "[unittest]", "timeout in ")
_HEAD_START = _Later(
    r"\s*traceback \(most recent|\s*panic: |\s*exception in thread|fatal error:|goroutine \d+ \[run"
    r"|npm err(?:or|!) code|! (?:undefined|missing|emergency|latex|package|extra|illegal|misplaced) "
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
# What tools print at their level of info although it is the failure: in capitals, to be seen.
_LOUD = _Later(r"\bBUILD FAIL|\*\*\* FAILED|\.\. FAILURE")
# A number that is none: whatever level it is told at, what computed it went wrong.
_NO_NUMBER = _Later(r"(?<!lvl)(?<!level)[=:]\s{0,2}[+-]?(?:nan|inf(?:inity)?)\b")
_FATAL_SUMMARY = _Later(
    r"\bbuild fail(?:ed|ure)\b|\btest result: failed\b|\b[1-9]\d* (?:\w+ )?(?:failed|failing"
    r"|failures?|errors?)\b"
)


class Scan(Record):
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
    line = _short(line)
    return _judged(line, line.lower(), MAY_ALL)


def judge_all(lines: Sequence[str], diagnostics: bool = True) -> list[tuple[int, int]]:
    """Returns the level and the marks of each line; quicker than `judge` for many lines.

    Args:
        lines: the lines.
        diagnostics: False where nobody asks for that mark, which no level depends on.
    """
    if len(lines) < FEW:
        return [judge(line) for line in lines]
    found: list[tuple[int, int]] = []
    for first in range(0, len(lines), CHUNK_JUDGED):
        part = [_short(line) for line in lines[first : first + CHUNK_JUDGED]]
        lower = [line.lower() for line in part]
        masks = _masks(part, lower)
        if not diagnostics:
            masks = [mask & ~_MAY_DIAGNOSTICS for mask in masks]
        found += map(_judged, part, lower, masks)
    return found


def _short(line: str) -> str:
    return line if len(line) <= LONG_LINE else f"{line[:700]} {line[-400:]}"


def _judged(line: str, lower: str, may: int) -> tuple[int, int]:
    """Returns the level and the marks of a line; only what it `may` be is looked for."""
    marks = _marks(lower, may) if may & _MAY_MARKS else 0
    writes = may & _MAY_LEVELS or line[:1] in _GLOG_LETTERS
    level = _written_level(line, lower, may) if writes else None
    if level is not None:
        if level <= NONE and "FAIL" in line and _LOUD.search(line):
            return ERROR, marks
        if level < WARNING and _no_number(lower):
            return WARNING, marks
        return level, marks | (QUIET if level == NONE else 0)
    if marks & SUMMARY and may & MAY_FATAL and _FATAL_SUMMARY.search(lower):
        return ERROR, marks
    if _passes(lower, may) or (may & MAY_ECHO and _ECHO.match(lower) and not marks & FAILED_TEST):
        return NONE, marks & SUMMARY
    if marks & (EXIT | HEAD | FAILED_TEST | CAUSE):
        return ERROR, marks
    return _word_level(lower, may), marks


def _marks(lower: str, may: int) -> int:
    marks = 0
    if (may & MAY_TOTALS and _TOTALS.search(lower)) or (may & MAY_SUMMARY and _SUMMARY.search(lower)):
        marks = SUMMARY
    if may & (MAY_DIAGNOSTIC | MAY_PLACED) and _diagnostic(lower, may):
        marks |= DIAGNOSTIC
    if may & MAY_EXIT and _EXIT.search(lower):
        marks |= EXIT
    if (may & MAY_FAILED_START and _FAILED_TEST_START.match(lower)) or (
        may & MAY_FAILED_TEST and _failed_end(lower)
    ):
        marks |= FAILED_TEST
    if (may & MAY_HEAD_START and _HEAD_START.match(lower)) or (may & MAY_HEAD and _HEAD.search(lower)):
        marks |= HEAD
    if may & MAY_CAUSE and _CAUSE.match(lower):
        marks |= CAUSE
    return marks


def _diagnostic(lower: str, may: int) -> bool:
    if may & MAY_DIAGNOSTIC and _DIAGNOSTIC.search(lower):
        return True
    if not may & MAY_PLACED:
        return False
    # The pattern for starts goes back and forth inside a path: only where a number follows one.
    return bool((may != MAY_ALL or _PLACED.search(lower)) and _DIAGNOSTIC_START.match(lower[:300]))


def _failed_end(lower: str) -> bool:
    # The pattern tries every word; where none of these ends the line, only the few rare forms are left.
    likely = lower.rstrip().endswith(_FAILED_ENDS) or any(map(lower.__contains__, _FAILED_INSIDE))
    return bool(likely and _FAILED_TEST_END.search(lower))


def only_passes(line: str) -> bool:
    """Returns True for a line that says of one thing that it passed, started or is the next of many.

    >>> only_passes("ok 12 - reads"), only_passes("[ RUN      ] Date.Reads"), only_passes("not ok 3")
    (True, True, False)
    """
    lower = line[:LONG_LINE].lower()
    return bool(_NEXT.match(lower)) or _passes(lower, MAY_ALL)


def _passes(lower: str, may: int) -> bool:
    if (may & MAY_PASS_START and _PASS_START.match(lower)) or ("xfail" in lower and _XFAIL.search(lower)):
        return True
    return bool(may & MAY_PASS and lower.rstrip().endswith(_PASS_ENDS) and _PASS_END.search(lower))


def _written_level(line: str, lower: str, may: int) -> int | None:
    """Returns the level that the line itself states near its start, or None."""
    if may & MAY_LEVEL and (match := _LEVEL.search(line[:200])):
        return LEVEL_RANK[match[1].lower()]
    if (
        may & MAY_LEVEL_KEY
        and ("level" in lower or "severity" in lower or "lvl" in lower)
        and (match := _LEVEL_KEY.search(lower[:1000]))
    ):
        return LEVEL_RANK.get(match[1])
    if may & MAY_LEVEL_LOW and (match := _LEVEL_LOW.search(lower[:200])):
        return LEVEL_RANK[match[1] or match[2]]
    if line[:1] in _GLOG_LETTERS and (match := _GLOG.match(line[:200])):
        return {"I": NONE, "W": WARNING}.get(match[1], ERROR)
    return None


def _word_level(lower: str, may: int) -> int:
    plain = lower
    if may & MAY_BENIGN or (may > MAY_ALL and _benign(lower, may >> _FIRST_BENIGN)):
        plain = (_BENIGN_VALUES if "=" in lower else _BENIGN).sub(" ", lower)
    if may & MAY_WORDS and _WORDS.search(plain):
        return ERROR
    if (may & MAY_WARNING and _WARNING.search(plain)) or _no_number(lower):
        return WARNING
    return NOTICE if may & MAY_NOTICE and _NOTICE.search(plain) else NONE


def _no_number(lower: str) -> bool:
    return ("nan" in lower or "inf" in lower) and _NO_NUMBER.search(lower) is not None


def _benign(lower: str, may: int) -> bool:
    """Returns True where one of the alternatives that `may` match does: each is quicker than all."""
    parts = _benign_parts()
    while may:
        if parts[(may & -may).bit_length() - 1].search(lower):
            return True
        may &= may - 1
    return False


@lru_cache(maxsize=1)
def _benign_parts() -> tuple[_Later, ...]:
    from tokenjuice_ml.compressors.gates import alternatives

    return tuple(_Later(source) for source in alternatives(_BENIGN_VALUES.source))


def _masks(lines: Sequence[str], lower: Sequence[str]) -> list[int]:
    """Returns what each line may be."""
    gates, levels = _gates()
    masks = gates.masks("\n".join(lower), len(lower))
    for number in levels.lines("\n".join(lines).encode("utf-8", "surrogatepass")):
        masks[number] |= MAY_LEVEL
    return masks


@lru_cache(maxsize=1)
def _gates() -> tuple[Gates, Needles]:
    from tokenjuice_ml.compressors.gates import Gates

    sources = (
        *((MAY_TOTALS, _TOTALS), (MAY_SUMMARY, _SUMMARY), (MAY_EXIT, _EXIT), (MAY_HEAD, _HEAD)),
        *((MAY_DIAGNOSTIC, _DIAGNOSTIC), (MAY_PLACED, _DIAGNOSTIC_START), (MAY_CAUSE, _CAUSE)),
        *((MAY_FAILED_START, _FAILED_TEST_START), (MAY_HEAD_START, _HEAD_START)),
        *((MAY_PASS_START, _PASS_START), (MAY_ECHO, _ECHO)),
        *((MAY_FAILED_TEST, _FAILED_TEST_END), (MAY_FATAL, _FATAL_SUMMARY), (MAY_PASS, _PASS_END)),
        *((MAY_WORDS, _WORDS), (MAY_WARNING, _WARNING), (MAY_NOTICE, _NOTICE)),
        *((1 << place, part) for place, part in enumerate(_benign_parts(), _FIRST_BENIGN)),
    )
    low = [f"[{word}]" for word in _IN_BRACKETS.split("|")]
    low += [f"{before} {word}" for before in "01z" for word in _BEHIND_TIME.split("|")]
    words = ((MAY_LEVEL_LOW, low), (MAY_LEVEL_KEY, ("level", "severity", "lvl")))
    return Gates([(bit, later.source) for bit, later in sources], words), Needles(_LEVEL_STARTS)


def _own_lines(lines: Sequence[str], words: Iterable[str]) -> list[int]:
    """Returns the numbers of the lines that hold one of the user's own words, taken literally."""
    wanted = [word.lower() for word in words if word.strip()]
    return lines_with(lines, Needles(cased(wanted))) if wanted else []


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
    numbers = lines_with(lines, triggers())
    judge_lines(lines, numbers, keys, levels, marks)
    for number in empty_fields(lines, [number for number in numbers if levels[number] >= WARNING]):
        levels[number] = marks[number] = NONE
    if extra := _own_lines(lines, signal_patterns):
        for number in extra:
            levels[number] = max(levels[number], WARNING)
            marks[number] |= OWN
        numbers = sorted({*numbers, *extra})
    return Scan(levels, marks, tuple(numbers))


def judge_lines(
    lines: Sequence[str],
    numbers: Sequence[int],
    keys: Sequence[str] | None,
    levels: bytearray,
    marks: bytearray,
) -> None:
    """Writes the level and the marks of the lines with these numbers; lines alike are judged once."""
    names = _names(lines, numbers, keys)
    firsts = dict(zip(reversed(names), reversed(numbers), strict=True))
    judged = judge_all([lines[number] for number in firsts.values()])
    known = dict(zip(firsts, judged, strict=True))
    for number, name in zip(numbers, names, strict=True):
        levels[number], marks[number] = known[name]


def _names(lines: Sequence[str], numbers: Sequence[int], keys: Sequence[str] | None) -> list[str]:
    """Returns what lines have in common that are judged alike."""
    if keys is None:
        return [lines[number] for number in numbers]
    # Only a level or a zero in a line makes it another message; keys of long lines tell not all of them.
    names = [keys[number] for number in numbers]
    for at, (number, name) in enumerate(zip(numbers, names, strict=True)):
        if "0" in name or '"level":' in name or len(lines[number]) > len(name):
            names[at] = _name(lines[number], name)
    return names


def _name(line: str, key: str) -> str:
    """Zero is another message than any other number ("0 failed"), and so are levels ("level":50)."""
    if '"level":' in line:
        return line
    return f"{key}\n" if "0" in line and _ZERO.search(line) else key


def alike(key: str, numbers: Sequence[int], lines: Sequence[str]) -> dict[str, list[int]]:
    """Returns the lines of one key, put together that are judged alike.

    Args:
        key: the lines with a 0 for each digit.
        numbers: the lines.
        lines: all lines.
    """
    if len(numbers) == 1 or not ('"level":' in key or _ZERO.search(key)):
        return {key: list(numbers)}
    groups: dict[str, list[int]] = {}
    for number in numbers:
        groups.setdefault(_name(lines[number], key), []).append(number)
    return groups


def lines_with(lines: Sequence[str], needles: Needles) -> list[int]:
    """Returns the numbers of the lines that hold one of the lower-case needles, ascending."""
    some, places = different(lines)
    numbers: list[int] = []
    for first in range(0, len(some), CHUNK_LINES):
        found = needles.lines(lowered("\n".join(some[first : first + CHUNK_LINES])))
        numbers += [first + number for number in found] if first else found
    return list(spread(numbers, places))


@lru_cache(maxsize=1)
def triggers() -> Needles:
    """Returns the words that make a line worth a closer look, for lower-case bytes."""
    return Needles((*TRIGGERS, *cased(WIDE_TRIGGERS)))


def first_trigger(line: str) -> int:
    """Returns the place of the first trigger in a line, -1 where there is none."""
    data = lowered(line)
    at = triggers().first(data)
    return at if at < 0 or len(data) == len(line) else len(data[:at].decode("utf-8", "surrogatepass"))
