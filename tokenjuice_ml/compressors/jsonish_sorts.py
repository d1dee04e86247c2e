"""Lists of different sorts of objects (events of a monitor, resources of a cluster): a table for each sort.

One key says what an object is; which other keys it has depends on that. In one table for all, most
cells would be empty, and what only one sort has would be cut first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tokenjuice_ml.compressors.jsonish_page import Page, block, counted

FEWEST, MOST_SORTS, SAMPLE = 6, 10, 400
# A key is a sort's own where this share of its objects have it, and hardly any other.
OWN, FOREIGN = 0.7, 0.1
# Share of the objects that are of a sort with keys of its own.
SORTED = 0.5
# The room of a sort grows with the root of its objects, from this on.
LEAST_WEIGHT = 3.0
# So many objects never fit the room of one sort.
MANY = 24
_NAMES = (
    "event_type",
    "eventType",
    "type",
    "kind",
    "event",
    "__typename",
    "resourceType",
    "resource_type",
    "record_type",
)

Show = Callable[[Any, float, Page, str, int, bool], str]


def sorts_of(rows: Sequence[Any]) -> tuple[str, dict[str, list[Any]]] | None:
    """Returns the key that says what objects are and the objects by its value, None where none does."""
    if len(rows) < FEWEST or not all(type(row) is dict for row in rows):
        return None
    if len(set(map(tuple, rows[:: len(rows) // SAMPLE + 1]))) == 1:
        return None
    for name in _NAMES:
        if not all(type(row.get(name)) is str for row in rows[:: len(rows) // FEWEST]):
            continue
        groups: dict[str, list[Any]] = {}
        for row in rows:
            groups.setdefault(str(row.get(name, "")), []).append(row)
            if len(groups) > MOST_SORTS:
                break
        if 2 <= len(groups) <= MOST_SORTS and _are_sorts(groups, len(rows)):
            return name, groups
    return None


def _are_sorts(groups: dict[str, list[Any]], total: int) -> bool:
    """Tells whether most objects are of a sort that has keys of its own."""
    sampled = {name: rows[:: len(rows) // SAMPLE + 1] for name, rows in groups.items()}
    keys = {name: Counter(key for row in rows for key in row) for name, rows in sampled.items()}
    have = 0
    for name, rows in sampled.items():
        others = sum(len(rows) for other, rows in sampled.items() if other != name)
        for key, count in keys[name].items():
            foreign = sum(found[key] for other, found in keys.items() if other != name)
            if count >= OWN * len(rows) and foreign <= FOREIGN * others:
                have += len(groups[name])
                break
    return have >= SORTED * total


def show_sorts(
    name: str, groups: dict[str, list[Any]], chars: float, page: Page, path: str, depth: int, show: Show
) -> str:
    """Adds a table for each sort to the page, seldom ones with more room for a row; returns what stands for the list.

    Args:
        name: the key that tells sorts apart.
        groups: the objects by its value.
        chars: most chars of all.
        page: gets the tables.
        path: where the list stands.
        depth: objects and arrays around it.
        show: renders a value.
    """
    weights = {label: LEAST_WEIGHT + len(rows) ** 0.5 for label, rows in groups.items()}
    whole = sum(weights.values())
    total = sum(map(len, groups.values()))
    parts = []
    for label, rows in sorted(groups.items(), key=lambda pair: len(pair[1])):
        place = f"{path}[{name}={label}]"
        page.shared["sorts", id(rows)] = None
        text = show(rows, 0.95 * chars * weights[label] / whole, page, place, depth + 1, len(rows) > MANY)
        noun = "row" if len(rows) == 1 else "rows"
        parts.append(
            text if text.startswith("[… table ") else block(page, place, f"{len(rows)} {noun}", text)
        )
    said = counted(Counter({label: len(rows) for label, rows in groups.items()}), MOST_SORTS)
    return " ".join([f"[… {total} objects by {name}: {said}]", *parts])
