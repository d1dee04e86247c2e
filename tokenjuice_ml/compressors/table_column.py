"""What a database client answers in one column: the rows unlike the others stay, the rest is counted.

With a border (mysql), a name over a line of dashes (psql), or bare (sqlite3, ``mysql -B``, ``psql -At``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import assemble, line_count
from tokenjuice_ml.compressors.gates import gate
from tokenjuice_ml.compressors.table_health import ROW_WORDS
from tokenjuice_ml.compressors.table_odd import odd_in, shapes_of
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

FEWEST_ROWS = 40
# Rows from both ends; kinds that are told, and of how many rows a seldom one is at most.
HEAD, TAIL, MOST_KINDS, SELDOM, SELDOM_SHARE = 5, 3, 20, 2, 0.02
MOST_ODD, MOST_BAD = 12, 12
NAME_CHARS = 60
MOST_CHARS_PER_TOKEN = 8
# Rows are of few kinds where no more than this share of them is.
FEW_KINDS = 0.3
# Of these clients lines without any frame are rows.
BARE = frozenset(("sqlite3", "litecli", "duckdb", "mysql", "mariadb"))
_BARE_FLAGS = ("-t", "-At", "-tA", "-qAt", "-Atq", "-qtA", "-tAq", "--tuples-only")


def compress(lines: Sequence[str], context: Context) -> Reduction | None:
    """Returns a result of one column cut, None for any other text.

    Args:
        lines: the text, cut at its line ends.
        context: command, query and budget.
    """
    found = _rows(lines, context)
    if found is None:
        return None
    start, end = found
    budget = context.budget_tokens or context.settings.max_inline_tokens
    if end - start < FEWEST_ROWS or _fits(lines, budget):
        return None
    values = [line.strip("| ").rstrip() for line in lines[start:end]]
    shapes = shapes_of(values)
    keep = [not start <= at < end for at in range(len(lines))]
    left = budget * 0.85
    for row in _wanted(values, shapes, context):
        left -= len(values[row]) // 4 + 2
        if left < 0:
            break
        keep[start + row] = True
    cut = assemble(
        lines,
        keep,
        lambda first, stop: _what(values[first - start : stop - start], shapes[first - start : stop - start]),
    )
    return Reduction(cut.text, True, "table", cut.omissions)


def _fits(lines: Sequence[str], budget: int) -> bool:
    # Far more text than the budget need not be weighed.
    chars = sum(map(len, lines)) + len(lines)
    return chars < MOST_CHARS_PER_TOKEN * budget and estimate("\n".join(lines)) <= budget


def _rows(lines: Sequence[str], context: Context) -> tuple[int, int] | None:
    """Returns the half-open range of the rows, None where the text is no result of one column."""
    total = line_count(lines)
    while total and not lines[total - 1].strip():
        total -= 1
    if total < FEWEST_ROWS:
        return None
    if lines[0].startswith("+-") and not lines[0].strip("+-") and lines[0].count("+") == 2:
        end = next((at for at in range(total - 1, 3, -1) if lines[at] == lines[0]), 0)
        framed = end > 3 and all(line.startswith("| ") for line in lines[3:end])
        return (3, end) if framed else None
    rule = lines[1].strip()
    if rule and not rule.strip("-") and "|" not in lines[0]:
        end = total - lines[total - 1].startswith("(")
        plain = all(line[:1] == " " and line[1:] for line in lines[2:end])
        return (2, end) if plain else None
    return (0, total) if _is_bare(lines[:total], context) else None


def _is_bare(lines: Sequence[str], context: Context) -> bool:
    command = context.command
    if command is None or context.output.exit_code:
        return False
    if command.program not in BARE and not (
        command.program == "psql" and any(map(command.flags.__contains__, _BARE_FLAGS))
    ):
        return False
    if sum("  " in line.strip() for line in lines[:100]) > len(lines[:100]) // 4:
        return False  # columns, aligned
    return not any("|" in line or "\t" in line or not line.strip() for line in lines[:200])


def _wanted(values: Sequence[str], shapes: Sequence[str], context: Context) -> list[int]:
    """Returns the rows worth showing, the most wanted first."""
    total = len(values)
    order = dict.fromkeys([0, total - 1])
    query = (context.output.query or "").lower().split()
    words = [word for word in query if len(word) > 3]
    asked = (
        [at for at, value in enumerate(values) if any(word in value.lower() for word in words)]
        if words
        else []
    )
    order.update(dict.fromkeys(asked[:MOST_ODD]))
    order.update(dict.fromkeys(_kinds(shapes)))
    order.update(dict.fromkeys(odd_in([values])[:MOST_ODD]))
    bad = [at for at in gate(ROW_WORDS.pattern).candidates(values) if ROW_WORDS.search(values[at].lower())]
    order.update(dict.fromkeys(bad[:MOST_BAD] if len(bad) <= 0.3 * total else ()))
    order.update(dict.fromkeys([*range(min(HEAD, total)), *range(max(0, total - TAIL), total)]))
    return list(order)


def _kinds(shapes: Sequence[str]) -> list[int]:
    """Returns the first row of each kind, seldom kinds first; nothing where there are too many kinds."""
    counts = Counter(shapes)
    if len(counts) > FEW_KINDS * len(shapes):
        return []
    seldom = max(SELDOM, int(SELDOM_SHARE * len(shapes)))
    first = dict(zip(reversed(shapes), range(len(shapes) - 1, -1, -1), strict=True))
    few = sorted(
        (shape for shape in counts if counts[shape] <= seldom), key=lambda one: (counts[one], first[one])
    )
    many = sorted(
        (shape for shape in counts if counts[shape] > seldom), key=lambda one: (-counts[one], first[one])
    )
    return [first[shape] for shape in [*few, *many][:MOST_KINDS]]


def _what(values: Sequence[str], shapes: Sequence[str]) -> str:
    """Says what rows were left out: their commonest kind, or from which to which."""
    shape, count = Counter(shapes).most_common(1)[0]
    if 2 * count < len(values) or len(values) < 3:
        return ""
    value = values[shapes.index(shape)]
    name = value if len(value) <= NAME_CHARS else f"{value[:NAME_CHARS]}…"
    alike = values.count(value) == count
    return f'{count:,} × {"" if alike else "like "}"{name}"'
