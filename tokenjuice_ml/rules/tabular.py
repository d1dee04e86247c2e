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
# Lines of the smallest table, and those at the start of a text that may tell that there is none.
_FEWEST_LINES, _FIRST_LINES = 3, 40


def cut_table(table: Table, text: str, context: Context) -> Reduction | None:
    """Returns the table in `text` cut, the lines around it as they are; None when there is none."""
    if _ends_at_once(text):
        return None
    lines = strip_ansi(text).replace("\r\n", "\n").rstrip("\n").split("\n")
    start = _header_at(lines)
    blank = bytes(map(str.isspace, [line or " " for line in lines])).find(1, start)
    end = len(lines) if blank < 0 else blank
    if end - start < _FEWEST_LINES:
        return None
    rows = lines[start:end]
    flags = _unwell(table, rows)
    bad = sum(flags[1:]) if flags else 0
    allowed = sum(estimate(row) for row in rows[: table.max_rows + 1])
    allowed += bad * (estimate(rows[0]) + 8)
    budget = min(context.budget_tokens or context.settings.max_inline_tokens, max(allowed, 200))
    columns = (table.count_by,) if table.count_by else ()
    done = compress_table(rows, replace(context, budget_tokens=budget), flags, columns, start + 1)
    if done is None:
        return None
    omissions: tuple[Omission, ...] = done.omissions
    body = "\n".join([*lines[:start], done.text, *lines[end:]])
    return Reduction(body, bool(omissions), LABEL, omissions)


def _ends_at_once(text: str) -> bool:
    """Tells whether the first lines show that there are too few rows for a table."""
    lines = strip_ansi("\n".join(text.split("\n", _FIRST_LINES)[:_FIRST_LINES])).split("\n")
    start = _header_at(lines)
    blank = next((at for at, line in enumerate(lines) if at >= start and not line.strip()), None)
    return blank is not None and blank - start < _FEWEST_LINES


def _header_at(lines: Sequence[str]) -> int:
    """Returns the first line that looks like a heading: two words apart by two spaces or a tab."""
    for at, line in enumerate(lines[:20]):
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
