"""A text as lines: what is shown, and what patterns are matched against."""

from __future__ import annotations

import re
from itertools import accumulate

MATCH_CHARS = 2000
# Escape sequences: OSC (title, links), CSI (colours, cursor), two-character ones, single leftovers.
_ANSI = re.compile(
    r"\x1b(?:\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[()*+][0-9A-Za-z]|[@-Z\\-_])?"
)
# Time stamps and job names that CI systems put before each line.
_CI_PREFIX = re.compile(
    r"(?:[\w .()/+-]{1,80}\t[\w .()/+:-]{1,80}\t)?\ufeff?"
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE]\+?)? ?"
    r"|\[\d\d:\d\d:\d\d(?:\.\d+)?\] ?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)? )"
)
# "Go to the first column": spinners redraw a line with it, as others do with a carriage return.
_COLUMN_ONE = ("\x1b[1G", "\x1b[G", "\x1b[0G")
_SAMPLE = 40


def strip_ansi(text: str) -> str:
    r"""Returns `text` without escape sequences.

    >>> strip_ansi("\x1b[31mred\x1b[0m")
    'red'
    """
    return _ANSI.sub("", text) if "\x1b" in text else text


def _as_returns(text: str) -> str:
    if "\x1b[" in text:
        for sequence in _COLUMN_ONE:
            text = text.replace(sequence, "\r")
    return text


def last_state(line: str) -> str:
    r"""Returns what a terminal would show of a line redrawn with carriage returns.

    >>> last_state("10%\r50%\r100%")
    '100%'
    """
    states = line.rstrip("\r").split("\r")
    return next((state for state in reversed(states) if state.strip()), "")


class LineView:
    """The lines of a text, indexed for pattern search.

    Attributes:
        original: the lines as they came.
        lines: what is shown of each: no escape codes, last state of redrawn lines.
        matched: what patterns see: without CI prefix, cut at `MATCH_CHARS` characters.
        text: a line break, then `matched` joined by line breaks.
        found: lines found so far, by pattern and case.
    """

    __slots__ = (
        "_lower",
        "_starts",
        "ascii",
        "ci",
        "found",
        "lines",
        "matched",
        "original",
        "redrawn",
        "text",
    )

    def __init__(self, text: str, keep_ansi: bool = False) -> None:
        self.ascii = text.isascii()
        self.original = text.split("\n")
        if self.original and self.original[-1] == "":
            self.original.pop()
        clean = text if keep_ansi else strip_ansi(_as_returns(text))
        lines = clean.split("\n")
        if lines and lines[-1] == "":
            lines.pop()
        self.redrawn: dict[int, int] = {}
        if "\r" in clean:
            lines = self._redraw(lines)
        self.lines = lines
        self.ci = _has_ci_prefix(lines)
        self.matched = self._matched(lines)
        self.text = "\n" + "\n".join(self.matched)
        self._starts: list[int] | None = None
        self._lower: str | None = None
        self.found: dict[tuple[str, bool], list[int]] = {}

    def _redraw(self, lines: list[str]) -> list[str]:
        shown: list[str] = []
        for at, line in enumerate(lines):
            if "\r" not in line:
                shown.append(line)
                continue
            state = last_state(line)
            states = sum(1 for part in line.split("\r") if part.strip())
            if states > 1:
                self.redrawn[at] = states - 1
            shown.append(state)
        return shown

    def _matched(self, lines: list[str]) -> list[str]:
        if self.ci:
            lines = [line[found.end() :] if (found := _CI_PREFIX.match(line)) else line for line in lines]
        if lines and len(max(lines, key=len)) > MATCH_CHARS:
            lines = [line[:MATCH_CHARS] for line in lines]
        return lines

    @property
    def starts(self) -> list[int]:
        """Positions in `text` where lines start."""
        if self._starts is None:
            self._starts = list(accumulate(map((1).__add__, map(len, self.matched)), initial=1))
            self._starts.pop()
        return self._starts

    @property
    def lower(self) -> str | None:
        """`text` in lower case, or None where that moves positions."""
        if self._lower is None:
            self._lower = self.text.lower()
        return self._lower if len(self._lower) == len(self.text) else None

    @property
    def lower_lines(self) -> list[str]:
        """`matched` in lower case."""
        return self.text.lower()[1:].split("\n")

    def bytes_of(self, start: int, end: int) -> int:
        """Returns the UTF-8 bytes of the original lines `start` to `end` (half open), line ends too."""
        lines = self.original[start:end]
        if self.ascii:
            return sum(map(len, lines)) + len(lines)
        return len("\n".join(lines).encode("utf-8", "surrogatepass")) + 1


def _has_ci_prefix(lines: list[str]) -> bool:
    sample = [line for line in lines[: _SAMPLE * 4] if line][:_SAMPLE]
    hits = sum(1 for line in sample if _CI_PREFIX.match(line))
    return hits >= 3 and hits * 2 > len(sample)
