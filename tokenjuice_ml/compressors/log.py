"""Logs without a rule: CI runs, builds, tests, services. Shows the cause, counts the rest."""

from __future__ import annotations

from tokenjuice_ml.compressors.base import assemble, omission_line
from tokenjuice_ml.compressors.log_score import score
from tokenjuice_ml.compressors.log_select import choose, line_costs
from tokenjuice_ml.compressors.log_text import LogText, clean, clip, template_keys
from tokenjuice_ml.compressors.signals import Scan, scan
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

LABEL = "log"
# Longer lines are clipped, chars: 400 tokens of log text.
LONG_LINE = 1200


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the part of a log that tells what happened, or None where nothing needs cutting."""
    budget = context.budget_tokens or context.settings.max_inline_tokens
    log = clean(text)
    if len(text) < 8 * budget and estimate("\n".join(log.lines)) <= budget:
        return _lossless(log)
    found = scan(log.lines, context.settings.signal_patterns)
    return _by_cause(log, found, budget)


def _lossless(log: LogText) -> Reduction | None:
    if not log.changed:
        return None
    return Reduction("\n".join(log.lines), bool(log.progress), LABEL, log.progress)


def _by_cause(log: LogText, found: Scan, budget: int) -> Reduction:
    scores = score(log.lines, template_keys(log.lines), found)
    ranked = scores.ranked()
    shown = log.lines
    chosen = choose(ranked, line_costs(shown, ranked), budget, len(shown))
    keep = [False] * len(shown)
    for number in chosen:
        keep[number] = True
    body = assemble(
        [clip(line, LONG_LINE) if flag else line for line, flag in zip(shown, keep, strict=True)], keep
    )
    head = (
        ""
        if found.found
        else omission_line(0, 1, len(shown), "no error or warning found; the end follows") + "\n"
    )
    omissions = tuple(sorted((*log.progress, *body.omissions), key=lambda gap: gap.first_line))
    return Reduction(head + body.text, True, LABEL, omissions)
