"""What people read inside nested JSON: the text of content blocks, and the telling keys of an object."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import Doubled, Num, encode
from tokenjuice_ml.compressors.jsonish_table import MISSING, Column, Table

STATES = frozenset(
    "status state level severity conclusion result phase outcome reason code exitcode exit_code restartcount"
    " error errors failure message msg detail details description summary title text".split()
)
NAMES = frozenset(
    "name login displayname display_name label key filename file path image package version ref rule ruleid"
    " host email number line".split()
)
_NOISE_ENDS = ("url", "uri", "href", "hash", "sha", "digest", "checksum", "_id", "uid", "uuid", "avatar")
_NOISE = frozenset(
    "id self node_id links _links url etag resourceversion labels_url gravatar_id iconurl timestamp".split()
)
# Objects deeper than this are not looked into.
_DEPTH = 8
# Longest string inside a cell of several values, chars.
_STRING = 160
_NESTED = frozenset((dict, list, Doubled))
_CALLS = ("tool_use", "function_call", "tool_call", "function", "server_tool_use", "tool-call")


def lift(table: Table) -> bool:
    """Puts the text of content blocks into cells that hold blocks; says whether there were any."""
    found = False
    for column in table.columns:
        if not column.constant and _holds_blocks(column):
            column.values = [_text_or_self(value) for value in column.values]
            found = True
    return found


def _text_or_self(value: Any) -> Any:
    if not isinstance(value, (dict, list)):
        return value
    text = text_of(value)
    return text if text is not None and text.strip() else value


def _holds_blocks(column: Column) -> bool:
    if _NESTED.isdisjoint(map(type, column.values)):
        return False
    nested = [value for value in column.values if isinstance(value, (dict, list)) and value]
    if not nested:
        return False
    sample = nested[:20]
    return sum(bool(text_of(value)) for value in sample) >= 0.6 * len(sample)


def text_of(value: Any, depth: int = 0) -> str | None:
    r"""Returns the text of a block, or of a list of blocks; None for what holds no such thing.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "tool_use", "name": "ls", "input": {}}])
    'a\ntool_use ls {}'
    """
    if depth > _DEPTH:
        return None
    if isinstance(value, list):
        if not all(isinstance(item, dict) and type(item.get("type")) is str for item in value):
            return None
        parts = [_block(item, depth + 1) for item in value]
        if not any(parts):
            return None
        # A block that has no text is named by its type: ``image``.
        return "\n".join([part or item["type"] for part, item in zip(parts, value, strict=True)])
    if not isinstance(value, dict) or type(value.get("type")) is not str:
        return None
    return _block(value, depth)


def _block(value: dict[str, Any], depth: int) -> str | None:
    kind = value["type"]
    for key in ("text", "thinking", "reasoning", "output_text", "refusal"):
        if type(value.get(key)) is str:
            return str(value[key])
    if kind in _CALLS:
        call = value["function"] if isinstance(value.get("function"), dict) else value
        given = next((call[key] for key in ("input", "arguments", "args") if key in call), None)
        given = given if type(given) is str else encode(given)
        return f"{kind} {call.get('name', '')} {given}"
    for key in ("content", "output", "result"):
        if key in value:
            inner = value[key]
            return inner if type(inner) is str else text_of(inner, depth + 1)
    return None


def brief(value: Any, room: int) -> str:
    """Returns a nested value in about `room` chars: its telling keys first, values and not only names.

    >>> brief({"url": "https://x.example/1", "message": "no funds", "code": "e1"}, 40)
    '{message:no funds,code:e1,…+1}'
    """
    return _brief(value, room, 0)


def _brief(value: Any, room: int, depth: int) -> str:
    if depth > _DEPTH and isinstance(value, (dict, list)) and value:
        return f"{{…+{len(value)}}}" if isinstance(value, dict) else f"[…+{len(value)}]"
    if isinstance(value, dict) and value:
        return _brief_object(value, room, depth)
    if isinstance(value, list) and value:
        return _brief_list(value, room, depth)
    if type(value) is str:
        most = max(8, min(_STRING, room))
        text = value if len(value) <= most + 4 else f"{value[:most]}…+{len(value) - most}"
        plain = text.isprintable() and not set(text) & set('{}[],|"') and text.strip() == text and text
        return text if plain else encode(text)
    return encode(value)


def _brief_object(value: dict[str, Any], room: int, depth: int) -> str:
    parts: list[str] = []
    pairs = list(value.items())
    for key, inner in sorted(pairs, key=lambda pair: key_rank(*pair)):
        if parts and (room < len(key) + 6):
            break
        text = _brief(inner, max(8, room - len(key) - 3), depth + 1)
        if parts and len(text) + len(key) + 2 > room:
            break
        parts.append(f"{key if key.isprintable() else encode(key)}:{text}")
        room -= len(parts[-1]) + 1
    if len(parts) < len(pairs):
        parts.append(f"…+{len(pairs) - len(parts)}")
    return "{" + ",".join(parts) + "}"


def _brief_list(value: list[Any], room: int, depth: int) -> str:
    parts: list[str] = []
    share = max(24, room // min(4, len(value)))
    for item in value:
        if parts and room < 10:
            break
        text = _quoted(item, room) if type(item) is str else _brief(item, min(share, room), depth + 1)
        if parts and len(text) > room:
            break
        parts.append(text)
        room -= len(text) + 1
    if len(parts) < len(value):
        parts.append(f"…+{len(value) - len(parts)}")
    return "[" + ",".join(parts) + "]"


def _quoted(value: str, room: int) -> str:
    most = max(8, min(_STRING, room))
    return encode(value) if len(value) <= most + 4 else f"{encode(value[:most])}…+{len(value) - most}"


def key_rank(key: str, value: Any) -> int:
    """Says how late a key is shown: states and messages, names, other values, nested ones, noise."""
    low = key.lower()
    if value is None or value in ("", [], {}):
        return 5
    if low in STATES:
        return 0
    if low in NAMES:
        return 1
    if low in _NOISE or low.endswith(_NOISE_ENDS):
        return 4
    return 3 if isinstance(value, (dict, list)) else 2


def tells(value: Any) -> bool:
    """Says whether an object, or the first of a list, has a key that names it or says how it is."""
    one = value[0] if isinstance(value, list) and value else value
    if not isinstance(one, dict) or not one:
        return False
    plain = [key for key, inner in one.items() if not isinstance(inner, (dict, list))]
    return len(plain) >= 0.5 * len(one) and any(key_rank(key, one[key]) < 2 for key in plain)


def telling_strings(value: Any, most: int = 60) -> list[str]:
    """Returns the states and messages inside a nested value."""
    found: list[str] = []
    todo: list[tuple[str, Any]] = [("", value)]
    while todo and most:
        most -= 1
        key, item = todo.pop()
        if isinstance(item, dict):
            todo += item.items()
        elif isinstance(item, list):
            todo += [(key, inner) for inner in item[:20]]
        elif type(item) is str and key.lower() in STATES and item:
            found.append(item[:400])
    return found


def is_opaque(values: list[Any]) -> bool:
    """Says whether strings are ids, hashes or numbers: nothing that a person would look for."""
    words = [value for value in values[:40] if isinstance(value, str) and value]
    return bool(words) and sum(map(_is_code, words)) >= 0.6 * len(words)


def _is_code(word: str) -> bool:
    if type(word) is Num:
        return True
    if " " in word or "/" in word or len(word) > 120:
        return False
    if len(word) <= 5:
        return False
    digits = sum(map(word.count, "0123456789")) if word.isascii() else sum(map(str.isdigit, word))
    return digits >= 0.3 * len(word) or (
        len(word) >= 20 and digits >= 3 and "." not in word and "-" not in word
    )


def is_prose(values: list[Any]) -> bool:
    """Says whether strings are sentences: several words each."""
    words = [value for value in values[:40] if type(value) is str and value]
    return len(words) >= 0.5 * min(40, len(values)) and sum(
        word.count(" ", 0, 200) >= 2 and not word[:4].isdigit() for word in words
    ) >= 0.5 * len(words)


def is_time(values: list[Any]) -> bool:
    """Says whether strings are dates with times (``2026-01-02T…``)."""
    words = [value for value in values[:10] if type(value) is str and value]
    return bool(words) and all(
        len(word) >= 10 and word[:4].isdigit() and word[4] in "-/" and len(word) < 40 for word in words
    )


def is_counter(values: list[Any]) -> bool:
    """Says whether numbers go up one by one: the place in the list said again."""
    numbers = [value for value in values[:40] if type(value) is Num and len(value) < 16 and value.isdigit()]
    if len(numbers) < 4 or any(value is MISSING for value in values[:40]):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(numbers)}
    return len(steps) == 1 and steps.pop() in (1, -1)
