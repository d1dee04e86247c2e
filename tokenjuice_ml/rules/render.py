"""Writes the kept lines, and what stands between them."""

from __future__ import annotations

from collections import Counter

from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.rules.choose import MAX_LINE_CHARS
from tokenjuice_ml.rules.view import LineView
from tokenjuice_ml.types import Omission

_STEM_CHARS = 32
_DESCRIBE_LINES = 5000


def render(view: LineView, keep: bytearray) -> tuple[list[str], list[Omission]]:
    """Returns the shown lines with omission lines in the gaps, and the omissions."""
    out: list[str] = []
    gaps: list[Omission] = []
    total, at = len(view.lines), 0
    while at < total:
        if keep[at]:
            _show(view, at, out, gaps)
            at += 1
            continue
        end = keep.find(1, at)
        end = total if end < 0 else end
        _gap(view, at, end, out, gaps)
        at = end
    return out, gaps


def _show(view: LineView, at: int, out: list[str], gaps: list[Omission]) -> None:
    line = view.lines[at]
    if at in view.redrawn:
        what = f"{view.redrawn[at]} earlier states of the line below"
        size = utf8_len(view.original[at]) - utf8_len(line)
        gaps.append(Omission(at + 1, at + 1, 0, max(size, 0), what))
        out.append(omission_line(0, at + 1, at + 1, what))
    if len(line) <= MAX_LINE_CHARS:
        out.append(line)
        return
    head, tail = _cut(line)
    middle = line[len(head) : len(line) - len(tail)]
    what = f"{len(middle):,} characters inside the line"
    gaps.append(Omission(at + 1, at + 1, 0, utf8_len(middle), what))
    out.extend((head, omission_line(0, at + 1, at + 1, what), tail))


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


def _gap(view: LineView, start: int, end: int, out: list[str], gaps: list[Omission]) -> None:
    size = sum(utf8_len(line) + 1 for line in view.original[start:end])
    what = describe(view, start, end)
    note = omission_line(end - start, start + 1, end, what)
    if end - start <= 3 and size <= len(note):
        out.extend(view.lines[start:end])
        return
    out.append(note)
    gaps.append(Omission(start + 1, end, end - start, size, what))


def describe(view: LineView, start: int, end: int) -> str:
    """Says in a few words what a gap holds: its most frequent kind of line, or the repeated line."""
    lines = view.matched[start : min(end, start + _DESCRIBE_LINES)]
    if start and lines[0] == view.matched[start - 1] and lines.count(lines[0]) == len(lines):
        return "the line above, repeated"
    stems = Counter(stem for line in lines if (stem := _stem(line)))
    if not stems:
        return "blank"
    stem, count = stems.most_common(1)[0]
    if count < 2 or count * 3 < len(lines) or end - start > _DESCRIBE_LINES:
        return ""
    return f'{count:,} × "{stem} …"'


def _stem(line: str) -> str:
    words = line.split(None, 1)
    return words[0][:_STEM_CHARS] if words else ""
