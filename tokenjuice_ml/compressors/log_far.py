"""Of lines alike in all but numbers: those whose number lies far from what the others say.

Nothing is known of a slot but its numbers, so "far" is a robust measure: the distance from where
nearly all values lie, in widths of that range, or in powers of ten where the range begins far above
zero. Numbers that name a thing (ids, ports, times, counters) vary freely and are not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import compress
from math import exp, log
from operator import gt, lt

from tokenjuice_ml.compressors.log_far_slots import TO_NUMBERS, Column, columns_of, unit_at
from tokenjuice_ml.compressors.log_slot_names import UNITS
from tokenjuice_ml.record import Record

# Lines of a kind that are enough to tell what is usual, kinds that are looked into, chars of a line.
FEWEST, MOST_KINDS, MOST_CHARS = 20, 60, 600
# Lines that are read at once, and runs of lines that stand for a larger kind.
PIECE, RUNS, RUN = 20_000, 8, 250
# Nearly all values: those between these shares. Far: so many widths of that range away, and in logarithms.
LOW, HIGH, WIDTHS, LOG_WIDTHS = 0.02, 0.98, 3.0, 1.5
# A range that begins lower has no "far below".
LEAST_FLOOR = 5.0
# Not far, however alike the others are: a part of the usual value, a step of whole and of other numbers.
SHARE, WHOLE_STEP, STEP = 0.05, 0.3, 0.05
# Of more far values than this share nobody can say that they are odd.
RARE_SHARE, RARE = 50, 3
# Lines shown for one slot, and for all.
MOST_A_SLOT, MOST, MOST_COMPARED = 2, 5, 200
# Things that a slot may be bad for: different names, lines of each; how many times the others it says,
# and below what share of a thing's values that lies.
FEWEST_THINGS, MOST_THINGS, LINES_A_THING, TIMES, OFTEN = 4, 40, 5, 3.0, 0.8
MOST_PAIRS, MOST_NOTES = 6, 2
# Of the steps of a counter, those that count.
COUNTING = 0.6


class Far(Record):
    """What the numbers of a log say.

    Attributes:
        lines: 0-based numbers of the lines with a far value, ascending.
        notes: by key, between what values slots of a kind lie; those with far values first.
    """

    lines: tuple[int, ...]
    notes: dict[str, list[str]]


class _Hit(Record):
    """A line with a far value: how far, its number, its slot."""

    far: float
    number: int
    slot: tuple[str, str]


def look(lines: Sequence[str], keys: Sequence[str], most: int = MOST) -> Far:
    """Returns the lines with a value far from those of their kind, and the ranges of all kinds.

    Args:
        lines: the log.
        keys: a key for each line, equal for lines that differ in numbers only.
        most: lines to name at most.

    >>> look([f"job took={9 + n % 3} rows={n % 7}" for n in range(60)] + ["job took=95 rows=1"], ["k"] * 61).lines
    (60,)
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        groups[key].append(number)
    large = [(key, group) for key, group in groups.items() if len(group) >= FEWEST and key.strip()]
    large.sort(key=lambda one: -len(one[1]))
    hits: list[_Hit] = []
    notes: dict[str, list[str]] = {}
    for key, group in large[:MOST_KINDS]:
        kind = _Kind(lines, key, group)
        found = kind.hits()
        hits += found
        if said := kind.notes({hit.slot[1] for hit in found}):
            notes[key] = said
    chosen: dict[int, None] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.far, hit.number)):
        if len(chosen) < most:
            chosen[hit.number] = None
    return Far(tuple(sorted(chosen)), notes)


