"""Of lines alike in all but numbers: the one number that only rises or only falls."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A number with the word before it and the unit behind it; none inside brackets, dates, addresses, ids.
_NUMBER = re.compile(
    r"(?<![\w.:/\[-])[A-Za-z_][\w.]{0,40}(?:[=:] ?| )(?P<value>-?\d{1,15}(?:\.\d{1,9})?)"
    r"(?P<unit>%|[A-Za-z]{1,5})?(?![\w.:/-]|\])"
)
FEWEST, MOST_LINES, MOST_CHARS = 5, 40, 260


def trend(lines: Sequence[str]) -> str:
    """Returns the first and the last value of the one number that moves one way, "" for none or several.

    Args:
        lines: lines of one kind in their order, `MOST_LINES` or so, without the time in front.

    >>> trend([f"INFO rss={n * n}MiB files={n % 3}" for n in range(9)])
    'rss=0MiB → 64MiB'
    """
    if len(lines) < FEWEST:
        return ""
    rows: list[list[re.Match[str]]] = []
    for line in lines:
        rows.append(list(_NUMBER.finditer(line[:MOST_CHARS])))
        if not rows[0] or len(rows[-1]) != len(rows[0]):
            return ""
    found = [at for at in range(len(rows[0])) if _moves([float(row[at]["value"]) for row in rows])]
    if len(found) != 1:
        return ""
    first, last = rows[0][found[0]], rows[-1][found[0]]
    return f"{first[0]} → {last['value']}{last['unit'] or ''}"


def _moves(values: Sequence[float]) -> bool:
    """Returns True for values that differ and never turn back."""
    return values[0] != values[-1] and list(values) in (sorted(values), sorted(values, reverse=True))
