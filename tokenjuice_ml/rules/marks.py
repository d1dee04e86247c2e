"""Ranks every line of an output by a rule: what is noise, what is cause, what sums up."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress

from tokenjuice_ml.compressors import signals
from tokenjuice_ml.record import Mutable, Record, field
from tokenjuice_ml.rules.blocks import Skipped, Span, find_blocks
from tokenjuice_ml.rules.complaints import complaints, starts_of_complaints
from tokenjuice_ml.rules.patterns import Pattern, hits_of, look_up
from tokenjuice_ml.rules.rare import rare_lines
from tokenjuice_ml.rules.records import compare
from tokenjuice_ml.rules.schema import Rule
from tokenjuice_ml.rules.view import LineView, numbers_folded

PLAIN, SKIP, WARNING, SIGNAL, NEAR, KEEP, BLOCK, SUMMARY = range(8)
_AT_LEAST_BLOCK = bytes(max(rank, BLOCK) for rank in range(256))
# Where a finding is, before what it says.
_LOCATION = re.compile(r"\s*(?:\S{1,200}:)?\d+(?::\d+)?:?\s")
_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{1,16}\b\??")
_QUOTED = re.compile(r"‘[^’]{0,200}’|'[^']{0,200}'|`[^`']{0,200}[`']|\"[^\"]{0,200}\"")
# At most so many kept lines are a verdict, not a cause; of so many kinds of minor findings one is shown.
_VERDICT_LINES, _RARE_KINDS = 3, 8
_VERDICT = re.compile(
    r"\*\*\* \[|\bexit(?:ed)?\b|\bsignal\b|segmentation fault|core dumped|\berror \d+$|\bkilled\b|\baborted\b",
    re.IGNORECASE,
)
# A block of fewer lines may well be the same twice (the same assertion in two tests).
_REPRINT_LINES = 6
# Of so many records that differ from the others each is shown as the rule shows one.
_WHOLE_RECORDS = 4


class Marks(Mutable):
    """The rank of each line and the blocks found.

    Attributes:
        ranks: one of PLAIN … SUMMARY a line.
        spans: blocks, by first line; they may overlap.
        hits: lines hit by step, for `tj rules explain`.
        errors: any line is an error by the engine's own words.
        kinds: the kind of the finding in a line, where the rule tallies them.
        headings: lines that name what follows, ascending.
        yielded: name and count of the minor findings that are not shown, or but for a few.
        sampled: the rarest kinds of these are shown.
        rare: lines of no rank that stand alone among the others.
        alike: how many records are like the first of these, and how many there are.
    """

    ranks: bytearray
    spans: list[Span] = field(factory=list)
    hits: dict[str, int] = field(factory=dict)
    errors: bool = False
    kinds: dict[int, str] = field(factory=dict)
    headings: Sequence[int] = ()
    yielded: tuple[str, int] = ("", 0)
    sampled: bool = False
    rare: Sequence[int] = ()
    alike: tuple[int, int] = (0, 0)

    @property
    def known(self) -> bool:
        """True when the rule or the engine's words know any line that is worth keeping."""
        return max(self.ranks, default=PLAIN) >= WARNING


def mark(
    rule: Rule,
    view: LineView,
    failed: bool,
    success: bool,
    around: tuple[int, int],
    own_words: Sequence[str] = (),
) -> Marks:
    """Returns the rank of each line.

    Args:
        rule: the rule.
        view: the output.
        failed: the exit code says failure.
        success: the exit code says success.
        around: lines kept before and after an error that no pattern knows, on failure.
        own_words: the user's own words; lines that hold one are kept, whatever the rule says.
    """
    marks = Marks(bytearray(len(view.lines)))
    ranks = marks.ranks
    words = [signals.triggers()] if rule.signals else []
    if rule.blocks or not rule.signals:
        words.append(starts_of_complaints())
    look_up(_patterns(rule), view, words)
    _set(marks, "skip", hits_of(rule.skip, view) if rule.skip else (), SKIP)
    keep = hits_of(rule.keep, view) if rule.keep else []
    if rule.context_before or rule.context_after:
        for at in keep:
            _raise_around(ranks, at, rule.context_before, rule.context_after, KEEP)
    _set(marks, "keep", keep, KEEP)
    _mark_blocks(marks, rule, view, success)
    _set(marks, "summary", hits_of(rule.summary, view) if rule.summary else (), SUMMARY)
    if own_words:
        own = [Pattern(re.escape(word), ignore_case=True) for word in own_words if word.strip()]
        _set(marks, "own words", hits_of(own, view), SUMMARY)
    minor = _minor_lines(rule, view, ranks)
    if rule.signals:
        _mark_signals(marks, view, minor.lines, failed, around)
    if marks.spans or minor.blocks or not rule.signals:
        _mark_complaints(marks, view, minor, rule.signals)
    _mark_minor(marks, minor)
    if minor.lines and not marks.hits.get("minor"):
        name = next((block for block in minor.names if block), "")
        marks.yielded = (name, len(minor.blocks) if name and rule.tally is None else 0)
        if failed:
            _mark_rare(marks, view, minor)
    if rule.tally is not None:
        marks.kinds = _kinds_of(rule.tally, view)
        if rule.per_kind:
            _limit_kinds(marks, view, rule.per_kind)
    if rule.records is not None:
        _mark_records(marks, view, rule.records)
    if rule.headings:
        _mark_headings(marks, hits_of(rule.headings, view))
    if rule.signals:
        marks.rare = _rare(marks, view, minor, failed)
    return marks


