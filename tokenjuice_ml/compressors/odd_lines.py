"""Which of the lines that a window would leave out are unlike the others: a bounded number of them.

Lines of a list are alike: so many fields, of such a shape, files of such an ending. One that is not, a
number far off, a name that comes once where few others come again and again, and lines with deciding
words are what the reader looks for. Where every line is of its own kind, none is odd. All in linear time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from tokenjuice_ml.compressors import deciding
from tokenjuice_ml.compressors.needles import encoded
from tokenjuice_ml.compressors.table_odd import FEWEST_ROWS, odd_in

# Odd lines shown, lines from which on only their shapes are compared, and then only their words.
MOST, MOST_SPLIT, MOST_SHAPED = 8, 10_000, 200_000
# Fields that are compared one by one, the share of lines that have as many, chars of a line that count.
MOST_FIELDS, SAME_FIELDS, CHARS = 10, 0.9, 300
# Names before a colon under which values are compared.
MOST_NAMES = 8
# What a line's first odd trait is worth, and each other one.
_TRAIT, _LEAST_SHAPE = 40, 6
_KINDS = bytes(
    97 if byte >= 128 or chr(byte).isalnum() or byte in b"-_" else 32 if byte == 9 else byte
    for byte in range(256)
)
_RUNS = tuple((sign * count, sign) for sign in (b"a", b" ") for count in (8, 3, 2))
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_SIZE = re.compile(r"(\d{1,15}(?:[.,]\d{1,6})?)([KMGTPkmg]?)i?B?")
_UNITS = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}


def odd_lines(
    lines: Sequence[str], hidden: Sequence[bool], query: str | None = None, most: int = MOST
) -> list[int]:
    """Returns up to `most` of the hidden lines that stand out among all, ascending.

    Args:
        lines: all lines that are alike enough to be compared.
        hidden: one flag a line: it would not be shown.
        query: what was asked, if known.
        most: how many at most.
    """
    lines = [line[:CHARS] for line in lines]
    found = Counter(deciding.scores(lines, query))
    if FEWEST_ROWS <= len(lines) <= MOST_SHAPED:
        for at, strength in _unlike(lines).items():
            found[at] += strength
    ranked = sorted((-score, at) for at, score in found.items() if hidden[at] and _says(lines[at]))
    return sorted(at for _, at in ranked[:most])


def _says(line: str) -> bool:
    return any(map(str.isalnum, line))


def _unlike(lines: Sequence[str]) -> dict[int, int]:
    """Returns the lines that are unlike the others in shape, ending or a field."""
    columns: list[Sequence[str]] = [shapes_of_lines(lines)]
    if len(lines) <= MOST_SPLIT:
        fields = [line.split() for line in lines]
        columns.append([str(len(row)) for row in fields])
        columns.append([row[0] if row and row[0].isascii() else "" for row in fields])
        columns.append([_ending(row[-1]) if row else "" for row in fields])
        found = _traits(columns)
        for at, strength in (*_by_field(lines, fields), *_by_name(fields, lines)):
            found[at] = max(found.get(at, 0), strength)
        return found
    return _traits(columns)


def _traits(columns: Sequence[Sequence[str]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for column in columns:
        odd = odd_in([column])
        for place, at in enumerate(odd):
            found[at] = found.get(at, _TRAIT - _LEAST_SHAPE) + _LEAST_SHAPE - min(place, 4)
    return found


def shapes_of_lines(lines: Sequence[str]) -> list[str]:
    """Returns the lines with one letter for each name or number, one blank for each gap.

    >>> shapes_of_lines(["lib-beta-0    7.18", "requests  2.1a  /home/x"])
    ['a a.a', 'a a.a /a/a']
    """
    data = encoded("\n".join(lines)).translate(_KINDS)
    for run, one in _RUNS:
        while run in data:
            data = data.replace(run, one)
    return data.decode("ascii").split("\n")


def _ending(field: str) -> str:
    found = _ENDING.search(field[-12:])
    return found[0].lower() if found else ""


def _by_field(lines: Sequence[str], fields: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Returns lines odd in one of their fields, where nearly all lines have as many; else name and value."""
    counts = Counter(map(len, fields))
    width, often = counts.most_common(1)[0]
    rows: Sequence[Sequence[str]] = fields
    if not (1 < width <= MOST_FIELDS and often >= SAME_FIELDS * len(fields)):
        rows = [line.split("=", 1) for line in lines]
        width = 2
        if sum(len(row) == 2 for row in rows) < SAME_FIELDS * len(rows):
            return []
    at = [index for index, row in enumerate(rows) if len(row) == width]
    columns = [_plain_sizes(column) for column in zip(*[rows[index] for index in at], strict=True)]
    return [(at[index], _TRAIT) for column in columns for index in odd_in([column])]


def _plain_sizes(values: Sequence[str]) -> Sequence[str]:
    """Returns sizes such as 187G as plain numbers; other values as they are."""
    if not values or not values[0][:1].isdigit() or _SIZE.fullmatch(values[0]) is None:
        return values
    found = sizes_of(values)
    return values if None in found else list(map(str, found))


def sizes_of(values: Sequence[str]) -> list[float | None]:
    """Returns values such as 187G or 4.0K as numbers, None for those that are none.

    >>> sizes_of(["4.0K", "12", "x"])
    [4096.0, 12.0, None]
    """
    matches = map(_SIZE.fullmatch, values)
    return [
        float(match[1].replace(",", ".")) * _UNITS[match[2].upper()] if match else None for match in matches
    ]


def _by_name(fields: Sequence[Sequence[str]], lines: Sequence[str]) -> list[tuple[int, int]]:
    """Returns lines whose value under a name with a colon (`Author: …`) hardly ever comes."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(fields):
        if row and row[0][-1] == ":":
            groups[row[0]].append(at)
    found: list[tuple[int, int]] = []
    for at_name in sorted(groups.values(), key=len, reverse=True)[:MOST_NAMES]:
        values = [lines[at].partition(":")[2].strip() for at in at_name]
        found += [(at_name[index], _TRAIT) for index in odd_in([values])]
    return found
