"""Diffs: changed lines stay, what did not change is counted, lock files say what moved."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors.base import line_count, omission_line, utf8_len
from tokenjuice_ml.compressors.diff_fit import CHARS_PER_TOKEN, fit
from tokenjuice_ml.compressors.diff_locks import changes, is_generated, is_lock
from tokenjuice_ml.compressors.diff_parse import FileDiff, Hunk, Source, files_of, source_of
from tokenjuice_ml.compressors.diff_plan import Plan
from tokenjuice_ml.compressors.diff_runs import gaps_of
from tokenjuice_ml.detection.sample import plain
from tokenjuice_ml.types import Context, Omission, Reduction

# Changed lines beyond this many tokens are cut to the most telling hunks.
MOST_TOKENS = 9_000
# Runs of lines of one sign that are longer than this are cut to their ends and signals, by the tokens
# from which on that is done: a review of middling size reads a new file whole, a large one cannot.
RUNS = ((14_000, 40), (8_000, 400))
# Longer lines are shown by their two ends, chars.
LONG_LINE, LINE_HEAD, LINE_TAIL = 600, 320, 120
_QUIET = ("", "header", "unchanged")
_KEPT = 3
# From flags of kept lines to those of quiet ones, and to a state of their own.
_TO_QUIET = b"\x02" + bytes(255)
_TO_STATE = bytes([0, 3, *range(2, 256)])
# From signs to flags of kept lines.
_TO_KEEP = bytes([char in b"-+" for char in range(256)])
# Runs of changed lines, and of lines that share a state.
_CHANGED = re.compile("[-+]+")
_SAME_STATE = re.compile(rb"\x00+|\x01+|\x02+|\x03+")
# Most files named in one note.
MOST_FILES = 12
# Longest list of packages in a lock file's note.
MOST_PACKAGES = 40
# Header lines that repeat what ``diff --git`` says.
_REPEATS = ("index ", "--- ", "+++ ", "=====")
# Here blanks at the line's start mean something.
_INDENTED = (".py", ".pyi", ".yaml", ".yml", ".mk", "makefile", ".haml", ".sass", ".pug", ".nim", ".md")


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the diff without what did not change."""
    if "\x1b" in text:
        text = "\n".join([plain(line) for line in text.split("\n")])
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    source = source_of(text)
    lines = source.lines
    files = files_of(lines, source)
    if not files or not any(one.hunks or one.binary >= 0 for one in files):
        return None
    words = [word for word in (context.output.query or "").lower().split() if len(word) >= 3]
    plan = _new_plan(source)
    for one in files:
        _plan_file(source, one, plan)
    size = _sum(files)
    most = MOST_TOKENS if _cut_runs(lines, files, plan, words) else RUNS[0][0]
    fit(source, files, plan, words, max(most, 8 * context.budget_tokens))
    return _rendered(source, plan, size)


def _new_plan(source: Source) -> Plan:
    lengths, count = source.lengths, len(source.lines)
    long = max(lengths) > LONG_LINE + 1
    sizes = [min(size, LONG_LINE + 1) for size in lengths] if long else lengths
    return Plan(bytearray(b"\x01") * count, lengths, sizes, quiet=bytearray(count))


def _plan_file(source: Source, one: FileDiff, plan: Plan) -> None:
    lines = source.lines
    _plan_header(lines, one, plan)
    if one.binary >= 0:
        plan.drop(one.binary + 1, one.head_end, "binary data")
    if one.hunks and (is_lock(one.path) or is_generated(one.path)):
        start = one.hunks[0].start
        plan.drop(start, one.end, _file_note(lines, one))
        return
    for hunk in one.hunks:
        if _whitespace_only(source, one, hunk):
            plan.drop(hunk.start, hunk.end, f"whitespace only, +{hunk.added} -{hunk.removed}")
        else:
            _plan_hunk(source, hunk, plan)


def _plan_header(lines: Sequence[str], one: FileDiff, plan: Plan) -> None:
    """Drops the header lines that repeat the path."""
    if one.usual:
        first, end = one.start + 1, one.head_end
        plan.keep[first:end] = bytes(end - first)
        plan.quiet[first:end] = b"\x01" * (end - first)
        return
    if not lines[one.start].startswith(("diff --", "Index: ")):
        return
    for index in range(one.start + 1, one.head_end):
        if lines[index].startswith(_REPEATS) and (one.hunks or lines[index].startswith("index ")):
            plan.keep[index] = 0
            plan.quiet[index] = 1


