"""The log of a service that ended badly: its kinds of lines, and what came before the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.compressors import log_body, log_census, log_traces
from tokenjuice_ml.compressors.log_access import ACCESS
from tokenjuice_ml.compressors.log_body import Body
from tokenjuice_ml.compressors.log_features import LogView
from tokenjuice_ml.compressors.log_score import score
from tokenjuice_ml.compressors.log_select import choose
from tokenjuice_ml.compressors.log_text import LogText
from tokenjuice_ml.record import replace
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import ToolOutput

# What a service writes at the head of its lines: a level, or the host and the program.
_SPOKEN = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRIT|CRITICAL|FATAL|ALERT|EMERG|PANIC|SEVERE|LOG)\b"
    r"|(?i:\b(?:level|lvl|severity)[\"']?\s?[=:])|\[(?i:trace|debug|info|notice|warn|warning|error|crit|fatal|alert)\]"
    r"|^\W?[IWEF]\d{4} \d\d:|^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,30}) [\w.-]{1,60} [^\s:\[]{1,60}(?:\[\d+\])?: "
)
# Words of builds, test runs and the services that run them: their logs are each of one run.
_OF_BUILDS = (
    *(
        "##[",
        "travis_fold:",
        "section_start:",
        "[Pipeline]",
        "BUILD FAILURE",
        "BUILD SUCCESS",
        "BUILD FAILED",
    ),
    *("npm ERR!", "npm error", "make: ***", "] Error ", "Failed to execute goal", "test session starts"),
    *(
        "Process completed with exit",
        "Compiling ",
        "short test summary",
        "test result:",
        "Tests run:",
        "FAILURE: Build",
    ),
)
SPOKEN, VARIED, HEAD_CHARS = 0.6, 0.5, 160
# The lines before the end that are looked at, those that stay in any case, and their share of the budget.
BEFORE_END, LAST, END_SHARE = 300, 6, 0.45
# A kind of so many lines, or of this part of the log, is how the service runs and led to nothing.
OFTEN, OFTEN_SHARE = 6, 200


def is_service(lines: Sequence[str], text: str) -> bool:
    """Tells whether a timed log is that of a service, not of a build or a test run.

    Args:
        lines: the cleaned log, most lines with a time.
        text: the same as one.
    """
    solid = log_census.sample(lines)
    spoken = sum(1 for line in solid if _SPOKEN.search(line[:HEAD_CHARS]) or ACCESS.match(line[:2000]))
    if spoken < SPOKEN * len(solid) or any(word in text for word in _OF_BUILDS):
        return False
    return len(set(log_census.census_keys(solid))) <= VARIED * len(solid)


def build(log: LogText, view: LogView, budget: int, line_refs: bool, output: ToolOutput) -> Body:
    """Returns the kinds of lines, then the lines that tell how the service ended.

    Args:
        log: the cleaned log.
        view: its signals and counts.
        budget: tokens to spend.
        line_refs: say in omission lines where the next error stands.
        output: what the log is of: the exit code, what the caller looks for.
    """
    chosen = _before_end(log, view, budget * END_SHARE)
    first = min(chosen, default=0)
    end = log_body.build(LogText(log.lines, (), log.changed), view.keys, view.scan, chosen, line_refs)
    text, gaps = end.text, list(end.omissions)
    if gaps and (gaps[0].first_line, gaps[0].last_line) == (1, first):
        # What came before is told by its kinds.
        text, gaps = text.partition("\n")[2], gaps[1:]
    if not first:
        return Body(text, (*log.progress, *gaps))
    hits = tuple([number for number in view.scan.hits if number < first])
    before = replace(view.scan, hits=hits)
    kinds = log_census.build(
        LogText(log.lines[:first], log.progress, log.changed),
        before,
        int(budget * (1 - END_SHARE)),
        with_end=False,
        names=view.keys[:first],
        query=output.query,
        exit_code=output.exit_code,
        told=view.scan.found,
    )
    return Body(f"{kinds.text}\n{text}", (*kinds.omissions, *gaps))


def _before_end(log: LogText, view: LogView, budget: float) -> set[int]:
    """Returns the lines that led to the end: the last ones, and those near it that the log else hardly has."""
    numbers = range(len(log.lines) - 1, -1, -1)
    total = next((number + 1 for number in numbers if log.lines[number].strip()), 0)
    start = max(0, total - BEFORE_END)
    last = [number for number in range(total - 1, start - 1, -1) if log.lines[number].strip()][:LAST]
    often = max(OFTEN, total // OFTEN_SHARE)
    scores = {
        number: value
        for number, value in score(view).items()
        if number >= start and view.counts[view.keys[number]] < often
    }
    lines = list(log.lines)
    for number in {*scores, *last}:
        lines[number] = log_body.clipped(lines[number])
    chosen = choose([*last, *sorted(scores, key=lambda number: (-scores[number], -number))], lines, budget)
    return _whole_traces(log.lines, chosen, max(0, start - log_traces.MOST_LINES), budget)


def _whole_traces(lines: Sequence[str], chosen: set[int], start: int, budget: float) -> set[int]:
    """Returns the chosen lines, of each trace that has one those that tell it: the latest traces first."""
    touched: list[log_traces.Trace] = []
    outside, part = set(chosen), lines[start:]
    for trace in log_traces.find(part, log_census.TIME):
        inside = outside.intersection(range(start + trace.first, start + trace.end))
        if inside:
            touched.append(trace)
            outside -= inside
    left = budget - estimate("\n".join([log_body.clipped(lines[number]) for number in sorted(outside)]))
    kept = set(outside)
    for trace in reversed(touched):
        told = [start + number for number in (trace.first, *log_traces.shown(part, trace))]
        price = estimate("\n".join([log_body.clipped(lines[number]) for number in told]))
        if price <= left or kept == outside:
            kept.update(told)
            left -= price
    return kept
