"""Renders a JSON tree inside a budget of chars: whole where it fits, tables and counts elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from tokenjuice_ml.compressors import jsonish_rows as rows_of
from tokenjuice_ml.compressors import jsonish_sorts as sorts
from tokenjuice_ml.compressors import jsonish_table as tables
from tokenjuice_ml.compressors.jsonish_columns import Rows, held, size_of
from tokenjuice_ml.compressors.jsonish_grid import show_table
from tokenjuice_ml.compressors.jsonish_odd import odd_items
from tokenjuice_ml.compressors.jsonish_page import Page, block, counted, names_of
from tokenjuice_ml.compressors.jsonish_parse import Doubled, encode
from tokenjuice_ml.compressors.jsonish_text import lift

# Objects with at least this many entries of one shape are shown as a table with a key column.
MAP_ROWS = 6
MAX_DEPTH = 40
_NESTED = {dict, list, Doubled}
_HELD = {*_NESTED, Rows}
_EMPTY: tuple[Any, ...] = (None, "", [], {}, "0")
# Entries up to this size are as good as each other, chars.
_SHORT = 90
# Items of a long array whose size is taken for that of all.
_SAMPLE = 24
# A plain value longer than this is clipped, chars.
LONG_ITEM = 300


def show(value: Any, chars: float, page: Page, path: str = "", depth: int = 0, big: bool = False) -> str:
    """Returns `value` in about `chars` chars; tables go to `page.blocks`.

    Args:
        value: the value.
        chars: most chars it should take.
        page: gets the tables and what was left out.
        path: where the value stands, for notes.
        depth: objects and arrays around it.
        big: True where it is known not to fit.
    """
    if type(value) not in _HELD:
        return _show_string(value, chars, page, path) if type(value) is str else encode(value)
    size = chars + 25 if big and value else _size(value, page)
    if size <= chars or size <= 24:
        value = held(value) if page.by_columns else value
        return lossless(value, encode(value), page, path)
    if depth >= MAX_DEPTH:
        text = encode(value)
        page.lose(f"{path or 'value'} nested deeply", len(text) - 80)
        return f"{text[:80]} [… +{len(text) - 80:,} chars]"
    if isinstance(value, dict):
        return _show_object(value, chars, page, path, depth)
    return _show_list(value, chars, page, path, depth)


def _size(value: Any, page: Page) -> int:
    """Returns the chars of `value` as minified JSON; counted once for all attempts."""
    if type(value) not in _HELD:
        return len(value) + 2 if isinstance(value, str) else 4
    key = ("size", id(value))
    known: int | None = page.shared.get(key)
    if known is None:
        if not isinstance(value, dict) and len(value) > 4 * _SAMPLE:
            some = value[:: len(value) // _SAMPLE]
            known = len(encode(some)) * len(value) // len(some)
        else:
            known = size_of(value, page.shared)
        page.shared[key] = known
    return known


def lossless(value: Any, text: str, page: Page, path: str) -> str:
    """Returns `value` whole, its arrays of objects as tables where that is shorter."""
    # Without an array of objects in it there is no table.
    if len(text) < 120 or "[{" not in text:
        return text
    if isinstance(value, list):
        if len(value) >= 3 and isinstance(value[0], dict):
            table = tables.build(value)
            if table is not None:
                body = tables.render(table)
                if len(body) + 60 < 0.92 * len(text):
                    return block(page, path, f"{len(value)} rows", body)
        if not _NESTED & set(map(type, value)):
            return text
        return "[" + ",".join(_inner(item, page, f"{path}[]") for item in value) + "]"
    if isinstance(value, Doubled) or not any(isinstance(item, (dict, list)) for item in value.values()):
        return text
    return (
        "{"
        + ",".join(f"{encode(key)}:{_inner(item, page, _join(path, key))}" for key, item in value.items())
        + "}"
    )


def _inner(value: Any, page: Page, path: str) -> str:
    text = encode(value)
    return lossless(value, text, page, path) if isinstance(value, (dict, list)) else text


def _join(path: str, key: str) -> str:
    return f"{path}.{tables.segment(key)}" if path else tables.segment(key)


def _show_string(value: str, chars: float, page: Page, path: str) -> str:
    room = max(40, int(chars) - 20)
    if " " not in value[:300] and "\n" not in value[:300]:
        # A blob, a hash, a list of paths: its ends say what it is.
        room = min(room, 150)
    if len(value) <= room + 60:
        return encode(value)
    head = value[: room * 2 // 3]
    tail = value[len(value) - room // 3 :]
    left = len(value) - len(head) - len(tail)
    page.lose(f"{left:,} chars of {path or 'a string'}", left)
    return f"{encode(head)} [… {left:,} chars] {encode(tail)}"


def _show_object(value: dict[str, Any], chars: float, page: Page, path: str, depth: int) -> str:
    if _is_map(value):
        table = _cached(page, value, _held_map_table if page.by_columns else _map_table)
        if table is not None:
            return show_table(table, chars, page, path, "entries")
    items, empty = _without_empty(list(value.items()))
    sizes = [len(key) + 4 + _size(item, page) for key, item in items]
    shares = _shares(sizes, chars, min(40.0, chars / 3))
    parts: list[str] = []
    dropped: list[str] = []
    bytes_lost = 0
    joint = ",\n" if depth == 0 else ","
    for (key, item), size, share in zip(items, sizes, shares, strict=True):
        if share <= 0:
            dropped.append(key)
            bytes_lost += size
            continue
        parts.append(f"{encode(key)}:{show(item, share - len(key) - 4, page, _join(path, key), depth + 1)}")
    if empty:
        page.lose(f"{len(empty)} empty keys of {path or 'the object'}", 8 * len(empty))
        parts.append(f"[… {len(empty)} keys null, 0 or empty: {names_of(empty, 200)}]")
    if dropped:
        names = names_of(dropped, 200)
        page.lose(f"{len(dropped)} keys of {path or 'the object'}", bytes_lost)
        parts.append(f"[… {len(dropped)} keys: {names}]")
    return "{" + joint.join(parts) + "}"


def _without_empty(items: list[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], list[str]]:
    """Returns the entries that say something, and the keys of the others where those are many."""
    empty = [key for key, item in items if item in _EMPTY]
    if len(empty) < 6 or len(empty) == len(items):
        return items, []
    return [(key, item) for key, item in items if item not in _EMPTY], empty


def _shares(sizes: list[int], chars: float, floor: float) -> list[float]:
    """Shares `chars` out: small ones whole, the rest evenly, none under `floor` (then 0)."""
    shares = [0.0] * len(sizes)
    if max(sizes, default=0) <= 2 * _SHORT:
        return _in_order(sizes, chars)
    # Short ones in their order, longer ones behind by size.
    order = sorted(range(len(sizes)), key=lambda index: max(sizes[index], _SHORT))
    left, count = chars, len(sizes)
    for index in order:
        fair = left / count
        if sizes[index] <= fair or sizes[index] <= 24:
            shares[index] = sizes[index] + 8.0 if left > 0 else 0.0
            left -= sizes[index]
        elif fair >= floor:
            shares[index] = fair
            left -= fair
        count -= 1
    if left >= floor:
        for index in order:
            if not shares[index]:
                shares[index] = floor
                left -= floor
                if left < floor:
                    break
    return shares


def _in_order(sizes: list[int], chars: float) -> list[float]:
    """Gives short entries their size in their order, the last one included, as long as there is room."""
    shares = [0.0] * len(sizes)
    for index in dict.fromkeys([0, len(sizes) - 1, *range(len(sizes))] if sizes else ()):
        chars -= sizes[index]
        if chars < 0 and index:
            break
        shares[index] = sizes[index] + 8.0
    return shares


def _is_map(value: dict[str, Any]) -> bool:
    """Says whether an object is a map from names to things of one shape."""
    if len(value) < MAP_ROWS or isinstance(value, Doubled):
        return False
    inner = sum(type(item) is dict and bool(item) for item in value.values())
    return inner >= 0.8 * len(value)


def _cached(page: Page, value: Any, build: Callable[[Any], tables.Table | None]) -> tables.Table | None:
    """Returns the table of `value`, built once for all attempts."""
    key = id(value)
    if key not in page.shared:
        page.shared[key] = build(value)
    return cast("tables.Table | None", page.shared[key])


def _loose_table(value: Sequence[Any]) -> tables.Table | None:
    return _lifted(value.table() if type(value) is Rows else tables.build(value, exact=False))


def _lifted(table: tables.Table | None) -> tables.Table | None:
    if table is not None:
        table.lifted = lift(table)
    return table


def _map_table(value: dict[str, Any]) -> tables.Table | None:
    table = _lifted(tables.build(list(value.values()), exact=False))
    if table is None:
        return None
    table.columns.insert(0, tables.Column(("key",), list(value)))
    return table


def _held_map_table(value: dict[str, Any]) -> tables.Table | None:
    return _map_table({key: held(item) for key, item in value.items()})


def _show_list(value: Sequence[Any], chars: float, page: Page, path: str, depth: int) -> str:
    key = ("sorts", id(value))
    if key not in page.shared:
        page.shared[key] = sorts.sorts_of(value) if type(value) is list else None
    if page.shared[key] is not None:
        name, groups = page.shared[key]
        return sorts.show_sorts(name, groups, chars, page, path, depth, show)
    if len(value) >= 3 and _mostly_objects(value):
        table = _cached(page, value, _loose_table)
        if table is not None:
            return show_table(table, chars, page, path, "rows")
    value = list(value)
    if not _NESTED & set(map(type, value)):
        return _show_scalars(value, chars, page, path)
    return _show_mixed(value, chars, page, path, depth)


def _mostly_objects(value: Sequence[Any]) -> bool:
    sample = value if len(value) <= 200 else value[:: len(value) // 100]
    return sum(isinstance(item, dict) for item in sample) >= 0.6 * len(sample)


def _show_mixed(value: list[Any], chars: float, page: Page, path: str, depth: int) -> str:
    """A list of lists or of different things: the first ones and the last."""
    whole = _size(value, page)
    count = max(2, min(len(value), int(chars / 60)))
    head = max(1, count * 2 // 3)
    tail = min(count - head, len(value) - head)
    shown = [*range(head), *range(len(value) - tail, len(value))]
    far = _far_items(value, shown, page)
    share = chars / (len(shown) + len(far) / 2)
    parts = []
    for position, index in enumerate(shown):
        if position == head and len(shown) < len(value):
            left = len(value) - len(shown)
            parts.append(f"[… {left} items, #{head + 1}-#{len(value) - tail}]")
            page.lose(f"{left} items of {path or 'the list'}", whole * left // len(value))
        parts.append(show(value[index], share, page, f"{path}[{index}]", depth + 1))
    if tail == 0 and len(shown) < len(value):
        left = len(value) - len(shown)
        parts.append(f"[… {left} items, #{head + 1}-#{len(value)}]")
        page.lose(f"{left} items of {path or 'the list'}", whole * left // len(value))
    parts[head:head] = far
    joint = ",\n" if depth == 0 else ","
    return "[" + joint.join(parts) + "]"


def _far_items(value: list[Any], shown: Sequence[int], page: Page) -> list[str]:
    """Returns what is said of hidden lists that hold a number far off all others; sought once."""
    key = ("far", id(value))
    if key not in page.shared:
        page.shared[key] = odd_items(value)
    there = set(shown)
    return [
        f"[… #{index + 1} holds {encode(number)}]" for index, number in page.shared[key] if index not in there
    ]


def _show_scalars(value: list[Any], chars: float, page: Page, path: str) -> str:
    """A list of plain values: its ends, and what all of it holds."""
    room, total = chars * 0.8, len(value)
    head: list[str] = []
    tail: list[str] = []
    while len(head) + len(tail) < total:
        at_head = len(head) <= 2 * len(tail)
        text = encode(value[len(head) if at_head else total - 1 - len(tail)])
        room -= min(len(text), LONG_ITEM) + 1
        if room < 0 and len(head) >= 2:
            break
        (head if at_head else tail).append(_clipped_item(text, page))
    left = total - len(head) - len(tail)
    if not left:
        return "[" + ",".join([*head, *reversed(tail)]) + "]"
    page.lose(f"{left} items of {path or 'the list'}", _size(value, page) * left // total)
    note = f"[… {left} items, #{len(head) + 1}-#{len(head) + left}{_census(value, page)}]"
    return "[" + ",".join([*head, note, *reversed(tail)]) + "]"


def _clipped_item(text: str, page: Page) -> str:
    left = len(text) - LONG_ITEM
    if left <= 0:
        return text
    page.lose(f"{left:,} chars of an item", left)
    return f"{text[:LONG_ITEM]}…[+{left}]"


def _census(values: list[Any], page: Page) -> str:
    """Returns counts or bounds of the whole list; counted once for all attempts."""
    key = ("census", id(values))
    if key not in page.shared:
        column = tables.Column(("",), values)
        found = rows_of.categories(column)
        ends = None if found else rows_of.bounds(column)
        text = f"; all: {counted(found)}" if found else f"; all: {ends[0]}…{ends[1]}" if ends else ""
        page.shared[key] = text
    return str(page.shared[key])
