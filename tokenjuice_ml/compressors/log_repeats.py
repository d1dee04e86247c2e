"""Lines, or small groups of lines, that stand many times in a row: shown once, with a count."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.types import Omission

# The largest group that is looked for, lines.
MOST_PERIOD = 4


def folded(lines: Sequence[str], first: int = 1) -> tuple[list[str], list[Omission]]:
    """Returns the lines with repeats folded, and what was left out.

    Nothing is lost: the count and the group above an omission line say what stood there.

    Args:
        lines: lines, few enough to be looked at one by one.
        first: the original number of the first line, 1-based.

    >>> folded(["start", *["waiting for the data base to come up ..."] * 40, "done"])[0]
    ['start', 'waiting for the data base to come up ...', '[… 39 lines, L3-L41: 39 × the line above]', 'done']
    """
    out: list[str] = []
    omissions: list[Omission] = []
    at = 0
    while at < len(lines):
        period, copies = _repeats(lines, at)
        group = lines[at : at + period]
        out += group
        at += period
        if not copies:
            continue
        gone = copies * period
        what = f"{copies:,} × the {f'{period} lines' if period > 1 else 'line'} above"
        note = omission_line(gone, first + at, first + at + gone - 1, what)
        size = copies * sum(utf8_len(line) + 1 for line in group)
        if size <= 2 * len(note):
            out += lines[at : at + gone]
        else:
            out.append(note)
            omissions.append(Omission(first + at, first + at + gone - 1, gone, size, what))
        at += gone
    return out, omissions


def _repeats(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Returns the size of the group that stands at a line, and how many equal ones follow it."""
    for period in range(1, MOST_PERIOD + 1):
        end = at + period
        while end < len(lines) and lines[end] == lines[end - period]:
            end += 1
        copies = (end - at) // period - 1
        if copies >= 2 and any(lines[at : at + period]):
            return period, copies
    return 1, 0
