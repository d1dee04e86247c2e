"""A table on the page, inside a budget: which rows and columns, how wide, and what is not there."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.compressors import jsonish_alike as alike
from tokenjuice_ml.compressors import jsonish_plan as plan
from tokenjuice_ml.compressors import jsonish_rows as rows_of
from tokenjuice_ml.compressors import jsonish_table as tables
from tokenjuice_ml.compressors.jsonish_odd import MOST_CELLS, Cell, Odds, odds_of
from tokenjuice_ml.compressors.jsonish_page import Page, block, counted, names_of
from tokenjuice_ml.compressors.jsonish_parse import Num, encode
from tokenjuice_ml.compressors.jsonish_text import brief, is_opaque, key_rank

# An odd row longer than this is clipped, chars.
ODD_ROW = 300
# What is said of the columns over all rows, chars.
MOST_SAID = 420
# Kinds of at most so many rows come first; rows that are a kind of their own; the most telling kinds are told
# with the columns that differ from row to row.
# Rows that tell more than any odd cell; chars of an odd cell, and the room of other cells beside it.
FIRST, MOST_ODD, LEAST_ODD = 2, 120, 40
SELDOM, MOST_APART, MOST_TOLD, EACH_TURN = 3, 12, 12, 4


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
    odds = page.shared.get(("odds", id(table)))
    if odds is None:
        odds = page.shared["odds", id(table)] = odds_of(table)
    special = page.shared.get(("special", id(table)))
    if special is None:
        telling = rows_of.telling(table, page.words, max(4, min(40, count // 3)))
        special = list(dict.fromkeys([*telling[:FIRST], *odds.cells, *telling]))
        page.shared["special", id(table)] = special
    if count < table.count:
        if ("kinds", id(table)) not in page.shared:
            lone = rows_of.apart(table, page.words, min(MOST_APART, 2 + table.count // 40))
            lone = list(dict.fromkeys([*lone, *list(odds.cells)[:MOST_APART]]))
            page.shared["kinds", id(table)] = alike.kinds_of(table, found, lone, chars)
        kinds = page.shared["kinds", id(table)]
        if kinds is not None:
            return _show_kinds(table, found, kinds, special, odds, chars, page, path, noun)
    chosen = rows_of.select(table, count, special)
    extra = _rooms(special[: max(6, int(chars / 400))], chars)
    extra = dict.fromkeys(odds.cells, LEAST_ODD) | extra
    if plan.is_spoken(table):
        # The first and the last that was said stay whole.
        extra |= dict.fromkeys((0, table.count - 1), 400)
    sign = _sign(found)
    body, lost = _table_lines(
        table, found, chosen, sign, page, 4.0 * chars if all_named else 0.26 * chars, path, extra, odds
    )
    notes = [f"{table.count} {noun}", *odds.notes]
    hidden = [view.column.name for view in found if not view.width]
    told = [name for name in hidden if f"{sign}{name}=" in body]
    if told:
        notes.append(f"columns of some rows only: {names_of(told, 120)}")
    if len(told) < len(hidden):
        rest = [name for name in hidden if name not in told]
        notes.append(f"columns left out: {names_of(rest, 120)}")
    if hidden:
        page.lose(f"{len(hidden)} columns of {path or 'the table'}", 0)
    if table.lifted:
        notes.append("text of content blocks")
        page.lose("content blocks but for their text", 0)
    if lost:
        notes.append(f"{lost} {noun} left out")
        notes += _summary(table.columns)
    elif told:
        notes += _summary([view.column for view in found if view.column.name in told])
    return block(page, path, "; ".join(notes), body)


def _show_kinds(
    table: tables.Table,
    found: list[plan.View],
    kinds: alike.Kinds,
    special: Sequence[int],
    odds: Odds,
    chars: float,
    page: Page,
    path: str,
    noun: str,
) -> str:
    """Adds the table with one row of each kind behind its count: seldom and telling kinds first."""
    sign = _sign(found)
    telling = {index: place for place, index in enumerate(special)}
    places = [min([telling.get(index, len(special)) for index in rows]) for rows in kinds.rows]
    order = _by_turns([len(rows) for rows in kinds.rows], places)
    left = max(chars - _constant_cost(table), chars / 2)
    width = max(24, min(240, int(0.7 * left / max(1, len(order)))))
    for view in kinds.views:
        view.width = width
    shown = [view for view in found if view.width and view in kinds.views]
    for view in found:
        view.width = view.width if view in kinds.views else 0
    lines: dict[int, str] = {}
    gone = 0
    for at in order:
        if left < 0 and len(lines) > 3:
            gone += 1
            continue
        told = len(kinds.rows[at]) == 1 or (len(kinds.rows[at]) <= SELDOM and places[at] < MOST_TOLD)
        lines[at] = _kind_line(table, kinds, at, shown, found if told else [], sign, page, width, odds)
        left -= len(lines[at]) + 1
    body = [_header(table, found, sign, page, max(120.0, 0.26 * chars)), *(lines[at] for at in sorted(lines))]
    notes = [f"{table.count} {noun} of {len(order)} kinds; one of a kind", *odds.notes]
    if gone:
        rows = sum(len(kinds.rows[at]) for at in range(len(order)) if at not in lines)
        body.append(f"[… {gone} more kinds, {rows} {noun}]")
    hidden = [view.column for view in found if not view.width]
    if hidden:
        notes.append(f"columns left out: {names_of([column.name for column in hidden], 120)}")
    page.lose(f"{table.count - len(lines)} {noun} like those shown", 0)
    page.alike = 0 if path else table.count - len(lines)
    notes += _summary(table.columns)
    return block(page, path, "; ".join(notes), "\n".join(body))


def _by_turns(counts: Sequence[int], places: Sequence[int]) -> list[int]:
    """Returns the kinds in the order in which they deserve room: some seldom ones, some frequent ones, the others."""
    seldom = sorted(
        (at for at, count in enumerate(counts) if count <= SELDOM), key=lambda at: (places[at], at)
    )
    often = sorted(
        (at for at, count in enumerate(counts) if count > SELDOM), key=lambda at: (-counts[at], at)
    )
    return [*seldom[:EACH_TURN], *often[:EACH_TURN], *seldom[EACH_TURN:], *often[EACH_TURN:]]


def _kind_line(
    table: tables.Table,
    kinds: alike.Kinds,
    at: int,
    shown: list[plan.View],
    found: list[plan.View],
    sign: str,
    page: Page,
    width: int,
    odds: Odds,
) -> str:
    """Returns the first row of a kind: its count, its rows and from when to when in front, if there are several."""
    rows = kinds.rows[at]
    row = _row(table, shown, rows[0], sign, page, max(110, width))
    if found:
        hidden = [view for view in found if not view.width and (len(rows) == 1 or view is not kinds.clock)]
        said = [view.column.values[rows[0]] for view in shown]
        row += _odd(odds.cells.get(rows[0], ()), rows[0], shown, sign, said)
        row += _more(hidden, rows[0], sign, 300, page.words, said)
    if len(rows) == 1:
        return row
    times = ""
    if kinds.clock is not None and len(rows) <= table.count // 4:
        one, two = (kinds.clock.column.values[index] for index in (rows[0], rows[-1]))
        times = f", {one} to {two}" if isinstance(one, str) and isinstance(two, str) else ""
    return f"[… {len(rows):,}× #{rows[0] + 1}-#{rows[-1] + 1}{times}] {row}"


def _rooms(special: list[int], chars: float) -> dict[int, int]:
    """Returns how wide cells may be in rows that stand out: the most telling ones are widest."""
    plain = max(110, min(600, int(0.2 * chars / max(1, len(special)))))
    return {
        index: max(plain, min(600, int(0.16 * chars))) if place < 3 else plain
        for place, index in enumerate(special)
    }


def _names_cost(found: list[plan.View]) -> int:
    """Returns the chars that the names of all rows take, 0 where rows have none."""
    for view in found:
        if view.rank == 0 and not is_opaque(view.column.values):
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
    left_out: list[str] = []
    for column in table.columns:
        if not column.constant:
            continue
        if key_rank(rows_of.last_name(column), column.values[0]) >= 4 and column.values[0] != []:
            left_out.append(column.name)
            continue
        value = next(item for item in column.values if item is not tables.MISSING)
        short, left = plan.clipped(value, 100, sign)
        room -= len(column.name) + len(short) + 2
        if room < 0:
            left_out.append(column.name)
            continue
        if left:
            page.lose(f"{left:,} chars of {column.name}", left)
        names.append(f"{column.name}={short}")
    if left_out:
        page.lose(f"{len(left_out)} constant columns", 0)
        names.append(f"[…+{len(left_out)} constant: {names_of(left_out, 60)}]")
    return sign.join(names)


def _table_lines(
    table: tables.Table,
    found: list[plan.View],
    chosen: list[int],
    sign: str,
    page: Page,
    room: float,
    path: str,
    extra: dict[int, int],
    odds: Odds,
) -> tuple[str, int]:
    """Returns the table's lines and how many rows are not there."""
    lines = [_header(table, found, sign, page, max(120.0, room))]
    shown = [view for view in found if view.width]
    identity = next((view.column for view in found if view.rank == 0), None)
    if identity is not None and is_opaque(identity.values):
        identity = None
    gone = table.count - len(chosen)
    share = room / gone if gone else 0.0
    position = 0
    for index in [*chosen, table.count]:
        if index > position:
            lines.append(_gap(table, identity, position, index, share))
            page.lose(f"rows #{position + 1}-#{index}", 0)
            page.gaps.append((path, position, index))
        if index < table.count:
            wide = extra.get(index, 0)
            more = [view for view in found if not view.width] if index in extra else []
            said = [view.column.values[index] for view in shown]
            lines.append(
                _row(table, shown, index, sign, page, wide)
                + _odd(odds.cells.get(index, ()), index, shown, sign, said)
                + _more(more, index, sign, wide, page.words, said)
            )
        position = index + 1
    return "\n".join(lines), gone