class _Kind:
    """The lines of one kind, as columns of numbers."""

    def __init__(self, lines: Sequence[str], key: str, group: list[int]) -> None:
        self._lines, self._key = lines, key
        self._columns = columns_of(lines[group[0]][:MOST_CHARS])
        self._numbers: list[int] = []
        self._width = 0
        self._cells: list[list[bytes]] = [[] for _ in self._columns]
        if any(column.value for column in self._columns):
            for first in range(0, len(group), PIECE):
                self._read(group[first : first + PIECE])
        self._values = {
            at: _floats(self._cells[at])
            for at, column in enumerate(self._columns)
            if column.value and self._cells[at]
        }
        self._values = {at: values for at, values in self._values.items() if not _counts(values)}

    def _read(self, numbers: list[int]) -> None:
        text = "\n".join([self._lines[number][:MOST_CHARS] for number in numbers])
        rows = [
            row.split() for row in text.encode("utf-8", "surrogatepass").translate(TO_NUMBERS).split(b"\n")
        ]
        width = self._width = self._width or len(rows[0])
        if set(map(len, rows)) != {width}:
            fit = [len(row) == width for row in rows]
            rows, numbers = list(compress(rows, fit)), list(compress(numbers, fit))
        self._numbers += numbers
        table = list(zip(*rows, strict=True))
        for at, column in enumerate(self._columns):
            if table:
                self._cells[at] += table[column.at]

    def hits(self) -> list[_Hit]:
        """Returns the lines with a far value: of each slot the farthest and the first."""
        found: list[_Hit] = []
        if len(self._numbers) < FEWEST:
            return found
        for at, values in self._values.items():
            odd = _odd(values)
            if odd:
                alike = [one for one in odd[:MOST_COMPARED] if self._same_unit(one[1], at)]
                best = sorted(alike, key=lambda one: (-one[0], one[1]))[:1]
                best += [one for one in alike[:1] if one not in best]
                found += [self._hit(far, row, at) for far, row in best[:MOST_A_SLOT]]
        return found or self._for_one_thing()

    def _hit(self, far: float, row: int, at: int) -> _Hit:
        return _Hit(far, self._numbers[row], (self._key, self._columns[at].name))

    def _same_unit(self, row: int, at: int) -> bool:
        line = self._lines[self._numbers[row]][:MOST_CHARS]
        return unit_at(line, self._columns[at].at) == self._columns[at].unit

    def _for_one_thing(self) -> list[_Hit]:
        """Returns one line of a thing (a partition, a node) of which a slot says far more or less than of all others."""
        varying = [at for at, values in self._values.items() if _varies(values)]
        if not varying:
            return []
        sample = _sampled(len(self._numbers))
        things = {at: [cells[row] for row in sample] for at, cells in enumerate(self._cells) if cells}
        things = {at: names for at, names in things.items() if _are_things(names)}
        found: list[_Hit] = []
        pairs = [(one, at) for at in varying for one in things if one != at]
        for one, at in pairs[:MOST_PAIRS]:
            values = self._values[at]
            of_thing: dict[bytes, list[float]] = defaultdict(list)
            for name, row in zip(things[one], sample, strict=True):
                of_thing[name].append(values[row])
            if (bad := _bad_thing(of_thing)) is not None:
                far, name, sign = bad
                rows = [row for row, cell in enumerate(self._cells[one]) if cell == name]
                found.append(self._hit(far, max(rows, key=lambda row: sign * values[row]), at))
        return found

    def notes(self, far: set[str]) -> list[str]:
        """Returns between what values slots lie: the `far` ones first, then those with a unit."""
        said: list[tuple[bool, str]] = []
        for at, values in self._values.items():
            column = self._columns[at]
            if not column.name or len(values) < FEWEST or (column.name not in far and not _glued(column)):
                continue
            least, most = min(values), max(values)
            if least < most:
                cells = self._cells[at]
                low, top = cells[values.index(least)].decode(), cells[values.index(most)].decode()
                said.append((column.name not in far, f"{column.name} {low}..{top}{column.unit}"))
        return [note for _, note in sorted(said, key=lambda one: one[0])][:MOST_NOTES]


def _glued(column: Column) -> bool:
    """Tells whether a slot has a unit right behind it that says no time and no size: those are told elsewhere."""
    return column.told and bool(column.unit) and column.unit.lower() not in UNITS


def _floats(cells: Sequence[bytes]) -> list[float]:
    """Returns the numbers; what is none stands for the first."""
    try:
        return list(map(float, cells))
    except ValueError:
        return _some_floats(cells)