def _mark_records(marks: Marks, view: LineView, start: Pattern) -> None:
    """Raises what differs between records; of those alike the first is shown, of the others the name."""
    compared = compare(start.hits(view), view)
    if compared is None:
        return
    ranks = marks.ranks
    alike = compared.alike
    gone = bytearray(len(ranks))
    differing = zip(compared.records, compared.unusual, strict=True)
    few = len(compared.records) - len(alike) <= _WHOLE_RECORDS
    for first, end in [*alike[1:], *([] if few else [record for record, lines in differing if lines])]:
        gone[first + 1 : end] = b"\1" * (end - first - 1)
    for at in compress(range(len(gone)), gone):
        ranks[at] = SKIP
    marks.spans = [span for span in marks.spans if not gone[span.first]]
    for (first, _), lines in zip(compared.records, compared.unusual, strict=True):
        for at in lines:
            ranks[at] = max(ranks[at], SIGNAL) if ranks[at] != BLOCK else BLOCK
        ranks[first] = max(ranks[first], SUMMARY if lines else KEEP)
    for at in compared.above:
        ranks[at] = max(ranks[at], KEEP)
    marks.alike = (max(0, len(alike) - 1), len(compared.records))


def _rare(marks: Marks, view: LineView, minor: _Minor, failed: bool) -> list[int]:
    """Returns the lines that stand alone among those of no rank, outside of blocks."""
    inside = {at for span in marks.spans for at in range(span.first, span.last + 1)}
    known = inside | minor.lines
    ranks = marks.ranks
    return rare_lines(view, lambda at: ranks[at] < WARNING and at not in known, failed)


def _patterns(rule: Rule) -> Iterator[Pattern]:
    """Yields the patterns that are asked of all lines."""
    for group in (rule.skip, rule.keep, rule.minor, rule.summary, rule.headings):
        yield from group
    for block in rule.blocks:
        yield from (block.start, *block.skip)
        yield from filter(None, (block.end, block.end_before))
    yield from (counter.pattern for counter in rule.counters)
    yield from filter(None, (counter.minus for counter in rule.counters))
    yield from (item.pattern for item in rule.output_matches)
    if rule.tally is not None:
        yield rule.tally


class _Minor(Record):
    """Lines and blocks that count only where nothing worse was found."""

    lines: frozenset[int]
    blocks: tuple[Span, ...] = ()
    dropped: frozenset[int] = frozenset()

    @property
    def names(self) -> list[str]:
        """The rule's words for the blocks."""
        return [span.name for span in self.blocks]


def _minor_lines(rule: Rule, view: LineView, ranks: bytearray) -> _Minor:
    lines = {at for at in (hits_of(rule.minor, view) if rule.minor else ()) if ranks[at] == PLAIN}
    spans: list[Span] = []
    dropped: set[int] = set()
    for block in rule.blocks:
        if block.minor:
            found = find_blocks(block, view)
            skipped = Skipped(block, view) if found else None
            spans.extend(found)
            for span in found:
                lines.update([at for at in range(span.first, span.last + 1) if ranks[at] == PLAIN])
                dropped.update(skipped.inside(span) if skipped else ())
    return _Minor(frozenset(lines), tuple(spans), frozenset(dropped))


def _mark_minor(marks: Marks, minor: _Minor) -> None:
    """Keeps what is minor when no error, block or keep line is there."""
    ranks = marks.ranks
    if not minor.lines or any(rank in ranks for rank in (SIGNAL, KEEP, BLOCK)):
        return
    inside = {at for span in minor.blocks for at in range(span.first, span.last + 1)}
    for at in minor.lines:
        ranks[at] = SKIP if at in minor.dropped else BLOCK if at in inside else KEEP
    marks.spans = sorted((*marks.spans, *minor.blocks), key=lambda span: (span.first, span.last))
    marks.hits["minor"] = len(minor.lines)


