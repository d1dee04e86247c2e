"""Folds a source file by its indentation, where no grammar is at hand or it does not parse."""

from __future__ import annotations

from tokenjuice_ml.compressors.code_comments import shorten_comments
from tokenjuice_ml.compressors.code_sheet import BODY, Body, Sheet, worth_folding

CONTAINER_WORDS = (
    "class ",
    "struct ",
    "enum ",
    "interface ",
    "trait ",
    "impl ",
    "impl<",
    "namespace ",
    "module ",
    "mod ",
    "object ",
    "extension ",
    "protocol ",
    "union ",
    "record ",
    "defmodule ",
    "contract ",
    "extern ",
)
FUNCTION_WORDS = (
    "def ",
    "fn ",
    "func ",
    "fun ",
    "function ",
    "function(",
    "sub ",
    "proc ",
    "procedure ",
    "defp ",
)
ENDINGS = ("{", ":", " do", "=", "=>", ")", "->", "|", "begin", "is")
COMMENT_SIGNS = ("//", "#", "--", "/*", "*", ";;", "%%")
TAB, MOST_SIGNATURE = 4, 16


def fold_walk(sheet: Sheet) -> list[Body]:
    """Folds the whole file, comments included; returns the bodies."""
    bodies = fold_rows(sheet, 0, len(sheet.lines) - 1)
    for body in bodies:
        if worth_folding(sheet, body.first, body.last):
            sheet.drop(body.first, body.last, BODY)
    shorten_comments(sheet, _comment_rows(sheet))
    return bodies


def fold_rows(sheet: Sheet, first: int, last: int) -> list[Body]:
    """Returns what stands deeper than a line that looks like a function's head, in these rows."""
    lines = sheet.lines[first : last + 1]
    indents = [_indent(line) for line in lines]
    bodies: list[Body] = []
    row = 0
    while row < len(lines):
        end = _body_end(lines, indents, row)
        if end is None:
            row += 1
            continue
        bodies.append(Body(first + row, first + row + 1, first + end, True))
        row = end + 1
    return bodies


def _indent(line: str) -> int:
    """Returns the indentation in columns, -1 for a blank line."""
    text = line.lstrip()
    if not text:
        return -1
    lead = line[: len(line) - len(text)]
    return len(lead) + (TAB - 1) * lead.count("\t")


def _body_end(lines: list[str], indents: list[int], row: int) -> int | None:
    """Returns the last row of the body that this row opens, None when it opens none."""
    depth = indents[row]
    if depth < 0 or not _is_head(lines[row]):
        return None
    depth = _statement_depth(lines, indents, row)
    end, at, total = row, row + 1, len(indents)
    if at < total and lines[at].strip() == "{" and indents[at] == depth:
        end, at = at, at + 1
    start = at
    while at < total and (indents[at] < 0 or indents[at] > depth):
        if indents[at] > depth:
            end = at
        at += 1
    return end if end >= start else None


def _statement_depth(lines: list[str], indents: list[int], row: int) -> int:
    """Returns the indentation of the row where the parentheses closed in this row open."""
    depth = indents[row]
    missing = lines[row].count(")") - lines[row].count("(")
    for before in range(row - 1, max(-1, row - MOST_SIGNATURE), -1):
        if missing <= 0:
            break
        missing += lines[before].count(")") - lines[before].count("(")
        depth = indents[before] if indents[before] >= 0 else depth
    return min(depth, indents[row])


def _is_head(line: str) -> bool:
    text = line.strip()
    code = text.partition(" //")[0].rstrip() if " //" in text else text
    if code.startswith(COMMENT_SIGNS) or not code.endswith(ENDINGS):
        return False
    if any(word in f"{code} " for word in FUNCTION_WORDS):
        return True
    first = code.split(None, 1)[0].rstrip("(")
    if any(f" {word}" in f" {code}" for word in CONTAINER_WORDS):
        return False
    if first in (
        "case",
        "switch",
        "default",
        "import",
        "use",
        "from",
        "using",
        "export",
        "const",
        "var",
        "let",
    ):
        return "=> {" in code or "function" in code
    return code.endswith("{") and ")" in code


def _comment_rows(sheet: Sheet) -> list[tuple[int, int]]:
    """Returns the comments: rows that start with a comment sign; a block runs to its closing sign."""
    rows: list[tuple[int, int]] = []
    row, total = 0, len(sheet.lines)
    while row < total:
        text = sheet.lines[row].lstrip()
        if text.startswith("/*"):
            end = row
            while end < total - 1 and "*/" not in sheet.lines[end]:
                end += 1
            rows.append((row, end))
            row = end
        elif text.startswith(("//", "--", "# ", ";;")) or text == "#":
            rows.append((row, row))
        row += 1
    return rows
