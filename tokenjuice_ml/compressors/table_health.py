"""Tells which rows of a table are worth a look, and counts the others by value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from heapq import nlargest

from tokenjuice_ml.compressors.gates import gate
from tokenjuice_ml.compressors.table_grid import Grid
from tokenjuice_ml.compressors.table_odd import shapes_of

# Names of columns that say how a thing is, lower case.
STATE_NAMES = frozenset(
    [
        "status",
        "state",
        "ready",
        "health",
        "healthy",
        "phase",
        "condition",
        "conditions",
        "result",
        "active",
        "sub",
        "load",
        "stat",
        "s",
        "reason",
        "type",
        "conclusion",
        "outcome",
        "level",
        "severity",
        "available",
        "synced",
        "exit",
        "exitcode",
        "restarts",
        "alive",
        "message",
    ]
)
# Columns whose words describe the state: a message is searched, not counted.
FREE_TEXT = frozenset(("message",))
DONE = ("completed", "succeeded", "success")
STRONG = re.compile(
    r"error|fail|crash|back-?off|evict|oom|not ?ready|unhealthy|dead\b|\bdown\b|restarting|degraded|defunct"
    r"|zombie|unavailable|denied|expired|\blost\b|invalid|conflict|missing|offline|critical|fatal|refused"
    r"|time-?d?[ -]?out|unreachable|not.?found|panic|corrupt|vulnerab|exited \((?!0\))|exit(?:ed)?[ :=]+[1-9]"
    r"|unreadable|mismatch"
)
WEAK = re.compile(
    r"unknown|pending|terminat|warn|paused|stopped|inactive|suspend|abort|cancel|reject|out-?of-?sync|progressing"
    r"|stale|creating|init:|deprecat|disabled|stopping|activating"
)
# Where no column says how things are, a row must say so in plain words.
ROW_WORDS = re.compile(
    r"\b(?:error|errors|fail|failed|failure|failures|failing|fatal|critical|denied|expired|conflict|unhealthy|crash"
    r"|crashed|corrupt|invalid|refused|timeout|defunct|exited \((?!0\))\w*)\b|<defunct>|not found|crashloop"
)
OF = re.compile(r"(\d{1,9})/(\d{1,9})")
FULL_PERCENT = re.compile(r"use|usage|capacity|used|full|disk|iuse")
STRONG_SCORE, WEAK_SCORE, BUSY_SCORE = 3, 2, 1
BUSIEST = 3
# What is said of columns beyond the first three, chars; columns that are looked at.
MOST_CHARS, MOST_COLUMNS = 400, 40


def state_columns(header: Sequence[str], more: Iterable[str] = ()) -> list[int]:
    """Returns the indexes of the columns that say how a thing is."""
    wanted = STATE_NAMES.union(name.lower() for name in more)
    return [index for index, name in enumerate(header) if name.strip().lower().strip("#*@ ") in wanted]


def percent_columns(header: Sequence[str]) -> list[int]:
    """Returns the indexes of the columns that say how full a thing is."""
    return [i for i, name in enumerate(header) if "%" in name or FULL_PERCENT.fullmatch(name.lower())]


def score_rows(
    grid: Grid, texts: Callable[[], Sequence[str]], states: Sequence[int], percents: Sequence[int]
) -> dict[int, int]:
    """Returns the rows that are not healthy, with a score that is more the worse they are.

    Args:
        grid: the table.
        texts: returns for each row a text that holds the words of its cells.
        states: the columns that say how a thing is.
        percents: the columns that say how full it is.
    """
    pattern = STRONG if states else ROW_WORDS
    scores: dict[int, int] = {}
    if states:
        scores.update(zip(*_by_state(grid, states), strict=True))
        suspects: Sequence[int] = grid.short
    else:
        suspects = gate(pattern.pattern).candidates(texts())
    for index in suspects:
        if pattern.search("  ".join(grid.row(index)).lower()):
            scores[index] = STRONG_SCORE
    for column in percents:
        name, cells = grid.header[column], grid.columns[column]
        full = {cell for cell in set(cells) if _full(cell, name)}
        if full:
            found = grid.rows_of([at for at, cell in enumerate(cells) if cell in full])
            scores.update(dict.fromkeys(found, STRONG_SCORE))
    return scores


def _by_state(grid: Grid, states: Sequence[int]) -> tuple[Sequence[int], list[int]]:
    """Returns the whole rows that some column of states calls unwell, and their scores."""
    names = tuple(grid.header[i] for i in states)
    # One column alone needs no tuples.
    lone = len(states) == 1
    values = grid.columns[states[0]] if lone else list(zip(*[grid.columns[i] for i in states], strict=True))
    scored = [(cells, _states_score((cells,) if lone else cells, names)) for cells in set(values)]
    bad = {cells: score for cells, score in scored if score}
    found = {at: bad[cells] for at, cells in enumerate(values) if cells in bad} if bad else {}
    last = grid.columns[-1]
    if "<defunct>" in "\n".join(last):
        found.update({at: STRONG_SCORE for at, cell in enumerate(last) if "<defunct>" in cell})
    order = sorted(found)
    return grid.rows_of(order), [found[at] for at in order]


@lru_cache(maxsize=4096)
def _states_score(cells: tuple[str, ...], names: tuple[str, ...]) -> int:
    values = [cell.lower() for cell in cells]
    done = any(value.startswith(DONE) for value in values)
    pairs = zip(values, names, strict=True)
    return max(_cell_score(value, name.lower(), done) for value, name in pairs)


def is_good(value: str) -> bool:
    """Tells whether a value of a state column needs no look: done, ended well, up, so many of so many."""
    low = value.lower()
    return low.startswith((*DONE, "exited (0)", "up ")) or OF.fullmatch(low) is not None


def _cell_score(value: str, name: str, done: bool) -> int:
    if name in ("stat", "s"):
        return STRONG_SCORE if value[:1] in ("z", "x") else WEAK_SCORE if value[:1] in ("d", "t") else 0
    if name == "restarts":
        return WEAK_SCORE if value[:1].isdigit() and int(value.split()[0]) >= 5 else 0
    found = OF.fullmatch(value)
    if found:
        return STRONG_SCORE if int(found[1]) < int(found[2]) and not done else 0
    if name in ("ready", "available", "healthy", "synced", "alive") and value in ("false", "no", "0"):
        return 0 if done else STRONG_SCORE
    if STRONG.search(value):
        return STRONG_SCORE
    return WEAK_SCORE if WEAK.search(value) else 0


@lru_cache(maxsize=4096)
def _full(cell: str, name: str) -> bool:
    """True from 90 % on where the column tells a filling degree (not CPU or memory shares)."""
    value = cell.rstrip("%")
    if not value.replace(".", "", 1).isdigit():
        return False
    fills = FULL_PERCENT.search(name.lower()) is not None or cell.endswith("%")
    return fills and 90 <= float(value) <= 100 and "cpu" not in name.lower()


def busiest(grid: Grid, percents: Sequence[int]) -> set[int]:
    """Returns the rows that stand out in a share column (``%CPU``, ``MEM %``): at most three each."""
    found: set[int] = set()
    for column in percents:
        cells = grid.columns[column]
        shares = {cell: _share(cell) for cell in set(cells)}
        least = max(3 * sum(map(shares.__getitem__, cells)) / (len(cells) or 1), 0.5)
        busy = {cell: share for cell, share in shares.items() if share > least}
        if busy:
            rows = [(busy[cell], -at) for at, cell in enumerate(cells) if cell in busy]
            found.update(grid.rows_of([-at for _, at in nlargest(BUSIEST, rows)]))
    return found


def _share(cell: str) -> float:
    value = cell.rstrip("%")
    return float(value) if value.isascii() and value.replace(".", "", 1).isdigit() else 0.0


def count_values(
    columns: Sequence[Sequence[str]], header: Sequence[str], states: Sequence[int], every: bool = False
) -> str:
    """Says which values the rows have in the columns that repeat: ``STATUS 90 × Running``.

    State columns first, then any with few values; numbers as a range.

    Args:
        columns: the cells of the rows by column.
        header: names of the columns.
        states: the columns that say how a thing is.
        every: of each column (up to `MOST_CHARS`), one that is the same in all rows too; else of three.
    """
    if not columns or not columns[0]:
        return ""
    order = [i for i in states if header[i].lower() not in FREE_TEXT]
    order += [i for i in range(min(len(header), MOST_COLUMNS)) if i not in states]
    said: list[str] = []
    later: list[str] = []
    for index in order:
        values = columns[index]
        text = _column_counts(values, index in states)
        more = "" if text or not every else _plain_words(values)
        if text or more:
            name = header[index]
            (said if text and len(said) < 3 else later).append(
                f"{name} {text or more}" if name else text or more
            )
        if len(said) == 3 and not every:
            break
    while later and sum(map(len, later)) > MOST_CHARS:
        later.remove(max(later, key=len))
    return "; ".join([*said, *later])


def _plain_words(values: Sequence[str]) -> str:
    """Says the one value of all rows, or the bounds of times and other figures of one shape."""
    different = set(values)
    if len(different) == 1:
        return f"all {_short(values[0])}" if len(values) > 1 else ""
    if numbers := _range(values):
        return numbers
    if len(set(map(len, different))) != 1 or not (least := min(different))[:1].isdigit() or len(least) > 32:
        return ""
    return f"{least} to {max(different)}" if len(set(shapes_of(list(different)))) == 1 else ""


def _column_counts(values: Sequence[str], is_state: bool) -> str:
    if not is_state and len(set(values[:60])) > 8 and len(values) > 12:
        return _range(values) if len(values) >= 20 else ""
    counts = Counter(values)
    if len(counts) > 8 and is_state:
        whole, counts = counts, Counter()
        for value, count in whole.items():
            counts[f"{value.split(' ', 1)[0]} …" if " " in value else value] += count
    if len(counts) > 8 or (len(counts) > 0.5 * len(values) and len(values) > 1):
        return ""
    if not is_state and (len(counts) == 1 or max(map(len, counts)) > 40):
        return ""
    return ", ".join(f"{count:,} × {_short(value)}" for value, count in counts.most_common())


def _short(value: str) -> str:
    if not value:
        return '""'
    return value if len(value) <= 40 else f"{value[:39]}…"


def _range(values: Sequence[str]) -> str:
    """Returns ``least to greatest`` of a column of plain numbers, values as they stand."""
    filled = list(filter(None, values))
    try:
        numbers = list(map(float, filled))
    except ValueError:
        return ""
    if not numbers:
        return ""
    least, most = min(numbers), max(numbers)
    return f"{filled[numbers.index(least)]} to {filled[numbers.index(most)]}" if least < most else ""
