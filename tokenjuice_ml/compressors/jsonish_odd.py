"""Cells of a JSON table that are unlike the others of their column, also inside objects and lists.

Which columns are shown depends on their names and widths; what makes a row worth reading may stand in
one that is left out: another host among hundreds of the same, no value among values, a number far off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import Doubled, Num
from tokenjuice_ml.compressors.jsonish_rows import last_name, lone_empty
from tokenjuice_ml.compressors.jsonish_table import MISSING, Column, Table, segment
from tokenjuice_ml.compressors.table_odd import EACH, far_rows, is_key, marked, repeated, seldom_roots
from tokenjuice_ml.record import Record

# Rows that are told, cells of one row, and the fewest values that say what is usual.
MOST_ROWS, MOST_CELLS, FEWEST = 10, 3, 8
# Values that are compared: of one column, and inside all objects and lists of one.
MOST_VALUES, MOST_LEAVES, MOST_PATHS = 200_000, 30_000, 60
_DEPTH, _SHORT_LIST = 6, 4
_NESTED = frozenset((dict, list, Doubled))


class Cell(Record):
    """A cell, or a value inside one, that is unlike the others.

    Attributes:
        column: where it stands.
        name: its path, as it is shown.
        value: the value.
    """

    column: Column
    name: str
    value: Any


class Odds(Record):
    """What is odd in a table.

    Attributes:
        cells: odd cells by row, the most telling rows first.
        notes: what is to be said of all rows.
    """

    cells: dict[int, list[Cell]]
    notes: tuple[str, ...] = ()


def odds_of(table: Table) -> Odds:
    """Returns the odd cells of at most `MOST_ROWS` rows."""
    if table.count < FEWEST:
        return Odds({})
    groups: list[list[tuple[int, Cell]]] = []
    notes: list[str] = []
    for column in table.columns:
        if column.constant:
            continue
        twice = _twice(column)
        if twice:
            value = column.values[twice[0]]
            notes.append(
                f"{column.name} {value} more than once: rows " + ", ".join(f"#{row + 1}" for row in twice)
            )
            groups.insert(0, [(row, Cell(column, column.name, column.values[row])) for row in twice])
        groups.append(_odd_in(column))
    return Odds(_by_row(groups), tuple(notes[:3]))


def _by_row(groups: Sequence[Sequence[tuple[int, Cell]]]) -> dict[int, list[Cell]]:
    """Returns the cells by row: those of columns with few odd ones first, one of each column in turn."""
    found: dict[int, list[Cell]] = {}
    order = sorted((group for group in groups if group), key=len)
    for place in range(EACH):
        for group in order:
            if place < len(group):
                row, cell = group[place]
                if row in found or len(found) < MOST_ROWS:
                    found.setdefault(row, []).append(cell)
    return found


def _odd_in(column: Column) -> list[tuple[int, Cell]]:
    values = column.values if len(column.values) <= MOST_VALUES else column.values[:MOST_VALUES]
    nested = [row for row, value in enumerate(values) if type(value) in _NESTED]
    if len(nested) >= FEWEST:
        return _odd_inside(column, values, nested)
    rows = lone_empty(column) or _lone_in_few(values)
    present = [row for row, value in enumerate(values) if isinstance(value, str) and value]
    rows = rows + [present[at] for at in odd_values([values[row] for row in present])]
    return [(row, Cell(column, column.name, values[row])) for row in dict.fromkeys(rows)][:EACH]


def _lone_in_few(values: Sequence[Any]) -> list[int]:
    """Returns the one row without a value in a short table, where all the others have one."""
    empty = [row for row, value in enumerate(values) if value is None or value == ""]
    present = len(values) - len(empty) - sum(value is MISSING for value in values)
    return empty if len(empty) == 1 and present == len(values) - 1 >= FEWEST else []


def odd_values(values: Sequence[str]) -> list[int]:
    """Returns the few values unlike the others: numbers far off, texts of another origin, words seen once."""
    if len(values) < FEWEST:
        return []
    kinds = set(map(type, values))
    if kinds == {Num}:
        numbers = list(map(float, values))
        if not all(map(isfinite, numbers)):
            return []
        found = sorted(far_rows(numbers), key=lambda pair: (-pair[1], pair[0]))
        return [row for row, _ in found[:EACH]]
    return [] if kinds != {str} else list(dict.fromkeys([*marked(values), *seldom_roots(values)]))[:EACH]


def _twice(column: Column) -> list[int]:
    """Returns the rows that share a key which all other rows have for themselves."""
    values = column.values
    if len(values) > MOST_VALUES or not is_key(last_name(column)):
        return []
    kinds = set(map(type, values))
    return repeated(values) if kinds <= {str, Num} else []


def _odd_inside(column: Column, values: Sequence[Any], nested: Sequence[int]) -> list[tuple[int, Cell]]:
    """Returns the rows with an odd value inside, and those that have nothing where nearly all have objects."""
    leaves = _leaves(values, nested, column.name)
    found: list[tuple[int, Cell]] = []
    if 0 < (lone := values.count(None)) <= max(2, len(values) // 50):
        found += [
            (row, Cell(column, column.name, None)) for row, value in enumerate(values) if value is None
        ][:lone]
    for path, (rows, inner) in leaves.items():
        for at in _odd_leaves(inner):
            found.append((rows[at], Cell(column, path, inner[at])))
    return found[: 2 * EACH]


def _odd_leaves(values: list[Any]) -> list[int]:
    """Returns the odd ones of the values of a path; beside `odd_values` a word among few others."""
    found = odd_values(values) if set(map(type, values)) in ({str}, {Num}) else []
    if found or len(values) < 20:
        return found
    counts = Counter(map(repr, values))
    few = {value for value, count in counts.items() if count <= max(1, len(values) // 100)}
    if (
        not 0 < len(few) <= EACH
        or len(counts) - len(few) > min(12, len(values) // 10)
        or len(counts) == len(few)
    ):
        return []
    return [at for at, value in enumerate(values) if repr(value) in few][:EACH]


def _leaves(
    values: Sequence[Any], nested: Sequence[int], name: str
) -> dict[str, tuple[list[int], list[Any]]]:
    """Returns the plain values inside the objects and lists of a column by path, each with its row."""
    leaves: dict[str, tuple[list[int], list[Any]]] = {}
    paths: dict[tuple[str, Any], str] = {}
    left = MOST_LEAVES
    for row in nested:
        todo = [(name, values[row], 0)]
        while todo and left > 0:
            path, value, depth = todo.pop()
            left -= 1
            for below, inner in _parts(path, value, paths):
                if type(inner) in _NESTED:
                    if depth < _DEPTH:
                        todo.append((below, inner, depth + 1))
                    continue
                left -= 1
                known = leaves.get(below)
                if known is None and len(leaves) < MOST_PATHS:
                    known = leaves[below] = ([], [])
                if known is not None:
                    known[0].append(row)
                    known[1].append(inner)
    return leaves


def _parts(path: str, value: Any, paths: dict[tuple[str, Any], str]) -> list[tuple[str, Any]]:
    """Returns the values right inside an object or a list with their paths; `paths` keeps those made once."""
    if type(value) is not list:
        return [
            (paths.get((path, key)) or paths.setdefault((path, key), f"{path}.{segment(key)}"), inner)
            for key, inner in value.items()
        ]
    if len(value) <= _SHORT_LIST and _NESTED.isdisjoint(map(type, value)):
        return [(f"{path}[{at}]", inner) for at, inner in enumerate(value)]
    below = f"{path}[]"
    return [(below, inner) for inner in value]


def odd_items(value: Sequence[Any]) -> list[tuple[int, Any]]:
    """Returns the items of a list of lists of numbers that hold one far off the others, with that number."""
    if len(value) < FEWEST or not all(type(item) is list for item in value):
        return []
    width = len(value[0])
    by_place = 0 < width <= 2 * _SHORT_LIST and all(len(item) == width for item in value)
    found: dict[int, Any] = {}
    for place in range(width) if by_place else (None,):
        pairs = [
            (row, inner)
            for row, item in enumerate(value)
            for inner in (item if place is None else [item[place]])
        ]
        for at in odd_values([inner for _, inner in pairs[:MOST_VALUES]]):
            found.setdefault(*pairs[at])
    return list(found.items())[: 2 * EACH]
