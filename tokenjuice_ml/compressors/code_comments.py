"""Shortens comments and docstrings to their first sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.compressors.code_sheet import COMMENT, KEEP, Sheet

MOST_ROWS, SENTENCE_ROWS, WORTH_CHARS = 2, 4, 40
LEADERS = "/*#!-;%<'\" \t"
LICENCE = ("copyright", "license", "licence", "spdx")
SENTENCE_ENDS = (".", "!", "?", ":", ".)", "。")
STAY = ("TODO", "FIXME", "XXX", "HACK", "SAFETY", "DEPRECATED", "@deprecated", "WARNING", "BUG")
MOST_NOTES = 2


def shorten_comments(sheet: Sheet, comments: Sequence[tuple[int, int]]) -> None:
    """Shortens each comment, or run of comments on rows of their own, that is not already folded."""
    for first, last in _runs(sheet, comments):
        if last - first >= MOST_ROWS and sheet.flags[first] == KEEP:
            _shorten(sheet, first, last)


def _runs(sheet: Sheet, comments: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for first, last in sorted(comments):
        if not sheet.lines[first].lstrip().startswith(("/", "#", "-", "*", ";", "%", "<!--", "'", "(*")):
            continue
        if runs and runs[-1][1] + 1 == first and _same_sort(sheet, runs[-1][0], first):
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return runs


def _same_sort(sheet: Sheet, one: int, other: int) -> bool:
    return not sheet.lines[one].lstrip().startswith("/*") and not sheet.lines[other].lstrip().startswith("/*")


def _shorten(sheet: Sheet, first: int, last: int) -> None:
    block = sheet.lines[first].lstrip().startswith("/*")
    stop = _sentence_end(sheet, first, last, licence=_is_licence(sheet, first, last))
    if sheet.size(stop + 1, last) < WORTH_CHARS:
        return
    if block and "*/" not in sheet.lines[stop]:
        sheet.closing[stop + 1] = " */"
        if not _text(sheet.lines[first]):
            sheet.opening.add(first)
    sheet.drop(stop + 1, last, COMMENT)
    if not block:
        _keep_notes(sheet, stop + 1, last)


def _keep_notes(sheet: Sheet, first: int, last: int) -> None:
    rows = [row for row in range(first, last + 1) if any(word in sheet.lines[row] for word in STAY)]
    for row in rows[:MOST_NOTES]:
        sheet.show(row, row)


def _text(line: str) -> str:
    return line.strip().strip(LEADERS)


def _is_licence(sheet: Sheet, first: int, last: int) -> bool:
    if first > 8:
        return False
    head = " ".join(sheet.lines[first : min(last, first + 30) + 1]).lower()
    return any(word in head for word in LICENCE)


def _sentence_end(sheet: Sheet, first: int, last: int, licence: bool = False) -> int:
    """Returns the row where the first sentence ends, at most two rows of text on."""
    seen = 0
    for row in range(first, last + 1):
        text = _text(sheet.lines[row])
        if licence:
            if any(word in text.lower() for word in ("copyright", "spdx")) or row - first > 12:
                return row if row - first <= 12 else min(first + 1, last)
            continue
        if not text:
            if seen:
                return row - 1
            continue
        seen += 1
        if seen >= SENTENCE_ROWS or text.endswith(SENTENCE_ENDS) or ". " in text:
            return row
    return min(first + 1, last)


def shorten_docstring(sheet: Sheet, first: int, last: int) -> None:
    """Shortens a Python docstring at these rows to its first sentence."""
    if last - first < MOST_ROWS or sheet.flags[first] != KEEP:
        return
    opener = sheet.lines[first].lstrip().lstrip("rRuUbBfF")
    quote = opener[:3] if opener[:3] in ('"""', "'''") else ""
    stop = _sentence_end(sheet, first, last)
    if not quote or stop >= last or sheet.size(stop + 1, last) < WORTH_CHARS:
        return
    sheet.closing[stop + 1] = quote
    sheet.drop(stop + 1, last, COMMENT)
