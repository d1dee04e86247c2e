"""Finds the columns of a text table: bordered, delimited or aligned by blanks.

Widths and positions are in characters; row numbers are 0-based indexes into the given lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, compress, islice, pairwise
from operator import itemgetter

from tokenjuice_ml.compressors.same import different, spread
from tokenjuice_ml.compressors.table_grid import Grid

WORD = re.compile(r"\S+")
# A line of dashes in one piece or, below each name of a column, in many.
RULES = re.compile(r" *(?:-+|=+|─+)(?: +(?:-+|=+|─+))*")
_GAP = re.compile(r"\s\s")
WIDE = re.compile(r"[ \t]{2,}")
RULE_CHARS = frozenset("-=+|:_ \t─━│┃┄┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪═║╔╗╚╝╠╣╦╩╬")
_RULE_TEXT = "".join(sorted(RULE_CHARS))
BORDERS = ("│", "┃", "║", "|")
SAMPLE_HEAD, SAMPLE_TAIL, MOST_WIDTH = 120, 30, 2000
FITTING = 0.8
# Rows without a header are fewer by chance.
FEWEST_BARRED = 12
# What begins a line that a server or a client adds.
COMPLAINT = re.compile(
    r"^(?:[\w.-]{1,40}:\S{1,200} {1,3})?(?:ERROR|NOTICE|WARNING|FATAL|PANIC|DETAIL|HINT|CONTEXT|INFO|LOG):",
    re.M,
)
# How far a word may stand from its column where a wide value has pushed it, chars.
SHIFT = 24
# Chars that are looked at by columns at once: bounds the memory.
_CHARS_AT_ONCE = 2_000_000
# Stands between the words of two lines.
_PART = "\0"
_PARTED = f" {_PART} "


def parse(lines: Sequence[str]) -> Grid | None:
    """Returns the table in `lines` (no blank lines, header first), or None when it is none."""
    if len(lines) < 3:
        return None
    return _bordered(lines) or _delimited(lines) or _barred(lines) or _aligned(lines)


def is_rule(line: str) -> bool:
    """Tells whether a line only draws a border."""
    return not line.strip(_RULE_TEXT) and len(line) > 2


def _bordered(lines: Sequence[str]) -> Grid | None:
    first = next((line for line in lines[:4] if not is_rule(line)), "")
    border = next((mark for mark in BORDERS if mark in first), None)
    if border is None or not any(is_rule(line) for line in lines[:4]):
        return None
    at = [index for index, line in enumerate(lines) if line.strip(_RULE_TEXT) or len(line) <= 2]
    body = [lines[index] for index in at]
    header = _border_cells(first, border)
    some, places = different(body)
    columns, ragged = _all_rows(*_border_columns(some, border, header), places)
    fitting = len(body) - len(ragged)
    fitting += body[-1].startswith("(")  # psql counts the rows below the table
    if (len(header) < 2 and border == "|") or fitting < FITTING * len(body) or len(body) < 2:
        return None
    return _below(header, columns, ragged, at, " | ")


def _border_columns(
    body: Sequence[str], border: str, header: Sequence[str]
) -> tuple[list[list[str]], dict[int, list[str]]]:
    """Returns the columns of all rows, and by row the cells of those that have not one for each name."""
    odd = uneven(body, border)
    columns = [list(map(str.strip, column)) for column in split_columns(body, border, odd)]
    # Outside of the outer borders, if the header has any, is nothing.
    outside = (columns[0][0] == "", columns[-1][0] == "")
    for blank, column in zip(outside, (columns[0], columns[-1]), strict=True):
        odd.update([row for row, cell in enumerate(column) if (cell == "") != blank])
    inside = columns[outside[0] : len(columns) - outside[1]]
    cells = {row: _border_cells(body[row], border) for row in sorted(odd)}
    return inside, _fill(inside, cells, len(header))


def uneven(lines: Sequence[str], mark: str) -> set[int]:
    """Returns the lines that hold other numbers of a mark than the first one."""
    most = lines[0].count(mark)
    return {row for row, line in enumerate(lines) if line.count(mark) != most}


def split_columns(lines: Sequence[str], mark: str, odd: Collection[int]) -> list[list[str]]:
    """Returns the pieces between the marks by column; those of the `odd` lines are empty."""
    most = lines[0].count(mark)
    if odd:
        lines = [mark * most if row in odd else line for row, line in enumerate(lines)]
    pieces = mark.join(lines).split(mark)
    return [pieces[column :: most + 1] for column in range(most + 1)]


def _fill(columns: Sequence[list[str]], rows: Mapping[int, list[str]], width: int) -> dict[int, list[str]]:
    """Puts the cells of single rows into the columns; returns the rows that have not `width` cells."""
    for row, cells in rows.items():
        for column, cell in zip(columns, cells, strict=False):
            column[row] = cell
    return {row: cells for row, cells in rows.items() if len(cells) != width}


def _all_rows(
    columns: list[list[str]], ragged: dict[int, list[str]], places: Sequence[int] | None
) -> tuple[list[list[str]], dict[int, list[str]]]:
    """Returns the cells of all rows from those of the different ones."""
    if places is None:
        return columns, ragged
    columns = [list(map(column.__getitem__, places)) for column in columns]
    return columns, {row: ragged[places[row]] for row in spread(sorted(ragged), places)}


def _below(
    header: list[str],
    columns: Sequence[list[str]],
    ragged: Mapping[int, list[str]],
    at: Sequence[int],
    joint: str | None = None,
    verbatim: bool = False,
) -> Grid:
    """Returns the table whose first row is the header; rows that lack cells are in no column."""
    whole = bytearray(b"\1") * len(at)
    for row, cells in ragged.items():
        whole[row] = len(cells) >= len(header)
    columns = [column[1:] if 0 not in whole else list(compress(column[1:], whole[1:])) for column in columns]
    rest = {row - 1: cells for row, cells in ragged.items() if row}
    return Grid(header, columns, at[1:], joint or _joint(header, columns), verbatim, rest)


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
        if mark not in lines[0]:
            continue
        if '"' in lines[0] or _quoted(lines):
            grid = _of_records(_records(lines, mark), mark)
        else:
            grid = _of_pieces(lines, mark)
        if grid is not None:
            return grid
    return None


def _of_records(rows: list[tuple[int, list[str]]], mark: str) -> Grid | None:
    cells = len(rows[0][1]) if rows else 0
    fitting = sum([len(row) == cells for _, row in rows])
    if cells < 2 or len(rows) < 3 or fitting < 0.9 * len(rows):
        return None
    if not _looks_delimited([row for _, row in rows[:40]], mark):
        return None
    body = rows[1:]
    return Grid.of_rows(rows[0][1], [row for _, row in body], [index for index, _ in body], mark, True)


def _of_pieces(lines: Sequence[str], mark: str) -> Grid | None:
    odd = uneven(lines, mark)
    if len(lines) - len(odd) < 0.9 * len(lines):
        return None
    if not _looks_delimited([line.split(mark) for line in lines[:40]], mark):
        return None
    some, places = different(lines)
    odd = odd if places is None else {places[row] for row in odd}
    columns = split_columns(some, mark, odd)
    header = lines[0].split(mark)
    ragged = _fill(columns, {row: some[row].split(mark) for row in sorted(odd)}, len(header))
    columns, ragged = _all_rows(columns, ragged, places)
    return _below(header, columns, ragged, range(len(lines)), mark, True)


def _barred(lines: Sequence[str]) -> Grid | None:
    """Returns what a client prints in its list mode (``a|b|c``): rows, mostly without a header."""
    bars = lines[0].count("|")
    if not bars or len(lines) < FEWEST_BARRED or any(line.count("|") != bars for line in lines):
        return None
    columns = split_columns(lines, "|", ())
    first = [column[0] for column in columns]
    sample = [cell for column in columns for cell in column[:SAMPLE_HEAD]]
    if "" in (lines[0][0], lines[0][-1]) or sum(cell != cell.strip() for cell in sample) > 0.02 * len(sample):
        return None  # a border
    if _are_names(first) and any(_is_number(column[1]) for column in columns):
        return _below(first, columns, {}, range(len(lines)), "|", True)
    return Grid([""] * len(columns), columns, range(len(lines)), "|", True)


def _are_names(cells: Sequence[str]) -> bool:
    """Tells whether cells are all different words that begin with a letter."""
    return len(set(cells)) == len(cells) and all(cell[:1].isalpha() and " " not in cell for cell in cells)


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() and cell.replace(".", "", 1).isdigit()


def _quoted(lines: Sequence[str]) -> bool:
    return any('"' in line for line in lines[:SAMPLE_HEAD])


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
        return [(index, line.split(mark)) for index, line in enumerate(lines)]
    return found


def _looks_delimited(rows: list[list[str]], mark: str) -> bool:
    """Prose has commas too: a delimited header has short names and mostly no blank after the comma."""
    header = rows[0]
    if mark == "\t":
        return True
    if any(len(cell) > 60 for cell in header) or len(set(header)) < len(header):
        return False
    sample = [cell for row in rows for cell in row[1:]]
    return sum(cell.startswith(" ") for cell in sample) <= 0.5 * len(sample) or len(header) >= 5


def _aligned(lines: Sequence[str]) -> Grid | None:
    if _has_no_gap(lines):
        return None
    ruled = ruled_starts(lines)
    if len(ruled) == 1 and not WIDE.search(lines[0].strip()):
        return None  # one name over one line: one column, whatever its lines hold
    starts = ruled if len(ruled) > 1 else column_starts(lines)
    width = len(starts)
    if width < 2:
        return None
    # Where each cell of the sample is one word, words are the cells, which is quicker to see.
    plain = all(len(line.split()) == width for line in lines[:SAMPLE_HEAD] if not is_rule(line))
    cutter = _Cutter(starts, lines[0])
    at = [index for index, line in enumerate(lines) if line.strip(_RULE_TEXT) or len(line) <= 2 or not index]
    body = lines if len(at) == len(lines) else [lines[index] for index in at]
    some, places = different(body)
    columns, odd = _word_columns(some, width, cutter) if plain else cutter.columns(some)
    if len(body) - len(spread(odd, places)) < FITTING * len(body):
        return None
    ragged = _fill(columns, {row: _by_words(some[row], starts) for row in odd}, width)
    columns, ragged = _all_rows(columns, ragged, places)
    header = ragged.get(0) or [column[0] for column in columns]
    return _below(header, columns, ragged, at)


def _word_columns(lines: Sequence[str], width: int, cutter: _Cutter) -> tuple[list[list[str]], Sequence[int]]:
    """Returns the words of all lines by column, and the lines of other words that do not fit the columns."""
    words = _PARTED.join(lines).split()
    columns = [words[column :: width + 1] for column in range(width + 1)]
    parts = columns.pop()
    if len(columns[-1]) == len(lines) and parts.count(_PART) == len(parts) == words.count(_PART):
        return columns, ()
    rows = [line.split() for line in lines]
    other = [row for row, cells in enumerate(rows) if len(cells) != width]
    cut, odd = cutter.columns([lines[row] for row in other])
    for place, row in enumerate(other):
        rows[row] = [column[place] for column in cut]
    return list(map(list, zip(*rows, strict=True))), [other[place] for place in odd]


def _has_no_gap(lines: Sequence[str]) -> bool:
    """Tells whether no two columns can stand apart: the header has single blanks, and no names of columns."""
    header = next((line for line in lines if not is_rule(line)), "")
    apart = _GAP.search(header.strip()) is not None
    if apart or RULES.fullmatch(lines[1].rstrip()):
        return False
    # A header in capitals stands once above rows; what says it again is a line as others are.
    proven = len(lines) >= 8 and _names(header) and lines.count(header) == 1
    return not proven or COMPLAINT.search("\n".join(lines)) is not None


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
    if not sample:
        return []
    width = max(map(len, sample))
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
        self._before = [start - 1 for start in starts[1:]]
        # Below a name that starts its column, a cell that starts further in is a branch of a tree.
        self._tree_first = header[:1].strip() != ""
        self._tree_last = header[starts[-1] : starts[-1] + 1].strip() != ""

    def columns(self, lines: Sequence[str]) -> tuple[list[list[str]], list[int]]:
        """Returns the cells of all lines by column, and the lines that do not fit the columns."""
        columns = [list(map(str.strip, map(itemgetter(bounds), lines))) for bounds in self._bounds]
        if self._tree_first:
            columns[0] = list(map(str.rstrip, map(itemgetter(self._bounds[0]), lines)))
        if self._tree_last:
            columns[-1] = list(map(str.rstrip, map(itemgetter(self._bounds[-1]), lines)))
        return columns, self._misfits(lines)

    def _misfits(self, lines: Sequence[str]) -> list[int]:
        found: set[int] = set()
        size = self._last
        for first in range(0, len(lines), step := max(1, _CHARS_AT_ONCE // size)):
            text = "".join([line[:size].ljust(size) for line in lines[first : first + step]])
            for place in self._before:
                signs = text[place::size]
                if not signs.isspace():
                    found.update([first + row for row, sign in enumerate(signs) if not sign.isspace()])
        return sorted(found)


def _by_words(line: str, starts: Sequence[int]) -> list[str]:
    """Returns the words of a line as its cells where each stands near its column, else the line as one cell."""
    cells = line.split(None, len(starts) - 1)
    if len(cells) == len(starts) > 2:
        words = islice(WORD.finditer(line), len(starts))
        if all(abs(word.start() - start) <= SHIFT for word, start in zip(words, starts, strict=True)):
            return cells
    return [line.rstrip()]


def _joint(header: list[str], columns: Sequence[Sequence[str]]) -> str:
    """Returns the shortest separator that keeps the cells apart."""
    sample = {cell for column in columns[:-1] for cell in column[:400]}.union(header[:-1])
    if "" in sample:
        return " | "
    return "  " if any(" " in cell for cell in sample) else " "
