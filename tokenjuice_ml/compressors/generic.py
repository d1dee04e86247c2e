"""The fallback for output that nothing else knows: windows around signals, head and tail.

`density` says how much a text has to say; under `semantic_density_threshold` the pipeline
comes here even where another compressor declined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tokenjuice_ml.compressors import log_body
from tokenjuice_ml.compressors.asked import lines_asked
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, line_count
from tokenjuice_ml.compressors.log_odd import odd_lines
from tokenjuice_ml.compressors.log_select import choose
from tokenjuice_ml.compressors.log_text import clean, template_keys
from tokenjuice_ml.compressors.signals import DIAGNOSTIC, ERROR, EXIT, SUMMARY, WARNING, Scan, scan
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

LABEL = "generic"
# Room for the footer, tokens.
RESERVE = 40
# Without any signal more of both ends is shown: this many lines of the head.
QUIET_HEAD = 20
HEAD = 6
# Lines above an indented one in which what it belongs to is looked for.
HEAD_FAR = 4
# Lines unlike all others that come before the windows.
MOST_ODD = 12
# Most windows that are opened; beyond it a budget of thousands of tokens is long spent.
MOST_WINDOWS = 600


def density(text: str) -> float:
    r"""Returns unique lines / lines times non-blank characters / characters, 0 to 1.

    >>> density("a\na\na\na"), density("")
    (0.25, 0.0)
    """
    lines = text.split("\n")
    if not text:
        return 0.0
    solid = len(text) - text.count(" ") - text.count("\t") - (len(lines) - 1)
    return len(set(lines)) / len(lines) * solid / max(1, len(text) - (len(lines) - 1))


def compress(text: str, context: Context) -> Reduction | None:
    """Returns windows around signals with head and tail, or None where all fits the budget."""
    budget = context.budget_tokens or context.settings.max_inline_tokens
    log = clean(text)
    lines = log.lines
    if len(text) < 8 * budget and estimate("\n".join(lines)) <= budget:
        return None
    keys = template_keys(lines)
    found = scan(lines, context.settings.signal_patterns, keys)
    asked = lines_asked(lines, context.output.query)
    odd = odd_lines(lines, keys, Counter(keys), MOST_ODD)
    ranked = list(dict.fromkeys([*asked, *odd, *_ranked(lines, found, context.settings)]))
    shown = list(lines)
    for number in ranked:
        shown[number] = log_body.clipped(shown[number])
    chosen = choose(ranked, shown, budget - RESERVE)
    body = log_body.build(log, keys, found, chosen, context.settings.line_refs)
    quiet = not (found.found or log_body.has_unread(lines) or log_body.are_settings(lines))
    words = log_body.quiet_words(context.output.exit_code)
    note = f"{OMISSION_PREFIX} {words} in {line_count(lines):,} lines]\n" if quiet else ""
    return Reduction(note + body.text, True, LABEL, body.omissions)


def _ranked(lines: Sequence[str], found: Scan, settings: Settings) -> list[int]:
    """Returns line numbers in the order in which they deserve the budget."""
    total = len(lines)
    order: dict[int, None] = {}
    tail = range(max(0, total - settings.tail_lines), total)
    _add(order, range(min(total, HEAD if found.found else QUIET_HEAD)))
    _add(order, reversed(tail[-12:]))
    worst_first = sorted(
        (number for number in found.hits if found.levels[number] >= WARNING or found.marks[number] & SUMMARY),
        key=lambda number: (-found.levels[number], -number),
    )
    for number in worst_first[:MOST_WINDOWS]:
        before, after = _window(found.levels[number], found.marks[number], settings)
        first = min(_head_of(lines, number), number - before)
        _add(order, range(max(0, first), min(total, number + after + 1)))
    _add(order, reversed(tail))
    if not found.found:
        _add(order, range(total - 1, max(-1, total - 2000), -1))
    return list(order)


def _head_of(lines: Sequence[str], number: int) -> int:
    """Returns the line near above that an indented line belongs to, the line itself where there is none."""
    depth = len(lines[number]) - len(lines[number].lstrip())
    for at in range(number - 1, max(-1, number - 1 - HEAD_FAR), -1):
        if lines[at].strip() and len(lines[at]) - len(lines[at].lstrip()) < depth:
            return at
    return number


def _window(level: int, marks: int, settings: Settings) -> tuple[int, int]:
    if level < ERROR:
        return 0, 0
    if marks & (DIAGNOSTIC | EXIT):
        return settings.build_context_before, settings.build_context_after
    return settings.context_before, settings.context_after


def _add(order: dict[int, None], numbers: Iterable[int]) -> None:
    order.update(dict.fromkeys(numbers))
