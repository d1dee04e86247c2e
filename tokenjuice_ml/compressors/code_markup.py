"""Markdown: headings, first sentences, what obliges, short code; the rest folds where it stood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.code_sheet import DATA, Sheet, bound, mark, render
from tokenjuice_ml.compressors.table import query_words
from tokenjuice_ml.types import Context, Omission, Reduction

FENCES = ("```", "~~~")
LONG_FENCE, FENCE_HEAD, LONG_PARAGRAPH = 12, 5, 240
LONG_LIST, LIST_HEAD, LIST_TAIL = 16, 10, 2
LONG_TABLE, TABLE_HEAD = 16, 8
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
            sheet.drop(first + TABLE_HEAD, last - 1, DATA)
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
