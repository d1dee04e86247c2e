"""A source file as lines with flags: what stays, what folds, and how the folds are written.

A fold is written onto the line before it, so that the result still reads as code:
``fn area(&self) -> f64 {… L40-L88 …}``. Rows are 0-based, line numbers in marks 1-based.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tokenjuice_ml.compressors.addresses import addresses_in
from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.types import Omission

KEEP, BODY, COMMENT, DATA, REST = 0, 1, 2, 3, 4
WHAT = {BODY: "body", COMMENT: "comment", DATA: "data", REST: "rest of the outline"}
OPENERS = ("{", "(", "[")
CLOSERS = ("}", ")", "]", "*/")
CLOSING_WORDS = frozenset(("end", "end,", "end)", "fi", "done", "esac"))
LONG_LINE, LINE_HEAD, LINE_TAIL = 1000, 600, 160
SMALL_FOLD, HEAD_SHARE = 28, 0.8
FEW_ROWS, FEW_CHARS = 2, 72
_STEP = 4_000


@dataclass(frozen=True, slots=True)
class Body:
    """A function's body: rows of its signature, of its inside, and whether its name is worth keeping."""

    signature: int
    first: int
    last: int
    named: bool
    docstring: tuple[int, int] | None = None


@dataclass(slots=True)
class Sheet:
    """Lines of a file and a flag for each.

    Attributes:
        lines: the lines without line ends.
        flags: `KEEP` or what the dropped line belongs to.
        closing: by first dropped row, text that closes what is cut (quotes, ``*/``).
        opening: rows of a lone comment opener that is joined with the next row.
        gone: rows whose text was joined to an earlier one.
        notes: by first dropped row, what the fold held.
    """

    lines: list[str]
    flags: bytearray = field(default_factory=bytearray)
    closing: dict[int, str] = field(default_factory=dict)
    opening: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flags = bytearray(len(self.lines))

    def drop(self, first: int, last: int, what: int) -> None:
        """Drops rows `first` to `last` inclusive, if there are any."""
        last = min(last, len(self.lines) - 1)
        if first <= last:
            self.flags[first : last + 1] = bytes([what]) * (last - first + 1)

    def show(self, first: int, last: int) -> None:
        """Keeps rows `first` to `last` inclusive."""
        last = min(last, len(self.lines) - 1)
        if first <= last:
            self.flags[first : last + 1] = bytes(last - first + 1)

    def size(self, first: int, last: int) -> int:
        """Returns the characters of rows `first` to `last` inclusive, indentation apart."""
        return sum(len(line.strip()) for line in self.lines[first : last + 1])

    def byte_count(self, start: int, end: int) -> int:
        """Returns the UTF-8 bytes of the half-open range of rows, line ends included."""
        # In steps, as a fold may hold nearly all of a large file.
        steps = range(start, end, _STEP)
        return sum([utf8_len("\n".join(self.lines[row : min(row + _STEP, end)])) + 1 for row in steps])

    def dropped(self) -> Iterator[tuple[int, int]]:
        """Yields the half-open runs of dropped rows; a closing text starts a run of its own."""
        flags, row, total = self.flags, 0, len(self.flags)
        while row < total:
            if flags[row] == KEEP:
                row += 1
                continue
            end = row + 1
            while end < total and flags[end] != KEEP and end not in self.closing:
                end += 1
            yield row, end
            row = end


def render(sheet: Sheet) -> tuple[str, tuple[Omission, ...]]:
    """Returns the folded text and what was left out."""
    _keep_small_runs(sheet)
    out: list[str] = []
    gaps: list[Omission] = []
    row, total = 0, len(sheet.lines)
    runs = dict(sheet.dropped())
    after_fold = False
    while row < total:
        end = runs.get(row)
        if end is not None:
            _write_fold(sheet, row, end, out, gaps)
            after_fold = True
            row = end
            continue
        if row in sheet.gone:
            row += 1
            continue
        line, row = _kept_line(sheet, row, gaps)
        if after_fold and out and closes(line) and not out[-1].lstrip().startswith("[…"):
            out[-1] += _joint(out[-1], line.lstrip()) + line.lstrip()
        else:
            out.append(line)
        after_fold = False
    return "\n".join(out), tuple(sorted(gaps, key=lambda gap: (gap.first_line, gap.last_line)))


