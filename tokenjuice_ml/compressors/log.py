"""Logs without a rule: CI runs, builds, tests, services. Shows the cause, counts the rest.

    clean -> scan -> score -> select -> build

Everything that is slow in Python happens for a bounded number of lines only; what happens for
all of them is done by C code over the whole text.
"""

from __future__ import annotations

from tokenjuice_ml.compressors import log_body, log_census, log_service
from tokenjuice_ml.compressors.asked import lines_asked
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, line_count
from tokenjuice_ml.compressors.log_features import LogView, view
from tokenjuice_ml.compressors.log_odd import odd_lines
from tokenjuice_ml.compressors.log_repeats import folded
from tokenjuice_ml.compressors.log_score import score
from tokenjuice_ml.compressors.log_select import choose, select
from tokenjuice_ml.compressors.log_text import LogText, clean, template_keys, untimed
from tokenjuice_ml.compressors.log_worst import ends_run, rare_worst
from tokenjuice_ml.compressors.signals import ERROR, NONE, OWN, WARNING, scan
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

LABEL = "log"
# Room for the footer and the header, tokens.
RESERVE = 40
LAST_LINES = 3
FEWEST_TOKENS = 200
# Share of kinds among the lines from which a text without any signal does not just repeat itself.
VARIED = 0.3
# Lines looked at from both ends of such a text: more than any budget has room for.
MOST_ENDS = 4000
# More tokens a byte than any text has: shorter texts may fit the budget as they are.
MOST_BYTES_PER_TOKEN = 8


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the part of a log that tells what happened, or None where nothing needs cutting."""
    budget = context.budget_tokens or context.settings.max_inline_tokens
    log = clean(text)
    if fits(log, len(text), budget):
        return small(log)
    body = _as_records(log, text, budget - RESERVE, context) or _by_cause(log, budget - RESERVE, context)
    head = ""
    if context.settings.stats_header:
        before, after = estimate(text), estimate(body.text)
        head = f"{OMISSION_PREFIX} {line_count(log.lines):,} lines, {before:,} tokens; shown: {after:,} tokens]\n"
    return Reduction(head + body.text, True, LABEL, body.omissions)


def fits(log: LogText, size: int, budget: int) -> bool:
    """True when the cleaned log is within the budget already."""
    return size < MOST_BYTES_PER_TOKEN * budget and estimate("\n".join(log.lines)) <= budget


def small(log: LogText) -> Reduction | None:
    """Returns a log that fits: without colours, overwritten progress and repeats, otherwise as it is."""
    if log.changed:
        body = log_body.whole(log)
        return Reduction(body.text, bool(log.progress), LABEL, body.omissions)
    lines, omissions = folded(log.lines)
    return Reduction("\n".join(lines), False, LABEL, tuple(omissions)) if omissions else None


def _looked_at(log: LogText, context: Context) -> LogView:
    keys = template_keys(log.lines)
    return view(log.lines, keys, scan(log.lines, context.settings.signal_patterns, keys))


def _as_records(log: LogText, text: str, budget: int, context: Context) -> log_body.Body | None:
    """Returns the census of a log of records; None for a log of one run."""
    kind = log_census.record_kind(log.lines)
    failed = bool(context.output.exit_code)
    if not kind or (failed and (kind != log_census.TIMED_LOG or not log_service.is_service(log.lines, text))):
        return None
    logged = _looked_at(log, context)
    if failed:
        return log_service.build(log, logged, budget, context.settings.line_refs, context.output)
    if any(ends_run(log.lines, number) for number in logged.exits):
        return None
    if kind == log_census.REPEATED_LOG and not logged.scan.found:
        # Lines that only repeat, tell no time and no trouble are worth a small share of their size.
        budget = min(budget, max(FEWEST_TOKENS, estimate(text) // 64))
    return log_census.build(
        log,
        logged.scan,
        budget,
        names=logged.keys,
        query=context.output.query,
        exit_code=context.output.exit_code,
    )


def _by_cause(log: LogText, budget: int, context: Context) -> log_body.Body:
    """Returns the lines that tell why a run went as it did."""
    bare = untimed(log.lines)
    log = LogText(bare.lines, log.progress, log.changed)
    logged = _looked_at(log, context)
    scores = score(logged)
    odd = odd_lines(log.lines, logged.keys, logged.counts)
    forced = [*_forced(logged), *odd, *lines_asked(log.lines, context.output.query)]
    lines = list(log.lines)
    for number in {*scores, *forced}:
        lines[number] = log_body.clipped(lines[number])
    if _says_all(logged, context.output.exit_code == 0):
        ends = _both_ends(len(lines), bool(context.output.exit_code))
        ends = [*(number for number in logged.scan.hits if logged.scan.levels[number] >= WARNING), *ends]
        for number in ends:
            lines[number] = log_body.clipped(lines[number])
        chosen = choose([*forced, *ends], lines, budget)
    else:
        chosen = select(lines, scores, forced, budget)
    body = log_body.build(log, logged.keys, logged.scan, chosen, context.settings.line_refs)
    trouble = logged.scan.found or log_body.has_unread(log.lines)
    quiet = "" if trouble else log_body.quiet_words(context.output.exit_code)
    return log_body.headed(body, line_count(lines), bare, quiet)


def _says_all(log: LogView, success: bool) -> bool:
    """True where no line is bad and few repeat: the text is an answer, and each line a part of it.

    A word of warning in what a command printed and called a success does not make it a log.
    """
    worst = max((log.scan.levels[number] for number in log.scan.hits), default=NONE)
    if log.exits or worst >= (ERROR if success else WARNING):
        return False
    solid = sum(log.counts[key] for key in log.counts if key.strip())
    return len(log.counts) >= VARIED * solid


def _both_ends(total: int, failed: bool) -> list[int]:
    """Returns all lines from both ends inwards: of a failure three of the end for one of the start."""
    order: list[int] = []
    first, last, step = 0, total - 1, 3 if failed else 1
    while first <= last and len(order) < MOST_ENDS:
        order.append(first)
        order += range(last, max(first, last - step), -1)
        first, last = first + 1, last - step
    return order


def _forced(log: LogView) -> list[int]:
    """Returns the lines to show in any case: the failing exit, the end, the user's own words."""
    total = len(log.lines)
    end = [number for number in range(total - 1, max(-1, total - 30), -1) if log.lines[number].strip()]
    own = [number for number in log.scan.hits if log.scan.marks[number] & OWN]
    worst = rare_worst(log.lines, log.keys, log.counts, log.scan)
    return [*log.exits[-1:], *end[:LAST_LINES], *log.exits[:1], *own, *worst]
