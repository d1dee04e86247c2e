"""Chooses the rows of a table that stay, and writes them with the rest counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tokenjuice_ml.compressors import table_health as health
from tokenjuice_ml.compressors.base import Assembled, omission_line, utf8_len
from tokenjuice_ml.compressors.table_odd import odd_rows
from tokenjuice_ml.compressors.table_parse import Grid
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Omission

SMALL_ROWS, HEAD_ROWS, TAIL_ROWS, MOST_GAPS, MOST_ALIKE = 24, 5, 2, 4, 12
# Where no column says how a thing is: ordinary rows at the start of a table of more rows than that.
PLAIN_ROWS, PLAIN_HEAD = 200, 20
LONG_CELL, CELL_HEAD, CELL_TAIL = 400, 240, 60
# Tokens from which healthy rows are counted instead of shown.
LEAST_CUT, LEAST_JUDGED = 250, 120
QUERY_SCORE = 4
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
    shown = [_show(grid, lines, index) for index in range(len(grid.rows))]
    head = _head(grid, lines)
    states = health.state_columns(grid.header, plan.status_columns)
    total = estimate(head) + sum(map(len, shown)) // 4
    scores = _scores(grid, shown, states, plan)
    calm = sum(score == 0 for score in scores)
    cuttable = (states or plan.unhealthy) and len(shown) > SMALL_ROWS and calm > SMALL_ROWS // 2
    worth = bool(cuttable) and total > (LEAST_JUDGED if plan.unhealthy else LEAST_CUT)
    fits = total <= plan.budget and not worth and not _has_long_cell(shown)
    if plan.whole or fits:
        return Assembled("\n".join([head, *shown]), ())
    keep = _choose(shown, scores, bool(cuttable), plan)
    return _write(grid, lines, shown, head, keep, states, plan)


def _show(grid: Grid, lines: Sequence[str], index: int) -> str:
    if grid.verbatim:
        end = grid.at[index + 1] if index + 1 < len(grid.at) else len(lines)
        return "\n".join(lines[grid.at[index] : end])
    return grid.joint.join(grid.rows[index]).rstrip(" |")


def _head(grid: Grid, lines: Sequence[str]) -> str:
    return "\n".join(lines[: grid.at[0]]) if grid.verbatim else grid.joint.join(grid.header).rstrip()


def _has_long_cell(shown: Sequence[str]) -> bool:
    return any(len(row) > 4 * LONG_CELL for row in shown)


def _scores(grid: Grid, shown: Sequence[str], states: list[int], plan: Plan) -> list[int]:
    percents = health.percent_columns(grid.header)
    busy = health.busiest(grid.rows, grid.header, percents)
    strange = set(odd_rows(grid.rows, len(grid.header), dict.fromkeys(states, health.is_good)))
    health_of = health.score_rows(grid.rows, shown, grid.header, states, percents)
    bad = _bad_rows(grid, shown, plan.unhealthy)
    scores: list[int] = []
    alike: Counter[tuple[str, ...]] = Counter()
    kinds = [i for i in states if grid.header[i].lower() != "restarts"]
    for cells, line, healthy, unwell in zip(grid.rows, shown, health_of, bad, strict=True):
        score = max(healthy, health.STRONG_SCORE) if unwell else healthy
        if score > 0:
            key = tuple(cells[i] for i in kinds) if kinds and len(cells) > kinds[-1] else ("",)
            alike[key] += 1
            score = score if alike[key] <= MOST_ALIKE else 0
        elif len(scores) in busy:
            score = health.BUSY_SCORE
        if len(scores) in strange:
            score = max(score, health.WEAK_SCORE)
        if plan.words:
            low = line.lower()
            hits = sum(word in low for word in plan.words)
            score = QUERY_SCORE + hits if hits else score
        scores.append(score)
    return scores


def _bad_rows(grid: Grid, shown: Sequence[str], judge: Judge | Sequence[bool] | None) -> Sequence[bool]:
    """Returns for each row whether it must stay."""
    if judge is None:
        return [False] * len(shown)
    if callable(judge):
        return [judge(cells, line) for cells, line in zip(grid.rows, shown, strict=True)]
    return [judge[at] for at in grid.at]


def _choose(shown: Sequence[str], scores: Sequence[int], cuttable: bool, plan: Plan) -> list[bool]:
    """Returns which rows stay: the worst first as the budget allows, a few ordinary ones at the ends."""
    count = len(shown)
    keep = [False] * count
    left = int(plan.budget * 0.85)
    head = HEAD_ROWS if cuttable else PLAIN_HEAD if count > PLAIN_ROWS else count
    order = [*range(min(2, count)), *range(max(0, count - 1), count)]
    order += sorted((i for i in range(count) if scores[i]), key=lambda i: (-scores[i], i))
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
    shown: Sequence[str],
    head: str,
    keep: list[bool],
    states: list[int],
    plan: Plan,
) -> Assembled:
    keep = _close_small_gaps(keep)
    gaps = list(_gaps(keep))
    merged = len(gaps) > MOST_GAPS
    out, notes = [head], []
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
        what = health.count_values(
            grid.rows[index:end], grid.header, states, every=index == widest and not merged
        )
        gap = _omission(grid, (lines, shown), index, end, plan.first_line, what)
        notes.append(gap)
        if not merged:
            out.append(_rows_line(gap))
        index = end
    if merged:
        out.append(_merged_line(grid, keep, notes, states))
    return Assembled("\n".join(out), tuple(sorted([*notes, *clips], key=lambda gap: gap.first_line)))


def _close_small_gaps(keep: list[bool]) -> list[bool]:
    """A gap of one row is no shorter than its omission line."""
    return [flag or (0 < i < len(keep) - 1 and keep[i - 1] and keep[i + 1]) for i, flag in enumerate(keep)]


def _gaps(keep: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start = -1
    for index, flag in enumerate([*keep, True]):
        if flag and start >= 0:
            yield start, index
            start = -1
        elif not flag and start < 0:
            start = index


def _omission(
    grid: Grid, texts: tuple[Sequence[str], Sequence[str]], start: int, end: int, base: int, what: str
) -> Omission:
    """Returns the gap of rows `start` to `end`; `texts` are the original lines (or none) and the rows."""
    lines, shown = texts
    first = grid.at[start]
    if lines:
        last = (grid.at[end] if end < len(grid.at) else len(lines)) - 1
        size = utf8_len("\n".join(lines[first : last + 1])) + 1
    else:
        last = grid.at[end - 1]
        size = sum(utf8_len(row) + 1 for row in shown[start:end])
    return Omission(base + first, base + last, end - start, size, what)


def _rows_line(gap: Omission) -> str:
    return omission_line(gap.lines, gap.first_line, gap.last_line, gap.what).replace(" line", " row", 1)


def _merged_line(grid: Grid, keep: Sequence[bool], notes: Sequence[Omission], states: list[int]) -> str:
    """One line for many gaps: the rows not shown, counted together."""
    rows = [cells for cells, flag in zip(grid.rows, keep, strict=True) if not flag]
    what = health.count_values(rows, grid.header, states, every=True)
    both = f"in {len(notes)} places" + (f": {what}" if what else "")
    line = omission_line(len(rows), notes[0].first_line, notes[-1].last_line, both)
    return line.replace(" line", " row", 1).replace(": in ", " in ", 1)


def _clip(grid: Grid, row: str, index: int, number: int, clips: list[Omission]) -> str:
    """Shows a very long row by the ends of its long cells, and says how much is left out."""
    if len(row) <= 4 * LONG_CELL:
        return row
    cells = [row] if len(grid.rows[index]) < 2 else grid.rows[index]
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
