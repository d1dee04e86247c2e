"""Chooses the rows of a table that say most: ends, errors, outliers, rarities, changes, matches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import cast

from tokenjuice_ml.compressors.jsonish_parse import Num
from tokenjuice_ml.compressors.jsonish_table import MISSING, Column, Table
from tokenjuice_ml.compressors.jsonish_text import telling_strings
from tokenjuice_ml.compressors.table_odd import FEWEST_ROWS, days_of, far_rows

_BAD = re.compile(
    r"error|fail|fatal|panic|exception|critical|crash|denied|timeout|timed.?out|unhealthy|refused|abort|killed"
    r"|backoff|evicted|severe|emerg|degraded|invalid|broken|oom|unknown|missing|rejected|vulnerab|deadlock"
    r"|blocked|revoked|forbidden|unauthori[sz]ed|conflict|decided|decision|cannot|unable|unschedulable"
)
_STATE_NAMES = (
    *("status", "state", "level", "severity", "conclusion", "result", "phase", "outcome", "type", "kind"),
    *("reason", "category", "method", "action", "health", "priority", "event", "event_type", "code"),
)
_TEXT_NAMES = ("error", "message", "msg", "exception", "stderr", "err", "failure", "detail", "description")
# Numbers of things that went wrong.
_FAILURES = ("errorcount", "error_count", "errors", "failures", "failed", "failurecount", "failure_count")
_EMPTY: tuple[object, ...] = (None, "", [], {})
_TEXTS = frozenset((str, Num))
# More rows than this share flagged by one column say nothing.
_TOO_MANY = 0.3
# Rows of one sort (errors, rare ones, outliers) that come before any more of another.
_EACH_SORT = 4
# Most distinct values of a column of categories.
_CATEGORIES = 16


def categories(column: Column) -> Counter[str] | None:
    """Returns the counts of a column with few distinct values, None for other columns."""
    if column.counts is False:
        column.counts = _count(column)
    return cast("Counter[str] | None", column.counts)


def _count(column: Column) -> Counter[str] | None:
    values = column.values
    most = min(_CATEGORIES, max(2, len(values) // 3))
    if column.constant or len(values) < 6:
        return None
    try:
        if len(set(values[:100])) > most:
            return None
        found = Counter(values)
    except TypeError:
        return None
    if not 2 <= len(found) <= most:
        return None
    return Counter({_label(value): number for value, number in found.items()})


def _label(value: object) -> str:
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]  # type: ignore[index]


def last_name(column: Column) -> str:
    """Returns the last key of a column's path, in lower case."""
    return column.path[-1].lower()


def is_state(column: Column) -> bool:
    """Says whether a column's name is that of a status, level or category."""
    name = last_name(column)
    return name in _STATE_NAMES or name.endswith(("status", "state", "level", "_type"))


def telling(table: Table, words: Sequence[str], most: int) -> list[int]:
    """Returns the rows that stand out, the most telling first: matches, errors, rarities, outliers."""
    chosen: dict[int, None] = {}
    groups = _groups(table, words, most)
    # Some of each sort come before more of one sort.
    for group in groups:
        chosen.update(dict.fromkeys(group[:_EACH_SORT]))
    for group in groups:
        chosen.update(dict.fromkeys(group))
    return list(chosen)


def apart(table: Table, words: Sequence[str], most: int) -> list[int]:
    """Returns the rows that no other stands for: those that match the query, and numbers far off the others."""
    found = _matching(table, words)[:most] if words else []
    for column in table.columns:
        if not column.constant:
            found += _outliers(column)
    return list(dict.fromkeys(found))[:most]


