"""Reads diffs of all makes line by line: files, hunks, and what stands around them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from operator import sub
from typing import overload

# Signs of lines inside a hunk; see `marks_of`.
_HUNK_SIGNS = re.compile(r"[-+ \\]*")
_FILE = ("diff --git ", "diff --cc ", "diff --combined ", "Index: ", "diff -")
_HEADERS = (
    *("index ", "--- ", "+++ ", "old mode ", "new mode ", "new file ", "deleted file ", "mode ", "===="),
    *("similarity ", "dissimilarity ", "rename ", "copy ", "Binary files ", "GIT binary patch", *_FILE),
)
_COMMIT = ("commit ", "From ")
# Headers that begin no file and no commit.
_USUAL = ("index ", "--- ", "+++ ")
_RANGES = re.compile(r"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))?(?:[ \n]|$)")
# The header of nearly every file: `_read_file` reads any other line by line.
_HEAD = re.compile(r"diff --git [^\n]*\n(index [^\n]*\n)?--- [^\n]*\n\+\+\+ (?!/dev/null)([^\n]*)\n(?=@@ )")
# Chars from which on lines are not held apart, and those cut into lines at once.
_LARGE, _CHUNK = 2_000_000, 500_000


@dataclass(slots=True)
class Hunk:
    """One hunk, as 0-based half-open line ranges.

    Attributes:
        start: its ``@@`` line.
        end: the line behind its last line.
        signs: columns of signs: 1, or more in a combined diff.
        added: added lines.
        removed: removed lines.
    """

    start: int
    end: int
    signs: int = 1
    added: int = 0
    removed: int = 0


@dataclass(slots=True)
class FileDiff:
    """What a diff says about one file.

    Attributes:
        start: its first header line.
        head_end: the line behind its header.
        end: the line behind its last line.
        path: the new path, or the old one of a deleted file.
        hunks: its hunks.
        binary: first line of binary patch data, or -1.
        usual: True where all lines of the header repeat what its first one says.
    """

    start: int
    head_end: int
    end: int
    path: str
    hunks: list[Hunk] = field(default_factory=list)
    binary: int = -1
    usual: bool = field(default=False, compare=False)


class Lines(Sequence[str]):
    """The lines of a large text, each cut out when it is asked for: a list of them takes thrice the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("q", [0])
        self.marks = ""
        start = 0
        while start >= 0:
            end = text.find("\n", start + _CHUNK)
            piece = text[start:] if end < 0 else text[start:end]
            start = end + 1 if end >= 0 else -1
            lines = piece.split("\n")
            self.marks += "".join([line[:1] or " " for line in lines])
            at = self.starts[-1]
            self.starts.extend([at + size for size in accumulate([len(line) + 1 for line in lines])])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            first, end, _ = index.indices(len(self))
            found = self.text[self.starts[first] : self.starts[end] - 1] if first < end else ""
            return found.split("\n") if first < end else []
        place = index if index >= 0 else index + len(self)
        return self.text[self.starts[place] : self.starts[place + 1] - 1]


@dataclass(slots=True, frozen=True)
class Source:
    """A diff with what was found of its lines.

    Attributes:
        text: the text, without colours and carriage returns.
        lines: its lines.
        marks: their first signs, see `marks_of`.
        starts: where they begin, and where one behind the last would.
        lengths: the chars of each, its end included.
    """

    text: str
    lines: Sequence[str]
    marks: str
    starts: Sequence[int]
    lengths: list[int]


def source_of(text: str) -> Source:
    """Returns `text` with its lines, those of a large one as they are asked for."""
    if len(text) > _LARGE:
        large = Lines(text)
        sizes = list(map(sub, islice(large.starts, 1, None), large.starts))
        return Source(text, large, marks_of(large), large.starts, sizes)
    lines = text.split("\n")
    sizes = [len(line) + 1 for line in lines]
    return Source(text, lines, marks_of(lines), list(accumulate(sizes, initial=0)), sizes)


def marks_of(lines: Sequence[str]) -> str:
    """Returns the first sign of each line, a blank for an empty line; the empty last line has none."""
    marks = lines.marks if isinstance(lines, Lines) else "".join([line[:1] or " " for line in lines])
    return f"{marks[:-1]}\n" if lines and not lines[-1] else marks


def files_of(lines: Sequence[str], source: Source | None = None) -> list[FileDiff]:
    """Returns the files of a diff; lines outside them are messages and the like.

    Args:
        lines: the lines, without colours and carriage returns.
        source: what they are of; with it most headers and hunks are read many lines at a time.
    """
    found: list[FileDiff] = []
    position, total = 0, len(lines)
    while position < total:
        if _starts_file(lines, position):
            one = (source and _read_usual(source, position)) or _read_file(lines, position, source)
            found.append(one)
            position = one.end
        else:
            position += 1
    return found


def _starts_file(lines: Sequence[str], position: int) -> bool:
    line = lines[position]
    if line.startswith(_FILE):
        return True
    if line.startswith("--- "):
        return position + 1 < len(lines) and lines[position + 1].startswith("+++ ")
    # A diff whose beginning was cut off starts inside a file.
    return line.startswith(("@@ -", "@@@ -"))


def _read_usual(source: Source, start: int) -> FileDiff | None:
    """Reads a file whose header is the usual one."""
    head = _HEAD.match(source.text, source.starts[start])
    if head is None:
        return None
    first = start + (3 if head[1] is None else 4)
    hunks = _read_hunks(source.lines, first, source)
    return FileDiff(start, first, hunks[-1].end, _path(head[2]), hunks, usual=True)


