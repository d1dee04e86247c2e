"""Logs whose header names their fields (network monitors, web servers): totals by the fields that matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import OMISSION_PREFIX

# What opens the line that names the fields, and what parts fields there.
_HEADS = (("#fields\t", "\t"), ("#Fields: ", " "))
HEAD_LINES, FEWEST, MOST_ROWS = 40, 10, 200_000
# Totals that are told: fields, values of one, chars of a value.
MOST_FIELDS, MOST_VALUES, VALUE_CHARS = 6, 8, 80
# A field of more different values than this share of the rows says which one, not what.
VARIED = 0.25
# Told first, in this order; then the fields of fewest values.
_FIRST = (
    *(
        "note",
        "alert",
        "signature",
        "severity",
        "status_code",
        "sc-status",
        "status",
        "rcode_name",
        "conn_state",
    ),
    *(
        "action",
        "sc-win32-status",
        "method",
        "cs-method",
        "service",
        "proto",
        "host",
        "cs-host",
        "cs-uri-stem",
        "uri",
    ),
    *(
        "query",
        "qtype_name",
        "id.orig_h",
        "c-ip",
        "id.resp_h",
        "id.resp_p",
        "s-ip",
        "name",
        "user",
        "cs-username",
    ),
)
_EMPTY = frozenset(("-", "(empty)", ""))


def totals(lines: Sequence[str]) -> tuple[str, ...]:
    """Returns a line for each field that matters, with the counts of its values; nothing for other logs."""
    found = next((pair for line in lines[:HEAD_LINES] if (pair := _header(line)) is not None), None)
    if found is None or len(lines) > MOST_ROWS:
        return ()
    names, sign = found
    rows = [cells for line in lines if line[:1] != "#" and len(cells := line.split(sign)) == len(names)]
    if len(rows) < FEWEST:
        return ()
    counted = []
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        counts = Counter(values)
        filled = len(counts) - sum(value in counts for value in _EMPTY)
        if filled and 1 < len(counts) <= max(MOST_VALUES, VARIED * len(rows)):
            counted.append((_FIRST.index(name) if name in _FIRST else len(_FIRST), len(counts), name, counts))
    counted.sort(key=lambda one: one[:3])
    return tuple(_line(name, counts) for _, _, name, counts in counted[:MOST_FIELDS])


def _header(line: str) -> tuple[list[str], str] | None:
    for head, sign in _HEADS:
        if line.startswith(head):
            names = line[len(head) :].split(sign)
            return (names, sign) if len(names) > 2 else None
    return None


def _line(name: str, counts: Counter[str]) -> str:
    """Returns the counts of a field: the values that come often, and those that hardly come at all."""
    order = sorted(counts, key=lambda value: (-counts[value], value))
    shown = order if len(order) <= MOST_VALUES + 1 else [*order[: MOST_VALUES - 2], *order[-2:]]
    said = [f"{value[:VALUE_CHARS]}×{counts[value]:,}" for value in shown]
    if len(shown) < len(order):
        said.insert(-2, f"+{len(order) - len(shown)} values")
    return f"{OMISSION_PREFIX} {name} {', '.join(said)}]"
