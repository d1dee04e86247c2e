"""Renders a JSON tree inside a budget of chars: whole where it fits, tables and counts elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from tokenjuice_ml.compressors import jsonish_plan as plan
from tokenjuice_ml.compressors import jsonish_rows as rows_of
from tokenjuice_ml.compressors import jsonish_table as tables
from tokenjuice_ml.compressors.jsonish_parse import Doubled, encode

# Objects with at least this many entries of one shape are shown as a table with a key column.
MAP_ROWS = 6
MAX_DEPTH = 40
# Items of a long array whose size is taken for that of all.
_SAMPLE = 24


@dataclass(slots=True)
class Page:
    """What is being put together.

    Attributes:
        words: lower-case words of the query.
        blocks: the tables, in order.
        lost: what was left out: a phrase and its bytes.
        lossy: True once anything was left out.
        gaps: rows left out, as the table's path and a half-open range.
        shared: tables by the id of what they were built from, kept from one attempt to the next.
    """

    words: Sequence[str] = ()
    blocks: list[str] = field(default_factory=list)
    lost: list[tuple[str, int]] = field(default_factory=list)
    lossy: bool = False
    shared: dict[Any, Any] = field(default_factory=dict)
    gaps: list[tuple[str, int, int]] = field(default_factory=list)

    def lose(self, what: str, size: int) -> None:
        """Writes down that something was left out."""
        self.lossy = True
        self.lost.append((what, size))


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
    if not isinstance(value, (dict, list)):
        return _show_string(value, chars, page, path) if type(value) is str else encode(value)
    size = chars + 25 if big and value else _size(value, page)
    if size <= chars or size <= 24:
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
    if not isinstance(value, (dict, list)):
        return len(value) + 2 if isinstance(value, str) else 4
    key = ("size", id(value))
    known: int | None = page.shared.get(key)
    if known is None:
        if isinstance(value, list) and len(value) > 4 * _SAMPLE:
            some = value[:: len(value) // _SAMPLE]
            known = len(encode(some)) * len(value) // len(some)
        else:
            known = len(encode(value))
        page.shared[key] = known
    return known


def lossless(value: Any, text: str, page: Page, path: str) -> str:
    """Returns `value` whole, its arrays of objects as tables where that is shorter."""
    if len(text) < 120:
        return text
    if isinstance(value, list):
        if len(value) >= 3 and isinstance(value[0], dict):
            table = tables.build(value)
            if table is not None:
                body = tables.render(table)
                if len(body) + 60 < 0.92 * len(text):
                    return _block(page, path, f"{len(value)} rows", body)
        if not any(isinstance(item, (dict, list)) for item in value):
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


def _block(page: Page, path: str, what: str, body: str) -> str:
    """Puts a table behind the tree and returns what stands in its place."""
    number = len(page.blocks) + 1
    page.blocks.append(f"[… table {number}{': ' + path if path else ''}, {what}]\n{body}")
    return f"[… table {number}]"


def _show_string(value: str, chars: float, page: Page, path: str) -> str:
    room = max(40, int(chars) - 20)
    if len(value) <= room + 60:
        return encode(value)
    head = value[: room * 2 // 3]
    tail = value[len(value) - room // 3 :]
    left = len(value) - len(head) - len(tail)
    page.lose(f"{left:,} chars of {path or 'a string'}", left)
    return f"{encode(head)} [… {left:,} chars] {encode(tail)}"


def _show_object(value: dict[str, Any], chars: float, page: Page, path: str, depth: int) -> str:
    if _is_map(value):
        table = _cached(page, value, _map_table)
        if table is not None:
            return show_table(table, chars, page, path, "entries")
    items = list(value.items())
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
    if dropped:
        names = _names(dropped, 200)
        page.lose(f"{len(dropped)} keys of {path or 'the object'}", bytes_lost)
        parts.append(f"[… {len(dropped)} keys: {names}]")
    return "{" + joint.join(parts) + "}"


def _names(names: list[str], room: int) -> str:
    shown: list[str] = []
    for name in names:
        room -= len(name) + 2
        if room < 0 and shown:
            return ", ".join(shown) + f", +{len(names) - len(shown)}"
        shown.append(_one_line(name if len(name) <= 80 else name[:80] + "…"))
    return ", ".join(shown)


def _one_line(text: str) -> str:
    return encode(text) if "\n" in text or "\r" in text else text


def _shares(sizes: list[int], chars: float, floor: float) -> list[float]:
    """Shares `chars` out: small ones whole, the rest evenly, none under `floor` (then 0)."""
    shares = [0.0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
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


def _loose_table(value: list[Any]) -> tables.Table | None:
    return tables.build(value, exact=False)


def _map_table(value: dict[str, Any]) -> tables.Table | None:
    table = tables.build(list(value.values()), exact=False)
    if table is None:
        return None
    table.columns.insert(0, tables.Column(("key",), list(value)))
    return table


def _show_list(value: list[Any], chars: float, page: Page, path: str, depth: int) -> str:
    if len(value) >= 3 and sum(isinstance(item, dict) for item in value) >= 0.6 * len(value):
        table = _cached(page, value, _loose_table)
        if table is not None:
            return show_table(table, chars, page, path, "rows")
    if all(not isinstance(item, (dict, list)) for item in value):
        return _show_scalars(value, chars, page, path)
    return _show_mixed(value, chars, page, path, depth)


def _show_mixed(value: list[Any], chars: float, page: Page, path: str, depth: int) -> str:
    """A list of lists or of different things: the first ones and the last."""
    whole = _size(value, page)
    count = max(2, min(len(value), int(chars / 60)))
    head = max(1, count * 2 // 3)
    tail = min(count - head, len(value) - head)
    shown = [*range(head), *range(len(value) - tail, len(value))]
    share = chars / len(shown)
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
    joint = ",\n" if depth == 0 else ","
    return "[" + joint.join(parts) + "]"


def _show_scalars(value: list[Any], chars: float, page: Page, path: str) -> str:
    """A list of plain values: its ends, and what the middle holds."""
    texts = [encode(item) for item in value]
    room, head, tail = chars * 0.8, 0, 0
    while head + tail < len(texts):
        index = head if head <= 2 * tail else len(texts) - 1 - tail
        room -= len(texts[index]) + 1
        if room < 0 and head >= 2:
            break
        if head <= 2 * tail:
            head += 1
        else:
            tail += 1
    left = len(texts) - head - tail
    if not left:
        return "[" + ",".join(texts) + "]"
    middle = value[head : len(value) - tail]
    page.lose(f"{left} items of {path or 'the list'}", sum(map(len, texts[head : len(texts) - tail])))
    note = f"[… {left} items, #{head + 1}-#{head + left}{_census(middle)}]"
    shown = [text if len(text) <= 300 else f"{text[:200]}…[+{len(text) - 200}]" for text in texts]
    return "[" + ",".join([*shown[:head], note, *shown[len(texts) - tail :]]) + "]"


def _census(values: list[Any]) -> str:
    column = tables.Column(("",), values)
    found = rows_of.categories(column)
    if found:
        return ": " + _counted(found)
    ends = rows_of.bounds(column)
    return f": {ends[0]}…{ends[1]}" if ends else ""


def _counted(found: Any, most: int = 4) -> str:
    shown = [f"{number} × {_one_line(label[:40]) or 'none'}" for label, number in found.most_common(most)]
    return ", ".join(shown) + (f", +{len(found) - most}" if len(found) > most else "")


def show_table(table: tables.Table, chars: float, page: Page, path: str, noun: str) -> str:
    """Adds the table to the page, inside about `chars` chars; returns its reference."""
    found = page.shared.get(("views", id(table))) or plan.views(table)
    page.shared["views", id(table)] = found
    for view in found:
        view.width = 0
    left = max(chars - _constant_cost(table), chars / 3)
    names = _names_cost(found)
    all_named = 0 < names <= 0.6 * left
    if all_named and plan.room_for_rows(found, table.count, left)[0] < table.count:
        left = max(left - names, left / 3)
    count, room = plan.room_for_rows(found, table.count, left)
    plan.widths(found, room)
    special = page.shared.get(("special", id(table)))
    if special is None:
        special = page.shared["special", id(table)] = rows_of.telling(
            table, page.words, max(4, min(40, count // 3))
        )
    chosen = rows_of.select(table, count, special)
    extra = set(special[: max(2, int(chars / 400))])
    sign = _sign(found)
    body, lost = _table_lines(
        table, found, chosen, sign, page, 4.0 * chars if all_named else 0.26 * chars, path, extra
    )
    notes = [f"{table.count} {noun}"]
    hidden = [view.column.name for view in found if not view.width]
    if hidden:
        notes.append(f"columns left out: {_names(hidden, 120)}")
        page.lose(f"{len(hidden)} columns of {path or 'the table'}", 0)
    if lost:
        notes.append(f"{lost} {noun} left out")
        notes += _summary(table)
    return _block(page, path, "; ".join(notes), body)


def _names_cost(found: list[plan.View]) -> int:
    """Returns the chars that the names of all rows take, 0 where rows have none."""
    for view in found:
        if view.rank == 0:
            return sum(len(value) + 2 for value in view.column.values if isinstance(value, str))
    return 0


def _sign(found: list[plan.View]) -> str:
    commas = any(
        (type(value) is str and "," in value) or type(value) in (dict, list)
        for view in found
        if view.width
        for value in view.column.values[:30]
    )
    return "|" if commas else ","


def _constant_cost(table: tables.Table) -> int:
    return sum(len(column.name) + 1 for column in table.columns) + sum(
        min(len(encode(column.values[0])), 200)
        for column in table.columns
        if column.constant and column.values[0] is not tables.MISSING
    )


def _header(table: tables.Table, found: list[plan.View], sign: str, page: Page, room: float) -> str:
    """Returns the header: names of columns, then those that are constant, inside about `room` chars."""
    names = [view.column.name for view in found if view.width]
    left_out = 0
    for column in table.columns:
        if not column.constant:
            continue
        value = next(item for item in column.values if item is not tables.MISSING)
        short, left = plan.clipped(value, 100, sign)
        room -= len(column.name) + len(short) + 2
        if room < 0:
            left_out += 1
            continue
        if left:
            page.lose(f"{left:,} chars of {column.name}", left)
        names.append(f"{column.name}={short}")
    if left_out:
        page.lose(f"{left_out} constant columns", 0)
        names.append(f"[…+{left_out} constant]")
    return sign.join(names)


def _table_lines(
    table: tables.Table,
    found: list[plan.View],
    chosen: list[int],
    sign: str,
    page: Page,
    room: float,
    path: str,
    extra: set[int],
) -> tuple[str, int]:
    """Returns the table's lines and how many rows are not there."""
    lines = [_header(table, found, sign, page, max(120.0, room))]
    shown = [view for view in found if view.width]
    identity = next((view.column for view in found if view.rank == 0), None)
    gone = table.count - len(chosen)
    share = room / gone if gone else 0.0
    position = 0
    for index in [*chosen, table.count]:
        if index > position:
            lines.append(_gap(table, identity, position, index, share))
            page.lose(f"rows #{position + 1}-#{index}", 0)
            page.gaps.append((path, position, index))
        if index < table.count:
            more = [view for view in found if not view.width] if index in extra else []
            lines.append(_row(table, shown, index, sign, page) + _more(more, index, sign))
        position = index + 1
    return "\n".join(lines), gone