def _read_hunks(lines: Sequence[str], position: int, source: Source | None) -> list[Hunk]:
    hunks: list[Hunk] = []
    total = len(lines)
    while position < total and lines[position].startswith(("@@ ", "@@@")):
        hunk = (source and _read_marks(source, position)) or _read_hunk(lines, position)
        hunks.append(hunk)
        position = hunk.end
    return hunks


def _read_file(lines: Sequence[str], start: int, source: Source | None = None) -> FileDiff:
    position, total = start, len(lines)
    path = ""
    binary = -1
    while position < total and not lines[position].startswith(("@@ ", "@@@")):
        line = lines[position]
        if position > start and not line.startswith(_USUAL):
            if line.startswith(_FILE) and not _same_file(line, lines[start]):
                break
            if (binary < 0 and not line.startswith(_HEADERS)) or line.startswith(_COMMIT):
                break
        if (line.startswith("+++ ") and not line.startswith("+++ /dev/null")) or (
            line.startswith("--- ") and not path
        ):
            path = _path(line[4:])
        elif line.startswith("GIT binary patch"):
            binary = position
        position += 1
    head_end = position
    hunks = _read_hunks(lines, position, source)
    position = hunks[-1].end if hunks else position
    return FileDiff(start, head_end, position, path or _path_of_head(lines[start]), hunks, binary)


def _same_file(line: str, first: str) -> bool:
    """Says whether a second header line belongs to the file (``Index:``, then ``diff -r``)."""
    return first.startswith("Index: ") and not line.startswith(("Index: ", "diff --git "))


def _path(word: str) -> str:
    word = word.partition("\t")[0].strip().strip('"')
    return word[2:] if word[:2] in ("a/", "b/", "c/", "i/", "w/", "o/") else word


def _path_of_head(line: str) -> str:
    if line.startswith("diff --git "):
        words = line[11:]
        half = len(words) // 2
        return _path(words[half + 1 :]) if words[half : half + 1] == " " else _path(words.rpartition(" ")[2])
    return _path(line.partition(": ")[2] or line.rpartition(" ")[2])


def _read_hunk(lines: Sequence[str], start: int) -> Hunk:
    head = lines[start]
    signs = len(head) - len(head.lstrip("@")) - 1
    hunk = Hunk(start, start + 1, signs)
    if signs > 1:
        return _read_combined(lines, hunk)
    _read_lines(lines, hunk, *_counts(head))
    return hunk


def _read_marks(source: Source, start: int) -> Hunk | None:
    """Reads a hunk that ends where its lines do, many lines at a time; None where it is no such one."""
    ranges = _RANGES.match(source.text, source.starts[start])
    found = _HUNK_SIGNS.match(source.marks, start + 1)
    if ranges is None or found is None:
        return None
    old, new = ranges.groups("1")
    signs = found[0]
    added, removed = signs.count("+"), signs.count("-")
    same = int(old) - removed
    if added + same != int(new) or len(signs) != added + removed + same + signs.count("\\"):
        return None
    return Hunk(start, found.end(), 1, added, removed)


def _read_lines(lines: Sequence[str], hunk: Hunk, old: int, new: int) -> None:
    """Reads a hunk line by line, as far as its header's counts go."""
    position, total = hunk.start + 1, len(lines)
    added = removed = 0
    while position < total and (old > 0 or new > 0):
        sign = lines[position][:1]
        if sign == "+":
            new -= 1
            added += 1
        elif sign == "-":
            old -= 1
            removed += 1
        elif sign in (" ", ""):
            if sign == "" and position + 1 == total:
                break
            old -= 1
            new -= 1
        elif sign != "\\":
            break
        position += 1
    while position < total and lines[position].startswith("\\"):
        position += 1
    hunk.end, hunk.added, hunk.removed = position, added, removed


def _counts(head: str) -> tuple[int, int]:
    """Returns the old and new line counts of ``@@ -a,b +c,d @@``."""
    found = _RANGES.match(head)
    if found is not None:
        old, new = found.groups("1")
        return int(old), int(new)
    words = head.split(" ", 3)
    if len(words) < 3:
        return 0, 0
    return _count(words[1]), _count(words[2])


def _count(word: str) -> int:
    tail = word.partition(",")[2]
    if not tail:
        return 1 if word[1:].isdecimal() else 0
    return int(tail) if tail.isdecimal() and len(tail) < 10 else 0


def _read_combined(lines: Sequence[str], hunk: Hunk) -> Hunk:
    """A combined hunk ends where a line has no sign columns."""
    position, total = hunk.start + 1, len(lines)
    while position < total:
        columns = lines[position][: hunk.signs]
        if columns.strip(" +-") and not columns.startswith("\\"):
            break
        if not columns and position + 1 == total:
            break
        hunk.added += "+" in columns
        hunk.removed += "-" in columns
        position += 1
    hunk.end = position
    return hunk


def diff_end(lines: Sequence[str], start: int) -> int:
    """Returns the line behind the files of a diff that begins at `start`; `start` where none does."""
    position = start
    while position < len(lines) and _starts_file(lines, position):
        one = _read_file(lines, position)
        if not one.hunks and one.binary < 0 and one.end - position < 2:
            break
        position = one.end
    return position
