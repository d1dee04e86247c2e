"""Chooses the rows of a table that stay, and writes them with the rest counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tokenjuice_ml.compressors import table_health as health
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, Assembled, omission_line, utf8_len
from tokenjuice_ml.compressors.table_grid import Grid, Shown
from tokenjuice_ml.compressors.table_odd import is_key, odd_in, repeated
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Omission

SMALL_ROWS, HEAD_ROWS, TAIL_ROWS, MOST_GAPS, MOST_ALIKE = 24, 5, 2, 4, 12
# Of rows that give the same reason in words, so many are shown.
MOST_SAME_WORDS = 4
# Where no column says how a thing is: ordinary rows at the start of a table of more rows than that.
PLAIN_ROWS, PLAIN_HEAD = 200, 20
LONG_CELL, CELL_HEAD, CELL_TAIL = 400, 240, 60
# Tokens from which healthy rows are counted instead of shown.
LEAST_CUT, LEAST_JUDGED = 250, 120
QUERY_SCORE = 4
LONG_NAME = 80
QUERY_WORD = re.compile(r"[\w./-]{3,}")
QUERY_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "was",
        "were",
        "with",
        "that",
        "this",
        "from",
        "what",
        "which",
        "why",
        "how",
        "does",
        "did",
        "not",
        "has",
        "have",
        "had",
        "can",
        "all",
        "any",
        "who",
        "when",
        "where",
        "show",
        "list",
        "get",
        "find",
        "use",
        "used",
        "using",
        "into",
        "out",
        "its",
        "our",
        "your",
        "you",
    ]
)

Judge = Callable[[Sequence[str], str], bool]


@dataclass(frozen=True, slots=True)
class Plan:
    """What decides which rows stay; `whole` keeps them all (only padding goes)."""

    budget: int
    words: tuple[str, ...]
    unhealthy: Judge | Sequence[bool] | None
    status_columns: tuple[str, ...]
    first_line: int
    whole: bool = False


def query_words(query: str | None) -> tuple[str, ...]:
    """Returns the words of a query worth looking for, lower case, at most 12.

    >>> query_words("why does test_login fail")
    ('test_login', 'fail')
    """
    if not query:
        return ()
    found = [word.strip("./-").lower() for word in QUERY_WORD.findall(query[:2000])]
    return tuple(dict.fromkeys(word for word in found if len(word) > 2 and word not in QUERY_STOP))[:12]


def cut(grid: Grid, lines: Sequence[str], plan: Plan) -> Assembled:
    """Returns the table with the rows that the plan lets stay.

    Args:
        grid: the table.
        lines: its original lines, or nothing where the rows come from markup.
        plan: budget, query and what is unhealthy.
    """
    shown = Shown(grid, lines)
    head = _head(grid, lines)
    states = health.state_columns(grid.header, plan.status_columns)
    # A table far larger than its budget need not be written to know that.
    total = estimate(head) + grid.least_chars() // 4
    rows = shown.all() if total <= plan.budget or plan.whole else ()
    if rows:
        total = estimate(head) + sum(map(len, rows)) // 4
    scores = _scores(grid, shown, states, plan)
    calm = scores.count(0)
    cuttable = (states or plan.unhealthy) and len(shown) > SMALL_ROWS and calm > SMALL_ROWS // 2
    worth = bool(cuttable) and total > (LEAST_JUDGED if plan.unhealthy else LEAST_CUT)
    fits = total <= plan.budget and not worth and not _has_long_cell(rows)
    if plan.whole or fits:
        return Assembled("\n".join([head, *rows] if head else rows), ())
    keep = _choose(shown, scores, bool(cuttable), plan)
    return _write(grid, lines, shown, head, keep, states, plan)


def _head(grid: Grid, lines: Sequence[str]) -> str:
    return "\n".join(lines[: grid.at[0]]) if grid.verbatim else grid.joint.join(grid.header).rstrip()


def _has_long_cell(shown: Sequence[str]) -> bool:
    return len(max(shown, key=len, default="")) > 4 * LONG_CELL


def _scores(grid: Grid, shown: Shown, states: list[int], plan: Plan) -> list[int]:
    """Returns for each row 0 where nothing is to be said of it, more the more it matters."""
    scores = [0] * len(grid)
    percents = health.percent_columns(grid.header)
    unwell = health.score_rows(grid, shown.searched, states, percents)
    for row in _bad_rows(grid, shown, plan.unhealthy):
        unwell[row] = max(unwell.get(row, 0), health.STRONG_SCORE)
    for row in health.busiest(grid, percents):
        scores[row] = 0 if row in unwell else health.BUSY_SCORE
    for row in _not_too_alike(grid, sorted(unwell), states):
        scores[row] = unwell[row]
    for row in odd_in(grid.columns, grid.short, dict.fromkeys(states, health.is_good), grid.whole):
        scores[row] = max(scores[row], health.WEAK_SCORE)
    for _, rows in _repeated(grid):
        for row in rows:
            scores[row] = max(scores[row], health.STRONG_SCORE)
    for row, hits in _asked(shown, plan.words):
        scores[row] = QUERY_SCORE + hits
    return scores


def _repeated(grid: Grid) -> Iterator[tuple[int, Sequence[int]]]:
    """Yields the columns of keys in which one or two come again, with the rows that have them."""
    for column, name in enumerate(grid.header):
        if is_key(name.lower()) and (found := repeated(grid.columns[column])):
            yield column, grid.rows_of(found)


def _twice(grid: Grid, base: int) -> Iterator[str]:
    """Yields a line for each column of keys in which one comes again."""
    for column, rows in _repeated(grid):
        at = ", ".join(f"L{base + grid.at[row]}" for row in rows)
        yield f"{OMISSION_PREFIX} {grid.header[column]} {grid.row(rows[0])[column][:LONG_NAME]} more than once: {at}]"


def _not_too_alike(grid: Grid, rows: Sequence[int], states: Sequence[int]) -> Iterator[int]:
    """Yields of these rows the first `MOST_ALIKE` of each state; fewer where a message says why."""
    kinds = [i for i in states if grid.header[i].lower() != "restarts"]
    most = MOST_SAME_WORDS if any(grid.header[i].lower() == "message" for i in kinds) else MOST_ALIKE
    alike: Counter[Sequence[str]] = Counter()
    for row, state in zip(rows, grid.cells(rows, kinds), strict=True):
        alike[state] += 1
        if alike[state] <= most:
            yield row


def _asked(shown: Shown, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields the rows that hold words of the query, and how many."""
    if not words:
        return
    for row, text in enumerate(shown.searched()):
        low = text.lower()
        hits = sum([word in low for word in words])
        if hits:
            yield row, hits