def _mark_rare(marks: Marks, view: LineView, minor: _Minor) -> None:
    """Keeps one line of each of the rarest kinds of minor findings where nothing tells why a run failed.

    A verdict alone (`*** [check] Segmentation fault`) is no cause; a warning that stands once may be.
    """
    ranks = marks.ranks
    if SIGNAL in ranks or BLOCK in ranks or ranks.count(KEEP) > _VERDICT_LINES:
        return
    kept = [line for line, rank in zip(view.matched, ranks, strict=True) if rank == KEEP]
    if not all(_VERDICT.search(line[:300]) for line in kept):
        return
    firsts = [span.first for span in minor.blocks] or sorted(minor.lines)
    kinds: dict[str, list[int]] = {}
    for at in firsts:
        words = _QUOTED.sub("'", _LOCATION.sub("", view.matched[at][:300], count=1))
        kinds.setdefault(_DIGITS.sub("#", words), []).append(at)
    for lines in sorted(kinds.values(), key=lambda lines: (len(lines), lines[0]))[:_RARE_KINDS]:
        ranks[lines[0]] = KEEP
    marks.yielded = (next((block for block in minor.names if block), "minor finding"), len(firsts))
    marks.sampled = True


def _mark_headings(marks: Marks, headings: Sequence[int]) -> None:
    """Keeps a heading when a line under it, up to the next heading, is kept."""
    marks.headings = headings
    ranks = marks.ranks
    ends = (*headings[1:], len(ranks)) if headings else ()
    for at, following in zip(headings, ends, strict=True):
        if ranks[at] < KEEP and any(rank >= WARNING for rank in ranks[at + 1 : following]):
            ranks[at] = KEEP


def _limit_kinds(marks: Marks, view: LineView, most: int) -> None:
    """Leaves the first `most` findings of each kind, and as many that say something new.

    The tally counts the others.
    """
    gone = bytearray(len(marks.ranks))
    findings = list(marks.kinds)
    for at, span in _homes_of(_over_kinds(marks, view, most), marks.spans):
        gone[at] = 1
        # A block of several findings goes on without this one.
        if span is None or bisect_right(findings, span.last) - bisect_left(findings, span.first) > 1:
            continue
        for inner in range(span.first, span.last + 1):
            gone[inner] |= marks.ranks[inner] == BLOCK
    for at in compress(range(len(gone)), gone):
        if marks.ranks[at] <= BLOCK:
            marks.ranks[at] = SKIP
    marks.spans = [span for span in marks.spans if not gone[span.first]]


def _over_kinds(marks: Marks, view: LineView, most: int) -> list[int]:
    """Returns the findings beyond those that stay of each kind."""
    seen: Counter[str] = Counter()
    said: set[tuple[str, str]] = set()
    words: dict[str, str] = {}
    over: list[int] = []
    for at, kind in marks.kinds.items():
        if not WARNING <= marks.ranks[at] <= BLOCK:
            continue
        if seen[kind] < 2 * most:
            line = view.matched[at]
            if line not in words:
                words[line] = _DIGITS.sub("#", _LOCATION.sub("", line, count=1))
            new = (kind, words[line]) not in said
            said.add((kind, words[line]))
            if seen[kind] < most or new:
                seen[kind] += 1
                continue
        over.append(at)
    return over


def _homes_of(lines: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, Span | None]]:
    """Yields each of the ascending lines with the last of the blocks, which are sorted, that holds it."""
    begun: list[Span] = []
    following = 0
    for at in lines:
        while following < len(spans) and spans[following].first <= at:
            begun.append(spans[following])
            following += 1
        while begun and begun[-1].last < at:
            begun.pop()
        yield at, begun[-1] if begun else None


def _kinds_of(tally: Pattern, view: LineView) -> dict[int, str]:
    """Returns the kind of the finding in each line that has one; lines that are the same are asked once."""
    hits = tally.hits(view)
    lines = [view.matched[at] for at in hits]
    known = {line: tally.group(line) for line in dict.fromkeys(lines)}
    return dict(zip(hits, map(known.__getitem__, lines), strict=True))


def _set(marks: Marks, step: str, lines: Sequence[int], rank: int) -> None:
    for at in lines:
        marks.ranks[at] = rank
    if lines:
        marks.hits[step] = len(lines)


def _raise_around(ranks: bytearray, at: int, before: int, after: int, rank: int) -> None:
    for line in range(max(0, at - before), min(len(ranks), at + after + 1)):
        if ranks[line] != SKIP:
            ranks[line] = max(ranks[line], rank)


