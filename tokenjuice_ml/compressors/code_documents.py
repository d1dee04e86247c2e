"""YAML streams: documents parted by ``---``. Alike ones are counted and named, what is unlike in one stays.

Documents of one kind are compared with each other: the first is shown, of the others only lines in
which they differ, or that say that something is not well. Rows are 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from tokenjuice_ml.compressors import code_items
from tokenjuice_ml.compressors.code_sheet import DATA, Sheet
from tokenjuice_ml.compressors.table_health import STRONG
from tokenjuice_ml.record import Record

# A stream has so many documents, and a kind so many, before any is folded.
FEWEST, FEWEST_ALIKE = 4, 4
MOST_DOCUMENTS, NAMES_CHARS = 5_000, 240
# What is shown of folded documents: documents with lines of their own, lines of one.
MOST_UNLIKE, LINES_EACH = 20, 12
# Keys whose values say how a thing is.
_STATES = ("phase:", "status:", "state:", "reason:", "message:", "health:", "type:", "conclusion:", "error:")
_KIND = re.compile(r"^(?:kind|type|Kind):", re.MULTILINE)
_NAME = re.compile(rf"^( *)(?:{'|'.join(map(re.escape, code_items.NAMES))})", re.MULTILINE)
_STATED = re.compile(rf"^[ -]*(?:{'|'.join(_STATES)})(.*)", re.MULTILINE)


class _Document(Record):
    """A document of the stream.

    Attributes:
        start: its first row, that of the ``---`` above it where there is one.
        first: the first row of its text.
        end: the row behind it.
        kind: what it is, "" where it does not say.
        name: what it is called.
        named: the rows that say both.
    """

    start: int
    first: int
    end: int
    kind: str
    name: str
    named: tuple[int, ...]


def fold(sheet: Sheet) -> None:
    """Folds the documents of a stream that are like others of their kind."""
    documents = list(_documents(sheet.lines))
    if not FEWEST <= len(documents) <= MOST_DOCUMENTS:
        return
    kinds: dict[str, list[_Document]] = {}
    for document in documents:
        kinds.setdefault(document.kind, []).append(document)
    folded: set[int] = set()
    for alike in kinds.values():
        if len(alike) >= FEWEST_ALIKE:
            folded.update(_fold_alike(sheet, alike))
    _note(sheet, [document for document in documents if document.start in folded], documents)


def _documents(lines: Sequence[str]) -> Iterator[_Document]:
    parts = [row for row, line in enumerate(lines) if line[:3] == "---" and line[3:4] in ("", " ", "\r")]
    starts = [*([] if parts[:1] == [0] else [0]), *parts]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        first = start + (start in set(parts[:1]) or lines[start][:3] == "---")
        if any(line.strip() and not line.startswith("#") for line in lines[first:end]):
            yield _read(lines, start, first, end)


def _read(lines: Sequence[str], start: int, first: int, end: int) -> _Document:
    """Reads of a document what it is and what it is called: the keys that stand furthest out."""
    text = "\n".join(lines[first:end])
    said = _KIND.search(text)
    kind = first + text.count("\n", 0, said.start()) if said else -1
    names = [(match.end(1) - match.start(1), match.start()) for match in _NAME.finditer(text)]
    name = first + text.count("\n", 0, min(names)[1]) if names else -1
    keys = next((line.partition(":")[0] for line in lines[first:end] if line[:1].isalpha()), "")
    both = [code_items.value(lines[row]) if row >= 0 else "" for row in (kind, name)]
    return _Document(
        start, first, end, both[0] or keys, both[1], tuple(row for row in (kind, name) if row >= 0)
    )


def _fold_alike(sheet: Sheet, alike: Sequence[_Document]) -> list[int]:
    """Folds all documents of a kind but the first; returns where the folded ones start."""
    lines: list[str] = []
    origin: list[int] = []
    starts: list[int] = []
    for document in alike:
        starts.append(len(lines))
        lines += sheet.lines[document.first : document.end]
        origin += range(document.first, document.end)
    unlike = dict(code_items.unlike(lines, starts, len(lines), range(1, len(alike))))
    shown = 0
    for index, document in enumerate(alike[1:], 1):
        rows = [
            *(origin[row] for row in unlike.get(index, ()) if lines[row].strip()),
            *_unwell(sheet.lines, document),
        ]
        sheet.drop(document.start, document.end - 1, DATA)
        if not rows or shown >= MOST_UNLIKE:
            continue
        shown += 1
        rows = sorted(set(rows))[:LINES_EACH]
        above = code_items.parents(sheet.lines, [*rows, *document.named], document.first)
        for row in {
            *rows,
            *document.named,
            *above,
            *([document.start] if document.start < document.first else []),
        }:
            sheet.show(row, row)
    return [document.start for document in alike[1:]]


def _unwell(lines: Sequence[str], document: _Document) -> list[int]:
    """Returns the rows that say that something is not well."""
    text = "\n".join(lines[document.first : document.end])
    return [
        document.first + text.count("\n", 0, match.start())
        for match in _STATED.finditer(text)
        if STRONG.search(match[1].lower())
    ]


def _note(sheet: Sheet, folded: Sequence[_Document], documents: Sequence[_Document]) -> None:
    """Says of each run of documents that are gone altogether how many they are, and their names."""
    place = {document.start: at for at, document in enumerate(documents)}
    gone = [one for one in folded if not sheet.flags[one.start : one.end].count(0)]
    run: list[_Document] = []
    for document in [*gone, None]:
        if run and (document is None or place[document.start] != place[run[-1].start] + 1):
            sheet.notes[_first_row(sheet, run[0].start)] = _said(run)
            run = []
        if document is not None:
            run.append(document)


def _first_row(sheet: Sheet, row: int) -> int:
    """Returns the first row of the fold that `row` stands in."""
    while row > 0 and sheet.flags[row - 1] == DATA:
        row -= 1
    return row


def _said(run: Sequence[_Document]) -> str:
    room = NAMES_CHARS
    parts: list[str] = []
    for kind, same in groupby(sorted(run, key=lambda one: one.kind), key=lambda one: one.kind):
        names = [one.name for one in same if one.name]
        shown = [name for name in names if (room := room - len(name) - 2) > 0]
        more = f", +{len(names) - len(shown)}" if len(shown) < len(names) else ""
        parts.append(f"{kind} {', '.join(shown)}{more}".strip())
    noun = "document" if len(run) == 1 else "documents"
    return f"{len(run)} {noun}: {'; '.join(parts)}"
