"""Applies a rule to an output: the order of steps of `rules/README.md`, in one function."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from itertools import chain

from tokenjuice_ml.compressors.asked import lines_asked
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, omission_line, utf8_len
from tokenjuice_ml.compressors.gates import folded_low
from tokenjuice_ml.compressors.needles import Needles
from tokenjuice_ml.record import Mutable, Record, field, replace
from tokenjuice_ml.resting import resting
from tokenjuice_ml.rules import choose, failures, marks
from tokenjuice_ml.rules.complaints import complaint_words, complaints
from tokenjuice_ml.rules.patterns import Pattern, hits_of
from tokenjuice_ml.rules.render import render
from tokenjuice_ml.rules.schema import Rule, Window
from tokenjuice_ml.rules.view import LineView, strip_ansi
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Kind, Omission, Reduction

LABEL = "rule"
# With a failure and no known line, at least this much of the end stays.
_BLIND_FAILURE = Window(12, 48)
# What a result set of a database client may take.
_TABLE_TOKENS = 1000
# A failure window of at most this many lines is meant also where nothing explains the exit code.
_DELIBERATE = 4
_TALLY_KINDS = 8
# Keep lines shown beside another compressor's body.
_KEPT_BESIDE = 20
# Characters at the start that tell whether a text is JSON, and what such a document begins with.
_HEAD_CHARS, _JSON_STARTS = 2_000, frozenset('{["-0123456789tfnNI')
_DELEGATES: dict[str, str] = {
    "diff": "diff",
    "search": "search",
    "log": "log",
    "json": "jsonish",
    "html": "html_page",
    "code": "code",
    "table": "table",
    "generic": "generic",
}


class Trace(Mutable):
    """What each step did, for `tj rules explain`: (step, lines it touched, note)."""

    steps: list[tuple[str, int, str]] = field(factory=list)

    def add(self, step: str, lines: int, note: str = "") -> None:
        """Records one step."""
        self.steps.append((step, lines, note))


class Outcome(Record):
    """What the exit code says. Unknown is neither."""

    code: int | None
    failed: bool
    success: bool

    @classmethod
    def of(cls, context: Context) -> Outcome:
        """Returns the outcome; 0 out of a pipe or after `|| true` proves nothing."""
        code = context.output.exit_code
        masked = context.command is not None and context.command.exit_masked
        return cls(code, code not in (None, 0), code == 0 and not masked)


def apply(rule: Rule, text: str, context: Context, trace: Trace | None = None) -> Reduction | None:
    """Returns the output cut by `rule`, or None where there is nothing to cut.

    Args:
        rule: the rule.
        text: the whole output.
        context: exit code, settings, budget.
        trace: receives what each step did.

    The collector of cycles rests meanwhile.
    """
    with resting():
        return _apply(rule, text, context, trace or Trace())


def _apply(rule: Rule, text: str, context: Context, trace: Trace) -> Reduction | None:
    if rule.exact:
        trace.add("exact", 0, "a machine reads this; it stays as it is")
        return None
    outcome = Outcome.of(context)
    plain = strip_ansi(text) if rule.strip_ansi and _is_handed_on(rule, text) else None
    handed = _by_others(rule, text, text if plain is None else plain, context, trace)
    if handed is not None:
        return replace(handed, rule=rule.id)
    if _declined_for_good(rule, text, context):
        trace.add("declined", 0, "its own compressor finds nothing to cut")
        return None
    if rule.pretty_json:
        text, plain = _pretty(text), None
    view = LineView(text, keep_ansi=not rule.strip_ansi, plain=plain)
    if not view.lines:
        return None
    settings = context.settings
    around = (settings.context_before, settings.context_after)
    ranked = marks.mark(rule, view, outcome.failed, outcome.success, around, settings.signal_patterns)
    _trace_marks(trace, ranked)
    message = _success_message(rule, view, ranked, outcome, trace)
    if message is not None:
        return message
    if _is_short_result(rule, text, ranked, outcome):
        trace.add("declined", 0, "a short result stays whole: no window knows its odd rows")
        return None
    if _knows_nothing(rule, view, ranked, outcome):
        generic = _call("generic", text, context)
        if generic is not None:
            trace.add("generic", len(view.lines), "no line is known to the rule")
            return replace(generic, rule=rule.id)
    for at in ranked.rare:
        ranked.ranks[at] = max(ranked.ranks[at], marks.WARNING)
    for at in lines_asked(view.lines, context.output.query):
        ranked.ranks[at] = marks.SUMMARY
    keep = _select(rule, view, ranked, outcome, trace)
    keep = choose.fit(keep, view, ranked, context.budget_tokens, rule.prefer)
    if rule.odd and not outcome.failed:
        odd = choose.add_odd(keep, view, ranked, context.output.query)
        trace.add("odd", odd, "lines unlike the others that the window leaves out")
        keep = choose.fit(keep, view, ranked, context.budget_tokens, rule.prefer) if odd else keep
    trace.add("budget", sum(keep), f"lines kept under {context.budget_tokens} tokens")
    return _finish(rule, text, view, ranked, keep, outcome)


def _is_handed_on(rule: Rule, text: str) -> bool:
    """Returns False where no other compressor takes the text: it does not begin as JSON does."""
    if rule.delegate != "json":
        return bool(rule.delegate)
    return strip_ansi(text[:_HEAD_CHARS]).lstrip("\ufeff \t\r\n")[:1] in _JSON_STARTS


def _by_others(rule: Rule, text: str, plain: str, context: Context, trace: Trace) -> Reduction | None:
    """Delegate, formatter and table, in this order; the first that answers."""
    if rule.delegate:
        name = rule.delegate
        if name == "auto":
            name = "" if context.detection.kind is Kind.PLAIN_TEXT else context.detection.kind.value
        inside = context
        if name == "table":
            inside = replace(context, budget_tokens=min(context.budget_tokens, _TABLE_TOKENS))
        result = _call(name, plain, inside) if name else None
        trace.add("delegate", 0 if result is None else 1, name if result else f"{name} declined")
        if result is not None and (_worth(result, text) or _whole_table(result)):
            return _with_kept_lines(rule, text, result)
    if rule.formatter:
        from tokenjuice_ml.rules.formatters import FORMATTERS

        result = FORMATTERS[rule.formatter](text, context)
        trace.add("formatter", 0 if result is None else 1, rule.formatter)
        if result is not None:
            return result
    if rule.table is not None:
        from tokenjuice_ml.rules.tabular import cut_table

        result = cut_table(rule.table, text, context)
        trace.add("table", 0 if result is None else 1)
        return result if result is None else _with_kept_lines(rule, text, result)
    return None


def _declined_for_good(rule: Rule, text: str, context: Context) -> bool:
    """A short diff or table that its compressor leaves alone is not for a window to cut."""
    if not (rule.delegate or rule.table) or rule.skip or rule.keep or rule.blocks or rule.summary:
        return False
    if rule.delegate == "diff":
        return True  # of a diff no window may cut what its compressor left
    return len(text) <= 8 * context.budget_tokens and estimate(text) <= context.budget_tokens


def _call(name: str, text: str, context: Context) -> Reduction | None:
    """Runs another kind's compressor; None where it is missing or declines."""
    try:
        module = import_module(f"tokenjuice_ml.compressors.{_DELEGATES[name]}")
    except ImportError:
        return None
    compress: Callable[[str, Context], Reduction | None] = module.compress
    return compress(text, context)


