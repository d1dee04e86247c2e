"""Long arrays of objects held by columns: an object for each row takes five times the room."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, overload

from tokenjuice_ml.compressors import jsonish_table as tables
from tokenjuice_ml.compressors.jsonish_parse import Doubled, Num, encode
from tokenjuice_ml.compressors.jsonish_table import MISSING, Table

# Objects inside one another that may hold such arrays.
DEPTH = 3
# Rows taken into columns at once, and the most shapes (keys in an order) that rows have.
BATCH, MOST_SHAPES = 500, 2_000
# Values that are held once where they come again, and the longest of them.
MOST_SHARED, LONG_WORD = 20_000, 80
_ODD = 0
# Of objects deeper than that, or with more objects in them, the size is taken by writing them.
MOST_DEPTH, MOST_INSIDE = 40, 200


class Rows(Sequence[Any]):
    """An array of objects; rows are put together again as they are asked for.

    Attributes:
        odd: rows that are no plain objects, by index.
    """

    def __init__(self) -> None:
        self.odd: dict[int, Any] = {}
        self._columns: dict[str, list[Any]] = {}
        # The keys of the rows in their order; the first entry stands for rows that are odd.
        self._shapes: dict[tuple[str, ...], int] = {(): _ODD}
        self._keys: list[tuple[str, ...]] = [()]
        self._shape_of = array("H")
        self._filled = 0
        # Apart, as a number equals the word it is written with.
        self._words: dict[str, str] = {}
        self._numbers: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._shape_of)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(map(self._row, range(*index.indices(len(self)))))
        return self._row(range(len(self))[index])

    def __iter__(self) -> Iterator[Any]:
        return map(self._row, range(len(self)))

    def _row(self, index: int) -> Any:
        keys = self._keys[self._shape_of[index]]
        if not keys:
            return self.odd[index]
        columns = self._columns
        return {key: columns[key][index] for key in keys}

    def take(self, rows: list[Any]) -> bool:
        """Adds rows; says whether columns still suit them."""
        shapes = [tuple(row) if type(row) is dict else () for row in rows]
        kinds = set(shapes)
        if len(kinds) > 1 or () in kinds or shapes[0] not in self._shapes or self.odd:
            return self._take_unlike(rows, shapes)
        return self._take_alike(rows, shapes[0])

    def _take_alike(self, rows: list[Any], shape: tuple[str, ...]) -> bool:
        if len(shape) < len(self._columns):
            return self._take_unlike(rows, [shape] * len(rows))
        self._filled += len(shape) * len(rows)
        self._shape_of.extend(repeat(self._shapes[shape], len(rows)))
        for key, column in self._columns.items():
            column += self._shared(list(map(itemgetter(key), rows)))
        return True

    def _take_unlike(self, rows: list[Any], shapes: list[tuple[str, ...]]) -> bool:
        for shape in dict.fromkeys(shapes):
            if shape not in self._shapes:
                self._shapes[shape] = len(self._keys)
                self._keys.append(shape)
                self._know(shape)
        if len(self._columns) > 2 * tables.MAX_COLUMNS or len(self._keys) > MOST_SHAPES:
            return False
        first = len(self)
        self._shape_of.extend([self._shapes[shape] for shape in shapes])
        self._filled += sum(map(len, shapes))
        self.odd.update((first + at, row) for at, row in enumerate(rows) if not shapes[at])
        plain = [row if shape else {} for row, shape in zip(rows, shapes, strict=True)]
        for key, column in self._columns.items():
            column += self._shared([row.get(key, MISSING) for row in plain])
        count = len(self)
        sparse = self._filled < 0.25 * len(self._columns) * (count - len(self.odd))
        return not sparse and len(self.odd) <= 0.4 * count

    def _shared(self, values: list[Any]) -> list[Any]:
        """Returns the values of one type with equal ones held once, as far as they are worth it."""
        kinds = set(map(type, values))
        known = self._words if kinds == {str} else self._numbers if kinds == {Num} else None
        if known is None or (kinds == {str} and len(max(values, key=len)) > LONG_WORD):
            return values
        if len(known) < MOST_SHARED:
            return list(map(known.setdefault, values, values))
        return list(map(known.get, values, values))

    def _know(self, shape: tuple[str, ...]) -> None:
        """Gives new keys their columns, each behind the key it stands behind."""
        fresh = [key for key in shape if key not in self._columns]
        if not fresh:
            return
        order, at = list(self._columns), 0
        for key in shape:
            if key in self._columns:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
        empty = [MISSING] * len(self)
        self._columns = {key: self._columns[key] if key in self._columns else empty.copy() for key in order}

    def table(self) -> Table | None:
        """Returns what `jsonish_table.build` makes of the rows, the order of keys aside."""
        count = len(self)
        plain = count - len(self.odd)
        if plain < 2 or plain < 0.6 * count or not self._columns:
            return None
        if len(self._keys) > 2 and self._filled < 0.25 * len(self._columns) * plain:
            return None
        return tables.tabled(self._columns, count, self.odd, exact=False)


def held(value: Any, depth: int = 0) -> Any:
    """Returns a value with lists in place of `Rows` inside it, itself where there are none."""
    if type(value) is Rows:
        return list(value)
    if type(value) is not dict or depth > DEPTH:
        return value
    inner = {key: held(item, depth + 1) for key, item in value.items()}
    return inner if any(inner[key] is not item for key, item in value.items()) else value


def size_of(value: Any, known: dict[Any, Any], depth: int = 0) -> int:
    """Returns the chars of a value as minified JSON, of long arrays a part at a time.

    Args:
        value: the value.
        known: sizes of what is inside, so that each object is written once.
        depth: objects and arrays around it.
    """
    kind = type(value)
    if kind is Rows:
        parts = (value[start : start + BATCH] for start in range(0, len(value), BATCH))
        return 1 + sum(len(encode(part)) - 1 for part in parts)
    if kind not in _NESTED or depth > MOST_DEPTH:
        return len(encode(value))
    size: int | None = known.get(("whole", id(value)))
    if size is None:
        inner = list(value.values() if kind is dict else value)
        nested = [item for item in inner if type(item) in _NESTED]
        if kind is not Doubled and 0 < len(nested) <= MOST_INSIDE:
            size = _sum_of([item for item in inner if type(item) not in _NESTED])
            size += sum([size_of(item, known, depth + 1) for item in nested]) + len(inner) + 1
            size += _sum_of(list(value)) + len(inner) if kind is dict else 0
        else:
            size = len(encode(value))
        known["whole", id(value)] = size
    return size


def _sum_of(plain: list[Any]) -> int:
    """Returns the chars of plain values as JSON, together."""
    return len(encode(plain)) - len(plain) - 1 if plain else 0


_NESTED = frozenset((dict, list, Doubled, Rows))