def closes(line: str) -> bool:
    """True for a line that begins with what closes a block."""
    text = line.strip()
    return text.startswith(CLOSERS) or text.partition(" ")[0] in CLOSING_WORDS


def _joint(before: str, after: str) -> str:
    return "" if after.startswith(("}", ")", "]")) and before.endswith("…") else " "


def _keep_small_runs(sheet: Sheet) -> None:
    """Shows runs that are no longer than their mark would be."""
    for start, end in list(sheet.dropped()):
        plain = start not in sheet.closing and start not in sheet.notes
        if end - start <= 2 and plain and sheet.size(start, end - 1) <= SMALL_FOLD:
            sheet.show(start, end - 1)


def bound(sheet: Sheet, most_chars: int) -> None:
    """Drops the middle of what is kept where it is longer than `most_chars`; both ends stay."""
    sizes = [
        0 if flag else min(len(line), LONG_LINE) + 1
        for flag, line in zip(sheet.flags, sheet.lines, strict=True)
    ]
    if sum(sizes) <= most_chars:
        return
    first, used = 0, 0
    while used < most_chars * HEAD_SHARE:
        used += sizes[first]
        first += 1
    last, used = len(sizes) - 1, 0
    while used < most_chars * (1 - HEAD_SHARE):
        used += sizes[last]
        last -= 1
    sheet.drop(first, last, REST)
    for row in [row for row in sheet.closing if first <= row <= last]:
        del sheet.closing[row]


def mark(first: int, last: int) -> str:
    """Returns the sign of a fold, line numbers 1-based.

    >>> mark(40, 88), mark(7, 7)
    ('… L40-L88 …', '… L7 …')
    """
    return f"… L{first} …" if first == last else f"… L{first}-L{last} …"


def _write_fold(sheet: Sheet, row: int, end: int, out: list[str], gaps: list[Omission]) -> None:
    what = WHAT[sheet.flags[row]]
    gaps.append(Omission(row + 1, end, end - row, sheet.byte_count(row, end), what))
    note = sheet.notes.get(row)
    apart = sheet.flags[row] in (DATA, REST)
    if note or apart or not out or not out[-1].strip() or out[-1].startswith("[…"):
        pad = "" if note or not apart else out_indent(sheet.lines[row])
        out.append(pad + omission_line(end - row, row + 1, end, note or ("" if apart else what)))
        return
    before = out[-1].rstrip() + sheet.closing.get(row, "")
    out[-1] = before + ("" if before.endswith(OPENERS) else " ") + mark(row + 1, end)


def out_indent(line: str) -> str:
    """Returns the indentation of a line, so that an omission line stands where it stood."""
    return line[: len(line) - len(line.lstrip())][:40]


def _kept_line(sheet: Sheet, row: int, gaps: list[Omission]) -> tuple[str, int]:
    line = sheet.lines[row]
    if row in sheet.opening and row + 1 < len(sheet.lines) and sheet.flags[row + 1] == KEEP:
        row += 1
        line = f"{line.rstrip()} {sheet.lines[row].strip().removeprefix('* ')}"
    if len(line) > LONG_LINE:
        gone = line[LINE_HEAD : len(line) - LINE_TAIL]
        gaps.append(Omission(row + 1, row + 1, 0, utf8_len(gone), "long line clipped"))
        told = addresses_in(gone)
        note = f"{len(gone):,} chars, with {', '.join(told)}" if told else f"{len(gone):,} chars"
        line = f"{line[:LINE_HEAD]}[… {note} …]{line[len(line) - LINE_TAIL :]}"
    return line, row + 1


def worth_folding(sheet: Sheet, first: int, last: int) -> bool:
    """A body of a line or two says more than the mark that would replace it."""
    rows = last - first + 1
    return rows > FEW_ROWS or (rows > 0 and sheet.size(first, last) > FEW_CHARS)