def _row(table: tables.Table, shown: list[plan.View], index: int, sign: str, page: Page) -> str:
    if index in table.odd:
        text = encode(table.odd[index])
        return "=" + (text if len(text) <= 300 else show(table.odd[index], 240, page, f"#{index + 1}", 1))
    cells = []
    for view in shown:
        short, left = plan.clipped(view.column.values[index], view.width, sign)
        if left:
            page.lossy = True
        cells.append(short)
    return sign.join(cells).rstrip(sign) or sign


def _more(hidden: list[plan.View], index: int, sign: str) -> str:
    """Returns the cells of columns that are left out, for a row that stands out."""
    parts = []
    for view in hidden:
        value = view.column.values[index]
        if value is not tables.MISSING and value is not None and view.rank < 5:
            parts.append(f"{sign}{view.column.name}={plan.clipped(value, 60, sign)[0]}")
    return "".join(parts[:6])


def _gap(table: tables.Table, identity: tables.Column | None, start: int, end: int, share: float) -> str:
    number = end - start
    place = f"#{start + 1}" if number == 1 else f"#{start + 1}-#{end}"
    note = f"[… {number} row{'s' if number > 1 else ''}, {place}"
    if identity is not None and share >= 6:
        values = [value for value in identity.values[start:end] if isinstance(value, str)]
        note += ": " + _names(values, max(12, int(share * number)))
    return note + "]"


def _summary(table: tables.Table) -> list[str]:
    """Returns counts by category and bounds of numbers over all rows."""
    notes: list[str] = []
    counted = [(column, rows_of.categories(column)) for column in table.columns if not column.constant]
    states = sorted(
        ((column, found) for column, found in counted if found),
        key=lambda pair: (not rows_of.is_state(pair[0]), len(pair[1])),
    )
    notes += [f"{column.name}: {_counted(found)}" for column, found in states[:3]]
    for column, few in counted:
        ends = None if few or len(notes) >= 5 else rows_of.bounds(column)
        if ends and ends[0] != ends[1] and rows_of.last_name(column) not in ("id", "number"):
            notes.append(f"{column.name} {ends[0]}…{ends[1]}")
    return notes
