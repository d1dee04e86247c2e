"""The cells of a table by column: most of what a table is asked, it is asked of a whole column.

Rows that have other numbers of cells than the header has names stand apart; a row is only put
together where it is shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain, compress


class Grid:
    """A table cut into cells.

    Attributes:
        header: names of the columns, "" where a column has none.
        columns: the cells of the whole rows, one sequence for each name.
        at: the line index of each row.
        joint: what stands between two cells when the table is written again.
        verbatim: rows are best shown as they stand (CSV, TSV).
        ragged: the cells of rows that have more or fewer of them than the header, by row.
        short: rows of fewer cells, ascending; no column has them.
        whole: the row of each cell of a column, None where all rows are whole.
    """

    __slots__ = ("at", "columns", "header", "joint", "ragged", "short", "verbatim", "whole")

    def __init__(
        self,
        header: list[str],
        columns: Sequence[Sequence[str]],
        at: Sequence[int],
        joint: str,
        verbatim: bool = False,
        ragged: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        """Takes the columns of all rows but those of `ragged` that have fewer cells than the header."""
        self.header, self.columns, self.at = header, columns, at
        self.joint, self.verbatim = joint, verbatim
        self.ragged: Mapping[int, Sequence[str]] = ragged or {}
        self.short = sorted(row for row, cells in self.ragged.items() if len(cells) < len(header))
        self.whole: Sequence[int] | None = None
        if self.short:
            is_whole = bytearray(b"\1") * len(at)
            for row in self.short:
                is_whole[row] = 0
            self.whole = list(compress(range(len(at)), is_whole))

    @classmethod
    def of_rows(
        cls,
        header: list[str],
        rows: Sequence[Sequence[str]],
        at: Sequence[int],
        joint: str,
        verbatim: bool = False,
    ) -> Grid:
        """Returns the table of rows of cells."""
        width = len(header)
        ragged = {row: cells for row, cells in enumerate(rows) if len(cells) != width}
        whole = [cells for cells in rows if len(cells) >= width] if ragged else rows
        columns = list(zip(*whole, strict=False))[:width] if whole else [()] * width
        return cls(header, columns, at, joint, verbatim, ragged)

    def __len__(self) -> int:
        return len(self.at)

    def row(self, index: int) -> Sequence[str]:
        """Returns the cells of a row."""
        cells = self.ragged.get(index)
        if cells is not None:
            return cells
        at = index if self.whole is None else bisect_left(self.whole, index)
        return [column[at] for column in self.columns]

    def cells(self, rows: Sequence[int], wanted: Sequence[int]) -> list[tuple[str, ...]]:
        """Returns of each of these rows the cells in the wanted columns, ("",) where it lacks one."""
        places = rows if self.whole is None else [bisect_left(self.whole, row) for row in rows]
        columns = [self.columns[i] for i in wanted]
        lacking = {row: self.ragged[row] for row in self.short}
        most = max(wanted, default=0)
        found: list[tuple[str, ...]] = []
        for row, at in zip(rows, places, strict=True):
            if row not in lacking:
                found.append(tuple([column[at] for column in columns]))
            else:
                cells = lacking[row]
                found.append(tuple([cells[i] for i in wanted]) if len(cells) > most else ("",))
        return found

    def rows_of(self, found: Sequence[int]) -> Sequence[int]:
        """Returns the rows of these places in the columns."""
        return found if self.whole is None else [self.whole[at] for at in found]

    def span(self, start: int, end: int) -> list[Sequence[str]]:
        """Returns the columns of the whole rows from `start` to before `end`."""
        if self.whole is not None:
            start, end = bisect_left(self.whole, start), bisect_left(self.whole, end)
        return [column[start:end] for column in self.columns]

    def without(self, keep: Sequence[int]) -> list[Sequence[str]]:
        """Returns the columns of the whole rows that `keep`, a flag for each row, leaves out."""
        flags = keep if self.whole is None else [keep[row] for row in self.whole]
        gone = [not flag for flag in flags]
        return [list(compress(column, gone)) for column in self.columns]

    def least_chars(self) -> int:
        """Returns a number of characters that the rows take at least."""
        return sum(map(len, chain.from_iterable(self.columns)))


class Shown:
    """The rows of a table as they are written, each made when it is asked for."""

    def __init__(self, grid: Grid, lines: Sequence[str]) -> None:
        """Takes the table and its original lines, none where the rows come from markup."""
        self._grid, self._lines = grid, lines

    def __len__(self) -> int:
        return len(self._grid)

    def __getitem__(self, index: int) -> str:
        grid = self._grid
        if not grid.verbatim:
            return grid.joint.join(grid.row(index)).rstrip(" |")
        end = grid.at[index + 1] if index + 1 < len(grid.at) else len(self._lines)
        return "\n".join(self._lines[grid.at[index] : end])

    def all(self) -> list[str]:
        """Returns all rows."""
        grid = self._grid
        if grid.verbatim and len(grid) == len(self._lines) - grid.at[0]:
            return list(self._lines[grid.at[0] :])
        if grid.verbatim or grid.ragged or not grid.columns:
            return [self[index] for index in range(len(grid))]
        return [row.rstrip(" |") for row in map(grid.joint.join, zip(*grid.columns, strict=True))]

    def searched(self) -> Sequence[str]:
        """Returns for each row a text that holds all words of its cells, in which to look for words."""
        if self._grid.verbatim or not self._lines:
            return self.all()
        lines = self._lines
        return [lines[at] for at in self._grid.at]
