"""Configuration, lock files, SQL, Dockerfiles, Makefiles and style sheets: keys stay, repeats fold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tokenjuice_ml.compressors import code_documents, code_items
from tokenjuice_ml.compressors.code_comments import shorten_comments
from tokenjuice_ml.compressors.code_sheet import BODY, DATA, KEEP, Sheet, bound, render
from tokenjuice_ml.compressors.table import query_words
from tokenjuice_ml.types import Context, Omission, Reduction

FORMATS = frozenset(["yaml", "toml", "ini", "sql", "dockerfile", "makefile", "css", "properties", "env"])
LONG_SCALAR, SCALAR_HEAD = 14, 4
LONG_LIST, LIST_HEAD, LIST_TAIL, LIST_ROWS = 24, 8, 2, 60
MOST_SECTIONS, SECTION_HEAD = 12, 3
LONG_CONTINUATION, FEW_ROWS = 8, 3
MOST_CHARS = 60_000
NOISE_KEYS = ("managedFields:", "kubectl.kubernetes.io/last-applied-configuration:")
# What a line ends with whose text stands below it; blanks may follow.
_BLOCKS, _BLOCK_ENDS = ("|", ">", "|-", ">-", "|+", ">+"), frozenset("|>-+ \t\r")
COMMENTS = {"sql": ("--", "/*", "#"), "css": ("/*",), "ini": ("#", ";")}


def compress_config(text: str, form: str, context: Context) -> Reduction | None:
    """Returns the file with its repeats folded, None when nothing folds.

    Args:
        text: the file.
        form: one of `FORMATS`.
        context: settings and query.
    """
    sheet = Sheet(text.replace("\r\n", "\n").split("\n"))
    notes: dict[int, str] = {}
    if form == "yaml":
        _fold_yaml(sheet)
    elif form in ("toml", "ini", "properties", "env"):
        notes = _fold_sections(sheet)
    elif form == "sql":
        _fold_sql(sheet)
    elif form == "makefile":
        _fold_indented(sheet, "\t")
    elif form == "css":
        _fold_css(sheet)
    else:
        _fold_continuations(sheet)
    shorten_comments(sheet, _comments(sheet, COMMENTS.get(form, ("#",))))
    bound(sheet, MOST_CHARS)
    _show_query(sheet, query_words(context.output.query))
    body, omissions = _render(sheet, notes)
    return Reduction(body, True, "code", omissions, detail=form) if omissions else None


def _render(sheet: Sheet, notes: dict[int, str]) -> tuple[str, tuple[Omission, ...]]:
    """Writes the sheet; a note stands before the fold it belongs to."""
    for row, note in notes.items():
        if sheet.flags[row] != KEEP:
            sheet.notes[row] = note
    return render(sheet)


def _comments(sheet: Sheet, signs: tuple[str, ...]) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    row, total = 0, len(sheet.lines)
    heads = {sign[0] for sign in signs}
    while row < total:
        text = sheet.lines[row].lstrip()
        if text[:1] not in heads:
            row += 1
            continue
        if text.startswith("/*") and "/*" in signs:
            end = row
            while end < total - 1 and "*/" not in sheet.lines[end]:
                end += 1
            rows.append((row, end))
            row = end
        elif text.startswith(signs) and not text.startswith("#!"):
            rows.append((row, row))
        row += 1
    return rows


def _show_query(sheet: Sheet, words: Sequence[str]) -> None:
    if not words:
        return
    for row, line in enumerate(sheet.lines):
        if sheet.flags[row] != KEEP and any(word in line.lower() for word in words):
            sheet.show(row, row)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _deeper_until(lines: Sequence[str], row: int, depth: int) -> int:
    """Returns the last row that stands deeper than `depth`, from `row` on."""
    end, at = row, row + 1
    while at < len(lines) and (not lines[at].strip() or _depth(lines[at]) > depth):
        if lines[at].strip():
            end = at
        at += 1
    return end


def _fold_yaml(sheet: Sheet) -> None:
    lines, row = sheet.lines, 0
    runs: dict[int, list[int]] = {}
    folds: list[code_items.Fold] = []
    while row < len(lines):
        text = lines[row].lstrip(" ")
        depth = len(lines[row]) - len(text)
        if not text:
            row += 1
            continue
        listed = text[:2] == "- "
        if runs:
            for level in [level for level in runs if level > depth or (level == depth and not listed)]:
                folds += _fold_items(sheet, runs.pop(level), row)
        if listed:
            runs.setdefault(depth, []).append(row)
        noise = text.startswith(NOISE_KEYS)
        if noise or (text[-1] in _BLOCK_ENDS and text.rstrip().endswith(_BLOCKS)):
            end = _deeper_until(lines, row, depth)
            keep = 0 if noise else SCALAR_HEAD
            if end - row > (1 if keep == 0 else LONG_SCALAR):
                sheet.drop(row + 1 + keep, end, DATA)
            row = end
        row += 1
    for run in runs.values():
        folds += _fold_items(sheet, run, len(lines))
    code_items.name_folds(sheet, folds)
    code_documents.fold(sheet)


def _fold_items(sheet: Sheet, run: list[int], end: int) -> list[code_items.Fold]:
    """Folds the middle of a long list, and returns that; its items stand at one indentation."""
    if len(run) < LONG_LIST and not (len(run) > LIST_TAIL + 3 and end - run[0] > 4 * LIST_ROWS):
        return []
    head = LIST_HEAD
    while head > 2 and run[min(head, len(run) - 1)] - run[0] > LIST_ROWS:
        head -= 1
    if len(run) <= head + LIST_TAIL:
        return []
    return [code_items.fold(sheet, run, end, head, LIST_TAIL)]


def _fold_sections(sheet: Sheet) -> dict[int, str]:
    """Folds repeated ``[[name]]`` sections and long arrays; says names and versions of what is gone."""
    heads = [row for row, line in enumerate(sheet.lines) if line.startswith("[[")]
    same: dict[str, list[int]] = {}
    for row in heads:
        same.setdefault(sheet.lines[row].strip(), []).append(row)
    notes: dict[int, str] = {}
    starts = [row for row, line in enumerate(sheet.lines) if line.startswith("[")] + [len(sheet.lines)]
    following = dict(pairwise(starts))
    for name, rows in same.items():
        if len(rows) > MOST_SECTIONS and rows[-1] - rows[0] == sum(following[row] - row for row in rows[:-1]):
            first, last = rows[SECTION_HEAD], following[rows[-1]] - 1
            facts = [_fact(sheet.lines[row : following[row]]) for row in rows[SECTION_HEAD:]]
            notes[first] = f"{len(facts)} × {name}: " + ", ".join(fact for fact in facts if fact)
            sheet.drop(first, last, DATA)
    _fold_arrays(sheet)
    return notes


def _fact(lines: Sequence[str]) -> str:
    found = {}
    for line in lines[:12]:
        key, _, value = line.partition("=")
        if key.strip() in ("name", "version", "id"):
            found[key.strip()] = value.strip().strip("\"'")
    return " ".join(found.values())


def _fold_arrays(sheet: Sheet) -> None:
    row, lines = 0, sheet.lines
    while row < len(lines):
        if sheet.flags[row] == KEEP and lines[row].rstrip().endswith("["):
            end = row + 1
            while end < len(lines) and lines[end].lstrip()[:1] != "]":
                end += 1
            if end - row > LONG_LIST:
                sheet.drop(row + 1 + LIST_HEAD, end - 1 - LIST_TAIL, DATA)
            row = end
        row += 1


def _fold_sql(sheet: Sheet) -> None:
    """Folds inserted rows, copied data and function bodies; statements of the schema stay."""
    lines, row = sheet.lines, 0
    while row < len(lines):
        low = lines[row].strip().lower()
        end = row
        if low.startswith(("insert into", "replace into")):
            while end < len(lines) - 1 and not lines[end].rstrip().endswith(";"):
                end += 1
            while (
                end + 1 < len(lines) and lines[end + 1].strip().lower()[:11] == low[:11] and end - row < 1e6
            ):
                end += 1
            if end - row > 4:
                sheet.drop(row + 3, end - 1, DATA)
        elif low.startswith("copy ") and "stdin" in low:
            while end < len(lines) - 1 and lines[end].strip() != "\\.":
                end += 1
            if end - row > 5:
                sheet.drop(row + 4, end - 1, DATA)
        elif low.endswith(("$$", "$body$", "begin", "$function$")) and not low.startswith("begin;"):
            end = _sql_end(lines, row)
            if end - row > FEW_ROWS:
                sheet.drop(row + 1, end - 1, BODY)
        row = end + 1


def _sql_end(lines: Sequence[str], row: int) -> int:
    sign = lines[row].strip().rsplit(" ", 1)[-1].lower()
    closing = sign if sign.startswith("$") else "end"
    for at in range(row + 1, len(lines)):
        if lines[at].strip().lower().startswith(closing):
            return at
    return row


def _fold_indented(sheet: Sheet, lead: str) -> None:
    row, lines = 0, sheet.lines
    while row < len(lines):
        end = row
        while end + 1 < len(lines) and lines[end + 1].startswith(lead):
            end += 1
        if end - row > FEW_ROWS and not lines[row].startswith(lead):
            sheet.drop(row + 2, end, BODY)
        row = end + 1


def _fold_css(sheet: Sheet) -> None:
    """Folds the declarations of rules; selectors, at-rules and custom properties stay."""
    start = -1
    for row, line in enumerate(sheet.lines):
        text = line.strip()
        if text.endswith("{"):
            start = row if not text.startswith(("@", ":root")) else -1
        elif text.startswith("}") and start >= 0:
            if row - start > FEW_ROWS:
                sheet.drop(start + 1, row - 1, BODY)
            start = -1


def _fold_continuations(sheet: Sheet) -> None:
    """Folds the middle of commands that run over many lines (Dockerfile RUN)."""
    row, lines = 0, sheet.lines
    while row < len(lines):
        end = row
        while end < len(lines) - 1 and lines[end].rstrip().endswith("\\"):
            end += 1
        if end - row > LONG_CONTINUATION:
            sheet.drop(row + 4, end - 1, BODY)
        row = end + 1
