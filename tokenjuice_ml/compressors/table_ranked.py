"""Lists that are ordered by a number, the greatest first (profiles, slowest queries, counts).

The first rows are the point, be they alike or not; further down only what is unlike the others tells
anything. No log is such a list: from the first to the last line its number falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tokenjuice_ml.compressors.base import assemble
from tokenjuice_ml.compressors.odd_lines import odd_lines
from tokenjuice_ml.types import Context, Reduction

FEWEST_ROWS, MOST_LINES, MOST_CHARS = 30, 100_000, 8_000_000
# Lines before the rows and behind them, rows at the top, rows at the top of a list that begins further down.
MOST_HEAD, MOST_TAIL, TOP, NEXT_TOP = 40, 20, 24, 6
# Lines looked at first, words of a line among which the number is, and how far it must fall.
SAMPLE, MOST_WORDS, FALLS, DIFFERENT = 24, 4, 4.0, 4
# Rows at the top that have no more than the last one.
MOST_TIED = 2
# Share of the lines between the rows that are none, and of rows greater than the one before.
STRANGE = 0.02
# Share of the budget for the first rows.
TOP_SHARE = 0.6
_UNITS = {
    "": 1.0, "%": 1.0, "x": 1.0, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0,
    "b": 1.0, "k": 1e3, "kb": 1e3, "kib": 1024.0, "m": 1e6, "mb": 1e6, "mib": 2.0**20, "g": 1e9, "gb": 1e9,
    "gib": 2.0**30, "t": 1e12, "tb": 1e12, "tib": 2.0**40,
}  # fmt: skip


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the head, the first rows and the odd ones of an ordered list; None for any other text."""
    if context.output.exit_code or len(text) > MOST_CHARS:
        return None
    columns = _columns(_sampled(text))
    lines = text.split("\n") if columns else []
    if not 0 < len(lines) <= MOST_LINES:
        return None
    for column in columns:
        values = [_amount(line, column) for line in lines]
        rows = _rows(lines, values)
        if rows is not None:
            return _cut(lines, values, column, rows, context)
    return None


def _cut(
    lines: Sequence[str],
    values: Sequence[float | None],
    column: int,
    rows: tuple[int, int],
    context: Context,
) -> Reduction | None:
    budget = context.budget_tokens or context.settings.max_inline_tokens
    keep = _keep(lines, values, rows, budget, context.output.query)
    done = assemble(lines, keep, lambda first, stop: _what(lines, values, column, first, stop))
    return Reduction(done.text, True, "table", done.omissions) if done.omissions else None


def _sampled(text: str) -> list[str]:
    """Returns whole lines at even distances, the first fifth aside: there a head may stand."""
    found = []
    for place in range(SAMPLE):
        at = text.find("\n", len(text) * (SAMPLE + 4 * place) // (5 * SAMPLE)) + 1
        end = text.find("\n", at)
        if at and end > at:
            found.append(text[at : min(end, at + 400)])
    return found


def _columns(lines: Sequence[str]) -> list[int]:
    """Returns which words of the lines may be the number that falls: it hardly ever rises.

    Behind a number that rises from line to line (steps, rounds) it is how a run goes on, not a list.
    """
    found: list[int] = []
    for column in range(MOST_WORDS if len(lines) >= SAMPLE // 2 else 0):
        values = [value for line in lines if (value := _amount(line, column)) is not None]
        if len(values) < 0.9 * len(lines):
            continue
        if all(one < two for one, two in pairwise(values)):
            break
        if sum(one < two for one, two in pairwise(values)) <= 1:
            found.append(column)
    return found


def _amount(line: str, column: int) -> float | None:
    """Returns a word of a line as a number, in its unit; None where it is none."""
    words = line.split(None, column + 1)
    if len(words) < column + 2:
        return None
    word = words[column].replace(",", "")
    number = word.rstrip("%xnuµsmihbkgtBKMGT")
    if not number or not (number[0].isdigit() or number[0] == "."):
        return None
    unit = _UNITS.get(word[len(number) :].lower())
    try:
        return None if unit is None else float(number) * unit
    except ValueError:
        return None


def _rows(lines: Sequence[str], values: Sequence[float | None]) -> tuple[int, int] | None:
    """Returns from which line to before which the rows stand, None where they are not ordered."""
    known = [at for at, value in enumerate(values) if value is not None]
    if len(known) < FEWEST_ROWS:
        return None
    first, end = known[0], known[-1] + 1
    strange = sum(1 for at in range(first, end) if values[at] is None and lines[at].strip())
    falling = [value for value in values if value is not None]
    if len(set(falling)) < DIFFERENT or falling[0] < FALLS * max(0.0, falling[-1]):
        return None
    rises = sum(one < two for one, two in pairwise(falling))
    if first > MOST_HEAD or len(lines) - end > MOST_TAIL or strange + rises > STRANGE * len(known):
        return None
    return first, end


def _keep(
    lines: Sequence[str],
    values: Sequence[float | None],
    rows: tuple[int, int],
    budget: int,
    query: str | None,
) -> list[bool]:
    first, end = rows
    keep = [not first <= at < end - 1 or values[at] is None for at in range(len(lines))]
    left, before = TOP_SHARE * budget, float("inf")
    room, last, tied = TOP, values[end - 1], 0
    for at in range(first, end):
        value = values[at]
        if value is None:
            continue
        if value > before:
            room = max(room, NEXT_TOP)
        before = value
        tied += value == last
        if value == last and tied > MOST_TIED:
            continue  # as little as the last one: it is among the first by chance
        left -= (len(lines[at]) // 3 + 1) if room else 0
        if room and left > 0:
            keep[at] = True
            room -= 1
    hidden = [not flag for flag in keep[first:end]]
    for at in odd_lines(lines[first:end], hidden, query):
        keep[first + at] = True
    return keep


def _what(lines: Sequence[str], values: Sequence[float | None], column: int, first: int, stop: int) -> str:
    """Says from which number to which the rows left out go."""
    known = [at for at in range(first, stop) if values[at] is not None]
    if not known:
        return ""
    ends = [lines[at].split(None, column + 1)[column] for at in (known[0], known[-1])]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
