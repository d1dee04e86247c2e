"""Finds the rows of a table that are unlike the others: in each column, and between columns side by side.

Numbers far off the middle, a sign of its own, a value among empty cells or an empty cell among
values, a word seen once where few words come again and again. All in linear time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from heapq import nlargest, nsmallest
from itertools import islice
from math import isfinite
from operator import sub

FEWEST_ROWS, MOST_COLUMNS, MOST_ODD, EACH = 20, 40, 12, 4
# Rows of one column that stand out are few, else they are how that column is.
RARE_SHARE, FAR_SHARE = 0.02, 0.05
FAR = 9.0
# How far one number lies from all the others, in parts of what they span.
LONE = 0.6
# No number lies apart where all are nearer to the middle than that, in spreads.
NEAR = 4.0
SAMPLE = 4000
EMPTY = frozenset(
    ("", "NULL", "null", "None", "nan", "NaN", "-", "--", "N/A", "n/a", "\\N", "<none>", "<null>")
)
_MARK = "\x1f"
# Names of columns in which no value comes twice.
_KEYS = frozenset(
    "id key uuid guid uid sku code email serial number no nr isbn ean iban slug login username".split()
)
_KEY_ENDS = ("_id", ".id", "uuid", "guid", "_key", "sku", "email", "_number", "_no", "serial", "_code")
_TO_DO = ("TODO", "FIXME", "XXX", "TBD", "CHANGEME", "PLACEHOLDER", "changeme", "Lorem ipsum", "lorem ipsum")


def odd_rows(
    rows: Sequence[Sequence[str]], width: int, judged: Mapping[int, Callable[[str], bool]] | None = None
) -> list[int]:
    """Returns up to `MOST_ODD` indexes of rows that stand out, the strangest first.

    Args:
        rows: the cells of each row; a row of fewer than `width` cells is odd where hardly any is.
        width: number of columns.
        judged: columns that say how a thing is, with what tells that a value is a good one.
    """
    short = [index for index, row in enumerate(rows) if len(row) < width]
    if not short:
        return odd_in(list(zip(*rows, strict=False))[:width], (), judged)
    lacking = frozenset(short)
    at = [index for index in range(len(rows)) if index not in lacking]
    whole = [rows[index] for index in at]
    columns = list(zip(*whole, strict=False))[:width]
    return odd_in(columns, short, judged, at)


def odd_in(
    columns: Sequence[Sequence[str]],
    short: Sequence[int] = (),
    judged: Mapping[int, Callable[[str], bool]] | None = None,
    at: Sequence[int] | None = None,
) -> list[int]:
    """Returns up to `MOST_ODD` rows that stand out, the strangest first.

    Args:
        columns: the cells of the rows that lack none, by column.
        short: the rows that lack cells, ascending.
        judged: columns that say how a thing is, with what tells that a value is a good one.
        at: the row of each cell of a column, where they are not all rows.
    """
    whole = len(columns[0]) if columns else 0
    if whole < FEWEST_ROWS:
        return []
    found: Counter[int] = Counter()
    before: list[float] | None = None
    for column, values in enumerate(islice(columns, MOST_COLUMNS)):
        if judged and column in judged:
            values = _without(values, judged[column])
        numbers = plain_numbers(values)
        if numbers is not None:
            _vote(found, far_rows(numbers))
            if before is not None and _akin(before, numbers):
                _vote(found, far_rows(list(map(sub, numbers, before))))
        else:
            _vote(found, _apart(values))
        before = numbers
    most = [index for index, _ in found.most_common(MOST_ODD)]
    few = short[:EACH] if len(short) <= max(2, int(RARE_SHARE * (whole + len(short)))) else ()
    return [*few, *(most if at is None else [at[index] for index in most])][:MOST_ODD]


def _without(values: Sequence[str], good: Callable[[str], bool]) -> Sequence[str]:
    """Returns the values with the commonest one in place of those that are good ones."""
    counts = Counter(values)
    common = counts.most_common(1)[0][0]
    other = {value: common for value in counts if value != common and good(value)}
    return [other.get(value, value) for value in values] if other else values


def plain_numbers(values: Sequence[str]) -> list[float] | None:
    """Returns the cells as numbers, None where one is not."""
    try:
        numbers = list(map(float, values))
    except ValueError:
        return None
    # A sum that is a finite number has no other than such terms.
    return numbers if isfinite(sum(numbers)) or all(map(isfinite, numbers)) else None


def shapes_of(values: Sequence[str]) -> list[str]:
    """Returns the values without their digits."""
    data = _MARK.join(values).encode("utf-8", "surrogatepass").translate(None, b"0123456789")
    found = data.decode("utf-8", "surrogatepass").split(_MARK)
    return found if len(found) == len(values) else list(values)


def _vote(found: Counter[int], rows: Sequence[tuple[int, int]]) -> None:
    for index, strength in rows:
        found[index] += strength


def _akin(left: Sequence[float], right: Sequence[float]) -> bool:
    """Tells whether two columns count the same sort of thing: their sums are near each other."""
    one, two = sum(left), sum(right)
    return one > 0 and two > 0 and 0.5 < one / two < 2


def far_rows(numbers: list[float]) -> list[tuple[int, int]]:
    """Returns rows far off the middle with their strength, those with a sign of their own, those far apart."""
    step = -(-len(numbers) // SAMPLE)
    head = sorted(numbers[::step])
    middle = head[len(head) // 2]
    away = sorted([abs(number - middle) for number in head])
    spread = away[len(away) // 2] or away[int(len(away) * 0.9)]
    rare = max(2, int(RARE_SHARE * len(numbers)))
    if not spread:
        others = [index for index, number in enumerate(numbers) if number != middle]
        return [(index, 30) for index in others[:EACH]] if len(others) <= rare else []
    most = FAR * spread
    low, high = min(numbers), max(numbers)
    wide = NEAR * spread
    lone = _lone(numbers, low, high) if high - middle > wide or middle - low > wide else []
    if high - middle <= most and middle - low <= most and (low >= 0 or high <= 0):
        return [(index, 30) for index in lone]
    far = [
        (abs(number - middle), index) for index, number in enumerate(numbers) if abs(number - middle) > most
    ]
    far.sort(reverse=True)
    # A long tail is how the column is: its end alone is told.
    kept = far[: EACH if len(far) <= FAR_SHARE * len(numbers) else 1]
    found = {index: min(60, int(size / spread)) for size, index in kept}
    for index in _other_sign(numbers, rare):
        found[index] = 60
    for index in lone:
        found.setdefault(index, 30)
    return list(found.items())


def _lone(numbers: list[float], low: float, high: float) -> list[int]:
    """Returns the least and the greatest number where all the others lie close together far from it."""
    found = []
    for end, side in ((low, nsmallest(2, numbers)), (high, nlargest(2, numbers))):
        if side[0] == side[1]:
            continue
        if abs(side[1] - side[0]) > LONE * ((high - low) - abs(side[1] - side[0])):
            found.append(numbers.index(end))
    return found


def days_of(values: Sequence[str]) -> list[float] | None:
    """Returns times that begin with year, month and day as days, None where one does not."""
    first = values[0]
    if len(first) < 10 or first[4] not in "-/" or first[7] != first[4] or not first[:4].isdigit():
        return None
    prefixes = [value[:10] for value in values]
    try:
        known = {text: _day(text) for text in set(prefixes)}
    except ValueError:
        return None
    return [known[text] for text in prefixes]


def _day(text: str) -> float:
    """Returns a date as days since the year 0 of months of 31 days."""
    return float(int(text[:4]) * 372 + int(text[5:7]) * 31 + int(text[8:10]))


def _other_sign(numbers: Sequence[float], rare: int) -> list[int]:
    below = [index for index, number in enumerate(numbers) if number < 0]
    if 0 < len(below) <= rare:
        return below[:EACH]
    above = [index for index, number in enumerate(numbers) if number > 0] if len(below) > rare else []
    return above[:EACH] if len(above) <= rare else []


def _apart(values: Sequence[str]) -> list[tuple[int, int]]:
    """Returns rows whose word, or word without its numbers, hardly ever comes; empty cells among values."""
    rare = max(2, int(RARE_SHARE * len(values)))
    days = days_of(values)
    counts = Counter(values)
    if days is not None:
        return far_rows(days) + _seldom_shape(values, counts, rare)
    empty = sum([counts[value] for value in EMPTY if value in counts])
    if 0 < empty <= rare:
        found = [(index, 50) for index, _ in _where(values, EMPTY)]
        rest: list[int] = []
        numbers = None
        if plain_numbers([next(value for value in counts if value not in EMPTY)]) is not None:
            rest = [index for index, value in enumerate(values) if value not in EMPTY]
            numbers = plain_numbers([values[index] for index in rest])
        if numbers is not None:
            return found + [(rest[index], strength) for index, strength in far_rows(numbers)]
        return found + _where(values, _seldom(counts, len(values), rare))
    seldom = _seldom(counts, len(values), rare)
    return _where(values, seldom) if seldom else _seldom_shape(values, counts, rare)


def _seldom_shape(values: Sequence[str], counts: Mapping[str, int], rare: int) -> list[tuple[int, int]]:
    """Returns the rows of values that look unlike the others; `counts` are those of the values."""
    different = list(counts)
    shapes = shapes_of(different)
    of_shape: Counter[str] = Counter()
    for shape, value in zip(shapes, different, strict=True):
        of_shape[shape] += counts[value]
    if len(of_shape) >= len(values) // 4:
        return []
    few = _seldom(of_shape, len(values), rare)
    return _where(values, {value for value, shape in zip(different, shapes, strict=True) if shape in few})


def _seldom(counts: Mapping[str, int], total: int, rare: int) -> set[str]:
    """Returns the values seen once or twice of `total` where the others are few and come often."""
    limit = 2 if total > 50 else 1
    few = {value for value, count in counts.items() if count <= limit}
    common = len(counts) - len(few)
    if not few or not common or len(few) > min(EACH, rare) or common > max(16, total // 20):
        return set()
    return few if (total - 2 * len(few)) / common >= 5 else set()


def _where(values: Sequence[str], few: Set[str]) -> list[tuple[int, int]]:
    """Returns the first rows that have one of these values."""
    found = ((index, 40) for index, value in enumerate(values) if value in few)
    return list(islice(found, EACH)) if few else []


def is_key(name: str) -> bool:
    """Tells whether a column of that name (lower case) holds what tells rows apart: ids, keys, numbers of things."""
    return name in _KEYS or name.endswith(_KEY_ENDS)


def repeated(values: Sequence[str]) -> list[int]:
    """Returns the rows that share a value, where one or two values come again and all others once.

    >>> repeated([*"abcdefghijklmnopqrstuvwxyz", "d"])
    [3, 26]
    """
    more = len(values) - len(set(values))
    if len(values) < FEWEST_ROWS or not 0 < more <= 2:
        return []
    counts = Counter(values)
    again = {value for value in counts if counts[value] > 1 and value not in EMPTY}
    return [row for row, value in enumerate(values) if value in again]


def marked(values: Sequence[str]) -> list[int]:
    """Returns the few rows whose text is a note that something is still to be done."""
    text = _MARK.join(values)
    if not any(word in text for word in _TO_DO):
        return []
    found = [row for row, value in enumerate(values) if any(word in value for word in _TO_DO)]
    return found[:EACH] if len(found) <= max(2, len(values) // 20) else []


def seldom_roots(values: Sequence[str]) -> list[int]:
    """Returns the rows whose text comes from elsewhere: of another host, domain or scheme than nearly all."""
    roots = _roots(values)
    if not roots:
        return []
    counts = Counter(roots)
    rare = max(1, int(RARE_SHARE * len(values)))
    few = {root for root, count in counts.items() if count <= min(rare, 2)}
    common = len(counts) - len(few)
    if not 0 < len(few) <= EACH or not common or common > max(1, len(values) // 20):
        return []
    return [row for row, root in enumerate(roots) if root in few][:EACH]


def _roots(values: Sequence[str]) -> list[str]:
    """Returns scheme and host of addresses, the domain of mails, what stands before the first sign of hashes."""
    sample = values[: SAMPLE // 100]
    for sign, reader in (("://", _origin), ("@", _domain), ("-", _prefix), (":", _prefix)):
        if sum(sign in value and " " not in value for value in sample) >= 0.9 * len(sample):
            return list(map(reader, values))
    return []


def _origin(value: str) -> str:
    scheme, _, rest = value.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


def _domain(value: str) -> str:
    return value.rpartition("@")[2]


def _prefix(value: str) -> str:
    return value.replace(":", "-").partition("-")[0].rstrip("0123456789")
