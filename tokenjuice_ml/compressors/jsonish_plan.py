"""Decides which columns of a table are shown, how wide, and for how many rows, under a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import Num, encode
from tokenjuice_ml.compressors.jsonish_rows import is_state, last_name
from tokenjuice_ml.compressors.jsonish_table import MISSING, ONLY, SIGNATURES, Column, Table, cell
from tokenjuice_ml.compressors.jsonish_text import brief, is_counter, is_opaque, is_prose, is_time, tells

IDENTITY = (
    *(
        "name",
        "id",
        "identifier",
        "key",
        "title",
        "slug",
        "path",
        "file",
        "filename",
        "label",
        "full_name",
        "address",
        "nodeid",
    ),
    *(
        "uri",
        "url",
        "uuid",
        "login",
        "username",
        "package",
        "number",
        "ref",
        "sha",
        "email",
        "host",
        "hostname",
    ),
)
_TIMES = (
    "time",
    "timestamp",
    "ts",
    "date",
    "created_at",
    "updated_at",
    "@timestamp",
    "datetime",
    "createdat",
)
_TEXTS = (
    "message",
    "msg",
    "description",
    "summary",
    "text",
    "body",
    "detail",
    "details",
    "error",
    "reason",
    "comment",
)
_NOISE = (
    "uid",
    "uuid",
    "integrity",
    "resolved",
    "etag",
    "resourceversion",
    "node_id",
    "gravatar_id",
    "sha512",
    "digest",
)
# Steps of a path that say nothing: what is in them is as near as if they were not there.
_WRAPPERS = frozenset(
    (ONLY, "_source", "fields", "node", "attributes", "properties", "metadata", "spec", "status")
)
# Texts that machines read.
_CODE = ("source", "code", "snippet", "raw", "patch", "html", "help", "markdown", "signature", "diff_hunk")
# The rank of a column of parameters.
SIGNATURE = 2.02
# Columns that say who spoke.
SPEAKERS = ("role", "speaker", "sender")
# Columns of this rank and above say nothing to a reader: ids, hashes, numbers of rows.
NOISE = 4.3
_LINKS = ("url", "uri", "href", "self", "link", "html_url", "permalink")
_AMOUNTS = ("amount", "price", "total", "cost", "count", "duration", "size", "score", "latency", "restarts")
# Widths a cell may have, chars.
_WIDTHS = (24, 40, 60, 90, 140, 240, 600, 4000)
# Tables of more rows than that need not show each by its number.
FEW_ROWS = 40
# Values looked at in a column, and in one of objects or lists.
_LOOK, _LOOK_NESTED = 200, 30


@dataclass(slots=True)
class View:
    """A column as it is shown.

    Attributes:
        column: the column.
        rank: lower is shown first.
        lengths: chars of some cells, in short and whole; only nested values have a short form.
        prose: True where cells are sentences.
        width: most chars of a cell; 0 leaves the column out.
        costs: known means by width.
        wholes: JSON of objects and lists by row, kept from one attempt to the next.
    """

    column: Column
    rank: float
    lengths: list[tuple[int, int]]
    prose: bool = False
    width: int = 0
    costs: dict[int, float] = field(default_factory=dict)
    wholes: dict[int, str] = field(default_factory=dict)

    def whole(self, index: int) -> str:
        """Returns the JSON of the object or list in row `index`."""
        known = self.wholes.get(index)
        if known is None:
            known = self.wholes[index] = encode(self.column.values[index])
        return known

    def cost(self, width: int) -> float:
        """Returns the mean chars of a cell of at most `width`."""
        known = self.costs.get(width)
        if known is None:
            total = sum([whole if whole <= width else min(short, width + 4) for short, whole in self.lengths])
            known = self.costs[width] = total / max(1, len(self.lengths)) + 1.2
        return known


def views(table: Table) -> list[View]:
    """Returns the columns that vary, ranked by what they tell."""
    found = []
    identity = identity_of(table)
    names = _letters(_sampled(identity.values)) if identity else []
    base = max(1, sum(key not in _WRAPPERS for key in identity.path)) if identity else 1
    titled = is_spoken(table) or (identity is not None and is_prose(_sampled(identity.values)))
    for column in table.columns:
        if column.constant:
            continue
        sample = _sampled(column.values)
        lengths = _lengths(sample)
        rank = _rank(column, sample, lengths, column is identity, base, titled)
        if rank and names and rank < 4 and _repeats(names, sample):
            rank = 6.0
        found.append(View(column, rank, lengths, 1.05 < rank < 1.5 and is_prose(sample)))
    return found


def _letters(values: list[Any]) -> list[str]:
    """Returns values as lower-case letters and digits alone."""
    return [
        "".join(filter(str.isalnum, value[:120])).lower() if isinstance(value, str) else ""
        for value in values[:40]
    ]


def _repeats(names: list[str], sample: list[Any]) -> bool:
    """Says whether a column says again what the rows' names say (``CreateUserRequest``)."""
    if type(sample[0]) is not str or len(sample[0]) > 120:
        return False
    pairs = [(a, b) for a, b in zip(names, _letters(sample), strict=False) if len(a) > 5 and len(b) > 5]
    return len(pairs) >= 3 and sum(a in b or b in a or a[-8:] in b for a, b in pairs) >= 0.6 * len(pairs)


