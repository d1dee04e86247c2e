"""Of records of one form (`kubectl describe` of many pods) those that differ are shown, and where.

What most records say of a name is usual. Another value, or a name that hardly any record has, is what
the reader looks for; a value that each record has of its own (an address) is neither.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

from tokenjuice_ml.record import Record
from tokenjuice_ml.rules.view import LineView

# Records from which on there is a usual, the share that makes it, and the share of records that an unusual name is in.
FEWEST, USUAL, UNUSUAL = 3, 0.6, 0.2
# A record with more unusual lines is of another kind; where more than half are, nothing is compared.
MOST_UNUSUAL = 16
_CHARS, _MOST_LINES = 300, 50_000
_GAP = re.compile(r":(?:\s+|$)|\s{2,}|\t")
# Times and ages: they differ everywhere and tell nothing.
_TIME = re.compile(
    r"(?:\w{3}, )?\d{1,2} \w{3} \d{4} [\d:]{5,8} [+-]\d{4}|\d{4}-\d\d-\d\d[T ][\d:.]{5,18}Z?|\b(?:\d{1,6}[smhd])+\b"
)


class Compared(Record):
    """What came out of the comparison.

    Attributes:
        records: first line and the line behind the last of each.
        unusual: the unusual lines of each record, ascending.
        above: the lines under which the unusual ones stand.
    """

    records: tuple[tuple[int, int], ...]
    unusual: tuple[tuple[int, ...], ...]
    above: frozenset[int]

    @property
    def alike(self) -> list[tuple[int, int]]:
        """The records without an unusual line."""
        return [record for record, lines in zip(self.records, self.unusual, strict=True) if not lines]


class _Line(Record):
    at: int
    path: tuple[str, ...]
    value: str
    above: tuple[int, ...]


def compare(starts: Sequence[int], view: LineView) -> Compared | None:
    """Returns how the records differ, None where they are few or of several kinds.

    Args:
        starts: the first line of each record, ascending.
        view: the output.
    """
    total = len(view.matched)
    if len(starts) < FEWEST or total > _MOST_LINES:
        return None
    records = list(zip(starts, (*starts[1:], total), strict=True))
    read = [_lines_of(view, first, end) for first, end in records]
    values, paths = _counted(read)
    few = max(1, int(UNUSUAL * len(records)))
    usual = _usual(values, len(records))
    unusual: list[tuple[int, ...]] = []
    above: set[int] = set()
    for lines in read:
        odd = [
            line
            for line in lines
            if paths[line.path] <= few or usual.get(line.path, line.value) != line.value
        ]
        unusual.append(tuple([line.at for line in odd]))
        above.update(at for line in odd for at in line.above)
    if sum(len(lines) > MOST_UNUSUAL for lines in unusual) * 2 > len(records):
        return None
    return Compared(tuple(records), tuple(unusual), frozenset(above))


_Values = dict[tuple[str, ...], Counter[str]]


def _counted(read: Sequence[Sequence[_Line]]) -> tuple[_Values, Counter[tuple[str, ...]]]:
    """Returns in how many records each value and each name is; in one it counts once."""
    values: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    paths: Counter[tuple[str, ...]] = Counter()
    for lines in read:
        for path, value in {(line.path, line.value) for line in lines}:
            values[path][value] += 1
        paths.update({line.path for line in lines})
    return values, paths


def _usual(values: _Values, total: int) -> dict[tuple[str, ...], str]:
    """Returns the value that most records have, or the commonest of a few."""
    found = {}
    for path, counts in values.items():
        value, often = counts.most_common(1)[0]
        if often > 1 and (often >= USUAL * total or len(counts) * FEWEST <= total):
            found[path] = value
    return found


def _lines_of(view: LineView, first: int, end: int) -> list[_Line]:
    """Returns the named lines of a record, each with the names it stands under."""
    found: list[_Line] = []
    under: list[tuple[int, str, int]] = []
    for at in range(first + 1, end):
        parsed = _parsed(view.matched[at][:_CHARS])
        if parsed is None:
            continue
        indent, name, value = parsed
        while under and under[-1][0] >= indent:
            under.pop()
        path = (*(above for _, above, _ in under), name)
        found.append(_Line(at, path, value, tuple([place for _, _, place in under])))
        under.append((indent, name, at))
    return found


@lru_cache(maxsize=4096)
def _parsed(line: str) -> tuple[int, str, str] | None:
    """Returns indent, name and value of a line, None where it has no name; records say most of their lines alike."""
    bare = line.strip()
    if not bare or not bare[0].isalnum():
        return None
    gap = _GAP.search(bare)
    name, value = (bare[: gap.start()], bare[gap.end() :]) if gap else (bare, "")
    return len(line) - len(line.lstrip()), name, _TIME.sub("", value).strip()