def _mark_signals(
    marks: Marks, view: LineView, known: frozenset[int], failed: bool, around: tuple[int, int]
) -> None:
    """Looks for the engine's own words in the lines that the rule does not know."""
    ranks = marks.ranks
    alike: dict[str, list[int]] = {}
    shapes = view.groups(view.base.with_any(signals.triggers()))
    # However many digits a number has, a line says the same.
    names = numbers_folded("\n".join([name for name, _ in shapes])).split("\n")
    for name, (_, lines) in zip(names, shapes, strict=bool(shapes)):
        unknown = [at for at in lines if not ranks[at] and at not in known]
        if unknown:
            alike.setdefault(name, []).extend(unknown)
    groups: dict[str, list[int]] = {}
    for name, unknown in alike.items():
        if len(unknown) == 1:
            groups[name] = unknown
        else:
            groups.update(signals.alike(name, unknown, view.matched))
    judged = signals.judge_all([view.matched[lines[0]] for lines in groups.values()], diagnostics=False)
    errors = []
    for lines, (level, _) in zip(groups.values(), judged, strict=True):
        if level >= signals.ERROR:
            errors += lines
        if level >= signals.WARNING:
            for at in lines:
                ranks[at] = SIGNAL if level >= signals.ERROR else WARNING
    errors.sort()
    if failed:
        for at in errors:
            _near(ranks, at, *around)
    marks.errors = bool(errors)
    if errors:
        marks.hits["signals"] = len(errors)


def _mark_complaints(marks: Marks, view: LineView, minor: _Minor, signals_done: bool) -> None:
    """Raises lines that start like a complaint: all of them in listings, else those inside blocks.

    The cause inside a block is worth more than the lines around it when the block gets cut. Minor
    findings are no complaints, but one may stand between the lines of a minor block.
    """
    known = minor.lines - {at for span in minor.blocks for at in range(span.first + 1, span.last + 1)}
    wanted = (BLOCK,) if signals_done else (PLAIN, BLOCK)
    inside, ranks = minor.lines - known, marks.ranks
    if signals_done and not inside and BLOCK not in ranks:
        return
    found = [at for at in complaints(view) if (ranks[at] in wanted and at not in known) or at in inside]
    for at in found:
        marks.ranks[at] = SIGNAL
    if found and not signals_done:
        marks.hits["signals"] = len(found)
        marks.errors = True


def _near(ranks: bytearray, at: int, before: int, after: int) -> None:
    for line in range(max(0, at - before), min(len(ranks), at + after + 1)):
        if ranks[line] == PLAIN:
            ranks[line] = NEAR


def _mark_blocks(marks: Marks, rule: Rule, view: LineView, success: bool) -> None:
    ranks = marks.ranks
    total = 0
    for block in rule.blocks:
        if block.minor or (block.on_failure_only and success):
            continue
        spans = find_blocks(block, view)
        if block.alike_once:
            spans = _first_alike(spans, marks, view)
        if not spans:
            continue
        skipped = Skipped(block, view)
        marks.spans += spans
        total += len(spans)
        for span in spans:
            ranks[span.first : span.last + 1] = ranks[span.first : span.last + 1].translate(_AT_LEAST_BLOCK)
            for at in skipped.inside(span):
                ranks[at] = SKIP
    marks.spans.sort(key=lambda span: (span.first, span.last))
    _drop_reprints(marks, view)
    if total:
        marks.hits["blocks"] = total


def _first_alike(spans: Sequence[Span], marks: Marks, view: LineView) -> list[Span]:
    """Returns the first of the blocks alike in all but numbers; the lines of the others go."""
    seen: set[str] = set()
    firsts: list[Span] = []
    for span in spans:
        text = "\n".join(line[:400] for line in view.matched[span.first : span.last + 1])
        shape = _DIGITS.sub("#", _ADDRESS.sub("#", text)).strip()
        if shape not in seen:
            seen.add(shape)
            firsts.append(span)
            continue
        for at in range(span.first, span.last + 1):
            if marks.ranks[at] <= NEAR:
                marks.ranks[at] = SKIP
    return firsts


def _drop_reprints(marks: Marks, view: LineView) -> None:
    """Takes out long blocks that were printed before, word for word (a summary of all failures)."""
    ranks = marks.ranks
    seen: dict[tuple[str, ...], int] = {}
    left: list[Span] = []
    for span in marks.spans:
        if span.last - span.first < _REPRINT_LINES - 1:
            left.append(span)
            continue
        lines = tuple(line.strip() for line in view.matched[span.first : span.last + 1] if line.strip())
        if len(lines) >= _REPRINT_LINES and seen.get(lines, span.first) < span.first:
            for at in range(span.first, span.last + 1):
                if ranks[at] == BLOCK:
                    ranks[at] = SKIP
            continue
        seen.setdefault(lines, span.last)
        left.append(span)
    marks.spans = left