def _row(table: tables.Table, shown: list[plan.View], index: int, sign: str, page: Page, wide: int) -> str:
    if index in table.odd:
        text = encode(table.odd[index])
        if len(text) <= ODD_ROW:
            return "=" + text
        page.lose(f"{len(text) - ODD_ROW:,} chars of row #{index + 1}", len(text) - ODD_ROW)
        return f"={text[:ODD_ROW]}…+{len(text) - ODD_ROW}"
    cells = []
    for view in shown:
        value = view.column.values[index]
        width = view.width if view.width > wide else wide
        if isinstance(value, str):
            if type(value) is Num or len(value) <= width:
                cells.append(tables.cell(value, sign))
                continue
            short, left = plan.clipped(value, width, sign)
        elif isinstance(value, (dict, list)):
            short, left = plan.clipped(value, width, sign, view.whole(index))
            if left and wide:
                short = brief(value, wide)
        else:
            short, left = plan.clipped(value, width, sign)
        if left:
            page.lossy = True
        cells.append(short)
    return sign.join(cells).rstrip(sign) or sign


def _odd(cells: Sequence[Cell], index: int, shown: list[plan.View], sign: str, said: list[object]) -> str:
    """Returns the odd cells of a row that do not stand in it by themselves; adds them to `said`."""
    whole = {id(view.column) for view in shown}
    parts: list[str] = []
    for cell in cells:
        inside = cell.value is not None and cell.name != cell.column.name
        if len(parts) == MOST_CELLS or (id(cell.column) in whole and not inside):
            continue
        value = '""' if cell.value == "" else plan.clipped(cell.value, MOST_ODD, sign)[0]
        parts.append(f"{sign}{cell.name}={value}")
        said += (cell.value, cell.column.values[index])
    return "".join(parts)


