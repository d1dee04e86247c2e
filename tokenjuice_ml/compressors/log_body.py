"""From chosen lines to the text that is shown: omission lines that say what is gone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import OMISSION_PREFIX, omission_line, utf8_len
from tokenjuice_ml.compressors.log_inline import shortened
from tokenjuice_ml.compressors.log_text import LogText, Untimed, clip
from tokenjuice_ml.compressors.signals import ERROR, Scan, first_trigger
from tokenjuice_ml.record import Record
from tokenjuice_ml.types import Omission

# Longer lines are clipped, chars: about 400 tokens of log text.
LONG_LINE = 1200
_FAILED_ANSWERS = (
    re.compile(r"status(?:_?code)?[\"']?[=:] ?[\"']?5\d\d(?![\w.])", re.ASCII),
    re.compile(r"HTTP/\d(?:\.\d)?\"? 5\d\d(?![\w.])", re.ASCII),
)
# A line of a file of settings: a comment, a section, a name with its value.
_SETTING = re.compile(r"\s*(?:[;#]|\[[^\]]{1,80}\]\s*$|[A-Za-z_][\w.-]{0,80}(?:\[\])?\s?=(?!=)[^=]*$)")
SAMPLE = 400
# A gap of at least this many lines names its commonest line when that makes up half of it.
NAMED_GAP = 12
NAME_CHARS = 48
# Overwritten progress of fewer bytes in a shown line is only counted, not told.
SMALL_PROGRESS = 200


class Body(Record):
    """What is shown and what is not."""

    text: str
    omissions: tuple[Omission, ...]


def clipped(line: str) -> str:
    """Returns a line of at most about 400 tokens, cut around its first signal."""
    if len(line) <= LONG_LINE:
        return line
    line = shortened(line)
    return line if len(line) <= LONG_LINE else clip(line, LONG_LINE, first_trigger(line))


def build(log: LogText, keys: Sequence[str], found: Scan, chosen: set[int], line_refs: bool) -> Body:
    """Returns the body made of the chosen lines.

    Args:
        log: the cleaned log.
        keys: template key of each line.
        found: its signals.
        chosen: 0-based lines to show.
        line_refs: say in each omission line where the next shown error stands.
    """
    describe = _Describer(log.lines, keys, found, chosen, line_refs)
    out: list[str] = []
    omissions = _outside(log.progress, chosen)
    notes = progress_notes(omissions)
    position = 0
    for number in sorted(chosen):
        if number > position:
            _leave_out(log.lines, position, number, describe, out, omissions)
        if number in notes:
            out.append(notes[number])
        line = clipped(log.lines[number])
        if line is not log.lines[number]:
            lost = len(log.lines[number]) - len(line)
            omissions.append(Omission(number + 1, number + 1, 0, lost, "rest of a long line"))
        out.append(line)
        position = number + 1
    if position < len(log.lines):
        _leave_out(log.lines, position, len(log.lines), describe, out, omissions)
    return Body("\n".join(out), tuple(sorted(omissions, key=lambda gap: (gap.first_line, gap.last_line))))


def _leave_out(
    lines: Sequence[str],
    first: int,
    end: int,
    describe: _Describer,
    out: list[str],
    omissions: list[Omission],
) -> None:
    """Writes the omission of lines[first:end], or the lines where they are shorter than that."""
    gone = "\n".join(lines[first:end])
    what = describe(first, end)
    note = omission_line(end - first, first + 1, end, what)
    if len(gone) <= len(note):
        out.append(gone)
        return
    out.append(note)
    omissions.append(Omission(first + 1, end, end - first, utf8_len(gone) + 1, what))


def whole(log: LogText) -> Body:
    """Returns all lines of a log, told where much overwritten progress was dropped."""
    notes = progress_notes(log.progress)
    out = [
        part
        for number, line in enumerate(log.lines)
        for part in (notes.get(number), line)
        if part is not None
    ]
    return Body("\n".join(out), log.progress)


def progress_notes(progress: Sequence[Omission]) -> dict[int, str]:
    """Returns an omission line for each 0-based line at which much progress was dropped."""
    return {
        run.first_line - 1: f"{OMISSION_PREFIX} {run.bytes:,} bytes of overwritten progress, "
        f"L{run.first_line}-L{run.last_line}]"
        for run in progress
        if run.bytes >= SMALL_PROGRESS
    }


def _outside(progress: Sequence[Omission], chosen: set[int]) -> list[Omission]:
    """Returns the progress that no gap counts already: that of shown lines."""
    return [
        run
        for run in progress
        if any(line - 1 in chosen for line in range(run.first_line, run.last_line + 1))
    ]


class _Describer:
    """Says what a gap held: its commonest line, errors in it, and where the next error stands."""

    def __init__(
        self, lines: Sequence[str], keys: Sequence[str], found: Scan, chosen: set[int], line_refs: bool
    ) -> None:
        self._lines, self._keys = lines, keys
        self._errors = [number for number in found.hits if found.levels[number] >= ERROR]
        self._shown_errors = [number for number in self._errors if number in chosen] if line_refs else []
        self._chosen = chosen

    def __call__(self, first: int, end: int) -> str:
        parts = [self._commonest(first, end), self._hidden(first, end), self._next_error(end)]
        return "; ".join(part for part in parts if part)

    def _commonest(self, first: int, end: int) -> str:
        if end - first < NAMED_GAP:
            return ""
        key, count = Counter(self._keys[first:end]).most_common(1)[0]
        if 2 * count < end - first or not key.strip():
            return ""
        line = self._lines[self._keys.index(key, first, end)].strip()
        name = line if len(line) <= NAME_CHARS else line[: NAME_CHARS - 1].rstrip() + "…"
        # The key folds numbers: lines that only look alike must not read as one line repeated.
        alike = all(self._lines[at].strip() == line for at in range(first, end) if self._keys[at] == key)
        return f'{count:,} × {"" if alike else "like "}"{name}"'

    def _hidden(self, first: int, end: int) -> str:
        count = bisect_left(self._errors, end) - bisect_left(self._errors, first)
        return "" if not count else "1 error line" if count == 1 else f"{count:,} error lines"

    def _next_error(self, end: int) -> str:
        """Returns where the first error of the run after the gap stands, unless right behind it."""
        at = bisect_left(self._shown_errors, end)
        if at == len(self._shown_errors) or self._shown_errors[at] == end:
            return ""
        number = self._shown_errors[at]
        run = all(line in self._chosen for line in range(end, min(number, end + 60)))
        return f"next error L{number + 1}" if run and number < end + 60 else ""


def has_unread(lines: Sequence[str]) -> bool:
    """Tells whether trouble may stand where nobody looked.

    In answers that say no more than a status of 500 and above, or in lines too long to be judged as
    a whole, where these are most of the text or hold a word of trouble.
    """
    text = "\n".join(lines)
    if any(failed.search(text) for failed in _FAILED_ANSWERS):
        return True
    long = [line for line in lines if len(line) > LONG_LINE]
    if not long:
        return False
    most = 2 * sum(map(len, long)) > sum(map(len, lines))
    return most or any(first_trigger(line) >= 0 for line in long)


def are_settings(lines: Sequence[str]) -> bool:
    """Tells whether lines are those of a file of settings, of which no words of trouble say nothing."""
    some = [line for line in lines[:: max(1, len(lines) // SAMPLE)] if line.strip()]
    return 5 * sum(1 for line in some if _SETTING.match(line, 0, 200)) >= 4 * len(some)


def quiet_words(exit_code: int | None, odd: int = 0) -> str:
    """Says that no line tells of trouble, without calling a run well that was none.

    Args:
        exit_code: of the command, where it is known.
        odd: lines that are shown since they are unlike all others.

    >>> quiet_words(0), quiet_words(1)
    ('no error or warning found', 'exit code 1, but no error or warning found')
    """
    said = "no error or warning found"
    if exit_code:
        said = f"exit code {exit_code}, but no error or warning found"
    return f"{said}, {odd:,} odd {'line' if odd == 1 else 'lines'} shown" if odd else said


def headed(body: Body, total: int, bare: Untimed, quiet: str) -> Body:
    """Returns the body with lines in front that say what holds for all of it.

    Args:
        body: what is shown.
        total: lines of the log.
        bare: the times left out.
        quiet: that no line tells of trouble, "" where one does.
    """
    head, omissions = [], list(body.omissions)
    if quiet:
        head.append(f"{OMISSION_PREFIX} {quiet} in {total:,} lines; the end follows]")
    if bare.first:
        what = "the time in front of each line"
        head.append(f"{OMISSION_PREFIX} {what} is left out: {bare.first} to {bare.last}]")
        omissions.insert(0, Omission(1, total, 0, bare.size, what))
    return Body("\n".join([*head, body.text]), tuple(omissions))