def _worth(result: Reduction, text: str) -> bool:
    """Returns False where another's body costs about as many tokens as the text."""
    # With a line end behind it, as under the footer to come: its weight is known by then.
    return len(result.text) < len(text) // 4 or estimate(f"{result.text}\n") < 0.9 * estimate(text)


def _is_short_result(rule: Rule, text: str, ranked: marks.Marks, outcome: Outcome) -> bool:
    """Returns True for what a database client answered, of one column or in a form of its own."""
    if rule.delegate != "table" or outcome.failed or marks.SKIP in ranked.ranks:
        return False
    return len(text) <= 8 * _TABLE_TOKENS and estimate(text) <= _TABLE_TOKENS


def _whole_table(result: Reduction) -> bool:
    """A table that lost only padding and fits is not for a window to cut: it knows no odd rows."""
    return result.compressor == "table" and not result.lossy and estimate(result.text) <= 2 * _TABLE_TOKENS


def _with_kept_lines(rule: Rule, text: str, result: Reduction) -> Reduction:
    """Puts the rule's keep lines (refused folders, unreadable files) before a body that lacks them.

    A search result or a table gets the complaints between its lines too.
    """
    listing = result.compressor in ("search", "table")
    if not (rule.keep or listing):
        return result
    view = LineView("\n".join(_likely(rule, strip_ansi(text), listing)))
    shown = set(result.text.split("\n"))
    wanted = set(hits_of(rule.keep, view)) if rule.keep else set()
    if listing:
        wanted.update(complaints(view))
    missing = [view.lines[at] for at in sorted(wanted) if view.lines[at] not in shown]
    if not missing:
        return result
    return replace(result, text="\n".join([*missing[:_KEPT_BESIDE], result.text]))