def _sampled(values: list[Any]) -> list[Any]:
    return values if len(values) <= _LOOK else values[:: len(values) // _LOOK + 1]


def _lengths(sample: list[Any]) -> list[tuple[int, int]]:
    if any(isinstance(value, (dict, list)) for value in sample):
        sample = sample[:: len(sample) // _LOOK_NESTED + 1]
    return [_length(value) for value in sample]


def _length(value: Any) -> tuple[int, int]:
    if isinstance(value, str):
        return len(value), len(value)
    if value is MISSING:
        return 0, 0
    if isinstance(value, dict):
        return sum(map(len, value)) + len(value) + 8, len(encode(value))
    return (2 + 10 * len(value), len(encode(value))) if isinstance(value, list) else (4, 4)


def _rank(
    column: Column,
    sample: list[Any],
    lengths: list[tuple[int, int]],
    is_identity: bool,
    base: int,
    titled: bool,
) -> float:
    if is_identity:
        return 0
    name = last_name(column)
    deep = max(0, sum(key not in _WRAPPERS for key in column.path) - base)
    mean = sum(short for short, _ in lengths) / max(1, len(lengths))
    nested = any(isinstance(value, (dict, list)) for value in sample)
    if name in SPEAKERS:
        return 1.0
    if name == "tool_call_id":
        return NOISE
    if name == "tool_calls":
        return 1.6
    if name in _CODE:
        return 4.5
    if name in SIGNATURES and mean <= 160 and _are_named(sample):
        return SIGNATURE
    if not nested and mean > 16 and (name in _TEXTS or name == "title" or is_prose(sample)):
        return (2.05 if titled and mean > 120 else 1.1) + 0.1 * deep
    if is_state(column) and mean <= 40:
        return 1 + 0.5 * deep
    if name in ("error", "err", "exception", "version"):
        return 1.2 + 0.5 * deep
    if name in _LINKS and any(isinstance(value, str) and "://" in value for value in sample[:10]):
        return NOISE if deep or titled else 2.6
    if name == "id" and is_opaque(sample):
        return 4.4 if deep or titled else 2.6
    if name.endswith(_AMOUNTS) and mean <= 16 and not nested:
        return 1.5 + 0.3 * deep
    if name in IDENTITY and mean <= 60:
        return 1.6 + 0.4 * deep
    if name in _NOISE or name.endswith(("_url", "hash", "checksum")):
        return 5.0
    if name in _TEXTS and not nested:
        return 2 + deep
    if not nested and (
        (is_counter(sample) and "line" not in name)
        or (name not in IDENTITY[:5] and is_opaque_id(name, sample))
    ):
        return 4.4
    if name in _TIMES or name.endswith(("_at", "time", "date", "timestamp")) or is_time(sample):
        return 2.4 + 0.3 * deep
    if nested and mean > 24:
        return 3.3 + 0.25 * deep
    if mean <= 12:
        return 2.4 + 0.7 * deep
    return 3 + 0.6 * deep + (mean > 120)


def _are_named(sample: list[Any]) -> bool:
    """Says whether most values are objects of objects, of other names in other rows."""
    named = [
        tuple(value)
        for value in sample
        if isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())
    ]
    return len(named) >= 0.6 * len(sample) and len(set(named)) > 1


def is_opaque_id(name: str, sample: list[Any]) -> bool:
    """Says whether a column holds ids or hashes, by its name and by its values."""
    return (
        name.endswith(("id", "sha", "hash", "token", "seq", "cursor"))
        and is_opaque(sample)
        and _distinct(sample) > 16
    )


def _distinct(sample: list[Any]) -> int:
    return len({value for value in sample if isinstance(value, str)})


def is_spoken(table: Table) -> bool:
    """Says whether the rows are what somebody said."""
    return any(last_name(column) in SPEAKERS for column in table.columns)


def identity_of(table: Table) -> Column | None:
    """Returns the column that names the rows: short, and nearly unique."""
    best, best_score = None, 0.0
    # Nobody looks for a message by its number.
    spoken = is_spoken(table)
    for column in table.columns:
        if column.constant:
            continue
        sample = _sampled(column.values)
        if spoken and is_opaque(sample):
            continue
        strings = [value for value in sample if isinstance(value, str)]
        if len(strings) < 0.9 * len(sample):
            continue
        mean = sum(map(len, strings)) / max(1, len(strings))
        unique = len(set(strings)) / max(1, len(strings))
        if unique < 0.85 or mean > 90:
            continue
        name = last_name(column)
        named = name in IDENTITY or name.endswith(("name", "_id", "id", "path", "key"))
        order = IDENTITY.index(name) if name in IDENTITY else 12
        score = unique + (2.0 - 0.04 * order if named else 0.0) - 0.25 * (len(column.path) - 1) - mean / 200
        score -= 0.6 * (type(strings[0]) is Num) + 0.5 * is_time(strings)
        score -= 0.7 * (type(strings[0]) is not Num and is_opaque(strings))
        if score > best_score:
            best, best_score = column, score
    return best


def _order(view: View) -> float:
    """Returns what gets its width first: who spoke, what rows are named, what functions take."""
    if last_name(view.column) in SPEAKERS:
        return -1.0
    return 1.05 if view.rank == SIGNATURE else view.rank


def widths(found: list[View], room: float) -> None:
    """Gives each column a width so that a row has at most `room` chars."""
    left = room
    ranked = sorted(found, key=_order)
    for view in ranked:
        if view.rank >= NOISE and view is not ranked[0]:
            continue
        base = 90 if view.rank == 0 else 40 if view.rank < 2 else 60 if view.rank < 3 else 48
        cost = view.cost(base)
        if cost <= left or view is ranked[0]:
            view.width = base
            left -= cost
        elif view.cost(24) <= left:
            view.width = 24
            left -= view.cost(24)
    for width in _WIDTHS:
        for view in ranked:
            if view.width and view.width < width:
                more = view.cost(width) - view.cost(view.width)
                if more <= left:
                    view.width = width
                    left -= more


def clipped(value: Any, width: int, sign: str, whole: str = "") -> tuple[str, int]:
    """Returns a cell of about `width` chars, and the chars left out.

    Args:
        value: what stands in the cell.
        width: chars.
        sign: what stands between cells.
        whole: an object or a list as JSON, where it is known.
    """
    if isinstance(value, (dict, list)):
        whole = whole or encode(value)
        if len(whole) <= width:
            return whole, 0
        short = brief(value, min(width, 30)) if tells(value) else outline(value, width)
        return short, len(whole)
    if not isinstance(value, str) or type(value) is Num or len(value) <= width + 4:
        return cell(value, sign), 0
    if "/" in value and " " not in value and len(value) < 1000:
        # What tells paths apart stands at their end.
        tail = value[len(value) - width :]
        return f"+{len(value) - len(tail)}…{tail if is_tail(tail, sign) else encode(tail)}", len(value) - len(
            tail
        )
    end = _word_end(value, width)
    head = value[:end]
    bare = cell(head, sign)
    return f"{bare}…+{len(value) - end}", len(value) - end


def is_tail(tail: str, sign: str) -> bool:
    """Says whether the end of a clipped cell can stand without quotes."""
    return sign not in tail and tail.isprintable()


def _word_end(value: str, width: int) -> int:
    """Returns where to cut: behind a word near `width`, never inside a surrogate or mark."""
    blank = value.rfind(" ", max(1, width * 3 // 4), width + 1)
    end = blank if blank > 0 else width
    while end < len(value) and end > 1 and (0x300 <= ord(value[end]) < 0x370 or value[end] in "\u200d\ufe0f"):
        end -= 1
    return end


def outline(value: Any, width: int) -> str:
    """Returns the keys of an object or the head of a list, with how much there is.

    >>> outline({"a": {"b": "x"}, "c": ["y", "z"]}, 40)
    '{a{b},c[2]}'
    """
    parts: list[str] = []
    _outline(value, parts, width, 0)
    return "".join(parts)


def _outline(value: Any, parts: list[str], room: int, depth: int) -> int:
    """Appends the outline of `value`; returns the chars that are left."""
    if isinstance(value, list):
        return _outline_list(value, parts, room, depth)
    parts.append("{")
    room -= 2
    # Members that are made alike say no more than their names.
    made = {tuple(inner) if isinstance(inner, dict) else None for inner in value.values()}
    alike = len(value) > 1 and len(made) == 1
    for done, (key, inner) in enumerate(value.items()):
        if room < len(key) + 2 and done:
            parts.append(f"…+{len(value) - done}")
            room -= 4
            break
        mark = "," if done else ""
        parts.append(mark + (key if key.isprintable() else encode(key)))
        room -= len(key) + 1
        if isinstance(inner, list):
            parts.append(f"[{len(inner)}]")
            room -= 3
        elif isinstance(inner, dict) and 0 < len(inner) <= 3 and depth == 0 and not alike:
            room = _outline(inner, parts, room, depth + 1)
    parts.append("}")
    return room


def _outline_list(value: list[Any], parts: list[str], room: int, depth: int) -> int:
    if not value or isinstance(value[0], (dict, list)):
        parts.append(f"[{len(value)}]")
        if value and isinstance(value[0], dict) and depth == 0 and room > 12:
            room = _outline(value[0], parts, room - 4, depth + 1)
        return room - 3
    shown: list[str] = []
    for item in value:
        text = encode(item)
        if room < len(text) + 3 and shown:
            break
        shown.append(text if len(text) < 200 else encode(item[:60]) + "…")
        room -= len(text) + 1
    more = f",…+{len(value) - len(shown)}" if len(shown) < len(value) else ""
    parts.append("[" + ",".join(shown) + more + "]")
    return room


def _varies(column: Column) -> bool:
    """Says whether rows that have a text in a column have not all the same."""
    return len({value for value in _sampled(column.values) if isinstance(value, str) or value is True}) > 1


def room_for_rows(found: Sequence[View], count: int, chars: float) -> tuple[int, float]:
    """Returns how many rows are shown and the chars for each.

    All rows stay where their names and states fit; otherwise fewer rows say more.
    """
    ranked = sorted(found, key=lambda view: view.rank)
    named = bool(ranked) and ranked[0].rank == 0
    if named and count > FEW_ROWS and is_opaque(ranked[0].column.values):
        # Numbers of rows alone tell nothing of them.
        named = any(0 < view.rank < 2 and _varies(view.column) for view in ranked[1:4])
    narrow = sum(
        view.cost(60 if view.rank == 0 else 24) for view in ranked if view.rank < 2 and not view.prose
    )
    wide = max(24.0, min(150.0, sum(view.cost(60 if view.rank == 0 else 32) for view in ranked[:7])))
    floor = max(12.0, narrow) if named else wide
    if count * floor <= chars:
        return count, chars / count
    whole = sum(view.cost(4000) for view in found)
    rows = max(6, int(0.72 * chars / min(whole + 1, wide)))
    rows = min(rows, count)
    return rows, 0.72 * chars / rows
