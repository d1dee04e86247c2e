"""Finds what folds in Python source by its lines, at a fifth of the cost of a syntax tree.

Brackets, strings, comments and indentation are all that Python's blocks depend on. The answer is
that of the syntax tree; where a text is not plain Python the scan gives up and the tree decides.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from tokenjuice_ml.compressors.code_sheet import Body

# All that matters to the place of a line's brackets, strings and comments.
_SIGNS = b"\"'#()[]{}\\"
_NO_SIGNS = bytes(byte for byte in range(256) if byte not in _SIGNS + b"\n")
_CLOSER = {ord("("): ord(")"), ord("["): ord("]"), ord("{"): ord("}")}
_CLOSERS, _QUOTES, _HASH, _BACKSLASH = frozenset(b")]}"), frozenset(b"\"'"), ord("#"), ord("\\")
_HEADS = (b"def ", b"class ", b"async def ")
_PREFIX = b"rRuUbBfF"
_BLANKS = b" \t\x0c"
_TAB, _FAR = 8, 1 << 30


class _GiveUp(Exception):
    """The text is not plain Python."""


@dataclass(slots=True)
class Found:
    """What a scan found, as 0-based rows, both ends inclusive.

    Attributes:
        bodies: function bodies.
        docstrings: of the module, of classes and of functions.
        classes: first rows of classes.
        comments: rows that hold a comment.
        long: statements outside functions that are long enough to hold a long literal.
    """

    bodies: list[Body] = field(default_factory=list)
    docstrings: list[tuple[int, int]] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    comments: list[int] = field(default_factory=list)
    long: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """An open block of a function or class: its header's row and indent, its own indent and first row."""

    row: int
    outer: int
    is_class: bool
    indent: int = -1
    first: int = -1
    docstring: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line does to the open brackets, and whether it ends with a comment."""

    closed: bytes
    opened: bytes
    comment: bool


def scan(text: str, long: int) -> Found | None:
    r"""Returns what stands where in Python source, None where the text is not plain enough to say.

    Args:
        text: the source, its line ends ``\n``.
        long: a statement outside of functions over at least this many rows more is reported.
    """
    if "\r" in text:
        return None
    try:
        return _Scanner(text.encode("utf-8", "surrogatepass"), long).run()
    except _GiveUp:
        return None


class _Scanner:
    def __init__(self, data: bytes, long: int) -> None:
        self.data, self.long = data, long
        self.lines = data.split(b"\n")
        self.signs = data.translate(None, _NO_SIGNS).split(b"\n")
        self.starts: list[int] = []
        self.known: dict[bytes, _Line] = {}
        # Signs of lines that open and close nothing, and the indent from which on they need no look.
        self.plain = {b""}
        self.passing = _FAR
        self.found = Found()
        self.brackets: list[int] = []
        self.blocks: list[_Block] = []
        self.notes: list[tuple[int, int]] = []
        self.head: _Block | None = None
        self.last = -1
        self.inside = 0

    def run(self) -> Found:
        """Reads line by line; a plain statement inside its block is passed over at once."""
        row, total, lines, signs, plain = 0, len(self.lines), self.lines, self.signs, self.plain
        while row < total:
            line = lines[row]
            bare = line.lstrip(_BLANKS)
            if not bare:
                row += 1
                continue
            lead = len(line) - len(bare)
            indent = lead + (_TAB - 1) * line.count(b"\t", 0, lead) if lead and line[0] != 32 else lead
            if self.passing <= indent and signs[row] in plain and not bare.startswith(_HEADS):
                if self.notes:
                    self.notes.clear()
                self.last = row
                row += 1
            elif bare[0] == _HASH:
                self.found.comments.append(row)
                self.notes.append((row, indent))
                row += 1
            else:
                row = self._statement(row, indent, bare) + 1
                in_block = self.head is None and self.blocks
                self.passing = self.blocks[-1].indent if in_block else _FAR
        self._close(-1)
        # Without a function there is nothing to save, and less to say that this is Python.
        if self.head is not None or not self.found.bodies:
            raise _GiveUp
        return self.found

    def _statement(self, row: int, indent: int, bare: bytes) -> int:
        """Reads the statement that starts in `row`; returns its last row."""
        first_of = self._place(row, indent)
        head = bare.startswith(_HEADS)
        end = self._end_of(row) if self.signs[row] else row
        if first_of is not None or self.last < 0:
            self._note_docstring(row, end, bare, first_of)
        if head:
            self._open(row, end, indent, bare)
        if end - row >= self.long and not self.inside:
            self.found.long.append((row, end))
        self.last = end
        return end

    def _place(self, row: int, indent: int) -> _Block | None:
        """Closes the blocks that end before `row`; returns the block whose first statement it is."""
        head = self.head
        if head is not None:
            if indent <= head.outer:
                raise _GiveUp
            head.indent, head.first, self.head = indent, row, None
            self.blocks.append(head)
            self.inside += not head.is_class
            self.notes.clear()
            return head
        if self.blocks and indent < self.blocks[-1].indent:
            self._close(indent)
        self.notes.clear()
        return None

    def _close(self, indent: int) -> None:
        blocks = self.blocks
        while blocks and indent < blocks[-1].indent:
            block = blocks.pop()
            if indent > block.outer:
                raise _GiveUp
            if block.is_class:
                continue
            self.inside -= 1
            last = self.last
            # Comments below the last statement belong to the block as long as they are indented so.
            for row, depth in self.notes:
                if depth < block.indent:
                    break
                last = row
            self.found.bodies.append(Body(block.row, block.first, last, True, block.docstring))

    def _open(self, row: int, end: int, indent: int, bare: bytes) -> None:
        is_class = bare.startswith(b"class ")
        if is_class:
            self.found.classes.append(row)
        code = _code_of(self.lines[end], self.signs[end])
        if code.endswith(b":"):
            self.head = _Block(row, indent, is_class)
        elif end > row and not is_class:
            # A body on the last row of a longer header: that of an overload is plain to see.
            if not code.endswith(b": ..."):
                raise _GiveUp
            self.found.bodies.append(Body(row, end, end, True))

    def _note_docstring(self, row: int, end: int, bare: bytes, block: _Block | None) -> None:
        text = bare.lstrip(_PREFIX) if bare[0] not in _QUOTES else bare
        if not text or text[0] not in _QUOTES or len(bare) - len(text) > 2:
            return
        at = self._start(row) + len(self.lines[row]) - len(text)
        stop = _string_end(self.data, at)
        rest = self.data[stop : self._start(end) + len(self.lines[end])].lstrip()
        if rest and rest[:1] not in (b"#", b";", b","):
            return
        rows = (row, self._row(stop - 1))
        self.found.docstrings.append(rows)
        if block is not None:
            block.docstring = rows
        if self.inside and rows[1] - row >= self.long:
            self.found.long.append(rows)

    def _end_of(self, row: int) -> int:
        """Returns the last row of the statement that starts in `row`, its brackets and strings read."""
        brackets = self.brackets
        total = len(self.lines)
        while True:
            signs, line = self.signs[row], self.lines[row]
            if b"\\" in signs or (len(signs) >= 3 and (b'"""' in line or b"'''" in line)):
                row, joined = self._read_slowly(row)
            else:
                joined = False
                if signs:
                    known = self.known.get(signs)
                    if known is None:
                        known = self.known[signs] = _read(signs)
                        # Of three quotes the line itself says whether they stand together.
                        if not known.comment and not known.opened and not known.closed and _few_quotes(signs):
                            self.plain.add(signs)
                    self._apply(known, row)
            if not brackets and not joined:
                return row
            row += 1
            if row >= total:
                raise _GiveUp

    def _apply(self, line: _Line, row: int) -> None:
        brackets = self.brackets
        for sign in line.closed:
            if not brackets or brackets.pop() != sign:
                raise _GiveUp
        brackets += line.opened
        if line.comment:
            self.found.comments.append(row)

    def _read_slowly(self, row: int) -> tuple[int, bool]:
        """Reads a line with a long string or a backslash; returns its last row, and whether it goes on."""
        data, brackets = self.data, self.brackets
        at, end = self._start(row), self._start(row) + len(self.lines[row])
        while at < end:
            sign = data[at]
            if sign in _QUOTES:
                at = _string_end(data, at)
                if at > end:
                    row = self._row(at - 1)
                    end = self._start(row) + len(self.lines[row])
                continue
            if sign == _HASH:
                self.found.comments.append(row)
                return row, False
            if sign in _CLOSER:
                brackets.append(_CLOSER[sign])
            elif sign in _CLOSERS and (not brackets or brackets.pop() != sign):
                raise _GiveUp
            elif sign == _BACKSLASH:
                if at + 1 < end:
                    raise _GiveUp
                return row, True
            at += 1
        return row, False

    def _start(self, row: int) -> int:
        if not self.starts:
            self.starts = [0, *accumulate([len(line) + 1 for line in self.lines])]
        return self.starts[row]

    def _row(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1


def _read(signs: bytes) -> _Line:
    """Reads a line without backslashes and long strings by its signs alone."""
    closed, opened = bytearray(), bytearray()
    at = 0
    while at < len(signs):
        sign = signs[at]
        if sign in _QUOTES:
            at = signs.find(sign, at + 1)
            if at < 0:
                raise _GiveUp
        elif sign == _HASH:
            return _Line(bytes(closed), bytes(opened), True)
        elif sign in _CLOSER:
            opened.append(_CLOSER[sign])
        elif opened:
            if opened.pop() != sign:
                raise _GiveUp
        else:
            closed.append(sign)
        at += 1
    return _Line(bytes(closed), bytes(opened), False)


def _few_quotes(signs: bytes) -> bool:
    return signs.count(b'"') < 3 and signs.count(b"'") < 3


def _string_end(data: bytes, at: int) -> int:
    """Returns the place behind the string that starts at `at`.

    Raises:
        _GiveUp: it does not end, or not on its line.
    """
    quote = data[at : at + 3]
    size = 3 if quote in (b'"""', b"'''") else 1
    quote = quote[:size]
    stop = data.find(quote, at + size)
    while stop >= 0:
        back = stop
        while data[back - 1] == _BACKSLASH and back > at + size:
            back -= 1
        if (stop - back) % 2 == 0:
            break
        stop = data.find(quote, stop + 1)
    if stop < 0 or (size == 1 and b"\n" in data[at:stop]):
        raise _GiveUp
    return stop + size


def _code_of(line: bytes, signs: bytes) -> bytes:
    """Returns a line without its comment."""
    if b"#" not in signs:
        return line.rstrip()
    at = 0
    while at < len(line):
        if line[at] in _QUOTES:
            at = _string_end(line, at)
        elif line[at] == _HASH:
            return line[:at].rstrip()
        else:
            at += 1
    return line.rstrip()
