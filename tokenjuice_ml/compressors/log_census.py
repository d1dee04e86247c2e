"""Logs of records (services, access logs, metrics): what kinds of lines there are, and how many.

Such a log has no cause to find; its story is which messages came how often, which were rare or
bad, and from when to when. One line of each kind is shown verbatim behind its count; lines
alike in all but numbers are of one kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, islice, zip_longest

from tokenjuice_ml.compressors import log_far, log_slots, log_traces
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, line_count, utf8_len
from tokenjuice_ml.compressors.log_access import ACCESS, Failed, is_few, look
from tokenjuice_ml.compressors.log_asked import records_asked
from tokenjuice_ml.compressors.log_body import LONG_LINE, Body, quiet_words
from tokenjuice_ml.compressors.log_fields import totals
from tokenjuice_ml.compressors.log_inline import shortened
from tokenjuice_ml.compressors.log_text import LogText, clip, template_keys
from tokenjuice_ml.compressors.log_traces import Trace
from tokenjuice_ml.compressors.log_trend import FEWEST as FEWEST_TOLD
from tokenjuice_ml.compressors.log_trend import MOST_LINES, trend
from tokenjuice_ml.compressors.log_worst import worst_of
from tokenjuice_ml.compressors.signals import ERROR, OWN, WARNING, Scan
from tokenjuice_ml.record import Record
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Omission

TIME = re.compile(
    # The service or pod in front of each line, as tools that join several logs write it.
    r"(?:[\w./-]{1,60} {0,30}\| {1,2}|\[(?:pod|container)/[^\]\s]{1,120}\] )?"
    r"\W{0,3}(?:\w{1,12}=\W?)?(?:"
    r"\d{4}[-/.]\d\d[-/.]\d\d|\d\d/\d\d/\d\d|\d{6} \d{6}|(?:[01]\d|2[0-3]):[0-5]\d:\d\d(?!:[0-9A-Fa-f]{2}:)"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}|1\d{9}\b|\d{1,9}\.\d{3,6}: |[IWEF]\d{4} \d\d:|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d )"
)
_STAMP = re.compile(
    r"\d{4}[-/.]\d\d[-/.]\d\d(?:[T ]\d\d:\d\d:\d\d)?|\d\d/\d\d/\d\d \d\d:\d\d:\d\d|\d{6} \d{6}"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    # Bytes of keys with colons are no times.
    r"|(?<![0-9A-Fa-f]:)(?:[01]\d|2[0-3]):[0-5]\d:\d\d(?!:[0-9A-Fa-f]{2})(?![0-9A-Fa-f])"
)
_BREAK = r"\s\"'\[\]()<>{}=,;|"
_VARIABLE = re.compile(
    rf"(?<![^{_BREAK}:])[^{_BREAK}0-9:]*[0-9][^{_BREAK}]*|(?<![a-z])[0-9a-f]{{8,}}(?![a-z])"
)
# Words with digits, single signs and names of months at the start of a line.
_HEAD = re.compile(r"(?:(?:[A-Z][a-z]{2}|[-|*]|(?=[^\s=\"]{0,60}\d)[^\s=\"]{1,60}) {1,4}){1,9}")
# The host and the program behind the time, as system logs have them, or the service before it: these stay.
_NAMED = re.compile(
    r"(?P<head>(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,30}) )[\w.-]{1,60} [^\s:\[]{1,60}(?:\[\d+\])?: "
    r"|[\w./-]{1,60} {0,30}\| "
)
_TO_DIGIT = re.compile(r"\D*")
SHORT_HEAD, LONG_HEAD = 14, 40
_KEY_CHARS = 160
SAMPLE = 400
FEWEST = 60
# Share of lines that begin with a time, or of lines whose kind has come before.
TIMED, REPEATED = 0.6, 0.6
EXEMPLAR_CHARS = 260
# What ends the keys of lines that a query names.
ASKED = "\0?"
# The memory around a fault, as sanitizers print it at the end of their reports, lines of a log that are looked at.
_SHADOW, MOST_SHADOW = ("Shadow byte", "Memory tags around", "  Shadow byte"), 20_000
# The number of a line of ours.
NOT_SHOWN = -1
MOST_BLOCK = 12
# More kinds of traces than that differ in words, not in what was thrown.
MOST_TRACES = 40
# Shares of the budget: bad kinds, then frequent ones, the rest for rare ones.
BAD_SHARE, FREQUENT_SHARE = 0.45, 0.5
MOST_KINDS = 4000
# Lines looked at for numbers that rise or fall.
MOST_SAMPLED = 20_000
# Kinds of at most so many lines that say the worst (a panic, a full disk) go before frequent errors.
RARE = 3
WORST, OWNED = ERROR + 1, ERROR + 2


def census_keys(lines: Sequence[str]) -> list[str]:
    """Returns a key for each line, equal for lines that differ in numbers and hashes only."""
    text = "\n".join([line if len(line) <= _KEY_CHARS else line[:_KEY_CHARS] for line in lines])
    return _VARIABLE.sub("0", text.lower()).split("\n")


def keys_of(names: Sequence[str]) -> list[str]:
    """Returns the census keys of lines by their template keys, which tell as much."""
    some = list(dict.fromkeys(names))
    of_name = dict(zip(some, census_keys(some), strict=True))
    return list(map(of_name.__getitem__, names))


TIMED_LOG, REPEATED_LOG = 1, 2
_FRAMES = ("\tat ", "    at ", "\t... ")


def sample(lines: Sequence[str]) -> list[str]:
    """Returns some of the lines, from all parts of the log: no blank ones, and no frames of traces."""
    some = lines[:: max(1, len(lines) // SAMPLE)]
    return [line for line in some if line.strip() and not line.startswith(_FRAMES)]


def record_kind(lines: Sequence[str]) -> int:
    """Returns TIMED_LOG or REPEATED_LOG for a log of records, 0 for any other log.

    Most lines of the first begin with a time; in the second few kinds make up most lines.
    """
    solid = sample(lines)
    if len(lines) < FEWEST or not solid:
        return 0
    timed = sum(1 for line in solid if TIME.match(line[:220]) or ACCESS.match(line[:2000]))
    if timed >= TIMED * len(solid):
        return TIMED_LOG
    return REPEATED_LOG if len(set(census_keys(solid))) <= (1 - REPEATED) * len(solid) else 0


class _Kind(Record):
    """Lines that are alike: count, first and last 0-based number, worst level, values, the word that matters."""

    count: int
    first: int
    last: int
    level: int
    notes: tuple[str, ...] = ()
    word: str = ""


def build(
    log: LogText,
    found: Scan,
    budget: int,
    with_end: bool = True,
    names: Sequence[str] | None = None,
    query: str | None = None,
    exit_code: int | None = None,
    told: bool = False,
) -> Body:
    """Returns the census of a log of records.

    Args:
        log: the cleaned log.
        found: its signals.
        budget: tokens to spend.
        with_end: the last line stands behind the kinds.
        names: the template key of each line, where they are known.
        query: what the caller looks for.
        exit_code: of the command, where it is known.
        told: True where trouble is told elsewhere.
    """
    lines = log.lines
    keys = keys_of(names if names is not None else template_keys(lines))
    traces = _traces(keys, lines)
    access = look(lines)
    slots = log_slots.look(lines, keys, not access.totals)
    keys = slots.keys
    values = log_far.Far((), {}) if access.totals else log_far.look(lines, keys)
    asked = _ask(keys, lines, query, traces)
    _tell_ranges(slots, values)
    kinds = _kinds(keys, lines, found, traces, slots, asked)
    trouble = told or found.found or access.trouble or slots.failed or _is_dump(lines)
    opening = [*access.totals, *totals(lines), *(_failed(lines, one) for one in access.failed)]
    if access.more:
        opening.append(f"{OMISSION_PREFIX} {access.more:,} more lines of 500 and above, of other paths]")
    far = [_Kind(1, number, number, WARNING) for number in sorted({*slots.far, *values.lines})]
    quiet = "" if trouble else quiet_words(exit_code, len(far))
    top = _span_line(lines, len(kinds), (), quiet)
    chosen = _choose(lines, [*kinds, *far], traces, budget - estimate("\n".join([top, *opening])))
    out: list[str] = opening
    shown = {one.first for one in access.failed}
    trends = _trends(keys, lines, chosen)
    for kind in sorted(chosen, key=lambda kind: (kind.first, -kind.count)):
        if kind.first not in shown:
            below = _below(lines, kind, traces)
            out.append(_exemplar(kind, lines, trends.get(kind.first, "")))
            out.extend(text for _, text in below)
            shown.update((kind.first, *(number for number, _ in below)))
    shown.discard(NOT_SHOWN)
    end = next((number for number in range(len(lines) - 1, -1, -1) if lines[number].strip()), 0)
    if with_end and end not in shown:
        shown.add(end)
        out.append(clip(lines[end], EXEMPLAR_CHARS))
    named = {keys[number] for number in shown}
    hidden = [kind.count for kind in kinds if keys[kind.first] not in named]
    quiet = "" if trouble else quiet_words(exit_code, len(chosen.intersection(far)))
    top = _span_line(lines, len(kinds), hidden, quiet)
    return Body("\n".join([top, *out]), (_omission(lines, shown), *log.progress))


def _tell_ranges(slots: log_slots.Slots, values: log_far.Far) -> None:
    """Adds to what is told of a kind between what values its slots lie."""
    for key, notes in values.notes.items():
        told = slots.notes[key]
        names = {_named(note).rstrip(" =:-") for note in told}
        told += [note for note in notes if _named(note).rstrip(" =:-") not in names]


def _ask(
    keys: list[str], lines: Sequence[str], query: str | None, traces: Mapping[int, Trace]
) -> dict[str, str]:
    """Gives lines that the query names keys of their own; returns these keys with the word that was found."""
    asked: dict[str, str] = {}
    for number, word in records_asked(lines, query).items():
        at = traces[number].first if number in traces else number
        if not keys[at].endswith(ASKED):
            keys[at] += ASKED
        asked.setdefault(keys[at], word)
    return asked


def _failed(lines: Sequence[str], one: Failed) -> str:
    """Returns the first of the answers that failed alike, behind their count, last time and who gave them."""
    line = clip(lines[one.first], EXEMPLAR_CHARS)
    if one.count == 1:
        return line
    place = f", {one.place}" if one.place else ""
    times = _times(lines[one.first], lines[one.last], True)
    return f"{OMISSION_PREFIX} {one.count:,}× L{one.first + 1}-L{one.last + 1}{times}{place}] {line}"


def _traces(keys: list[str], lines: Sequence[str]) -> dict[int, Trace]:
    """Returns for each line of a trace its trace, and puts one key for the whole of it among the keys."""
    found = log_traces.find(lines, TIME)
    told = [[lines[number] for number in trace.told] for trace in found]
    kinds = _of_traces([[keys[trace.first], *some] for trace, some in zip(found, told, strict=True)])
    if len(set(kinds)) > MOST_TRACES:
        kinds = _of_traces(
            [[line.removeprefix("Caused by: ").split(":")[0] for line in some[1:]] for some in told]
        )
    if any(line.startswith(_SHADOW) for line in lines[-MOST_SHADOW:]):
        _fold_shadow(keys, lines)
    inside: dict[int, Trace] = {}
    for trace, key in zip(found, kinds, strict=True):
        keys[trace.first : trace.end] = [key, *[""] * (trace.end - trace.first - 1)]
        inside.update(dict.fromkeys(range(trace.first, trace.end), trace))
    return inside


def _fold_shadow(keys: list[str], lines: Sequence[str]) -> None:
    """Puts one key for the bytes of memory around a fault, and the words for them, among the keys."""
    inside = ""
    for number in range(max(0, len(lines) - MOST_SHADOW), len(lines)):
        line = lines[number]
        if line.startswith(_SHADOW):
            inside = inside or keys[number]
        elif not line.startswith(("  ", "=>")):
            inside = ""
        if inside:
            keys[number] = inside


def _of_traces(told: Sequence[Sequence[str]]) -> list[str]:
    """Returns the key of each trace by what tells it from others."""
    folded = iter(census_keys([line for some in told for line in some]))
    return ["\0".join(["trace", *islice(folded, len(some))]) for some in told]


def _below(lines: Sequence[str], kind: _Kind, traces: Mapping[int, Trace]) -> list[tuple[int, str]]:
    """Returns what stands under a line shown, with numbers: its trace, gaps marked, or its indented lines."""
    trace = traces.get(kind.first)
    if trace is None:
        return [(number, clip(lines[number], EXEMPLAR_CHARS)) for number in _block(lines, kind)]
    below: list[tuple[int, str]] = []
    for number, gap in log_traces.with_gaps(lines, trace):
        below += [(NOT_SHOWN, gap)] if gap else []
        below += [(number, clip(lines[number], EXEMPLAR_CHARS))] if number < trace.end else []
    return below


def _block(lines: Sequence[str], kind: _Kind) -> range:
    """Returns the lines that continue a bad line: a trace, its causes, an indented detail."""
    end = kind.first + 1
    while (
        kind.level >= WARNING
        and end < min(len(lines), kind.first + 1 + MOST_BLOCK)
        and lines[end].startswith((" ", "\t", "Caused by", "..."))
        and not lines[end].isspace()
    ):
        end += 1
    return range(kind.first + 1, end)


def _kinds(
    keys: Sequence[str],
    lines: Sequence[str],
    found: Scan,
    traces: Mapping[int, Trace],
    slots: log_slots.Slots,
    asked: Mapping[str, str],
) -> list[_Kind]:
    counts = Counter(keys)
    first: dict[str, int] = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    last: dict[str, int] = dict(zip(keys, range(len(keys)), strict=True))
    key_of = {at: keys[traces[at].first if at in traces else at] for at in found.hits}
    level = {**slots.levels, **dict.fromkeys(asked, OWNED)}
    for key in asked:
        if slots.levels.get(key.removesuffix(ASKED)):
            slots.notes.setdefault(key, slots.notes.get(key.removesuffix(ASKED), []))
    for number, key in key_of.items():
        worst = OWNED if found.marks[number] & OWN else found.levels[number]
        if worst > level.get(key, 0):
            level[key] = worst
    rare = [at for at in found.hits if found.levels[at] == ERROR and counts[key_of[at]] <= RARE]
    for number in worst_of(lines, rare):
        level[key_of[number]] = max(WORST, level[key_of[number]])
    return [
        _Kind(
            count,
            first[key],
            last[key],
            level.get(key, 0),
            slots.told(key),
            asked.get(key) or slots.words.get(key, ""),
        )
        for key, count in counts.items()
        if key.strip()
    ]


def _choose(
    lines: Sequence[str], kinds: Sequence[_Kind], traces: Mapping[int, Trace], budget: float
) -> set[_Kind]:
    """Spends the budget: the ends of the log, bad kinds, frequent kinds, rare kinds."""
    chosen: set[_Kind] = set()
    frequent = sorted(kinds, key=lambda kind: (-kind.count, kind.first))[:MOST_KINDS]
    bad = _by_weight([kind for kind in kinds if kind.level >= WARNING])[:MOST_KINDS]
    rare = sorted((kind for kind in kinds if kind.count == 1), key=lambda kind: (-kind.level, kind.first))
    rare = rare[:MOST_KINDS]
    left = budget
    for group, share in ((bad, BAD_SHARE), (frequent, FREQUENT_SHARE), (rare, 1.0), (frequent, 1.0)):
        left -= _take(lines, group, traces, min(left, budget * share), chosen)
    return chosen


def _by_weight(bad: Sequence[_Kind]) -> list[_Kind]:
    """Returns bad kinds, the worst level first; of one level by turns the most frequent and the rarest."""
    order: list[_Kind] = []
    for _, level in groupby(sorted(bad, key=lambda kind: -kind.level), key=lambda kind: kind.level):
        often = sorted(level, key=lambda kind: (-kind.count, kind.first))
        seldom = [kind for kind in often if kind.count <= RARE]
        often = often[: len(often) - len(seldom)]
        order += [kind for pair in zip_longest(often, seldom) for kind in pair if kind is not None]
    return order


def _take(
    lines: Sequence[str],
    group: Iterable[_Kind],
    traces: Mapping[int, Trace],
    budget: float,
    chosen: set[_Kind],
) -> float:
    """Adds kinds while they can be paid; returns the tokens spent."""
    spent, misses = 0.0, 0
    for kind in group:
        if kind in chosen:
            continue
        below = "\n".join([text for _, text in _below(lines, kind, traces)])
        price = estimate(_exemplar(kind, lines)) + 1 + (estimate(below) if below else 0)
        if spent + price > budget:
            misses += 1
            if misses > 5:
                break
            continue
        chosen.add(kind)
        spent += price
    return spent


def _trends(keys: Sequence[str], lines: Sequence[str], chosen: Iterable[_Kind]) -> dict[int, str]:
    """Returns, by first line, what the number of a shown kind did that only rises or only falls."""
    several = [kind for kind in chosen if kind.count >= FEWEST_TOLD]
    members: dict[str, list[int]] = {keys[kind.first]: [] for kind in several}
    for number in range(0, len(lines), max(1, len(lines) // MOST_SAMPLED)):
        if (told := members.get(keys[number])) is not None:
            told.append(number)
    trends: dict[int, str] = {}
    for kind in several:
        told = members[keys[kind.first]]
        some = told[:: max(1, len(told) // MOST_LINES)]
        trends[kind.first] = trend([_bare(lines[number]) for number in (kind.first, *some, kind.last)])
    return trends


def _bare(line: str) -> str:
    """Returns a line without its time."""
    return _STAMP.sub("", line[:EXEMPLAR_CHARS], count=1)


def _exemplar(kind: _Kind, lines: Sequence[str], moved: str = "") -> str:
    """Returns the first line of a kind, its count in front; a long head of times and ids is cut."""
    line = lines[kind.first]
    cut = 0 if is_few(line, kind.count) else _head_end(line)
    if kind.count == 1:
        if cut < LONG_HEAD or kind.level >= WARNING:
            return _clipped(kind, line)
        return f"{OMISSION_PREFIX} L{kind.first + 1}] {clip(line[cut:], EXEMPLAR_CHARS)}"
    cut = cut if cut >= SHORT_HEAD else 0
    times = _times(lines[kind.first], lines[kind.last], not cut) if kind.level >= WARNING else ""
    held = [note for note in kind.notes if not (moved and ".." in note and _named(note) == _named(moved))]
    moved = "".join([f", {one}" for one in (moved, *held) if one])
    tag = f"{OMISSION_PREFIX} {kind.count:,}× L{kind.first + 1}-L{kind.last + 1}{times}{moved}]"
    return f"{tag} {_clipped(kind, line[cut:])}"


def _named(note: str) -> str:
    """Returns what stands before the first number."""
    return _TO_DIGIT.match(note)[0]  # type: ignore[index]


def _clipped(kind: _Kind, line: str) -> str:
    """Returns a line cut to size, with the word in view that makes its kind stand out."""
    if kind.level >= WARNING and (short := shortened(line)) is not line:
        return clip(short, LONG_LINE)
    at = line.find(kind.word) if kind.word else -1
    return clip(line, EXEMPLAR_CHARS, at if at > EXEMPLAR_CHARS // 2 else -1)


def _head_end(line: str) -> int:
    """Returns where the times and ids at the start of a line end; names of hosts and services stay."""
    if named := _NAMED.match(line, 0, 200):
        return len(named["head"] or "")
    head = _HEAD.match(line, 0, 160)
    return head.end() if head else 0


def _times(first: str, last: str, shown: bool) -> str:
    """Says from when to when; of a line that is `shown` with its time, and of one moment, no more than needed."""
    one, two = _STAMP.search(first, 0, 120), _STAMP.search(last, 0, 120)
    if not one or not two:
        return ""
    if one[0] == two[0]:
        return "" if shown else f", {one[0]}"
    return f", to {two[0]}" if shown else f", {one[0]} to {two[0]}"


def _span_line(lines: Sequence[str], kinds: int, hidden: Sequence[int], quiet: str) -> str:
    first, last = _first_stamp(lines), _first_stamp(list(reversed(lines[-50:])))
    span = f", {first} to {last}" if first and last else ""
    noun = "kind" if kinds == 1 else "kinds"
    quiet = f"; {quiet}" if quiet else ""
    total = line_count(lines)
    told = "one of a kind"
    if hidden:
        told = f"one of {kinds - len(hidden):,} kinds, none of {len(hidden):,} kinds ({sum(hidden):,} lines)"
    return f"{OMISSION_PREFIX} {total:,} lines of {kinds:,} {noun}{span}{quiet}; {told}, then the end:]"


def _is_dump(lines: Sequence[str]) -> bool:
    """Tells whether the lines are rows below a ruled header: what is wrong with a row no word says."""
    return any(len(line) > 2 and not line.strip("-+=| ") for line in lines[:3] if line.strip())


def _first_stamp(lines: Sequence[str]) -> str:
    for line in lines[:50]:
        if match := _STAMP.search(line, 0, 200):
            return match[0]
    return ""


def _omission(lines: Sequence[str], shown: set[int]) -> Omission:
    size = sum(utf8_len(line) + 1 for number, line in enumerate(lines) if number not in shown)
    return Omission(1, len(lines), len(lines) - len(shown), size, "lines like those shown, and rarer kinds")
