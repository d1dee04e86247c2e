"""Markdown: headings, first sentences, what obliges, short code; the rest folds where it stood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.code_sheet import DATA, Sheet, bound, mark, render
from tokenjuice_ml.compressors.table import compress_table, query_words
from tokenjuice_ml.record import replace
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

FENCES = ("```", "~~~")
LONG_FENCE, FENCE_HEAD, LONG_PARAGRAPH = 12, 5, 240
LONG_LIST, LIST_HEAD, LIST_TAIL = 16, 10, 2
LONG_TABLE, TABLE_HEAD = 24, 8
# Of a long table this share of its tokens stays, at least so many.
TABLE_SHARE, LEAST_TABLE = 0.2, 200
# Rows from which lines with gaps in them are a table, and the share of them that has gaps.
FEWEST_ROWS, GAPPED = 3, 0.8
NAMES_CHARS = 240
_CELL = re.compile(r" ?\|| {2}|\t")
MOST_CHARS = 60_000
SENTENCE = re.compile(r"(?<=[.!?。])[ \t]+(?=\S)")
DUTIES = re.compile(
    r"\b(?:must|never|not|only|always|required?|requires|warning|important|caution|deprecated|unless|except|cannot"
    r"|don't|breaking|security|default)\b"
)
ITEM = ("- ", "* ", "+ ")


def compress_markdown(text: str, context: Context) -> Reduction | None:
    """Returns the document with long paragraphs, code, lists and tables cut; None when nothing is."""
    sheet = Sheet(text.replace("\r\n", "\n").split("\n"))
    words = query_words(context.output.query)
    cut: list[Omission] = []
    for first, last, sort in blocks(sheet.lines):
        block = " ".join(sheet.lines[first : last + 1]).lower() if words else ""
        if any(word in block for word in words):
            continue
        if sort == "fence" and last - first > LONG_FENCE:
            sheet.drop(first + FENCE_HEAD, last - 1, DATA)
        elif sort == "table" and last - first > LONG_TABLE:
            _fold_table(sheet, first, last, context)
        elif sort == "text":
            _shorten(sheet, first, last, cut)
    _fold_lists(sheet, words)
    bound(sheet, MOST_CHARS)
    body, folds = render(sheet)
    gaps = sorted([*folds, *cut], key=lambda gap: gap.first_line)
    return Reduction(body, True, "code", tuple(gaps), detail="markdown") if gaps else None


def blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yields rows of each block and its sort: fence, table, heading, item, text, front."""
    row, total = 0, len(lines)
    while row < total:
        text = lines[row].lstrip()
        if not text:
            row += 1
            continue
        sort = _sort(text, row)
        end = row
        if sort in ("fence", "front"):
            end = _closing(lines, row, text[:3])
        elif sort in ("table", "text"):
            while end + 1 < total and _goes_on(lines[end + 1], sort):
                end += 1
            sort = _settled(lines[row : end + 1], sort)
        yield row, end, sort
        row = end + 1


def _sort(text: str, row: int) -> str:
    if text.startswith(FENCES):
        return "fence"
    if row == 0 and text.rstrip() in ("---", "+++"):
        return "front"
    if text.startswith("#"):
        return "heading"
    if text.startswith("|"):
        return "table"
    if text.startswith(ITEM) or text.split(" ", 1)[0].rstrip(".)").isdigit():
        return "item"
    return "text"


def _closing(lines: Sequence[str], row: int, sign: str) -> int:
    for end in range(row + 1, len(lines)):
        if lines[end].lstrip().startswith(sign):
            return end
    return len(lines) - 1


def _goes_on(line: str, sort: str) -> bool:
    text = line.lstrip()
    if sort == "table":
        return text.startswith("|")
    return bool(text) and not text.startswith(("#", "|", *FENCES, *ITEM))


def _settled(lines: Sequence[str], sort: str) -> str:
    """Returns what a block without marks is: a table by its columns, code by its indentation, or text."""
    if sort == "table":
        return sort
    if all(line.startswith(("    ", "\t")) for line in lines):
        return "code"
    if len(lines) < FEWEST_ROWS or sum(map(_is_gapped, lines)) < GAPPED * len(lines):
        return sort
    return "table"


