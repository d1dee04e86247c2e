"""Long lists of YAML whose items are alike: the lines in which one differs, and the names of the others.

Rows are 0-based indexes into the lines of the file.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.code_sheet import DATA, Sheet
from tokenjuice_ml.record import Record

FEWEST_ITEMS = 6
# A line stands out where at most so many items have it and this share of them agree on another.
SELDOM, AGREED = 2, 0.6
MOST_ITEMS, MOST_LINES, LINES_EACH = 12, 60, 10
NAMES = ("name:", "id:", "key:", "title:", "metadata.name:")
NAMES_CHARS = 160
_NAMED = re.compile(rf"^([ -]*)(?:{'|'.join(map(re.escape, NAMES))})", re.MULTILINE)
# Of longer lists the items are not compared: that would take longer than all else.
MOST_COMPARED = 5_000
_DIGITS = str.maketrans("", "", "0123456789")


class Fold(Record):
    """A list whose middle is folded: the first rows of its folded items, and the last row."""

    starts: tuple[int, ...]
    last: int


def fold(sheet: Sheet, starts: Sequence[int], end: int, head: int, tail: int) -> Fold:
    """Folds all items but the first `head` and the last `tail`; lines unlike those of the others stay.

    Args:
        sheet: the file.
        starts: first row of each item.
        end: the row behind the last item.
        head: items that stay at the start.
        tail: items that stay at the end.
    """
    last = starts[-tail] - 1
    sheet.drop(starts[head], last, DATA)
    left = MOST_LINES
    for index, rows in unlike(sheet.lines, starts, end, range(head, len(starts) - tail)):
        start, stop = starts[index], starts[index + 1]
        wanted = sorted(
            {start, _name_row(sheet.lines, start, stop), *rows, *parents(sheet.lines, rows, start)}
        )
        if len(wanted) > left:
            break
        left -= len(wanted)
        for row in wanted:
            sheet.show(row, row)
    return Fold(tuple(starts[head:-tail]), last)


def name_folds(sheet: Sheet, folds: Sequence[Fold]) -> None:
    """Notes on each fold how many items it hides, and their names; of lists inside lists the outer one."""
    covered = -1
    for one in sorted(folds, key=lambda one: (one.starts[0], -one.last)):
        if one.last <= covered:
            continue
        covered = one.last
        bounds = [*one.starts, one.last + 1]
        hidden: list[str] = []
        first = -1
        for start, stop in itertools.pairwise(bounds):
            if sheet.flags[start] != DATA:
                _note(sheet, first, hidden)
                first, hidden = -1, []
                continue
            if first < 0:
                first = start
                while first > 0 and sheet.flags[first - 1] == DATA:
                    first -= 1
            hidden.append(value(sheet.lines[_name_row(sheet.lines, start, stop)]))
        _note(sheet, first, hidden)


def _note(sheet: Sheet, first: int, names: list[str]) -> None:
    if len(names) < 2:
        return
    said, room, told = [], NAMES_CHARS, 0
    for name, equal in itertools.groupby(names):
        times = len(list(equal))
        word = name if times == 1 else f"{name} ×{times}"
        room -= len(word) + 2
        if room < 0 or not name:
            break
        said.append(word)
        told += times
    more = f", +{len(names) - told}" if told < len(names) else ""
    sheet.notes[first] = f"{len(names)} items" + (f": {', '.join(said)}{more}" if said else "")


def unlike(
    lines: Sequence[str], starts: Sequence[int], end: int, inside: range
) -> list[tuple[int, list[int]]]:
    """Returns the items of `inside` that differ where the others agree, with their rows, fewest rows last."""
    if not FEWEST_ITEMS <= len(starts) <= MOST_COMPARED:
        return []
    bounds = [*starts, end]
    exact: Counter[str] = Counter()
    shape: Counter[str] = Counter()
    agreed = AGREED * len(starts)
    shapes = [_shapes(lines, start, stop) for start, stop in itertools.pairwise(bounds)]
    for start, stop in itertools.pairwise(bounds):
        exact.update(set(lines[start:stop]))
    shape.update(itertools.chain.from_iterable(shapes))
    common = {_key(line) for line, count in exact.items() if count >= agreed}
    formed = {_key(line) for line, count in shape.items() if count >= agreed}
    keys = Counter(key for line, count in exact.items() for key in [_key(line)] if count <= SELDOM)
    found: list[tuple[int, list[int]]] = []
    for index in inside:
        start, stop = bounds[index], bounds[index + 1]
        rows = [row for row in range(start, stop) if _is_odd(lines[row], exact, common)]
        rows += [
            row
            for text, row in shapes[index].items()
            if shape[text] <= SELDOM and _key(text) in formed and _key(text) not in common
        ]
        rows += [
            row
            for row in range(start, stop)
            if exact[lines[row]] <= SELDOM and keys[_key(lines[row])] == 1 and _key(lines[row]) not in formed
        ]
        rows = sorted(set(rows))
        if rows:
            found.append((index, rows[:LINES_EACH]))
    return found[:MOST_ITEMS] if len(found) <= max(MOST_ITEMS, len(starts) // 4) else found[:3]


def _is_odd(line: str, exact: Counter[str], common: set[str]) -> bool:
    return exact[line] <= SELDOM and _key(line) in common and bool(line.strip())


def _key(line: str) -> str:
    """Returns the indentation and the key of a line, or its indentation and dash."""
    key, sign, _ = line.partition(":")
    return key if sign else line[: len(line) - len(line.lstrip(" -"))] + "-"


def _shapes(lines: Sequence[str], start: int, stop: int) -> dict[str, int]:
    """Returns the lines of an item without its name and digits, with the row of each."""
    text = "\n".join(lines[start:stop])
    name = value(lines[start + _named(text)])
    if len(name) > 2:
        text = text.replace(name, "\x1a")
    shapes = text.translate(_DIGITS).split("\n")
    return dict(zip(reversed(shapes), range(stop - 1, start - 1, -1), strict=False))


def _name_row(lines: Sequence[str], start: int, stop: int) -> int:
    """Returns the row that names an item: the outermost one that does, else its first."""
    return start + _named("\n".join(lines[start:stop]))


def _named(text: str) -> int:
    """Returns the line that names an item, 0 where none does."""
    best, depth = 0, 1 << 30
    for match in _NAMED.finditer(text):
        if match.end(1) - match.start(1) < depth:
            best, depth = match.start(), match.end(1) - match.start(1)
    return text.count("\n", 0, best)


def value(line: str) -> str:
    """Returns what stands behind the key of a line."""
    _, sign, value = line.partition(": ")
    return (value if sign else line.lstrip(" -")).strip().strip("\"'")[:60]


def parents(lines: Sequence[str], rows: Sequence[int], start: int) -> list[int]:
    """Returns for each row the one that it stands under, inside the item."""
    found = []
    for row in rows:
        depth = len(lines[row]) - len(lines[row].lstrip(" "))
        above = row - 1
        while above > start and len(lines[above]) - len(lines[above].lstrip(" ")) >= depth:
            above -= 1
        if above > start:
            found.append(above)
    return found