def _bad_rows(grid: Grid, shown: Shown, judge: Judge | Sequence[bool] | None) -> Iterable[int]:
    """Returns the rows that must stay as the caller says."""
    if judge is None:
        return ()
    if callable(judge):
        return [row for row in range(len(grid)) if judge(grid.row(row), shown[row])]
    return [row for row, at in enumerate(grid.at) if judge[at]]


def _choose(shown: Shown, scores: Sequence[int], cuttable: bool, plan: Plan) -> list[bool]:
    """Returns which rows stay: the worst first as the budget allows, a few ordinary ones at the ends."""
    count = len(shown)
    keep = [False] * count
    left = int(plan.budget * 0.85)
    head = HEAD_ROWS if cuttable else PLAIN_HEAD if count > PLAIN_ROWS else count
    order = [*range(min(2, count)), *range(max(0, count - 1), count)]
    order += sorted([i for i, score in enumerate(scores) if score], key=lambda i: -scores[i])
    order += _ends(count, head)
    for index in order:
        if keep[index]:
            continue
        cost = min(len(shown[index]), 4 * LONG_CELL) // 4 + 1
        if cost > left and any(keep):
            break
        keep[index] = True
        left -= cost
    return keep


def _ends(count: int, head: int) -> Iterator[int]:
    """Yields row indexes from the start, and every fourth from the end."""
    low, high, tail = 0, count - 1, 0
    while low <= high and low < head:
        yield low
        low += 1
        if low % 4 == 0 and (head == count or tail < TAIL_ROWS):
            yield high
            high -= 1
            tail += 1