def _some_floats(cells: Sequence[bytes]) -> list[float]:
    found: list[float] = []
    for cell in cells:
        try:
            found.append(float(cell))
        except ValueError:
            found.append(found[0] if found else 0.0)
    return found


def _sampled(total: int) -> Sequence[int]:
    """Returns some of the rows, in runs: single ones would all be of one thing where things take turns."""
    if total <= RUNS * RUN:
        return range(total)
    step = (total - RUN) // (RUNS - 1)
    return [row for run in range(RUNS) for row in range(run * step, run * step + RUN)]


def _some(values: Sequence[float]) -> Sequence[float]:
    rows = _sampled(len(values))
    return values if len(rows) == len(values) else [values[row] for row in rows]


def _varies(values: Sequence[float]) -> bool:
    """Tells whether some values are so far from the middle that they may be those of one thing."""
    some = sorted(_some(values))
    middle = some[len(some) // 2]
    return some[-1] > TIMES * middle or some[0] * TIMES < middle


def _counts(values: Sequence[float]) -> bool:
    """Tells whether a slot counts up or down."""
    some = _some(values)
    up, down = sum(map(lt, some, some[1:])), sum(map(gt, some, some[1:]))
    return min(up, down) == 0 and bool(max(up, down) > COUNTING * len(some))


def _odd(values: Sequence[float]) -> list[tuple[float, int]]:
    """Returns (how far, row) of the far values, by their rows; nothing where they are many."""
    some = sorted(_some(values))
    low, high = some[int(LOW * len(some))], some[int(HIGH * (len(some) - 1))]
    width = high - low or _step(low, some)
    floor, ceiling = low - WIDTHS * width, high + WIDTHS * width
    scale = 0.0
    if low >= LEAST_FLOOR:
        scale = max(log(1 + high) - log(1 + low), 0.5)
        floor = max(floor, (1 + low) * exp(-LOG_WIDTHS * scale) - 1)
    if min(values) >= floor and max(values) <= ceiling:
        return []
    rows = [row for row, value in enumerate(values) if value > ceiling or value < floor]
    if len(rows) > max(RARE, len(values) // RARE_SHARE):
        return []
    found: list[tuple[float, int]] = []
    for row in rows:
        value = values[row]
        far = (value - high if value > high else low - value) / width
        if scale and 0 <= value < low:
            far = max(far, 2 * (log(1 + low) - log(1 + value)) / scale)
        found.append((far, row))
    return found


def _step(usual: float, some: Sequence[float]) -> float:
    """Returns the width of a range of one value: less than that, and nobody would call a value far off."""
    if all(value.is_integer() for value in (usual, some[0], some[-1])):
        return WHOLE_STEP
    return max(SHARE * abs(usual), STEP)


def _are_things(names: Sequence[bytes]) -> bool:
    return FEWEST_THINGS <= len(set(names)) <= MOST_THINGS and len(names) >= LINES_A_THING * len(set(names))


def _bad_thing(of_thing: dict[bytes, list[float]]) -> tuple[float, bytes, int] | None:
    """Returns how far off the one thing is that is unlike all others, its name, and the sign of its way."""
    sizes = [(sorted(some), name) for name, some in of_thing.items() if len(some) >= LINES_A_THING]
    if len(sizes) < FEWEST_THINGS:
        return None
    # What a thing says most of the time may be well where it went wrong late: its higher and its lower values count.
    highs = sorted((some[int(OFTEN * len(some))], name) for some, name in sizes)
    lows = sorted((some[len(some) - 1 - int(OFTEN * len(some))], name) for some, name in sizes)
    (before, _), (most, last) = highs[-2:]
    width = max(before - highs[0][0], SHARE * abs(before), WHOLE_STEP)
    if before >= 0 and most > TIMES * before and most > before + WIDTHS * width:
        return (most - before) / width, last, 1
    (least, first), (second, _) = lows[:2]
    if second >= LEAST_FLOOR and 0 <= least * TIMES < second and lows[-1][0] < 2 * second:
        return (second - least) / max(lows[-1][0] - second, SHARE * second), first, -1
    return None
