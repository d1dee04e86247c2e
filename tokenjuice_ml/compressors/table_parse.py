"""Finds the columns of a text table: bordered, delimited or aligned by blanks.

Widths and positions are in characters; row numbers are 0-based indexes into the given lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from operator import itemgetter

WORD = re.compile(r"\S+")
# A line of dashes in one piece or, below each name of a column, in many.
RULES = re.compile(r" *(?:-+|=+|─+)(?: +(?:-+|=+|─+))*")
WIDE = re.compile(r"[ \t]{2,}")
RULE_CHARS = frozenset("-=+|:_ \t─━│┃┄┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪═║╔╗╚╝╠╣╦╩╬")
BORDERS = ("│", "┃", "║", "|")
SAMPLE_HEAD, SAMPLE_TAIL, MOST_WIDTH = 120, 30, 2000
FITTING = 0.8
# How far a word may stand from its column where a wide value has pushed it, chars.
SHIFT = 24


@dataclass(frozen=True, slots=True)
class Grid:
    """A table cut into cells.

    Attributes:
        header: names of the columns, "" where a column has none.
        rows: the cells of each row; a row that fits no column is one cell.
        at: the line index of each row.
        joint: what stands between two cells when the table is written again.
        verbatim: rows are best shown as they stand (CSV, TSV).
    """

    header: list[str]
    rows: list[list[str]]
    at: list[int]
    joint: str
    verbatim: bool = False


def parse(lines: Sequence[str]) -> Grid | None:
    """Returns the table in `lines` (no blank lines, header first), or None when it is none."""
    if len(lines) < 3:
        return None
    return _bordered(lines) or _delimited(lines) or _aligned(lines)


def is_rule(line: str) -> bool:
    """Tells whether a line only draws a border."""
    return len(line) > 2 and line[0] in RULE_CHARS and RULE_CHARS.issuperset(line)


def _bordered(lines: Sequence[str]) -> Grid | None:
    first = next((line for line in lines[:4] if not is_rule(line)), "")
    border = next((mark for mark in BORDERS if mark in first), None)
    if border is None or not any(is_rule(line) for line in lines[:4]):
        return None
    rows: list[list[str]] = []
    at: list[int] = []
    for index, line in enumerate(lines):
        if is_rule(line):
            continue
        rows.append(_border_cells(line, border))
        at.append(index)
    width = len(rows[0])
    fitting = sum(len(row) == width for row in rows)
    fitting += lines[at[-1]].startswith("(")  # psql counts the rows below the table
    if (width < 2 and border == "|") or fitting < FITTING * len(rows) or len(rows) < 2:
        return None
    return Grid(rows[0], rows[1:], at[1:], " | ")


def _border_cells(line: str, border: str) -> list[str]:
    body = line.strip()
    if body.startswith(border):
        body = body[1:]
    if body.endswith(border):
        body = body[:-1]
    elif border not in line:
        return [body]
    return [cell.strip() for cell in body.split(border)]


def _delimited(lines: Sequence[str]) -> Grid | None:
    for mark in ("\t", ",", ";"):
        width = lines[0].count(mark)
        if width == 0:
            continue
        rows = _records(lines, mark) if '"' in lines[0] or _quoted(lines) else _plain_records(lines, mark)
        cells = len(rows[0][1]) if rows else 0
        if cells < 2 or len(rows) < 3:
            continue
        fitting = sum(len(row) == cells for _, row in rows)
        if fitting >= 0.9 * len(rows) and _looks_delimited(rows, mark):
            body = rows[1:]
            return Grid(rows[0][1], [row for _, row in body], [index for index, _ in body], mark, True)
    return None


def _quoted(lines: Sequence[str]) -> bool:
    return any('"' in line for line in lines[:SAMPLE_HEAD])


def _plain_records(lines: Sequence[str], mark: str) -> list[tuple[int, list[str]]]:
    return [(index, line.split(mark)) for index, line in enumerate(lines)]


def _records(lines: Sequence[str], mark: str) -> list[tuple[int, list[str]]]:
    """Returns quoted records with the index of their first line; falls back to plain ones."""
    import csv

    reader, start = csv.reader(iter(lines), delimiter=mark), 0
    found: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            found.append((start, row))
            start = reader.line_num
    except csv.Error:
        return _plain_records(lines, mark)
    return found


def _looks_delimited(rows: list[tuple[int, list[str]]], mark: str) -> bool:
    """Prose has commas too: a delimited header has short names and mostly no blank after the comma."""
    header = rows[0][1]
    if mark == "\t":
        return True
    if any(len(cell) > 60 for cell in header) or len(set(header)) < len(header):
        return False
    sample = [cell for _, row in rows[:40] for cell in row[1:]]
    return sum(cell.startswith(" ") for cell in sample) <= 0.5 * len(sample) or len(header) >= 5


def _aligned(lines: Sequence[str]) -> Grid | None:
    ruled = ruled_starts(lines)
    if len(ruled) == 1 and not WIDE.search(lines[0].strip()):
        return None  # one name over one line: one column, whatever its lines hold
    starts = ruled if len(ruled) > 1 else column_starts(lines)
    width = len(starts)
    if width < 2:
        return None
    # Where each cell of the sample is one word, words are the cells, which is quicker to see.
    plain = all(len(line.split()) == width for line in lines[:SAMPLE_HEAD] if not is_rule(line))
    cut = _Cutter(starts, lines[0])
    rows: list[list[str]] = []
    fitting = 0
    for line in lines:
        words = line.split() if plain else ()
        cells = words if len(words) == width else cut(line)
        fitting += cells is not None
        rows.append(cells or _by_words(line, starts))
    if fitting < FITTING * len(lines):
        return None
    at = [
        index for index, line in enumerate(lines) if index and not (line[:1] in RULE_CHARS and is_rule(line))
    ]
    header = cut(lines[0]) or rows[0]
    body = [rows[index] for index in at]
    return Grid(header, body, at, _joint(header, body))


def ruled_starts(lines: Sequence[str]) -> list[int]:
    """Returns where the columns begin as a rule of dashes below the header says; empty where none does."""
    rule = lines[1].rstrip()
    return [piece.start() for piece in WORD.finditer(rule)] if RULES.fullmatch(rule) else []


def column_starts(lines: Sequence[str]) -> list[int]:
    """Returns where the columns begin: runs of positions that are blank in nearly every line.

    A run only parts two columns when the header and some row have text on its right side, so
    that headers of two words and free text in the last column stay whole.
    """
    sample = [*lines[:SAMPLE_HEAD], *lines[SAMPLE_HEAD:][-SAMPLE_TAIL:]]
    sample = [line[:MOST_WIDTH] for line in sample if not is_rule(line)]
    width = max(map(len, sample), default=0)
    change = [0] * (width + 1)
    for line in sample:
        for word in WORD.finditer(line):
            change[word.start()] += 1
            change[word.end()] -= 1
    dense = list(accumulate(change))
    few = len(sample) // 33
    segments = _segments(dense, few, sample[0])
    kept: list[tuple[int, int]] = []
    for start, end in segments:
        in_header = bool(sample[0][start:end].strip())
        in_rows = any(line[start:end].strip() for line in sample[1:])
        if not kept or (in_header and in_rows):
            kept.append((start, end))
        else:
            kept[-1] = (kept[-1][0], end)
    return [start for start, _ in kept] if _apart(kept, sample) else []


def _segments(dense: list[int], few: int, header: str) -> list[tuple[int, int]]:
    segments: list[tuple[int, int]] = []
    start = -1
    for position, count in enumerate(dense):
        text = count > few or (not header[position : position + 1].isspace() and position < len(header))
        if text and start < 0:
            start = position
        elif not text and start >= 0:
            segments.append((start, position))
            start = -1
    if start >= 0:
        segments.append((start, len(dense)))
    return segments


def _apart(columns: list[tuple[int, int]], sample: Sequence[str]) -> bool:
    """Lines can share single blanks by chance; a table shows wider gaps, or a header in capitals."""
    gaps = [right[0] - left[1] for left, right in pairwise(columns)]
    return bool(gaps) and (max(gaps) >= 2 or (len(sample) >= 8 and _names(sample[0])))


def _names(header: str) -> bool:
    """True for words that all begin with a capital, as the names of columns do."""
    return all(not word[0].islower() and not word[0].isdigit() for word in header.split())


class _Cutter:
    """Cuts lines into cells where the columns begin."""

    def __init__(self, starts: Sequence[int], header: str) -> None:
        # What stands before the first column is a part of it.
        self._bounds = [slice(start, end) for start, end in pairwise((0, *starts[1:], None))]
        # What stands right before a column: a blank in each line that fits.
        self._last = starts[-1]
        self._before = itemgetter(*(start - 1 for start in starts[1:]))
        # Below a name that starts its column, a cell that starts further in is a branch of a tree.
        self._tree_first = header[:1].strip() != ""
        self._tree_last = header[starts[-1] : starts[-1] + 1].strip() != ""

    def __call__(self, line: str) -> list[str] | None:
        """Returns the cells of a line, None where it does not fit the columns."""
        before = self._before(line if len(line) >= self._last else line.ljust(self._last))
        if not "".join(before).isspace():
            return None
        cells = [line[bounds].strip() for bounds in self._bounds]
        if self._tree_first and line[:1] == " ":
            cells[0] = line[self._bounds[0]].rstrip()
        if self._tree_last and line[self._last : self._last + 1] == " ":
            cells[-1] = line[self._last :].rstrip()
        return cells


def _by_words(line: str, starts: Sequence[int]) -> list[str]:
    """Returns the words of a line as its cells where each stands near its column, else the line as one cell."""
    cells = line.split(None, len(starts) - 1)
    if len(cells) == len(starts) > 2:
        words = islice(WORD.finditer(line), len(starts))
        if all(abs(word.start() - start) <= SHIFT for word, start in zip(words, starts, strict=True)):
            return cells
    return [line.rstrip()]


def _joint(header: list[str], rows: list[list[str]]) -> str:
    """Returns the shortest separator that keeps the cells apart."""
    sample = [header, *rows[:400]]
    if any("" in row[:-1] for row in sample):
        return " | "
    return "  " if any(" " in cell for row in sample for cell in row[:-1]) else " "
