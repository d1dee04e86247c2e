r"""Rows that a database client prints as records (``psql -x``, ``mysql \G``): a line for each cell.

They become rows of one table: what is odd in one of them is seen beside the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.compressors.table_grid import Grid
from tokenjuice_ml.compressors.table_rows import Plan, cut, query_words
from tokenjuice_ml.types import Context, Reduction

FEWEST_RECORDS, FEWEST_CELLS, HEAD_CHARS = 4, 2, 3000
_FIRST = ("-[ RECORD 1 ]", "*** 1. row ***")
_START = re.compile(r"-\[ RECORD \d{1,9} \]|\*{5,40} \d{1,9}\. row \*{5,40}$")
_JOINT = " | "


def compress(lines: Sequence[str], context: Context) -> Reduction | None:
    """Returns the records as rows of a table, None where there are none or they have other keys each."""
    head = "\n".join(lines[:60])[:HEAD_CHARS]
    if not any(sign in head for sign in _FIRST):
        return None
    starts = [at for at, line in enumerate(lines) if line[:1] in "-*" and _START.match(line)]
    if len(starts) < FEWEST_RECORDS:
        return None
    mark = " | " if lines[starts[0]][0] == "-" else ": "
    end = _end(lines, starts[-1], mark)
    records = [
        _cells(lines[start + 1 : stop], mark) for start, stop in zip(starts, [*starts[1:], end], strict=True)
    ]
    grid = _grid(records, starts)
    if grid is None:
        return None
    budget = context.budget_tokens or context.settings.max_inline_tokens
    words = query_words(context.output.query)
    plan = Plan(budget, words, None, (), 1, context.settings.profile == "light")
    done = cut(grid, lines[:end], plan)
    parts = ["\n".join(lines[: starts[0]]), done.text, "\n".join(lines[end:])]
    text = "\n".join([part for place, part in enumerate(parts) if part or (place == 2 and end < len(lines))])
    return Reduction(text, bool(done.omissions), "table", done.omissions)


def _end(lines: Sequence[str], start: int, mark: str) -> int:
    """Returns the line behind the last record, which begins at `start`."""
    sign = mark.strip()
    for at in range(start + 1, len(lines)):
        if sign not in lines[at]:
            return at
    return len(lines)


def _cells(lines: Sequence[str], mark: str) -> list[tuple[str, str]] | None:
    """Returns the names and values of one record, None where a line is neither."""
    found: list[tuple[str, str]] = []
    for line in lines:
        name, sign, value = f"{line} ".partition(mark)
        if not line.strip():
            continue
        if not sign or not name.strip():
            return None  # a value of several lines
        found.append((name.strip(), value.strip()))
    return found


def _grid(records: Sequence[list[tuple[str, str]] | None], starts: Sequence[int]) -> Grid | None:
    """Returns the table of records that have the same names."""
    if not records[0] or len(records[0]) < FEWEST_CELLS:
        return None
    names = [name for name, _ in records[0]]
    if len(set(names)) < len(names):
        return None
    if any(record is None or [name for name, _ in record] != names for record in records):
        return None
    rows = [[value for _, value in record] for record in records if record]
    return Grid.of_rows(names, rows, starts, _JOINT)
