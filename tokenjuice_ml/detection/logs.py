"""Recognises logs: CI folds, crash reports, test output, access logs, times and levels."""

from __future__ import annotations

from tokenjuice_ml.detection.sample import Sample
from tokenjuice_ml.detection.words import marks, words

# Marks that settle the format of a CI job.
_CI = {
    "travis_fold:": "travis",
    "travis_time:": "travis",
    "##[group]": "github",
    "##[endgroup]": "github",
    "##[error]": "github",
    "section_start:": "gitlab",
    "section_end:": "gitlab",
    "[Pipeline] ": "jenkins",
    "\nStarted by user": "jenkins",
    "\nBuilding remotely on": "jenkins",
    "\nFinished: FAILURE": "jenkins",
    "\nFinished: SUCCESS": "jenkins",
}
_CRASH = marks(
    "Traceback (most recent call last)|' panicked at |goroutine 1 [|Exception in thread|"
    "Crashed Thread:|Exception Type:|Binary Images:|Segmentation fault|terminate called|"
    "AddressSanitizer|\nCaused by: |Unhandled exception|A fatal error has been detected|\nThread 0|"
    "\nThread 1|\npanic: "
)
_TEST = marks(
    "= test session starts|\ntest result: |\nTest Suites: | Test Files |--- FAIL:|=== RUN |Tests run: |"
    "short test summary| passed (| passing (|FAILED (failures=|FAILED (errors=|[  FAILED  ]|"
    "[       OK ]| examples, | tests passed|Failed Tests|\n RUN  v|\nNot ok |\nok 1 "
)
_LEVELS = frozenset(
    words(
        "info warn warning error err debug trace fatal critical crit notice severe panic alert emerg fine "
        "finer config verbose inf wrn dbg ftl"
    )
)
_BUILD = marks(
    "npm |yarn |make|gcc |g++ |cc |clang|compiling |building |downloading |ok |#|downloaded |"
    "collecting |installing |fetching |resolving |get:|setting up |unpacking |selecting |step |$ |+ |"
    "> |remote: |error|warning|checking |linking |info|generating |created |copying |removing |"
    'skipping |using |running |successfully |at |requirement already|pass |fail |test |file "|'
    "caused by|cloning |receiving |done|finished|started|==>|-->|[error]|[info]|[warn"
)
_FRAMES = ('File "', "at ", "#0", "#1", "#2", "0x", "... ")


def sure(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of a text that can be nothing but a log."""
    joined = "\n" + "\n".join(sample.full)
    for mark, form in _CI.items():
        if mark in joined and _at_line(joined, mark):
            return form, f"marks of a {form} job"
    total = len(sample.full)
    dated = sum(map(has_time, sample.full))
    levelled = 0 if dated >= 0.5 * total else sum(map(has_level, sample.full))
    if dated >= 0.5 * total and joined.count('] "') >= 0.5 * total and joined.count(" HTTP/") >= 0.5 * total:
        return "access", f"{dated} of {total} lines are requests"
    told = joined.count(": error") + joined.count(": warning") + joined.count(": note:")
    if told >= 0.3 * total:
        return "build", f"{told} compiler messages in {total} lines"
    frames = _frames(sample)
    if frames >= 0.25 * total:
        return "crash", f"{frames} of {total} lines are stack frames"
    if dated + levelled >= max(2, 0.35 * total):
        return _special(joined) or "log", f"{dated} of {total} lines with a time, {levelled} with a level"
    special = _special(joined)
    return (special, f"words of a {special} report") if special else None


def timed(sample: Sample) -> bool:
    """Says whether a fifth of the first lines begin with a time."""
    lines = sample.full[:20]
    return sum(map(has_time, lines)) >= max(1, len(lines) // 5)


def _at_line(joined: str, mark: str) -> bool:
    """Says whether `mark` begins a line, a time stamp before it not counted."""
    at = joined.find(mark)
    start = joined.rfind("\n", 0, at + 1) + 1
    return at - start <= 34 and " " not in joined[start:at].rstrip()


def _special(joined: str) -> str:
    """Returns ``test`` or ``crash`` where the text has the marks of one."""
    if any(mark in joined for mark in _TEST):
        return "test"
    if "\nRan " in joined and " tests in " in joined:
        return "test"
    return "crash" if sum(mark in joined for mark in _CRASH) >= 2 else ""


def _frames(sample: Sample) -> int:
    frames = 0
    for line in sample.full:
        bare = line.lstrip()
        if bare.startswith(_FRAMES):
            frames += "(" in bare or "line " in bare or " in " in bare or "0x" in bare
        elif bare[:1].isdecimal() and "0x" in bare:
            words = bare.split(None, 3)
            frames += len(words) > 3 and words[0].rstrip(":").isdecimal() and words[2].startswith("0x")
    return frames


def has_time(line: str) -> bool:
    """Says whether a clock time or a date stands near the head of `line`.

    >>> has_time("2024-01-02 11:22:33 start"), has_time("see 1:2 and 3"), has_time("Jan  2 11:22:33 host x")
    (True, False, True)
    """
    head = line[:64]
    at = head.find(":")
    while at > 0:
        if head[at + 1 : at + 3].isdecimal() and head[at - 1].isdecimal():
            after = head[at + 3 : at + 4]
            if after == ":" or (at < 6 and after in (" ", "]", ".", ",")):
                return True
        at = head.find(":", at + 3)
    digits = line[:20].lstrip("[-( ")
    if not digits[:1].isdecimal():
        return False
    if digits[:4].isdecimal() and digits[4:5] in "-/." and digits[5:7].isdecimal():
        return True
    if digits[:6].isdecimal() and digits[6:7] == " " and digits[7:13].isdecimal():
        return True
    return _is_stamp(line) or _is_uptime(digits)


def _is_stamp(line: str) -> bool:
    """Says whether one of the first words is a time in seconds since 1970."""
    words = line[:64].split(None, 5)[:5]
    return any(word[:10].isdecimal() and word[0] == "1" and word[10:11] in ("", ".") for word in words)


def _is_uptime(digits: str) -> bool:
    """Says whether `digits` begins with seconds since the start (``0.356:``, ``12.345]``)."""
    whole, dot, rest = digits.partition(".")
    return (
        bool(dot)
        and whole.isdecimal()
        and rest[:3].isdecimal()
        and rest[3:].lstrip("0123456789s")[:1] in (":", "]")
    )


def has_level(line: str) -> bool:
    """Says whether a level word stands at the head of `line`: ``INFO``, ``[warn]``, ``error:``."""
    for index, word in enumerate(line[:48].split(None, 3)[:3]):
        bare = word.strip("[]():|<>*-")
        if (word != bare or bare.isupper()) and bare.lower() in _LEVELS:
            return index == 0 or bare.isupper() or word[0] in "[(<|"
        if index == 1 and bare in _LEVELS and line[0].isdecimal():
            return True
    return line.startswith("level=")


def likely(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of build or command output without times."""
    fits = 0
    for line in sample.full:
        fits += (
            line[:1] == "["
            or line[:24].lower().lstrip("[]*- ").startswith(_BUILD)
            or has_time(line)
            or has_level(line)
        )
    total = len(sample.full)
    if total >= 8 and fits >= 0.25 * total:
        return "build", f"{fits} of {total} lines as tools print them"
    return None
