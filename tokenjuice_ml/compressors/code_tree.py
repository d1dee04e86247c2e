"""Folds a source file by its syntax tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tokenjuice_ml.compressors.code_comments import shorten_comments, shorten_docstring
from tokenjuice_ml.compressors.code_languages import grammar
from tokenjuice_ml.compressors.code_python import Found, scan
from tokenjuice_ml.compressors.code_sheet import (
    BODY,
    DATA,
    FEW_ROWS,
    KEEP,
    Body,
    Sheet,
    closes,
    worth_folding,
)
from tokenjuice_ml.compressors.code_walk import fold_rows

LONG_DATA, DATA_HEAD = 32, 6
PROBES, PROBE_FROM = (6_000, 8_500), 24_000
FEW_ERRORS, CHARS_PER_ERROR = 6, 600
BLOCKS = frozenset(
    [
        "block",
        "statement_block",
        "compound_statement",
        "constructor_body",
        "body_statement",
        "block_body",
        "function_body",
        "indented_block",
        "computed_property",
        "lambda_literal",
    ]
)
NAMING = frozenset(
    [
        "variable_declarator",
        "pair",
        "assignment_expression",
        "public_field_definition",
        "assignment",
        "property_declaration",
        "field_definition",
    ]
)
TEST_CALLS = frozenset(
    [
        "describe",
        "it",
        "test",
        "context",
        "suite",
        "specify",
        "scenario",
        "feature",
        "beforeEach",
        "afterEach",
        "beforeAll",
        "afterAll",
        "before",
        "after",
        "group",
        "bench",
        "namespace",
        "task",
    ]
)


def fold_tree(sheet: Sheet, text: str, language: str) -> list[Body] | None:
    """Folds by the syntax tree; returns the bodies, or None when the text does not parse."""
    found = scan(text, LONG_DATA) if language == "python" else None
    parts = _scanned_parts(found, sheet) if found is not None else _parsed_parts(text, language)
    if parts is None:
        return None
    bodies = parts.bodies
    for first_row, last_row in parts.docstrings:
        shorten_docstring(sheet, first_row, last_row)
    _fold_data(sheet, parts.data, bodies)
    for first, last in _outermost(parts.macros):
        if last - first > FEW_ROWS:
            bodies += fold_rows(sheet, first, last)
    bodies.sort(key=lambda body: (body.first, -body.last))
    _fold_bodies(sheet, bodies)
    for row in parts.types:
        # The first rows of types that are declared inside bodies.
        if sheet.flags[row] == BODY:
            sheet.show(row, row)
    shorten_comments(sheet, parts.comments)
    return bodies


@dataclass(slots=True)
class _Parts:
    """What in a file folds, as 0-based rows, both ends inclusive."""

    bodies: list[Body]
    docstrings: list[tuple[int, int]]
    data: list[tuple[int, int]]
    macros: list[tuple[int, int]]
    types: list[int]
    comments: list[tuple[int, int]]


def _parsed_parts(text: str, language: str, known: bool = False) -> _Parts | None:
    """Returns the parts by the syntax tree, None where it does not parse.

    Args:
        text: the source.
        language: what it should be.
        known: True where it surely is.
    """
    parts = grammar(language)
    if parts is None:
        return None
    parser, cursor, lock = parts
    with lock:
        if not known and len(text) > PROBE_FROM and _is_garbage(parser, cursor, text):
            return None
        root = parser.parse(text.encode("utf-8", "surrogatepass")).root_node
        found: dict[str, list[Any]] = cursor.captures(root)
    if _too_many(found, len(text)):
        return None
    bodies = _bodies(found, language)
    return _Parts(
        bodies,
        _docstrings(root, found, bodies) if language == "python" else [],
        [_rows(node) for node in found.get("data", ())],
        [_rows(node) for node in found.get("macro", ())],
        [node.start_point[0] for node in found.get("type", ())],
        [_rows(node) for node in found.get("comment", ())],
    )


def _scanned_parts(found: Found, sheet: Sheet) -> _Parts | None:
    """Returns the parts of a scan; only statements that may hold a long literal are parsed."""
    data: list[tuple[int, int]] = []
    for first, last in found.long:
        text = "\n".join([sheet.lines[first].lstrip(), *sheet.lines[first + 1 : last + 1]])
        # A header alone is no statement.
        parts = _parsed_parts(f"{text}\n  pass" if text.endswith(":") else text, "python", known=True)
        data += [(first + start, first + end) for start, end in parts.data] if parts else []
    comments = [(row, row) for row in found.comments]
    return _Parts(found.bodies, found.docstrings, data, [], found.classes, comments)


def _outermost(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    covered = -1
    for first, last in sorted(ranges, key=lambda rows: (rows[0], -rows[1])):
        if first > covered:
            covered = last
            yield first, last


def _is_garbage(parser: Any, cursor: Any, text: str) -> bool:
    """Text that is no such language is slow to parse, so its start is tried first.

    A cut inside a string looks broken too: only two cuts that both look so are garbage.
    """
    for size in PROBES:
        root = parser.parse(text[:size].encode("utf-8", "surrogatepass")).root_node
        if not _too_many(cursor.captures(root), size):
            return False
    return True


def _too_many(found: dict[str, list[Any]], size: int) -> bool:
    return len(found.get("error", ())) > FEW_ERRORS + size // CHARS_PER_ERROR


def _rows(node: Any) -> tuple[int, int]:
    """Returns first and last row; a node that ends at the start of a row ends on the row before."""
    first, (last, column) = node.start_point[0], node.end_point
    return first, last - 1 if column == 0 and last > first else last


def _bodies(found: dict[str, list[Any]], language: str) -> list[Body]:
    bodies = [body for node in found.get("body", ()) if (body := _body(node, True, language))]
    for node in found.get("block", ()):
        body = _body(node, _has_name(node), language)
        if body:
            bodies.append(body)
    bodies.sort(key=lambda body: (body.first, -body.last))
    return bodies


def _body(node: Any, named: bool, language: str) -> Body | None:
    if node.type not in BLOCKS:
        return None
    first, last = _rows(node)
    owner = node.parent
    if owner is not None and owner.type == "function_body":
        owner = owner.parent
    signature = owner.start_point[0] if owner is not None else first
    if node.child_count and node.child(0).type == "{":
        return Body(signature, first + 1, last - 1, named)
    if node.type == "lambda_literal":
        return Body(signature, first + 1, last - 1, named)
    if first == signature:
        return None
    docstring = _docstring(node) if language == "python" else None
    return Body(signature, first, last, named, docstring)


def _has_name(node: Any) -> bool:
    """True for a callback that is bound to a name or that a test function is given."""
    owner = node if node.type == "lambda_literal" else node.parent
    parent = owner.parent
    if parent is None:
        return False
    if parent.type in NAMING or owner.child_by_field_name("name") is not None:
        return True
    call = parent if parent.type == "call" else parent.parent
    if call is None or not call.type.startswith("call"):
        return False
    callee = call.child_by_field_name("function") or call.child_by_field_name("method")
    name = (callee.text or b"").decode("utf-8", "replace").split(".")[0] if callee is not None else ""
    return name in TEST_CALLS


def _docstring(block: Any) -> tuple[int, int] | None:
    first = block.named_child(0) if block.named_child_count else None
    return _string(first)


def _string(statement: Any) -> tuple[int, int] | None:
    """Returns the rows of a statement that is a string; one of broken code may hold nothing."""
    if statement is None or statement.type != "expression_statement" or not statement.named_child_count:
        return None
    text = statement.named_child(0)
    return _rows(text) if text.type == "string" else None


def _docstrings(root: Any, found: dict[str, list[Any]], bodies: list[Body]) -> list[tuple[int, int]]:
    rows = [body.docstring for body in bodies if body.docstring]
    for node in found.get("type", ()):
        block = node.child_by_field_name("body")
        if block is not None:
            rows.append(_docstring(block) or (0, 0))
    first = next((node for node in root.named_children if node.type != "comment"), None)
    own = _string(first)
    return [*rows, own] if own else rows


def _fold_bodies(sheet: Sheet, bodies: list[Body]) -> None:
    """Folds the outermost bodies; inside them the signatures of named functions stay."""
    outer_last = -1
    for body in bodies:
        inside = body.signature <= outer_last
        if inside and not body.named:
            continue
        first = body.docstring[1] + 1 if body.docstring else body.first
        folds = worth_folding(sheet, first, body.last)
        if inside:
            sheet.show(body.signature, body.first - 1 if folds else body.last)
            if body.last + 1 < len(sheet.lines) and closes(sheet.lines[body.last + 1]):
                sheet.show(body.last + 1, body.last + 1)
        if folds:
            sheet.drop(first, body.last, BODY)
        outer_last = max(outer_last, body.last)


def _fold_data(sheet: Sheet, data: list[tuple[int, int]], bodies: list[Body]) -> None:
    """Folds long literals that hold no functions: a few rows from the start and the last one stay."""
    starts = sorted(body.signature for body in bodies)
    covered = -1
    for first, last in sorted(data, key=lambda rows: (rows[0], -rows[1])):
        if last - first < LONG_DATA or first <= covered or _any_within(starts, first, last):
            continue
        covered = last
        rows = [row for row in range(first + DATA_HEAD, last) if sheet.flags[row] == KEEP]
        if rows:
            sheet.drop(rows[0], rows[-1], DATA)


def _any_within(ordered: list[int], first: int, last: int) -> bool:
    from bisect import bisect_left

    at = bisect_left(ordered, first)
    return at < len(ordered) and ordered[at] <= last
