r"""Many literal strings looked for at once: one pass over a text, whatever their number.

    needles = Needles(("error", "warn"))
    needles.lines(b"fine\nan error\n")       numbers of the lines that hold one
    needles.places(b"fine\nan error\n")      numbers of the lines that hold each

Texts are searched as bytes (`encoded`), in lower case of ASCII letters (`lowered`) where case does
not count: offsets then need no translation and lines are counted by their ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

NEWLINE = b"\n"
# Bytes that are searched at once.
PIECE = 400_000
# Bytes from which the quicker form of the machine, which takes longer to make, has paid for itself.
OFTEN = 1_000_000


def encoded(text: str) -> bytes:
    """Returns the bytes in which needles are looked for."""
    return text.encode("utf-8", "surrogatepass")


def lowered(text: str) -> bytes:
    """Returns the bytes of `text` with ASCII letters in lower case."""
    return text.encode("utf-8", "surrogatepass").lower()


def cased(words: Sequence[str]) -> tuple[str, ...]:
    """Returns lower-case words, those with letters beyond ASCII in upper and title case as well."""
    wide = [word for word in words if not word.isascii()]
    both = [form for word in wide for form in (word.upper(), word.capitalize())]
    return tuple(dict.fromkeys((*words, *both)))


def _pieces(data: bytes) -> Iterator[tuple[int, bytes | memoryview]]:
    """Yields the text cut before line breaks, each piece with its offset: bounds the memory of a search."""
    if len(data) <= PIECE:
        yield 0, data
        return
    view, start = memoryview(data), 0
    while start < len(data):
        end = data.find(NEWLINE, start + PIECE)
        end = len(data) if end < 0 else end
        yield start, view[start:end]
        start = end


class Needles:
    """A set of literal strings, made ready at the first search."""

    __slots__ = ("_machine", "_searched", "words")

    def __init__(self, words: Sequence[str]) -> None:
        """Takes the strings; none may be empty or hold a line break but at its start."""
        self.words = tuple(words)
        self._machine: BytesAhoCorasick | None = None
        self._searched = 0

    def found(self, data: bytes | memoryview, overlapping: bool = True) -> list[tuple[int, int, int]]:
        """Returns (index of the word, start, end) of all occurrences, by their ends.

        Args:
            data: the text.
            overlapping: False leaves out words that overlap with one before them.
        """
        before = self._searched
        self._searched += len(data)
        if self._machine is None or before < OFTEN <= self._searched:
            self._machine = self._made(self._searched >= OFTEN)
        return self._machine.find_matches_as_indexes(data, overlapping=overlapping)

    def _made(self, quick: bool) -> BytesAhoCorasick:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        words = [encoded(word) for word in self.words]
        return BytesAhoCorasick(words, implementation=Implementation.DFA if quick else None)

    def lines(self, data: bytes, number: int = 0) -> list[int]:
        """Returns the numbers of the lines that hold any of the words, ascending.

        Args:
            data: the text.
            number: of its first line.
        """
        numbers: list[int] = []
        at = 0
        stop = -1
        for start, piece in _pieces(data):
            for _, _, end in self.found(piece, overlapping=False):
                end += start
                if end <= stop:
                    continue
                number += data.count(NEWLINE, at, end)
                numbers.append(number)
                at, stop = end, data.find(NEWLINE, end)
                if stop < 0:
                    return numbers
        return numbers

    def places(self, data: bytes, number: int = 0) -> list[list[int]]:
        """Returns for each word the numbers of the lines that hold it, ascending; `number` is the first's."""
        found: list[list[int]] = [[] for _ in self.words]
        at = 0
        for start, piece in _pieces(data):
            for index, _, end in self.found(piece):
                number += data.count(NEWLINE, at, start + end)
                at = start + end
                lines = found[index]
                if not lines or lines[-1] != number:
                    lines.append(number)
        return found

    def inside(self, data: bytes) -> bool:
        """Tells whether any of the words is in `data`."""
        return any(self.found(piece, overlapping=False) for _, piece in _pieces(data))

    def first(self, data: bytes) -> int:
        """Returns the offset of the first word in `data`, -1 where there is none."""
        return min((start for _, start, _ in self.found(data)), default=-1)