def _file_note(lines: Sequence[str], one: FileDiff) -> str:
    added = sum(hunk.added for hunk in one.hunks)
    removed = sum(hunk.removed for hunk in one.hunks)
    size = f"+{added} -{removed}"
    if not is_lock(one.path):
        return f"generated, {size}"
    packages: list[str] = []
    for hunk in one.hunks:
        packages += changes(lines[hunk.start + 1 : hunk.end])
    packages = list(dict.fromkeys(packages))
    more = f", +{len(packages) - MOST_PACKAGES} more" if len(packages) > MOST_PACKAGES else ""
    listed = ", ".join(packages[:MOST_PACKAGES])
    return f"lock file, {size}: {listed}{more}" if packages else f"lock file, {size}"


def _whitespace_only(source: Source, one: FileDiff, hunk: Hunk) -> bool:
    if hunk.added + hunk.removed < 4 or not hunk.added or not hunk.removed or hunk.signs > 1:
        return False
    if _differ(source, hunk) or one.path.lower().endswith(_INDENTED):
        return False
    body = source.lines[hunk.start + 1 : hunk.end]
    old, new = ("".join([line[1:] for line in body if line[:1] == sign]).split() for sign in "-+")
    return "".join(old) == "".join(new)


def _differ(source: Source, hunk: Hunk) -> bool:
    """Says whether the first line that went and the first that came are unlike without their blanks."""
    old, new = ("".join(source.lines[source.marks.index(sign, hunk.start + 1)][1:].split()) for sign in "-+")
    return not (old.startswith(new) or new.startswith(old))


def _plan_hunk(source: Source, hunk: Hunk, plan: Plan) -> None:
    """Keeps the changed lines, and the line before each run of them."""
    first, end = hunk.start + 1, hunk.end
    keep, behind = plan.keep, first
    marks = source.marks[first:end]
    if hunk.signs > 1:
        # A blank for what stayed, whatever the columns.
        marks = "".join(["+" if line[: hunk.signs].strip() else " " for line in source.lines[first:end]])
    keep[first:end] = marks.encode("ascii", "replace").translate(_TO_KEEP)
    for found in _CHANGED.finditer(marks):
        start, last = found.start() + first, found.end() + first
        if start > first and source.lines[start - 1].strip():
            keep[start - 1] = 1
        # The hunk's own header says how many lines stand before and behind.
        if behind == first:
            plan.quiet[first:start] = keep[first:start].translate(_TO_QUIET)
        behind = last
    if behind > first:
        plan.quiet[behind:end] = b"\x02" * (end - behind)


def _cut_runs(lines: Sequence[str], files: list[FileDiff], plan: Plan, words: Sequence[str]) -> bool:
    """Cuts long runs of lines that were only added or only removed; says whether the whole is large."""
    hunks = [hunk for one in files for hunk in one.hunks]
    tokens = sum(plan.size(hunk) for hunk in hunks) / CHARS_PER_TOKEN
    longest = next((most for least, most in RUNS if tokens > least), None)
    if longest is None:
        return False
    for hunk in hunks:
        if hunk.added + hunk.removed <= longest:
            continue
        for start, end in _runs(lines, hunk, plan):
            if end - start > longest:
                verb = "added" if lines[start][:1] == "+" else "removed"
                for first, last in gaps_of(lines, start, end, words):
                    plan.drop(first, last, verb)
    return tokens > RUNS[0][0]


def _runs(lines: Sequence[str], hunk: Hunk, plan: Plan) -> Iterator[tuple[int, int]]:
    """Yields the runs of lines of one sign that stay so far."""
    start, sign = hunk.start + 1, ""
    for index in range(hunk.start + 1, hunk.end + 1):
        now = lines[index][:1] if index < hunk.end and plan.keep[index] else ""
        if now != sign or sign not in ("+", "-"):
            if sign in ("+", "-") and sign:
                yield start, index
            start, sign = index, now