def _write(
    grid: Grid,
    lines: Sequence[str],
    shown: Shown,
    head: str,
    keep: list[bool],
    states: list[int],
    plan: Plan,
) -> Assembled:
    keep = _close_small_gaps(keep)
    gaps = list(_gaps(keep))
    merged = len(gaps) > MOST_GAPS
    out = [head] if head else []
    notes = []
    clips: list[Omission] = []
    starts = dict(gaps)
    widest = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0, 0))[0]
    index = 0
    while index < len(keep):
        if keep[index]:
            number = plan.first_line + grid.at[index]
            out.append(_clip(grid, shown[index], index, number, clips))
            index += 1
            continue
        end = starts[index]
        every = index == widest and not merged
        what = health.count_values(grid.span(index, end), grid.header, states, every)
        gap = _omission(grid, (lines, shown), index, end, plan.first_line, what)
        notes.append(gap)
        out.append(_mark(gap) if merged else _rows_line(gap))
        index = end
    if merged:
        out.append(_merged_line(grid, keep, notes, states))
    out += _twice(grid, plan.first_line) if gaps else ()
    return Assembled("\n".join(out), tuple(sorted([*notes, *clips], key=lambda gap: gap.first_line)))


def _close_small_gaps(keep: list[bool]) -> list[bool]:
    """A gap of one row is no shorter than its omission line."""
    closed = list(keep)
    for before, after in pairwise([row for row, flag in enumerate(keep) if flag]):
        if after - before == 2:
            closed[before + 1] = True
    return closed


def _gaps(keep: Sequence[bool]) -> Iterator[tuple[int, int]]:
    flags = bytes(keep)
    start = flags.find(0)
    while start >= 0:
        end = flags.find(1, start)
        end = len(flags) if end < 0 else end
        yield start, end
        start = flags.find(0, end)


def _omission(
    grid: Grid, texts: tuple[Sequence[str], Shown], start: int, end: int, base: int, what: str
) -> Omission:
    """Returns the gap of rows `start` to `end`; `texts` are the original lines (or none) and the rows."""
    lines, shown = texts
    first = grid.at[start]
    if lines:
        last = (grid.at[end] if end < len(grid.at) else len(lines)) - 1
        size = utf8_len("\n".join(lines[first : last + 1])) + 1
    else:
        last = grid.at[end - 1]
        size = sum(utf8_len(shown[row]) + 1 for row in range(start, end))
    return Omission(base + first, base + last, end - start, size, what)


def _rows_line(gap: Omission) -> str:
    return omission_line(gap.lines, gap.first_line, gap.last_line, gap.what).replace(" line", " row", 1)


def _mark(gap: Omission) -> str:
    """Says where rows are missing; one line under the table tells what they hold."""
    return f"{OMISSION_PREFIX} {gap.lines:,} row{'' if gap.lines == 1 else 's'}]"


def _merged_line(grid: Grid, keep: list[bool], notes: Sequence[Omission], states: list[int]) -> str:
    """One line for many gaps: the rows not shown, counted together."""
    what = health.count_values(grid.without(keep), grid.header, states, every=True)
    both = f"in {len(notes)} places" + (f": {what}" if what else "")
    line = omission_line(keep.count(False), notes[0].first_line, notes[-1].last_line, both)
    return line.replace(" line", " row", 1).replace(": in ", " in ", 1)


def _clip(grid: Grid, row: str, index: int, number: int, clips: list[Omission]) -> str:
    """Shows a very long row by the ends of its long cells, and says how much is left out."""
    if len(row) <= 4 * LONG_CELL:
        return row
    cells = found if len(found := grid.row(index)) > 1 else [row]
    parts, lost = [], 0
    for cell in cells:
        if len(cell) > LONG_CELL:
            gone = len(cell) - CELL_HEAD - CELL_TAIL
            lost += utf8_len(cell[CELL_HEAD : len(cell) - CELL_TAIL])
            cell = f"{cell[:CELL_HEAD]}[… {gone:,} chars …]{cell[len(cell) - CELL_TAIL :]}"
        parts.append(cell)
    if not lost:
        return row
    clips.append(Omission(number, number, 0, lost, "long cells clipped"))
    return grid.joint.join(parts)
