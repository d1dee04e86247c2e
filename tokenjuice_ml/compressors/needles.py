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


class Needles:
    """A set of literal strings, made ready at the first search."""

    __slots__ = ("_machine", "words")

    def __init__(self, words: Sequence[str]) -> None:
        """Takes the strings; none may be empty or hold a line break but at its start."""
        self.words = tuple(words)
        self._machine: BytesAhoCorasick | None = None

    def found(self, data: bytes) -> list[tuple[int, int, int]]:
        """Returns (index of the word, start, end) of all occurrences, by their ends."""
        if self._machine is None:
            from ahocorasick_rs import BytesAhoCorasick

            self._machine = BytesAhoCorasick([encoded(word) for word in self.words])
        return self._machine.find_matches_as_indexes(data, overlapping=True)

    def lines(self, data: bytes) -> list[int]:
        """Returns the 0-based numbers of the lines that hold any of the words, ascending."""
        numbers: list[int] = []
        number = at = 0
        stop = -1
        for _, _, end in self.found(data):
            if end <= stop:
                continue
            number += data.count(NEWLINE, at, end)
            numbers.append(number)
            at, stop = end, data.find(NEWLINE, end)
            if stop < 0:
                break
        return numbers

    def places(self, data: bytes) -> list[list[int]]:
        """Returns for each word the 0-based numbers of the lines that hold it, ascending."""
        found: list[list[int]] = [[] for _ in self.words]
        for index, number in self.each(data):
            lines = found[index]
            if not lines or lines[-1] != number:
                lines.append(number)
        return found

    def each(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yields (index of the word, 0-based number of its line) of all occurrences."""
        number = at = 0
        for index, _, end in self.found(data):
            number += data.count(NEWLINE, at, end)
            at = end
            yield index, number

    def first(self, data: bytes) -> int:
        """Returns the offset of the first word in `data`, -1 where there is none."""
        return min((start for _, start, _ in self.found(data)), default=-1)