def _rendered(source: Source, plan: Plan, size: str) -> Reduction | None:
    out: list[str] = []
    gaps: list[Omission] = []
    starts, text, total = source.starts, source.text, line_count(source.lines)
    short, ascii_only = plan.sizes is plan.lengths, text.isascii()
    for start, end, state in _states(plan, total):
        first, last = starts[start], starts[end]
        if state == _KEPT:
            if short:
                out.append(text[first : last - 1])
            else:
                _write_kept(source.lines, start, end, out, gaps)
            continue
        bytes_ = last - first if ascii_only else utf8_len(text[first : last - 1]) + 1
        if state:
            # Only the top counts these.
            gaps.append(Omission(start + 1, end, end - start, bytes_, _QUIET[state]))
        else:
            _write_gap(source.lines, plan, (start, end), bytes_, out, gaps)
    if not gaps:
        return None
    told = [f"[… {what}]" for what in plan.told]
    return Reduction("\n".join([_top(size, plan), *told, *out]), True, "diff", tuple(gaps))


def _states(plan: Plan, total: int) -> Iterator[tuple[int, int, int]]:
    """Yields the runs of lines that are kept or left out in one way, as half-open ranges."""
    quiet, keep = int.from_bytes(plan.quiet, "big"), int.from_bytes(plan.keep.translate(_TO_STATE), "big")
    # Where a line is kept its state is 3, whatever was planned for it before.
    states = (quiet | keep).to_bytes(len(plan.keep), "big")
    notes = sorted(plan.notes)
    runs = _SAME_STATE.finditer(states, 0, total)
    if not notes:
        yield from [(*found.span(), states[found.start()]) for found in runs]
        return
    for found in runs:
        start, end = found.span()
        state = states[start]
        if state != _KEPT:
            for at in notes[bisect_right(notes, start) : bisect_left(notes, end)]:
                if start not in plan.files or at not in plan.files:
                    yield start, at, state
                    start = at
        yield start, end, state


def _write_kept(lines: Sequence[str], start: int, end: int, out: list[str], gaps: list[Omission]) -> None:
    for index, line in enumerate(lines[start:end], start):
        out.append(_clipped(line, index, gaps) if len(line) > LONG_LINE else line)


def _clipped(line: str, index: int, gaps: list[Omission]) -> str:
    """Returns both ends of a long line."""
    left = len(line) - LINE_HEAD - LINE_TAIL
    gaps.append(Omission(index + 1, index + 1, 0, left, "middle of a long line"))
    return f"{line[:LINE_HEAD]}…[+{left:,} chars]…{line[-LINE_TAIL:]}"


def _write_gap(
    lines: Sequence[str], plan: Plan, place: tuple[int, int], size: int, out: list[str], gaps: list[Omission]
) -> None:
    """Writes what stands for lines that are left out."""
    start, end = place
    what = _what(plan, start, end)
    note = omission_line(end - start, start + 1, end, what)
    if not what and size <= len(note) and end - start <= 2:
        out += lines[start:end]
    else:
        out.append(note)
        gaps.append(Omission(start + 1, end, end - start, size, what or "unchanged"))


def _what(plan: Plan, start: int, end: int) -> str:
    """Returns the notes of the lines that are left out; several only where they are of whole files."""
    whats = [plan.notes[start]] if start in plan.notes else []
    if start in plan.files:
        whats += [plan.notes[at] for at in range(start + 1, end) if at in plan.notes]
    more = f", +{len(whats) - MOST_FILES} more files" if len(whats) > MOST_FILES else ""
    return ", ".join(whats[:MOST_FILES]) + more


def _sum(files: list[FileDiff]) -> str:
    """Returns the size of the whole diff."""
    added = sum(hunk.added for one in files for hunk in one.hunks)
    removed = sum(hunk.removed for one in files for hunk in one.hunks)
    return f"{len(files)} {'file' if len(files) == 1 else 'files'}, +{added} -{removed}"


def _top(size: str, plan: Plan) -> str:
    """Returns the first line: this is no diff to apply."""
    headers, unchanged = plan.quiet.count(1), plan.quiet.count(2)
    parts = [f"{headers} header"] if headers else []
    parts += [f"{unchanged} unchanged"] if unchanged else []
    extra = f", {' and '.join(parts)} lines left out" if parts else ""
    return f"[… reduced diff, not to be applied: {size}{extra}]"
