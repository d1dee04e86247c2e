"""Column tools (docker ps, kubectl get, ps): a rule's word on health, handed to the table compressor."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.compressors.table import compress_table
from tokenjuice_ml.record import replace
from tokenjuice_ml.rules.schema import Table
from tokenjuice_ml.rules.view import strip_ansi
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

LABEL = "table"
# Lines of the smallest table, and those at the start of a text among which its heading is.
_FEWEST_LINES, _FIRST_LINES = 3, 20


def cut_table(table: Table, text: str, context: Context) -> Reduction | None:
    """Returns the table in `text` cut, the lines around it as they are; None when there is none."""
    end = _end_of_block(text)
    before, rows, after = _parted(_plain(text[:end]).rstrip("\n"))
    if len(rows) < _FEWEST_LINES:
        return None
    flags = _unwell(table, rows)
    bad = sum(flags[1:]) if flags else 0
    allowed = sum(estimate(row) for row in rows[: table.max_rows + 1])
    allowed += bad * (estimate(rows[0]) + 8)
    budget = min(context.budget_tokens or context.settings.max_inline_tokens, max(allowed, 200))
    columns = (table.count_by,) if table.count_by else ()
    first = before.count("\n") + 1
    done = compress_table(rows, replace(context, budget_tokens=budget), flags, columns, first)
    if done is None:
        return None
    omissions: tuple[Omission, ...] = done.omissions
    after = f"{after}{_plain(text[end:])}".rstrip("\n")
    return Reduction(f"{before}{done.text}{after}", bool(omissions), LABEL, omissions)


def _end_of_block(text: str) -> int:
    """Returns the place of the first blank line behind the lines among which the heading is."""
    start = 0
    for _ in range(_FIRST_LINES):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    end = text.find("\n\n", start - 1)
    return len(text) if end < 0 else end


def _plain(text: str) -> str:
    text = strip_ansi(text)
    return text.replace("\r\n", "\n") if "\r" in text else text


def _parted(text: str) -> tuple[str, list[str], str]:
    """Returns what stands before the table, its lines up to a blank one, and what stands after them."""
    lines = text.split("\n", _FIRST_LINES)[:_FIRST_LINES]
    start = sum(len(line) + 1 for line in lines[: _header_at(lines)])
    end = text.find("\n\n", start)
    rows = text[start : len(text) if end < 0 else end].split("\n")
    blank = bytes(map(str.isspace, [line or " " for line in rows])).find(1)
    if blank >= 0:
        rows = rows[:blank]
    size = sum(map(len, rows)) + len(rows)
    return text[:start], rows, text[start + size - 1 :] if rows else text[start:]


def _header_at(lines: Sequence[str]) -> int:
    """Returns the first line that looks like a heading: two words apart by two spaces or a tab."""
    for at, line in enumerate(lines):
        if "  " in line.strip() or "\t" in line.strip():
            return at
    return 0


def _unwell(table: Table, rows: list[str]) -> list[bool] | None:
    """Returns for each row whether it is unhealthy, or not healthy where no more is said; None for no word."""
    if table.unhealthy is not None:
        bad, word = table.unhealthy.among(rows), True
    elif table.healthy is not None:
        bad, word = table.healthy.among(rows), False
    else:
        return None
    flags = [not word] * len(rows)
    for row in bad:
        flags[row] = word
    return flags
