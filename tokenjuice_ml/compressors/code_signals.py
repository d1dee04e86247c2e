"""What stays inside folded bodies: notes, raised errors, unsafe code, and what the query asks for."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from tokenjuice_ml.compressors.code_sheet import BODY, KEEP, Body, Sheet

# Plain words are found by the C code of str.find; the pattern only judges what it finds.
NOTE_WORDS = ("TODO", "FIXME", "XXX", "HACK", "SAFETY", "BUG", "unsafe", "todo!", "unimplemented!")
ERROR_WORDS = ("raise ", "throw ", "panic", "bail!(", "unreachable!(", "errors.New(", "Errorf(", "abort(")
# What a review stops at: checks that are off, commands made of text.
RISK_WORDS = ("verify=False", "InsecureSkipVerify", "rejectUnauthorized", "shell=True")
NOTES = re.compile(r"\b(?:TODO|FIXME|XXX|HACK|SAFETY|BUG|unsafe)\b|\btodo!|\bunimplemented!")
ERRORS = re.compile(
    r"\b(?:raise|throw new|throw) ([A-Z][\w.:]*)"
    r"|\b(panic!?|bail!|unreachable!|errors\.New|fmt\.Errorf|abort)\("
)
RISKS = re.compile(
    r"\b(?:verify=False|InsecureSkipVerify:? ?=? ?true|rejectUnauthorized:? ?=? ?false|shell=True\b)"
)
BROAD = ("except:", "except Exception:", "except BaseException:")
IMPORTS = ("import ", "from ", "use ", "#include", "require ", "using ")
QUOTES = ('"', "'", "`")
PER_BODY, SHARE, LEAST = 2, 45, 3
LONG_ROW = 160
QUERY_BODY_ROWS, QUERY_ROWS, QUERY_SHARE = 80, 40, 0.3


def keep_signals(sheet: Sheet, text: str, bodies: Sequence[Body]) -> None:
    """Shows a few telling rows of folded bodies: at most two a body and one in 45 rows of the file."""
    rows = _telling_rows(sheet, text)
    budget = max(LEAST, len(sheet.lines) // SHARE)
    firsts = [body.first for body in bodies]
    taken: dict[int, int] = {}
    for row in rows:
        if budget <= 0:
            return
        body = bisect_right(firsts, row)
        if taken.get(body, 0) < PER_BODY:
            taken[body] = taken.get(body, 0) + 1
            line = sheet.lines[row].strip()
            sheet.show(row, row + (line.endswith("(") or line in BROAD))
            budget -= 1


def keep_imports(sheet: Sheet) -> None:
    """Shows each import inside a fold once: what a function needs is part of its face."""
    seen: set[str] = set()
    rows = enumerate(zip(sheet.flags, sheet.lines, strict=True))
    for row in [row for row, (flag, line) in rows if flag == BODY and line.lstrip().startswith(IMPORTS)]:
        text = sheet.lines[row].strip()
        if text.startswith(IMPORTS) and text not in seen and _is_import(text):
            seen.add(text)
            sheet.show(row, row)


def _is_import(text: str) -> bool:
    if text.startswith("from "):
        return " import " in text
    return text.endswith((";", '"', "'", ">")) or text.startswith("import ")


def _telling_rows(sheet: Sheet, text: str) -> list[int]:
    """Returns rows in folds: notes, the first of each sort of error, risks, then errors with a message."""
    starts = array("q", accumulate([len(line) + 1 for line in sheet.lines[:-1]], initial=0))
    notes = [row for row, _ in _found(NOTE_WORDS, NOTES, sheet, text, starts)]
    sorts: dict[str, int] = {}
    errors = _found(ERROR_WORDS, ERRORS, sheet, text, starts)
    for row, name in errors:
        sorts.setdefault(name, row)
    messages = [row for row, _ in errors if any(sign in sheet.lines[row] for sign in QUOTES)]
    risks = [row for row, _ in _found(RISK_WORDS, RISKS, sheet, text, starts)]
    order = dict.fromkeys([*notes, *sorts.values(), *risks, *_swallowed(sheet, text, starts), *messages])
    return [row for row in order if len(sheet.lines[row]) <= LONG_ROW]


def _swallowed(sheet: Sheet, text: str, starts: Sequence[int]) -> list[int]:
    """Returns the rows in folds that catch all errors and pass over them."""
    rows: list[int] = []
    at = text.find("except")
    while at >= 0:
        row = bisect_right(starts, at) - 1
        below = sheet.lines[row + 1].strip() if row + 1 < len(starts) else ""
        if below == "pass" and sheet.flags[row] == BODY and sheet.lines[row].strip() in BROAD:
            rows.append(row)
        at = text.find("except", at + 6)
    return rows


def _found(
    words: tuple[str, ...], pattern: re.Pattern[str], sheet: Sheet, text: str, starts: Sequence[int]
) -> list[tuple[int, str]]:
    """Returns the rows in folds that hold a word and match, in order, each with what was matched."""
    rows: dict[int, str] = {}
    for word in words:
        at = text.find(word)
        while at >= 0:
            row = bisect_right(starts, at) - 1
            if sheet.flags[row] == BODY and row not in rows:
                hit = pattern.search(sheet.lines[row][:LONG_ROW])
                if hit:
                    rows[row] = hit[hit.lastindex or 0]
            at = text.find(word, starts[row + 1] if row + 1 < len(starts) else len(text))
    return sorted(rows.items())


def keep_query(sheet: Sheet, bodies: Sequence[Body], words: Sequence[str]) -> None:
    """Shows bodies whose name answers the query, and single rows that hold a word of it."""
    if not words:
        return
    budget = int(len(sheet.lines) * QUERY_SHARE)
    low = [line.lower() for line in sheet.lines]
    for body in bodies:
        rows = body.last - body.first + 1
        head = " ".join(low[body.signature : body.first])
        if rows <= min(QUERY_BODY_ROWS, budget) and any(word in head for word in words):
            sheet.show(body.first, body.last)
            budget -= rows
    shown = 0
    for row, line in enumerate(low):
        if sheet.flags[row] != KEEP and shown < QUERY_ROWS and any(word in line for word in words):
            sheet.show(row, row)
            shown += 1
