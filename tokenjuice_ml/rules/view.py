"""A text as lines: what is shown, and what patterns are matched against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, chain

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
# Lines are folded to shapes from this many on, and where they leave at most this share of them.
_FOLD_LINES = 64
_FOLD_SHARE = 0.5
_ZEROS = str.maketrans("123456789", "000000000")
_ZERO_BYTES = bytes.maketrans(b"123456789", b"000000000")


def zeroed(text: str) -> str:
    """Returns `text` with a 0 for every digit.

    >>> zeroed("case 17 of 20")
    'case 00 of 00'
    """
    if text.isascii():
        return text.translate(_ZEROS)
    return text.encode("utf-8", "surrogatepass").translate(_ZERO_BYTES).decode("utf-8", "surrogatepass")


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
        "_shapes",
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
        self._shapes: Shapes | bool | None = None
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

    @property
    def shapes(self) -> Shapes | None:
        """The different lines, numbers aside; None where there are nearly as many as lines."""
        if self._shapes is None:
            self._shapes = Shapes.of(self) or False
        return self._shapes or None  # type: ignore[return-value]

    def bytes_of(self, start: int, end: int) -> int:
        """Returns the UTF-8 bytes of the original lines `start` to `end` (half open), line ends too."""
        lines = self.original[start:end]
        if self.ascii:
            return sum(map(len, lines)) + len(lines)
        return len("\n".join(lines).encode("utf-8", "surrogatepass")) + 1


class Shapes:
    """The lines of a view that differ in more than their numbers, each digit a 0.

    Attributes:
        matched: the shapes, in order of their first line.
        text: a line break, then `matched` joined by line breaks.
        places: the lines of each shape, ascending.
        lower, lower_lines, starts: as in `LineView`.
    """

    __slots__ = ("lower", "lower_lines", "matched", "places", "starts", "text")

    def __init__(self, groups: dict[str, list[int]]) -> None:
        self.matched = list(groups)
        self.places = list(groups.values())
        self.text = "\n" + "\n".join(self.matched)
        lower = self.text.lower()
        self.lower = lower if len(lower) == len(self.text) else None
        self.lower_lines = lower[1:].split("\n")
        self.starts = list(accumulate(map((1).__add__, map(len, self.matched)), initial=1))
        self.starts.pop()

    @classmethod
    def of(cls, view: LineView) -> Shapes | None:
        """Returns the shapes of `view`, None where they would not be few."""
        if len(view.matched) < _FOLD_LINES:
            return None
        lines = zeroed(view.text)[1:].split("\n")
        if len(set(lines)) > _FOLD_SHARE * len(lines):
            return None
        groups: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            groups.setdefault(line, []).append(at)
        return cls(groups)

    def lines_of(self, shapes: Sequence[int]) -> list[int]:
        """Returns the numbers of the lines of these shapes, ascending."""
        if len(shapes) == 1:
            return self.places[shapes[0]]
        return sorted(chain.from_iterable(self.places[shape] for shape in shapes))


def _has_ci_prefix(lines: list[str]) -> bool:
    sample = [line for line in lines[: _SAMPLE * 4] if line][:_SAMPLE]
    hits = sum(1 for line in sample if _CI_PREFIX.match(line))
    return hits >= 3 and hits * 2 > len(sample)
