"""Arrays of objects as tables that can be turned back.

A header line names the columns by path (``a.b``); ``path=value`` is a column that is the same
in every row. A cell is bare text for a plain string, JSON for everything else, empty where the
key is missing. A row that does not fit the columns is its JSON behind an equals sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import Doubled, Num, encode

MISSING: Any = object()
# The path step into a list that has one item in every row; no key is spelled like it unquoted.
ONLY = "[0]"
# Objects deeper than this stay JSON in their cell.
MAX_DEPTH = 7
# How far objects in cells become columns: least filled share and most keys; the first that fits.
_FLATTEN = ((0.3, 40), (0.6, 24), (1.1, 0))
# Most columns a table may have.
MAX_COLUMNS = 60
_BARE_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$@/: ")

# Objects that are named by what they describe: the parameters of functions.
SIGNATURES = frozenset(("properties", "parameters", "params", "arguments", "args", "inputs"))


@dataclass(slots=True)
class Column:
    """One column.

    Attributes:
        path: keys from the row to the value.
        values: a value a row, `MISSING` where there is none.
        constant: True when all rows have the same value.
        counts: counts by value once they were asked for, False until then.
        kinds: the types of the values, likewise.
        lone: the few rows without a value, likewise.
        outliers: rows far off the others, likewise.
    """

    path: tuple[str, ...]
    values: list[Any]
    constant: bool = False
    counts: Any = False
    kinds: Any = False
    lone: Any = False
    outliers: Any = False

    @property
    def name(self) -> str:
        """The path as the header shows it."""
        return ".".join(key if key is ONLY else segment(key) for key in self.path)


@dataclass(slots=True)
class Table:
    """Rows by columns.

    Attributes:
        columns: the columns, constants included.
        count: number of rows.
        odd: rows that do not fit, by index, as they are.
        lifted: True where cells hold the text of blocks in place of the blocks.
    """

    columns: list[Column]
    count: int
    odd: dict[int, Any] = field(default_factory=dict)
    lifted: bool = False


def segment(key: str) -> str:
    """Returns a key as part of a column's name: bare where it is unmistakable."""
    return key if key and key[0] != " " and key[-1] != " " and _BARE_NAME.issuperset(key) else encode(key)


def build(rows: Sequence[Any], exact: bool = True) -> Table | None:
    """Returns `rows` as a table, or None where they have no shape in common.

    Args:
        rows: the rows, objects for the most part.
        exact: rows and objects whose keys stand in another order do not fit.
    """
    plain = [row for row in rows if type(row) is dict and row]
    if len(plain) < 2 or len(plain) < 0.6 * len(rows):
        return None
    alike = set(map(tuple, plain))
    order = _key_order(plain) if len(alike) > 1 else {key: place for place, key in enumerate(plain[0])}
    if order is None:
        return None
    if len(alike) == 1 and len(plain) == len(rows):
        return tabled({key: list(map(itemgetter(key), rows)) for key in order}, len(rows), {}, exact)
    fitting: list[Any] = []
    odd: dict[int, Any] = {}
    for index, row in enumerate(rows):
        if type(row) is dict and row and (not exact or _in_order(row, order)):
            fitting.append(row)
        else:
            odd[index] = row
            fitting.append(None)
    if len(odd) > 0.4 * len(rows):
        return None
    values = {key: [MISSING if row is None else row.get(key, MISSING) for row in fitting] for key in order}
    return tabled(values, len(rows), odd, exact)


def tabled(values: dict[str, list[Any]], count: int, odd: dict[int, Any], exact: bool) -> Table | None:
    """Returns the table of values by key, objects in cells as columns as far as there is room."""
    for share, most in _FLATTEN:
        columns: list[Column] = []
        for key, column in values.items():
            columns += _expand((key,), column, _Expansion(odd, exact, share, most))
        if len(columns) <= MAX_COLUMNS:
            return Table([_marked(column, odd) for column in columns], count, odd)
    return None


def _key_order(rows: list[dict[str, Any]]) -> dict[str, int] | None:
    """Returns the keys of all rows in an order that fits most rows, None where there are too many."""
    order = list(rows[0])
    known = set(order)
    filled = 0
    for row in rows:
        filled += len(row)
        if row.keys() <= known:
            continue
        at = 0
        for key in row:
            if key in known:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                known.add(key)
                at += 1
        if len(order) > 2 * MAX_COLUMNS:
            return None
    if filled < 0.25 * len(order) * len(rows):
        return None
    return {key: position for position, key in enumerate(order)}


def _in_order(row: dict[str, Any], order: dict[str, int]) -> bool:
    last = -1
    for key in row:
        position = order[key]
        if position < last:
            return False
        last = position
    return True


