"""A text as lines: what is shown, and what patterns are matched against."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from tokenjuice_ml.compressors.needles import Needles, encoded, lowered

MATCH_CHARS = 2000
# Escape sequences: OSC (title, links), CSI (colours, cursor), two-character ones, single leftovers.
# An OSC that ends with ESC and a backslash leaves that as a sequence of its own.
_SEQUENCE = re.compile(r"\x1b(?:\][^\x07\x1b\n]*\x07?|\[[0-?]*[ -/]*[@-~]?|[()*+][0-9A-Za-z]|[@-Z\\-_])?")
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
_OSC = re.compile(r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Escapes in a text, and uses of a colour in it, from which it goes by itself.
_MANY_COLOURS, _OFTEN, _COLOURS, _COLOUR_SAMPLE = 40_000, 1500, 24, 12_000
# Escapes from which a text is stripped as a whole, not line by line, and how many a line.
_MANY_ESCAPES, _DENSE = 500, 4
# Lines are folded to shapes from this many on, and where they leave at most this share of them.
_FOLD_LINES = 64
_FOLD_SHARE = 0.5
# Lines that are folded at once: bounds the memory.
_FOLD_CHUNK, _FOLD_SAMPLE = 20_000, 4_000
_ZERO_BYTES = bytes.maketrans(b"123456789", b"000000000")


def zeroed(text: str) -> str:
    """Returns `text` with a 0 for every digit.

    >>> zeroed("case 17 of 20")
    'case 00 of 00'
    """
    return encoded(text).translate(_ZERO_BYTES).decode("utf-8", "surrogatepass")


def numbers_folded(text: str) -> str:
    """Returns `text` with one 0 for each number.

    >>> numbers_folded("case 17 of 20")
    'case 0 of 0'
    """
    data = encoded(text).translate(_ZERO_BYTES)
    while b"00" in data:
        data = data.replace(b"00", b"0")
    return data.decode("utf-8", "surrogatepass")


def strip_ansi(text: str) -> str:
    r"""Returns `text` without escape sequences.

    >>> strip_ansi("\x1b[31mred\x1b[0m")
    'red'
    """
    if "\x1b" not in text:
        return text
    if text.count("\x1b") > _MANY_COLOURS and "\x1b\x1b" not in text:
        # Colours repeat: whole texts lose one after the other faster than all in one go.
        text = _OSC.sub("", text)
        part = len(text) // 4
        sample = "".join([text[at * part : at * part + _COLOUR_SAMPLE] for at in range(4)])
        for sequence, count in Counter(_COLOUR.findall(sample)).most_common(_COLOURS):
            if count * len(text) >= _OFTEN * len(sample):
                text = text.replace(sequence, "")
    return _SEQUENCE.sub("", text)


def _as_returns(text: str) -> str:
    if "\x1b[" in text and "G" in text:
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


class Lines:
    """Lines in which many words are looked up at once.

    Attributes:
        matched: what patterns see of each line.
        folded: each digit of the lines is a 0.
    """

    __slots__ = ("_data", "_holding", "folded", "matched")

    def __init__(self, matched: list[str], folded: bool) -> None:
        self.matched, self.folded = matched, folded
        self._data: bytes | None = None
        self._holding: dict[str, list[int]] = {}

    @property
    def data(self) -> bytes:
        """A line break, then the lines joined by line breaks, in lower case of ASCII letters."""
        if self._data is None:
            self._data = lowered("\n" + "\n".join(self.matched))
        return self._data

    def look_up(self, words: Iterable[str]) -> None:
        """Finds the lines of all these words in one pass, for `holding`."""
        wanted = tuple(dict.fromkeys(word for word in words if word not in self._holding))
        if wanted:
            self._holding.update(zip(wanted, _needles(wanted).places(self.data, -1), strict=True))

    def holding(self, words: Sequence[str]) -> list[int]:
        """Returns the lines that hold one of these `key`s, ascending."""
        self.look_up(words)
        if len(words) == 1:
            return self._holding[words[0]]
        return sorted(set(chain.from_iterable([self._holding[word] for word in words])))

    def with_any(self, needles: Needles) -> list[int]:
        """Returns the lines that hold any of the needles, ascending."""
        known = self._holding
        if all(map(known.__contains__, needles.words)):
            return sorted(set(chain.from_iterable([known[word] for word in needles.words])))
        return needles.lines(self.data, -1)


def key(literal: str, folded: bool) -> str:
    """Returns the form in which `Lines` looks a literal up."""
    text = encoded(literal).lower().decode("utf-8", "surrogatepass")
    return zeroed(text) if folded else text


@lru_cache(maxsize=256)
def _needles(words: tuple[str, ...]) -> Needles:
    return Needles(words)


class LineView(Lines):
    """The lines of a text, indexed for pattern search.

    Attributes:
        original: the lines as they came.
        lines: what is shown of each: no escape codes, last state of redrawn lines.
        matched: what patterns see: without CI prefix, cut at `MATCH_CHARS` characters.
        found: lines found so far, by pattern and case.
    """

    __slots__ = ("_shapes", "ascii", "ci", "found", "lines", "original", "redrawn")

    def __init__(self, text: str, keep_ansi: bool = False, plain: str | None = None) -> None:
        """Takes a text.

        Args:
            text: the text.
            keep_ansi: escape sequences stay in what is shown.
            plain: the text without them, where it is known.
        """
        self.ascii = text.isascii()
        self.original = _split(text)
        self.redrawn: dict[int, int] = {}
        lines = self.original
        if "\x1b" in text and not keep_ansi:
            lines = self._uncoloured(text, plain)
        if "\r" in text or any(sequence in text for sequence in _COLUMN_ONE):
            lines = self._redraw(lines)
        self.lines = lines
        self.ci = _has_ci_prefix(lines)
        super().__init__(self._matched(lines), folded=False)
        self._shapes: Shapes | bool | None = None
        self.found: dict[tuple[str, bool], list[int]] = {}

    def _uncoloured(self, text: str, plain: str | None) -> list[str]:
        if plain is not None and not any(sequence in text for sequence in _COLUMN_ONE):
            lines = plain.split("\n")[: len(self.original)]
        elif text.count("\x1b") > max(_MANY_ESCAPES, _DENSE * len(self.original)):
            lines = strip_ansi(_as_returns(text)).split("\n")[: len(self.original)]
        else:
            lines = _stripped(self.original)
        if lines[-1] == "" and not text.endswith("\n"):
            lines.pop()  # colours behind the last line end are no line
        return lines

    def _redraw(self, lines: list[str]) -> list[str]:
        overwritten = [at for at, line in enumerate(lines) if "\r" in line]
        if not overwritten:
            return lines
        shown = list(lines)
        for at in overwritten:
            line = lines[at].rstrip("\r")
            if "\r" not in line:
                shown[at] = line
                continue
            shown[at] = last_state(line)
            states = sum(1 for part in line.split("\r") if part.strip())
            if states > 1:
                self.redrawn[at] = states - 1
        return shown

    def _matched(self, lines: list[str]) -> list[str]:
        if self.ci:
            lines = [line[found.end() :] if (found := _CI_PREFIX.match(line)) else line for line in lines]
        if lines and len(max(lines, key=len)) > MATCH_CHARS:
            lines = [line[:MATCH_CHARS] for line in lines]
        return lines

    @property
    def shapes(self) -> Shapes | None:
        """The different lines, numbers aside; None where there are nearly as many as lines."""
        if self._shapes is None:
            self._shapes = Shapes.of(self.matched) or False
        return self._shapes or None  # type: ignore[return-value]

    @property
    def base(self) -> Lines:
        """Where words are looked up: the shapes, or all lines."""
        return self.shapes or self

    def lines_of(self, found: Sequence[int]) -> Sequence[int]:
        """Returns the lines that these of `base` stand for, ascending."""
        shapes = self.shapes
        return found if shapes is None else shapes.lines_of(found)

    def groups(self, found: Sequence[int]) -> list[tuple[str, Sequence[int]]]:
        """Returns for these of `base` what the lines have in common, and the lines."""
        shapes = self.shapes
        if shapes is not None:
            return [(shapes.matched[at], shapes.places[at]) for at in found]
        groups: defaultdict[str, list[int]] = defaultdict(list)
        names = zeroed("\n".join([self.matched[at] for at in found])).split("\n")
        for at, name in zip(found, names, strict=bool(found)):
            groups[name].append(at)
        return list(groups.items())

    def bytes_of(self, start: int, end: int) -> int:
        """Returns the UTF-8 bytes of the original lines `start` to `end` (half open), line ends too."""
        lines = self.original[start:end]
        if self.ascii:
            return sum(map(len, lines)) + len(lines)
        return len("\n".join(lines).encode("utf-8", "surrogatepass")) + 1


def _stripped(lines: Sequence[str]) -> list[str]:
    """Returns the lines without escape sequences, none of which goes beyond its line."""
    coloured = [at for at, line in enumerate(lines) if "\x1b" in line]
    bare = strip_ansi(_as_returns("\n".join([lines[at] for at in coloured]))).split("\n")
    found = list(lines)
    for at, line in zip(coloured, bare, strict=True):
        found[at] = line
    return found


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


class Shapes(Lines):
    """The lines of a view that differ in more than their numbers, each digit a 0.

    Attributes:
        matched: the shapes, in order of their first line.
        places: the lines of each shape, ascending.
    """

    __slots__ = ("places",)

    def __init__(self, groups: dict[bytes, list[int]]) -> None:
        matched = b"\n".join(groups).decode("utf-8", "surrogatepass").split("\n")
        super().__init__(matched, folded=True)
        self.places = list(groups.values())

    @classmethod
    def of(cls, matched: Sequence[str]) -> Shapes | None:
        """Returns the shapes of these lines, None where they would not be few."""
        if len(matched) < _FOLD_LINES:
            return None
        groups: defaultdict[bytes, list[int]] = defaultdict(list)
        first, end = 0, _FOLD_SAMPLE
        while first < len(matched):
            for at, name in enumerate(_zeroed_lines(matched[first:end]), first):
                groups[name].append(at)
            if len(groups) > _FOLD_SHARE * min(end, len(matched)):
                return None
            first, end = end, end + _FOLD_CHUNK
        return cls(groups)

    def lines_of(self, shapes: Sequence[int]) -> list[int]:
        """Returns the numbers of the lines of these shapes, ascending."""
        if len(shapes) == 1:
            return self.places[shapes[0]]
        return sorted(chain.from_iterable([self.places[shape] for shape in shapes]))


def _zeroed_lines(lines: Sequence[str]) -> list[bytes]:
    return encoded("\n".join(lines)).translate(_ZERO_BYTES).split(b"\n")


def _has_ci_prefix(lines: list[str]) -> bool:
    sample = [line for line in lines[: _SAMPLE * 4] if line][:_SAMPLE]
    hits = sum(1 for line in sample if _CI_PREFIX.match(line))
    return hits >= 3 and hits * 2 > len(sample)
