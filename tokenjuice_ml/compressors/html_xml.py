"""Generic XML as indented text: leaves on one line, alike siblings as rows, nothing said twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.compressors.table import cut_rows
from tokenjuice_ml.types import Context, Omission

ALIKE, INLINE_CHARS, MOST_INDENT = 3, 160, 40
MOST_PARTS, MOST_ROW_CHARS = 24, 300
# What an element that has nothing says in a row, and one that is not there.
EMPTY, ABSENT = "(empty)", "(absent)"
BLOCK_HEAD, BLOCK_TAIL = 12, 24
TESTS = frozenset(("testcase", "test-case", "test", "unittestresult"))
FAILURES = ("message=", "failed", "failure", "error")


def name_of(element: Any) -> str:
    """Returns an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def read_xml(root: Any, context: Context) -> tuple[str, list[Omission], int]:
    """Returns the document as text, what was cut, and how many comments were dropped."""
    lines: list[str] = []
    gaps: list[Omission] = []
    comments = _count_comments(root)
    stack: list[tuple[Any, int]] = [(root, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, list):
            _write_rows(item, depth, context, lines, gaps)
            continue
        item, path = _only_child(item)
        children = [child for child in item if isinstance(child.tag, str)]
        inline = _inline(children)
        pad = " " * min(depth, MOST_INDENT)
        block = _block(item)
        lines.append(pad + path + _attributes(item) + ("" if block else _own_text(item)) + inline)
        _write_block(block, pad + " ", item.sourceline or 1, lines, gaps)
        if not inline:
            stack.extend((part, depth + 1) for part in reversed(list(_parts(children))))
    return "\n".join(lines), gaps, comments


def _count_comments(root: Any) -> int:
    from lxml import etree

    outside = [*root.itersiblings(etree.Comment), *root.itersiblings(etree.Comment, preceding=True)]
    return len(outside) + sum(1 for _ in root.iter(etree.Comment))


def _only_child(element: Any) -> tuple[Any, str]:
    """Follows elements that hold nothing but one element; returns the last one and its path."""
    path = name_of(element)
    while len(element) == 1 and not element.attrib and isinstance(element[0].tag, str):
        if (element.text or "").strip() or len(path) > INLINE_CHARS:
            break
        element = element[0]
        path = f"{path}/{name_of(element)}"
    return element, path


def _block(element: Any) -> list[str]:
    """Returns the lines of a text that has several (a stack trace, captured output)."""
    text = element.text or ""
    if "\n" not in text:
        return []
    lines = [line.rstrip() for line in text.split("\n")]
    return lines if sum(1 for line in lines if line) > 1 else []


def _write_block(block: list[str], pad: str, line: int, lines: list[str], gaps: list[Omission]) -> None:
    """Writes a text of several lines; a long one by its ends."""
    while block and not block[-1]:
        block.pop()
    if len(block) > BLOCK_HEAD + BLOCK_TAIL + 2:
        first, last = line + BLOCK_HEAD, line + len(block) - BLOCK_TAIL - 1
        gone = block[BLOCK_HEAD:-BLOCK_TAIL]
        gaps.append(Omission(first, last, len(gone), sum(utf8_len(row) + 1 for row in gone), "text"))
        block = [*block[:BLOCK_HEAD], omission_line(len(gone), first, last), *block[-BLOCK_TAIL:]]
    lines.extend(row if row.startswith("[…") else pad + row for row in block if row)


def _attributes(element: Any) -> str:
    pairs = (f"{key.rpartition('}')[2]}={value}" for key, value in element.attrib.items())
    text = " ".join(pairs)
    return f" ({text})" if text else ""


def _own_text(element: Any) -> str:
    parts = [element.text, *(child.tail for child in element)]
    text = " ".join(" ".join(part for part in parts if part).split())
    return f": {text}" if text else ""


def _inline(children: list[Any]) -> str:
    """Returns few leaves on the line of their parent, "" when they are too many or no leaves."""
    if not children or len(children) > 8 or any(len(child) or child.attrib for child in children):
        return ""
    text = " · ".join(
        f"{name_of(child)} {' '.join((child.text or '').split())}".rstrip() for child in children
    )
    return f": {text}" if len(text) <= INLINE_CHARS else ""


def _parts(children: list[Any]) -> Iterator[Any]:
    """Yields elements, and runs of alike flat siblings as lists."""
    run: list[Any] = []
    for child in children:
        if run and (child.tag != run[0].tag or not _is_flat(child)):
            yield from [run] if len(run) >= ALIKE else run
            run = []
        if _is_flat(child):
            run.append(child)
        else:
            yield child
    yield from [run] if len(run) >= ALIKE else run


def _is_flat(element: Any) -> bool:
    """True for an element small enough to be one row."""
    size = 0
    for count, inner in enumerate(element.iter()):
        size += len(inner.text or "")
        if not isinstance(inner.tag, str) or _block(inner) or count > MOST_PARTS or size > MOST_ROW_CHARS:
            return False
    return True


def _cells(element: Any) -> dict[str, str]:
    cells = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    text = " ".join((element.text or "").split())
    if text:
        cells[""] = text
    for child in element:
        name = name_of(child)
        value = _value(child) or EMPTY
        cells[name] = f"{cells[name]}, {value}" if name in cells else value
    return cells


def _value(element: Any) -> str:
    """Returns a small element's attributes, text and children on one line."""
    own = [f"{key.rpartition('}')[2]}={value}" for key, value in element.attrib.items()]
    own.append(" ".join((element.text or "").split()))
    own += [f"{name_of(child)} {_value(child)}".rstrip() for child in element]
    return " ".join(part for part in own if part)


def _write_rows(run: list[Any], depth: int, context: Context, lines: list[str], gaps: list[Omission]) -> None:
    found = [_cells(element) for element in run]
    names = list(dict.fromkeys(name for cells in found for name in cells))
    same = [name for name in names if name and len({cells.get(name) for cells in found}) == 1]
    columns = [name for name in names if name not in same]
    pad, tag = " " * min(depth, MOST_INDENT), name_of(run[0])
    rows = [[cells.get(name, ABSENT) for name in columns] for cells in found]
    judge = _fails if tag.lower() in TESTS else None
    found_at = [element.sourceline or 1 for element in run]
    cut = cut_rows(columns, rows, found_at, context, judge)
    head, *body = cut.text.split("\n")
    shared = "".join(f"; all {name} {found[0][name]}".rstrip() for name in same)
    lines.append(f"{pad}{len(run)} × {tag}: {head}".rstrip(" :") + shared)
    if columns:
        lines.extend(line if line.startswith("[…") else f"{pad} {_trimmed(line)}" for line in body)
        gaps.extend(cut.omissions)


def _trimmed(row: str) -> str:
    """Returns a row without the elements that it lacks at its end."""
    while row.endswith(f" | {ABSENT}"):
        row = row[: -len(ABSENT) - 3]
    return row


def _fails(cells: Sequence[str], row: str) -> bool:
    """A test that did not pass says so in a cell of its own (failure, error, outcome)."""
    low = row.lower()
    return any(word in low for word in FAILURES)


def read_svg(root: Any) -> tuple[str, int]:
    """Returns titles, descriptions and texts of a drawing, and how many shapes have none."""
    texts: list[str] = []
    shapes = 0
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        name = name_of(element).lower()
        if name in ("title", "desc", "text"):
            text = " ".join("".join(element.itertext()).split())
            if text:
                texts.append({"title": "# ", "desc": ""}.get(name, "- ") + text)
        elif name in ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use", "image"):
            shapes += 1
    size = " ".join(f"{key}={root.get(key)}" for key in ("width", "height", "viewBox") if root.get(key))
    return "\n".join([f"svg {size}".rstrip(), *texts]), shapes
