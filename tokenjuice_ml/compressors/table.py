"""Text tables: the header stays, padding goes, rows that are not well stay, the rest is counted.

Bordered results (psql, mysql, rich), aligned columns (ps, docker, kubectl, df) and CSV/TSV. Small
tables only lose their padding; rows keep their order and every cell its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors import plan_tree, table_column, table_records
from tokenjuice_ml.compressors.base import Assembled
from tokenjuice_ml.compressors.table_grid import Grid
from tokenjuice_ml.compressors.table_parse import parse
from tokenjuice_ml.compressors.table_rows import Judge, Plan, cut, query_words
from tokenjuice_ml.types import Context, Omission, Reduction

# Share of the lines that must stand in tables; other outputs are for other compressors.
MOSTLY = 0.6

__all__ = ["compress", "compress_table", "cut_rows", "query_words"]


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the tables of `text` cut, other blocks as they are; None when there is no table."""
    if "(cost=" in text or "(actual time=" in text:
        planned = plan_tree.compress(text, context)
        if planned is not None:
            return planned
    lines = text.split("\n")
    column = table_records.compress(lines, context) or table_column.compress(lines, context)
    if column is not None:
        return column
    out: list[str] = []
    gaps: list[Omission] = []
    inside = outside = at = 0  # lines up to `at` are written
    known: dict[str, str | None] = {}
    for start, end in _blocks(lines):
        shown = None
        if end - start > 2:
            whole = "\n".join(lines[start:end])
            if whole in known:  # the same again: nothing was left out of it
                shown = known[whole]
            else:
                done = compress_table(lines[start:end], context, first_line=start + 1)
                shown = done.text if done else None
                gaps.extend(done.omissions if done else ())
                if not (done and done.omissions):
                    known[whole] = shown
        if shown is None:
            outside += end - start
            continue
        inside += end - start
        if at < start:
            out.append("\n".join(lines[at:start]))
        out.append(shown)
        at = end
    if inside < MOSTLY * (inside + outside) or not inside:
        return None
    if at < len(lines):
        out.append("\n".join(lines[at:]))
    return Reduction("\n".join(out), bool(gaps), "table", tuple(gaps))


def compress_table(
    lines: Sequence[str],
    context: Context,
    unhealthy: re.Pattern[str] | Judge | Sequence[bool] | None = None,
    status_columns: Sequence[str] = (),
    first_line: int = 1,
) -> Assembled | None:
    """Cuts one table (header first, no blank lines inside).

    Args:
        lines: the lines of the table, without line ends.
        context: settings, query and budget (`max_inline_tokens` where it gives none).
        unhealthy: a pattern searched in each row, a function of its cells and its line, or a flag for
            each line; such rows stay, besides those that look unwell by themselves.
        status_columns: more names of columns that say how a thing is.
        first_line: original number of the first line, 1-based.

    Returns:
        The shorter table, lossless when it has no omissions; None when there are no columns.
    """
    grid = parse(lines)
    if grid is None or not len(grid):
        return None
    judge: Judge | Sequence[bool] | None
    if isinstance(unhealthy, re.Pattern):
        pattern = unhealthy
        judge = lambda cells, line: pattern.search(line) is not None  # noqa: E731
    else:
        judge = unhealthy
    budget = context.budget_tokens or context.settings.max_inline_tokens
    words = query_words(context.output.query)
    plan = Plan(budget, words, judge, tuple(status_columns), first_line, context.settings.profile == "light")
    return cut(grid, lines, plan)


def cut_rows(
    header: list[str],
    rows: list[list[str]],
    source_lines: list[int],
    context: Context,
    unhealthy: Judge | None = None,
) -> Assembled:
    """Cuts rows that another compressor has read from markup.

    Args:
        header: names of the columns.
        rows: cells of each row.
        source_lines: original line of each row, 1-based.
        context: settings, query and budget.
        unhealthy: tells of the cells and the written row whether it must stay.

    Returns:
        The header and the rows that stay, one a line, cells parted by ``" | "``.
    """
    grid = Grid.of_rows(header, rows, [line - 1 for line in source_lines], " | ")
    budget = context.budget_tokens or context.settings.max_inline_tokens
    plan = Plan(budget, query_words(context.output.query), unhealthy, (), 1)
    return cut(grid, (), plan)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields the runs of lines that are not blank, as half-open ranges."""
    blank = bytes(map(str.isspace, [line or " " for line in lines] if "" in lines else lines))
    start = blank.find(0)
    while start >= 0:
        end = blank.find(1, start)
        end = len(blank) if end < 0 else end
        yield start, end
        start = blank.find(0, end)