@dataclass(frozen=True, slots=True)
class _Expansion:
    """How far objects in cells become columns.

    Attributes:
        odd: rows that do not fit the table.
        exact: the order of keys matters.
        share: least share of cells that are not empty.
        most: most keys of an object.
    """

    odd: dict[int, Any]
    exact: bool
    share: float
    most: int


def _expand(path: tuple[str, ...], values: list[Any], how: _Expansion) -> list[Column]:
    """Returns one column, or one for each key where all values are objects of one shape."""
    if len(path) >= MAX_DEPTH:
        return [Column(path, values)]
    inner = [value for index, value in enumerate(values) if index not in how.odd] if how.odd else values
    if inner and all(type(value) is list and len(value) == 1 and type(value[0]) is dict for value in inner):
        below = [value[0] if type(value) is list else MISSING for value in values]
        found = _expand((*path, ONLY), below, how)
        return found if len(found) > 1 else [Column(path, values)]
    lone: list[Column] = []
    if not how.exact and 0 < sum(value is None for value in inner) <= max(1, len(inner) // 10):
        # A row that has nothing there hides no other's keys; a column of its own says so.
        lone = [Column(path, [None if value is None else MISSING for value in values])]
        inner = [value for value in inner if value is not None]
    if not inner or any(type(value) is not dict or not value for value in inner):
        return [Column(path, values)]
    order = _key_order(inner)
    if order is None or sum(map(len, inner)) < how.share * len(order) * len(inner) or len(order) > how.most:
        return [Column(path, values)]
    if how.exact and any(not _in_order(value, order) for value in inner):
        return [Column(path, values)]
    if path[-1] in SIGNATURES and any(len(value) < len(order) for value in inner):
        return [Column(path, values)]  # what a function takes is read as a whole
    columns = lone
    for key in order:
        below = [value.get(key, MISSING) if type(value) is dict else MISSING for value in values]
        columns += _expand((*path, key), below, how)
    return columns


def _marked(column: Column, odd: dict[int, Any]) -> Column:
    """Says on the column whether all rows have the same value, written the same."""
    values = column.values
    if odd:
        values = [value for index, value in enumerate(values) if index not in odd]
    if len(values) < 2 or values[0] is MISSING or values[-1] is MISSING or values[0] != values[-1]:
        return column
    first = values[0]
    kind = type(first)
    if any(type(value) is not kind or value != first for value in values):
        return column
    if kind in (dict, list, Doubled):
        # `1` and `"1"` are equal here, as numbers are kept as text.
        text = encode(first)
        column.constant = all(value is first or encode(value) == text for value in values)
    else:
        column.constant = True
    return column


def cell(value: Any, sign: str) -> str:
    """Returns a value as a cell between separators `sign`."""
    kind = type(value)
    if kind is Num:
        return str(value)
    if kind is str:
        return value if is_bare(value, sign) else encode(value)
    if value is MISSING:
        return ""
    text = encode(value)
    return text if sign not in text or kind in (dict, list) else encode(value)


def is_bare(value: str, sign: str) -> bool:
    """Says whether a string can stand in a cell without quotes."""
    if not value or sign in value or not value.isprintable():
        return False
    first, last = value[0], value[-1]
    if first in ' \t"{[=…' or last in " \t" or "…" in value:
        return False
    if first in "-0123456789":
        return not is_number(value)
    return value not in ("true", "false", "null", "NaN", "Infinity")


def is_number(value: str) -> bool:
    """Says whether `value` reads as a JSON number."""
    if not value or value[-1] not in "0123456789y":
        return False
    try:
        float(value)
    except ValueError:
        return value == "-Infinity"
    return "_" not in value


def separator(table: Table) -> str:
    """Returns the sign that stands least often inside the cells."""
    commas = bars = 0
    for column in table.columns:
        if not column.constant:
            for value in column.values[:60]:
                if type(value) is str:
                    commas += "," in value
                    bars += "|" in value
                elif type(value) in (dict, list):
                    commas += 1
    return "|" if bars < commas else ","


def header(columns: Sequence[Column], sign: str) -> str:
    """Returns the header line of `columns`."""
    names = []
    for column in columns:
        name = column.name
        if column.constant:
            name += "=" + cell(next(value for value in column.values if value is not MISSING), sign)
        names.append(name)
    return sign.join(names)


def line(columns: Sequence[Column], index: int, sign: str) -> str:
    """Returns row `index` with its cells whole."""
    return sign.join([cell(column.values[index], sign) for column in columns])


def render(table: Table) -> str:
    """Returns the whole table, nothing left out."""
    sign = separator(table)
    shown = [column for column in table.columns if not column.constant]
    lines = [header(table.columns, sign)]
    for index in range(table.count):
        if index in table.odd:
            lines.append("=" + encode(table.odd[index]))
        else:
            lines.append(line(shown, index, sign))
    return "\n".join(lines)
