"""Writes the kept lines, and what stands between them."""

from __future__ import annotations

from collections import Counter

from tokenjuice_ml.compressors.base import OMISSION_PREFIX, omission_line, utf8_len
from tokenjuice_ml.record import Record
from tokenjuice_ml.rules.choose import MAX_LINE_CHARS
from tokenjuice_ml.rules.view import LineView
from tokenjuice_ml.types import Omission

# A gap this small is shown: its note would cost as much as the lines.
SMALL_GAP_LINES = 3
SMALL_GAP_BYTES = 16
# Gaps alike with at most this many lines between them share a note, from this many gaps on.
_BETWEEN = 3
_GROUP = 3
_STEM_CHARS = 32
_DESCRIBE_LINES = 20_000
_SAMPLE = 41


class _Gap(Record):
    """A run of left-out lines (0-based, half open) with the start of its commonest line."""

    start: int
    end: int
    stem: str


def render(view: LineView, keep: bytearray) -> tuple[list[str], list[Omission]]:
    """Returns the shown lines with omission lines in the gaps, and the omissions."""
    out: list[str] = []
    gaps: list[Omission] = []
    position = 0
    for group in _grouped(_gaps(view, keep)):
        for gap in group:
            _show_run(view, position, gap.start, out, gaps)
            position = gap.end
            if gap is group[0]:
                _note(view, group, out, gaps)
    _show_run(view, position, len(view.lines), out, gaps)
    return out, gaps


def _gaps(view: LineView, keep: bytearray) -> list[_Gap]:
    """Returns the runs of lines that are not kept."""
    found: list[_Gap] = []
    total, at = len(view.lines), keep.find(0)
    while 0 <= at < total:
        end = keep.find(1, at)
        end = total if end < 0 else end
        small = end - at <= SMALL_GAP_LINES
        stem = _stem(view.matched[at]) if small else ""
        found.append(_Gap(at, end, stem))
        at = keep.find(0, end)
    return found


def _grouped(gaps: list[_Gap]) -> list[list[_Gap]]:
    """Puts small gaps of one sort with little between them together: one note will do."""
    groups: list[list[_Gap]] = []
    for gap in gaps:
        last = groups[-1][-1] if groups else None
        if last is not None and gap.stem and gap.stem == last.stem and gap.start - last.end <= _BETWEEN:
            groups[-1].append(gap)
        else:
            groups.append([gap])
    split: list[list[_Gap]] = []
    for group in groups:
        split.extend([group] if len(group) >= _GROUP else [[gap] for gap in group])
    return split


def _show_run(view: LineView, start: int, end: int, out: list[str], gaps: list[Omission]) -> None:
    if view.redrawn or len(max(view.lines[start:end], key=len, default="")) > MAX_LINE_CHARS:
        for at in range(start, end):
            _show(view, at, out, gaps)
    else:
        out.extend(view.lines[start:end])


def _note(view: LineView, group: list[_Gap], out: list[str], gaps: list[Omission]) -> None:
    """Writes the omission line of a gap, or of several alike; a gap too small for one is shown."""
    first, last = group[0].start, group[-1].end
    lines = sum(gap.end - gap.start for gap in group)
    size = sum(view.bytes_of(gap.start, gap.end) for gap in group)
    what = (
        describe(view, first, last)
        if len(group) == 1
        else f'{lines:,} × "{group[0].stem} …" among those below'
    )
    note = omission_line(lines, first + 1, last, what)
    if len(group) == 1 and lines <= SMALL_GAP_LINES and size <= len(note) + SMALL_GAP_BYTES:
        out.extend(view.lines[first:last])
        return
    out.append(note)
    gaps.append(Omission(first + 1, last, lines, size, what))


def _show(view: LineView, at: int, out: list[str], gaps: list[Omission]) -> None:
    line = view.lines[at]
    if at in view.redrawn:
        what = f"{view.redrawn[at]} earlier states of the line below"
        size = utf8_len(view.original[at]) - utf8_len(line)
        gaps.append(Omission(at + 1, at + 1, 0, max(size, 0), what))
        out.append(_inside(at, what))
    if len(line) <= MAX_LINE_CHARS:
        out.append(line)
        return
    head, tail = _cut(line)
    middle = line[len(head) : len(line) - len(tail)]
    what = f"{len(middle):,} characters inside the line"
    gaps.append(Omission(at + 1, at + 1, 0, utf8_len(middle), what))
    out.extend((head, _inside(at, what), tail))


def _inside(at: int, what: str) -> str:
    return f"{OMISSION_PREFIX} L{at + 1}: {what}]"


def _cut(line: str) -> tuple[str, str]:
    """Returns both ends of a long line, cut at spaces where there are some."""
    head = line[: MAX_LINE_CHARS * 7 // 10]
    tail = line[-(MAX_LINE_CHARS * 3 // 10) :]
    space = head.rfind(" ", len(head) - 60)
    if space > 0:
        head = head[:space]
    space = tail.find(" ", 0, 60)
    if space >= 0:
        tail = tail[space:]
    return head, tail


def describe(view: LineView, start: int, end: int) -> str:
    """Says in a few words what a gap holds: its most frequent kind of line, or the repeated line."""
    lines = view.matched[start : min(end, start + _DESCRIBE_LINES)]
    if start and lines[0] == view.matched[start - 1] and lines.count(lines[0]) == len(lines):
        return "the line above, repeated"
    guess = _commonest_start(lines)
    if not guess:
        return "" if any(map(str.strip, lines)) else "blank"
    count = ("\n" + "\n".join(lines)).count(f"\n{guess}")
    if count < 2 or count * 3 < len(lines) or end - start > _DESCRIBE_LINES:
        return ""
    return f'{count:,} × "{guess.strip()} …"'


def _commonest_start(lines: list[str]) -> str:
    """Returns the first word (indentation included) that most of a sample of `lines` start with."""
    step = max(1, len(lines) // _SAMPLE)
    starts = Counter(start for line in lines[::step] if (start := _start(line)))
    return starts.most_common(1)[0][0] if starts else ""


def _start(line: str) -> str:
    """Returns the first word with its indentation; two words where the first is only signs."""
    word = _stem(line)
    if not word:
        return ""
    end = line.find(word) + len(word)
    if not any(map(str.isalnum, word)):
        second = _stem(line[end:])
        if not any(map(str.isalnum, second)):
            return ""
        end = line.find(second, end) + len(second)
    return line[:end]


def _stem(line: str) -> str:
    words = line.split(None, 1)
    return words[0][:_STEM_CHARS] if words else ""
