"""Tables of events (requests, alerts, attempts): rows that say the same of another time are one kind.

What tells kinds apart are the columns with few values: states, methods, messages, users. Times, ids
and amounts differ from row to row; they are told as bounds, and in full for kinds that came seldom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenjuice_ml.compressors import jsonish_plan as plan
from tokenjuice_ml.compressors.jsonish_parse import Num
from tokenjuice_ml.compressors.jsonish_rows import is_state, last_name
from tokenjuice_ml.compressors.jsonish_table import MISSING, Table
from tokenjuice_ml.compressors.jsonish_text import is_counter, is_opaque, is_time
from tokenjuice_ml.record import Record

FEWEST_ROWS = 12
# Kinds are no more than this, and than this share of the rows.
MOST_KINDS, SHARE = 60, 0.5
# What one takes, chars.
KIND_CHARS = 70
# One column alone, no state, tells kinds apart where they are no more than this share.
ALONE = 0.25
# Columns of more values are compared without their digits.
FEW_VALUES, LOOKED_AT = 8, 2_000
# Cells longer than that on the mean are texts of their own.
LONG = 300
_PLAIN = frozenset((str, Num, bool, type(None), type(MISSING)))
_DIGITS = str.maketrans("", "", "0123456789")
_CLOCKS = ("time", "timestamp", "ts", "date", "datetime", "@timestamp", "time_local", "when", "at")
# Where no column says what happened, rows are things.
_OF_EVENTS = frozenset(
    "msg message level severity lvl event event_type request method path url uri request_uri action signature"
    " logger status_code verb request_method syscall op operation".split()
)


class Kinds(Record):
    """Rows by kind.

    Attributes:
        views: the columns that tell kinds apart.
        rows: the rows of each kind, ascending; the kinds by their first row.
        clock: the column that says when, None where none does.
    """

    views: tuple[plan.View, ...]
    rows: tuple[tuple[int, ...], ...]
    clock: plan.View | None


def kinds_of(table: Table, views: Sequence[plan.View], apart: Sequence[int], chars: float) -> Kinds | None:
    """Returns the rows by kind, None where rows are things with names, or few are alike.

    Args:
        table: the table.
        views: its columns that vary.
        apart: rows that are each a kind of their own.
        chars: room for all.
    """
    if table.count < FEWEST_ROWS or table.odd or plan.is_spoken(table):
        return None
    identity = plan.identity_of(table)
    if identity is not None and not _is_passing(last_name(identity), identity.values):
        return None
    clock = next((view for view in views if _is_clock(last_name(view.column), view.column.values)), None)
    if clock is None or not any(last_name(column) in _OF_EVENTS for column in table.columns):
        return None
    most = min(MOST_KINDS, SHARE * table.count, max(FEW_VALUES, chars / KIND_CHARS))
    chosen: list[plan.View] = []
    labels: list[Any] = [()] * table.count
    for view, values in sorted(_telling(views), key=_order):
        tried = list(zip(labels, values, strict=True))
        if len(set(tried)) <= most:
            chosen.append(view)
            labels = tried
    alone = len(chosen) < 2 and not any(is_state(view.column) for view in chosen)
    if alone and (not chosen or len(set(labels)) > ALONE * table.count):
        return None
    rows: dict[Any, list[int]] = {}
    for index in apart:
        labels[index] = index
    for index, label in enumerate(labels):
        rows.setdefault(label, []).append(index)
    order = {id(view): place for place, view in enumerate(views)}
    chosen.sort(key=lambda view: order[id(view)])
    return Kinds(tuple(chosen), tuple(map(tuple, rows.values())), clock)


def _telling(views: Sequence[plan.View]) -> list[tuple[plan.View, list[Any]]]:
    """Returns the columns of plain values that may tell kinds apart, with what is compared of them."""
    found = []
    for view in views:
        values = view.column.values
        kinds = set(map(type, values))
        if not _PLAIN.issuperset(kinds) or (Num in kinds and not is_state(view.column)):
            continue
        if view.rank >= plan.NOISE and len(set(values)) > FEW_VALUES:
            continue
        if _is_passing(last_name(view.column), values) or view.cost(4000) > LONG:
            continue
        if len(set(values)) > FEW_VALUES:
            values = [value.translate(_DIGITS) if type(value) is str else value for value in values]
        if len(set(values)) > 1:
            found.append((view, values))
    return found


def _order(pair: tuple[plan.View, list[Any]]) -> tuple[bool, int]:
    view, values = pair
    return not is_state(view.column), len(set(values))


def _is_passing(name: str, values: list[Any]) -> bool:
    """Tells whether a column says when, how much or which one, not what."""
    if _is_clock(name, values) or is_counter(values):
        return True
    return (is_opaque(values) or _is_amount(values)) and len(set(map(str, values[:LOOKED_AT]))) > FEW_VALUES


def _is_amount(values: list[Any]) -> bool:
    """Tells whether strings are numbers."""
    words = [value for value in values[:40] if isinstance(value, str) and value]
    return bool(words) and sum(word.replace(".", "", 1).isdigit() for word in words) >= 0.9 * len(words)


def _is_clock(name: str, values: list[Any]) -> bool:
    return is_time(values) or name in _CLOCKS or name.endswith(("_at", "timestamp"))