def _likely(rule: Rule, text: str, listing: bool) -> list[str]:
    """Returns the lines that may be ones to keep or complaints, as a look at the words tells."""
    needles = _looking_for(rule.keep, listing)
    lines = text.split("\n")
    return lines if needles is None else [lines[at] for at in needles.lines(folded_low(f"\n{text}"), -1)]


@lru_cache(maxsize=32)
def _looking_for(keep: tuple[Pattern, ...], complaining: bool) -> Needles | None:
    """Returns the words of these patterns, and those that complaints hold; None where not all are known."""
    words = [pattern.words() for pattern in keep]
    if not all(words):
        return None
    more = complaint_words() if complaining else ()
    return Needles(tuple(dict.fromkeys(chain(*words, more))))


def _pretty(text: str) -> str:
    """Returns JSON on indented lines, numbers as they were written."""
    try:
        data = json.loads(
            text, parse_float=lambda number: f"\0{number}", parse_constant=lambda name: f"\0{name}"
        )
        pretty = json.dumps(data, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return re.sub(r'"\\u0000([^"\\]*)"', r"\1", pretty)


def _trace_marks(trace: Trace, ranked: marks.Marks) -> None:
    for step in ("skip", "signals", "keep", "blocks", "minor", "summary"):
        trace.add(step, ranked.hits.get(step, 0))


def _success_message(
    rule: Rule, view: LineView, ranked: marks.Marks, outcome: Outcome, trace: Trace
) -> Reduction | None:
    """The short form of a success; never on failure, unknown exit code, or with an error in sight."""
    if not outcome.success or ranked.errors or ranked.spans or marks.KEEP in ranked.ranks:
        return None
    for item in rule.output_matches:
        hits = item.pattern.hits(view)
        if hits and not (item.unless is not None and item.unless.hits(view)):
            trace.add("outputMatches", len(hits), item.message)
            return _message(rule, view, item.message, hits[-1])
    if rule.on_empty and _all_skipped(view, ranked):
        trace.add("onEmpty", 0, rule.on_empty)
        return _message(rule, view, rule.on_empty, None)
    return None


def _all_skipped(view: LineView, ranked: marks.Marks) -> bool:
    pairs = zip(ranked.ranks, view.lines, strict=True)
    return all(rank == marks.SKIP or not line.strip() for rank, line in pairs)


def _message(rule: Rule, view: LineView, message: str, shown: int | None) -> Reduction | None:
    total = len(view.lines)
    size = sum(utf8_len(line) + 1 for line in view.original)
    body = []
    if shown is not None:
        body.append(view.lines[shown])
        size -= utf8_len(view.original[shown]) + 1
    left_out = total - len(body)
    if not left_out:
        return None
    message = " ".join(message.split())
    body.append(omission_line(left_out, 1, total, message))
    if utf8_len("\n".join(body)) >= sum(utf8_len(line) + 1 for line in view.original):
        return None
    return Reduction(
        "\n".join(body), True, LABEL, (Omission(1, total, left_out, size, message),), rule=rule.id
    )


def _knows_nothing(rule: Rule, view: LineView, ranked: marks.Marks, outcome: Outcome) -> bool:
    """Returns True for an output that the rule does not recognise: a new version, another language.

    A list that did not fail has no line worth keeping by itself: what the rule counts is recognised too.
    """
    selective = bool(rule.keep or rule.blocks or rule.summary)
    if not selective or ranked.known or marks.PLAIN not in ranked.ranks:
        return False
    return outcome.failed or not any(counter.pattern.hits(view) for counter in rule.counters)


def _select(rule: Rule, view: LineView, ranked: marks.Marks, outcome: Outcome, trace: Trace) -> bytearray:
    """Returns the lines to show, budget aside."""
    keep = choose.keep_ranked(ranked)
    choose.cut_long_blocks(keep, ranked.spans, ranked.ranks)
    window = _window(rule, ranked, outcome)
    if window is not None:
        before = sum(keep)
        add = choose.add_largest if rule.prefer == "largest" else choose.add_window
        add(keep, view, ranked.ranks, window)
        trace.add("window", sum(keep) - before, f"head {window.head}, tail {window.tail}")
    if not any(keep):
        choose.add_window(keep, view, bytearray(len(keep)), Window(1, 2))
    dropped = choose.drop_repeats(keep, view, ranked.ranks, rule.dedupe)
    trace.add("dedupe", dropped, rule.dedupe)
    return keep


def _window(rule: Rule, ranked: marks.Marks, outcome: Outcome) -> Window | None:
    """Returns how many plain lines stay at both ends, None for none."""
    selective = bool(rule.keep or rule.blocks)
    cause = any(rank in ranked.ranks for rank in (marks.SIGNAL, marks.KEEP, marks.BLOCK))
    if outcome.failed and not cause:
        if marks.SUMMARY in ranked.ranks and rule.failure.head + rule.failure.tail <= _DELIBERATE:
            return rule.failure  # the tool gave its verdict; the rule says that little else explains it
        return Window(
            max(rule.failure.head, _BLIND_FAILURE.head), max(rule.failure.tail, _BLIND_FAILURE.tail)
        )
    if not selective:
        return rule.failure if outcome.failed else rule.summarize
    if outcome.failed:
        return Window(0, min(2, rule.failure.tail))
    return rule.window_on_success if outcome.success or (rule.odd and not ranked.known) else None


def _finish(
    rule: Rule, text: str, view: LineView, ranked: marks.Marks, keep: bytearray, outcome: Outcome
) -> Reduction | None:
    body, gaps = render(view, keep)
    result = "\n".join(body)
    if gaps:
        header = _header(rule, view, ranked, outcome, keep)
        if header and len(result) + len(header) < len(text):
            result = f"{header}\n{result}"
    if len(result) >= len(text.rstrip("\n")):
        return None
    return Reduction(result, bool(gaps), LABEL, tuple(gaps), rule=rule.id)


def _header(rule: Rule, view: LineView, ranked: marks.Marks, outcome: Outcome, keep: bytearray) -> str:
    """Returns the line with exit code and counts, "" when it would say nothing."""
    facts = []
    for counter in rule.counters:
        count = len(counter.pattern.hits(view)) - (len(counter.minus.hits(view)) if counter.minus else 0)
        if count > 0:
            facts.append(f"{count:,} {plural(counter.name, count)}")
    name, count = ranked.yielded
    if count and name not in (counter.name for counter in rule.counters):
        shown = ", the rarest kinds shown" if ranked.sampled else ""
        facts.append(f"{count:,} {plural(name, count)}{shown}")
    if ranked.alike[0]:
        facts.append(
            f"{ranked.alike[0]:,} of {ranked.alike[1]:,} records as the first of them, but for values of their own"
        )
    facts.extend(_tally(ranked))
    parts = [f"exit {outcome.code}"] if outcome.failed else []
    if facts:
        parts.append(", ".join(facts))
    if rule.failures is not None and (lost := failures.told(rule.failures, view, keep)):
        parts.append(lost)
    return f"{OMISSION_PREFIX} {'; '.join(parts)}]" if parts else ""


def _tally(ranked: marks.Marks) -> list[str]:
    """Returns how often each kind of finding occurs, most frequent first."""
    kinds = Counter(kind for kind in ranked.kinds.values() if kind)
    shown = [f"{count:,} × {kind}" for kind, count in kinds.most_common(_TALLY_KINDS)]
    rest = sum(kinds.values()) - sum(count for _, count in kinds.most_common(_TALLY_KINDS))
    return [*shown, f"{rest:,} of {len(kinds) - _TALLY_KINDS} other kinds"] if rest else shown


def plural(name: str, count: int) -> str:
    """Returns `name` in the number that `count` asks for.

    >>> plural("failed test", 2), plural("passed", 3), plural("branch", 2), plural("entry", 1)
    ('failed tests', 'passed', 'branches', 'entry')
    """
    if count == 1 or name.endswith(
        ("passed", "failed", "skipped", "failing", "passing", "pending", "ignored")
    ):
        return name
    if name.endswith(("s", "x", "z", "sh", "ch")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}s"