def _is_gapped(line: str) -> bool:
    """Tells whether a line looks like a row of a table: wide gaps between words, or bars."""
    text = line.strip()
    if "\t" in text or " | " in text:
        return True
    # Two blanks behind the end of a sentence are an old custom.
    at = text.find("  ")
    return (at > 0 and text[at - 1] not in ".!?:") or "   " in text


def _fold_table(sheet: Sheet, first: int, last: int, context: Context) -> None:
    """Drops rows of a long table that are like others; odd ones and unwell ones stay, the rest is counted."""
    rows = sheet.lines[first : last + 1]
    budget = max(LEAST_TABLE, int(TABLE_SHARE * estimate("\n".join(rows))))
    done = compress_table(rows, replace(context, budget_tokens=budget))
    gaps = [gap for gap in done.omissions if gap.lines] if done else None
    if gaps is None:
        sheet.drop(first + TABLE_HEAD, last - 1, DATA)
        return
    for gap in gaps:
        start = first + gap.first_line - 1
        sheet.drop(start, first + gap.last_line - 1, DATA)
        names = _first_cells(rows[gap.first_line - 1 : gap.last_line])
        sheet.notes[start] = "; ".join(part for part in (gap.what, names) if part)


def _first_cells(rows: Sequence[str]) -> str:
    """Returns what the rows are called, as far as there is room; nothing where rows share a name."""
    names = [_CELL.split(row.strip().lstrip("|").lstrip(), maxsplit=1)[0][:60] for row in rows]
    if len(set(names)) < len(names) or "" in names:
        return ""
    room = NAMES_CHARS
    for at, name in enumerate(names):
        room -= len(name) + 2
        if room < 0:
            return f"{', '.join(names[:at])}, +{len(names) - at}"
    return ", ".join(names)


def _shorten(sheet: Sheet, first: int, last: int, cut: list[Omission]) -> None:
    """Keeps the first sentence of a paragraph, and those that oblige or forbid."""
    text = "\n".join(sheet.lines[first : last + 1])
    if len(text) < LONG_PARAGRAPH or text.startswith(("<", "![", "[")):
        return
    sentences = SENTENCE.split(text)
    kept = [i == 0 or DUTIES.search(part.lower()) is not None for i, part in enumerate(sentences)]
    lost = sum(utf8_len(part) + 1 for part, keep in zip(sentences, kept, strict=True) if not keep)
    if lost < LONG_PARAGRAPH // 3:
        return
    pieces: list[str] = []
    for part, keep in zip(sentences, kept, strict=True):
        if keep:
            pieces.append(part)
        elif not pieces or pieces[-1] != "…":
            pieces.append("…")
    if pieces[-1] == "…":
        pieces[-1] = mark(first + 1, last + 1)
    sheet.lines[first] = " ".join(" ".join(pieces).split("\n"))
    for row in range(first + 1, last + 1):
        sheet.gone.add(row)
    cut.append(Omission(first + 1, last + 1, 0, lost, "sentences"))


def _fold_lists(sheet: Sheet, words: Sequence[str]) -> None:
    """Folds the middle of long lists of one indentation."""
    run: list[int] = []
    indent = -1
    for row, line in enumerate([*sheet.lines, "end"]):
        text = line.lstrip()
        depth = len(line) - len(text)
        if text.startswith(ITEM) and (not run or depth == indent):
            run.append(row)
            indent = depth
        elif text and (depth <= indent or not run):
            _fold_run(sheet, run, words)
            run = [row] if text.startswith(ITEM) else []
            indent = depth if run else -1


def _fold_run(sheet: Sheet, run: list[int], words: Sequence[str]) -> None:
    if len(run) < LONG_LIST:
        return
    for position in range(LIST_HEAD, len(run) - LIST_TAIL):
        first, last = run[position], run[position + 1] - 1
        text = " ".join(sheet.lines[first : last + 1]).lower()
        if not any(word in text for word in words) and not DUTIES.search(text[:400]):
            sheet.drop(first, last, DATA)