def select(table: Table, most: int, special: Sequence[int]) -> list[int]:
    """Returns the indices of at most `most` rows, in order."""
    count = table.count
    if count <= most:
        return list(range(count))
    ends = max(1, most // 6)
    chosen = dict.fromkeys(range(min(2, ends)))
    chosen.update(dict.fromkeys(range(count - min(2, ends), count)))
    for index in special:
        if len(chosen) < 0.8 * most:
            chosen[index] = None
    _fill(chosen, count, most, ends)
    return sorted(chosen)


def _fill(chosen: dict[int, None], count: int, most: int, ends: int) -> None:
    """Adds a few rows at even distances, closes gaps of one row, then adds more of the ends."""
    for position in range(1, 4):
        if len(chosen) < most:
            chosen[count * position // 4] = None
    for index in sorted(chosen):
        if index + 2 in chosen and len(chosen) < most:
            chosen[index + 1] = None
    for index in [*range(count - ends, count), *range(count)]:
        if len(chosen) >= most:
            return
        chosen[index] = None


def _groups(table: Table, words: Sequence[str], most: int) -> list[list[int]]:
    """Returns groups of rows, the most telling first, each no longer than `most`."""
    matches = _matching(table, words) if words else []
    errors: list[int] = []
    outliers: list[int] = []
    rare: list[int] = []
    changes: list[int] = []
    for column in table.columns:
        if column.constant:
            continue
        errors += _errors(column)
        outliers += _outliers(column)
        found = categories(column)
        if found:
            rare += _rare(column, found)
            changes += _changes(column, most)
        elif _is_sparse(column):
            rare += [
                i for i, value in enumerate(column.values) if value is not MISSING and value not in _EMPTY
            ]
    odd = list(table.odd)
    return [
        _spread(matches, most),
        _spread(errors, most),
        _spread(rare, most),
        outliers[:most],
        odd[: most // 2 + 1],
        _spread(changes, most // 2 + 1),
    ]


def _spread(rows: list[int], most: int) -> list[int]:
    """Returns at most `most` of `rows`: the most often named, then evenly."""
    if len(rows) <= most:
        return rows
    votes = Counter(rows)
    if len(votes) <= most:
        return sorted(votes)
    strong = sorted(index for index, number in votes.items() if number > 1)[:most]
    rest = sorted(set(votes) - set(strong))
    room = most - len(strong)
    if room <= 0:
        return strong
    step = max(1, len(rest) // room)
    return [*rest[:1], *strong, *rest[::step][:room]]


def _matching(table: Table, words: Sequence[str]) -> list[int]:
    hits: list[int] = []
    for column in table.columns:
        if column.constant:
            continue
        for index, value in enumerate(column.values):
            if type(value) is str:
                low = value.lower()
                hits += [index for word in words if word in low]
    return hits if len(set(hits)) <= 0.5 * table.count else []


def _errors(column: Column) -> list[int]:
    """Returns the rows whose value in this column tells of trouble."""
    name = last_name(column)
    values = column.values
    if name in ("error", "err", "exception", "failure", "stderr"):
        rows = [
            i
            for i, value in enumerate(values)
            if value not in (None, "", False, [], {}) and value is not MISSING
        ]
    elif name in ("exit_code", "exitcode", "returncode", "rc", "status_code", "statuscode", "status", "code"):
        has_numbers = Num in _kinds(column)
        rows = [i for i, value in enumerate(values) if _is_bad_code(value, name)] if has_numbers else []
        rows = rows or _bad_words(values)
    elif name.endswith(_FAILURES):
        rows = [i for i, value in enumerate(values) if type(value) is Num and value != "0"]
    elif is_state(column) or name in _TEXT_NAMES or name.endswith(("message", "text", "content")):
        rows = _bad_words(values)
    elif any(isinstance(value, (dict, list)) for value in values[:20]):
        rows = _bad_words(["\n".join(telling_strings(value)) for value in values])
    else:
        return []
    return rows if len(rows) <= _TOO_MANY * len(values) else []


def _is_bad_code(value: object, name: str) -> bool:
    if type(value) is not Num:
        return False
    if name in ("exit_code", "exitcode", "returncode", "rc"):
        return value != "0"
    return len(value) == 3 and value[0] in "45"


def _bad_words(values: list[object]) -> list[int]:
    rows = [index for index, value in enumerate(values) if type(value) is str]
    texts = [value[:2000] for value in values if type(value) is str]
    kinds = set(texts)
    if len(kinds) <= len(texts) // 8:
        # Values that come again and again are judged once.
        bad = {value for value in kinds if _BAD.search(value.lower())}
        found = [row for row, value in zip(rows, texts, strict=True) if value in bad] if bad else []
        return found[: int(_TOO_MANY * len(values)) + 1]
    return _bad_rows("\0".join(texts).lower(), rows, _TOO_MANY * len(values))


def _bad_rows(text: str, rows: list[int], most: float) -> list[int]:
    """Returns the rows of the values, joined by NUL, that tell of trouble; one over `most` is enough."""
    found: list[int] = []
    position = ordinal = 0
    for match in _BAD.finditer(text):
        ordinal += text.count("\0", position, match.start())
        position = match.start()
        if ordinal < len(rows) and (not found or found[-1] != rows[ordinal]):
            found.append(rows[ordinal])
            if len(found) > most:
                break
    return found


def _rare(column: Column, found: Counter[str]) -> list[int]:
    """Returns the rows of categories that hardly ever occur."""
    limit = max(1, len(column.values) // 40)
    few = {label for label, number in found.items() if number <= limit}
    if not few or len(few) > 8:
        return []
    raw = {value for value in set(column.values) if _label(value) in few}
    return [index for index, value in enumerate(column.values) if value in raw]


def _changes(column: Column, most: int) -> list[int]:
    """Returns the rows where a category gives way to another, where that happens seldom."""
    rows: list[int] = []
    values = column.values
    for index in range(1, len(values)):
        if values[index] != values[index - 1]:
            rows.append(index)
            if len(rows) > most:
                return []
    return rows


def _kinds(column: Column) -> set[type]:
    """Returns the types of a column's values, found once."""
    if column.kinds is False:
        column.kinds = set(map(type, column.values))
    return cast("set[type]", column.kinds)


def _is_sparse(column: Column) -> bool:
    values = column.values
    if _kinds(column) <= _TEXTS:
        return 0 < len(values) - values.count("") <= 0.1 * len(values)
    # Counting compares by identity first, so that nothing else equals `MISSING`.
    present = len(values) - values.count(MISSING) - sum(map(values.count, _EMPTY))
    return 0 < present <= 0.1 * len(values)


def _outliers(column: Column) -> list[int]:
    """Returns the rows of a column that are far off the others, found once."""
    if column.outliers is False:
        column.outliers = _far_off(column)
    return cast("list[int]", column.outliers)


def _far_off(column: Column) -> list[int]:
    """Returns up to four rows whose number or time is far off the others, and lone rows without a value."""
    values = column.values
    lone = lone_empty(column)
    if type(values[0]) is str and type(values[-1]) is str and not lone:
        days = days_of(values) if _kinds(column) == {str} else None
        return _strongest(far_rows(days), None) if days and len(days) >= FEWEST_ROWS else []
    if type(values[0]) is not Num and type(values[-1]) is not Num:
        return lone
    whole = _kinds(column) == {Num}
    places = None if whole else [index for index, value in enumerate(values) if type(value) is Num]
    count = len(values) if places is None else len(places)
    if count < 8 or count < 0.5 * len(values):
        return lone
    numbers = list(map(float, values if places is None else [values[index] for index in places]))
    if not all(map(isfinite, numbers)):
        return lone
    return [*lone, *_strongest(far_rows(numbers), places)]


def _strongest(found: list[tuple[int, int]], places: list[int] | None) -> list[int]:
    """Returns the rows of up to four finds, the strongest first."""
    strong = sorted(found, key=lambda pair: (-pair[1], pair[0]))[:4]
    return [index if places is None else places[index] for index, _ in strong]


def lone_empty(column: Column) -> list[int]:
    """Returns the few rows that have no value where nearly all the others have one."""
    if column.lone is False:
        column.lone = _lone_empty(column)
    return cast("list[int]", column.lone)


def _lone_empty(column: Column) -> list[int]:
    values = column.values
    if len(values) < FEWEST_ROWS:
        return []
    empty = values.count("")
    if not _kinds(column) <= _TEXTS:
        empty += values.count(None) + values.count(MISSING)
    if not 0 < empty <= max(2, len(values) // 50):
        return []
    return [index for index, value in enumerate(values) if value is None or value is MISSING or value == ""]


def bounds(column: Column) -> tuple[str, str] | None:
    """Returns the least and the greatest number of a column, as written."""
    values = column.values
    numbers = values if _kinds(column) == {Num} else [value for value in values if type(value) is Num]
    if len(numbers) < 0.5 * len(column.values) or len(numbers) < 2:
        return None
    sizes = list(map(float, numbers))
    return numbers[sizes.index(min(sizes))], numbers[sizes.index(max(sizes))]