def _more(
    hidden: list[plan.View], index: int, sign: str, wide: int, words: Sequence[str], said: list[object]
) -> str:
    """Returns the cells of columns that are left out, for a row that stands out; none says what `said` says."""
    parts: list[str] = []
    for view in sorted(hidden, key=lambda view: view.rank):
        value = view.column.values[index]
        lone = value is None and index in rows_of.lone_empty(view.column)
        if (value in (tables.MISSING, None, "", [], {}) and not lone) or (
            view.rank > plan.NOISE and not _asked(value, words)
        ):
            continue
        if value in said:
            continue
        if wide < 12 or len(parts) == 6:
            break
        nested = isinstance(value, (dict, list))
        short = brief(value, wide) if nested else plan.clipped(value, min(wide, 120), sign)[0]
        parts.append(f"{sign}{view.column.name}={short}")
        said.append(value)
        wide -= len(short)
    return "".join(parts)


def _asked(value: object, words: Sequence[str]) -> bool:
    return isinstance(value, str) and any(word in value.lower() for word in words)


def _gap(table: tables.Table, identity: tables.Column | None, start: int, end: int, share: float) -> str:
    number = end - start
    place = f"#{start + 1}" if number == 1 else f"#{start + 1}-#{end}"
    note = f"[… {number} row{'s' if number > 1 else ''}, {place}"
    if identity is not None and share >= 6:
        values = [value for value in identity.values[start:end] if isinstance(value, str)]
        note += ": " + names_of(values, max(12, int(share * number)))
    return note + "]"


def _is_dull(column: tables.Column) -> bool:
    return column.constant or rows_of.last_name(column).endswith(("_id", "hash", "tool_calls"))


def _summary(shown: Sequence[tables.Column]) -> list[str]:
    """Returns counts by category and bounds of numbers over all rows, as far as `MOST_SAID` reaches."""
    notes: list[str] = []
    columns = [(column, rows_of.categories(column)) for column in shown if not _is_dull(column)]
    states = sorted(
        ((column, found) for column, found in columns if found),
        key=lambda pair: (not rows_of.is_state(pair[0]), len(pair[1])),
    )
    notes += [f"{column.name}: {counted(found)}" for column, found in states[:3]]
    for column, few in columns:
        ends = None if few or sum(map(len, notes)) >= MOST_SAID else rows_of.bounds(column)
        if ends and ends[0] != ends[1] and rows_of.last_name(column) not in ("id", "number"):
            notes.append(f"{column.name} {ends[0]}…{ends[1]}")
    for column, found in states[3:]:
        text = f"{column.name}: {counted(found)}"
        if sum(map(len, notes)) + len(text) <= MOST_SAID:
            notes.append(text)
    return notes
