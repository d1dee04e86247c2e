"""Notebooks: the code and first sentences of each cell; outputs are counted, errors stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.types import Context, Omission, Reduction

OUTPUT_LINES, ERROR_LINES, SOURCE_LINES, SOURCE_HEAD = 6, 8, 60, 40
ANSI_START, ANSI_END = "\x1b[", "m"
Fold = Callable[[str], str]


def compress_notebook(text: str, context: Context, fold_text: Fold) -> Reduction | None:
    """Returns the cells of a notebook as text, None when it is no notebook.

    Args:
        text: the notebook as JSON.
        context: settings and query.
        fold_text: shortens the text of a markdown cell.
    """
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        return None
    lines: list[str] = []
    lost: list[str] = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            _write_cell(cell, number, lines, lost, fold_text)
    body = "\n".join(lines)
    total = text.count("\n") + 1
    said = "notebook markup" + (f", {', '.join(lost)}" if lost else "")
    gap = Omission(1, total, 0, max(0, utf8_len(text) - utf8_len(body)), said[:200])
    return Reduction(f"{body}\n[… left out: {said[:200]}]", True, "code", (gap,), detail="notebook")


def _write_cell(cell: dict[str, Any], number: int, lines: list[str], lost: list[str], fold: Fold) -> None:
    source = _joined(cell.get("source"))
    kind = cell.get("cell_type")
    if kind == "markdown":
        lines.extend(("", fold(source)))
        return
    count = cell.get("execution_count")
    lines.append(f"\n# %% [{count if count is not None else number}]")
    rows = source.split("\n")
    if len(rows) > SOURCE_LINES:
        lost.append(f"{len(rows) - SOURCE_HEAD} lines of cell {number}")
        rows = [*rows[:SOURCE_HEAD], f"[… {len(rows) - SOURCE_HEAD} lines of this cell]"]
    lines.extend(rows)
    for output in cell.get("outputs") or ():
        if isinstance(output, dict):
            _write_output(output, lines, lost)


def _write_output(output: dict[str, Any], lines: list[str], lost: list[str]) -> None:
    if output.get("output_type") == "error":
        trace = "\n".join(str(part) for part in output.get("traceback") or ()).split("\n")
        shown = [_plain(line) for line in trace[-ERROR_LINES:]]
        lines.append(f"#! {output.get('ename')}: {output.get('evalue')}")
        lines.extend(line for line in shown if line.strip())
        if len(trace) > ERROR_LINES:
            lines.append(f"[… {len(trace) - ERROR_LINES} lines of traceback above]")
        return
    data = output.get("data") if isinstance(output.get("data"), dict) else {}
    assert isinstance(data, dict)
    text = _joined(output.get("text") or data.get("text/plain"))
    rows = text.rstrip("\n").split("\n") if text.strip() else []
    lines.extend(f"#> {_plain(row)[:300]}" for row in rows[:OUTPUT_LINES])
    if len(rows) > OUTPUT_LINES:
        lines.append(f"[… {len(rows) - OUTPUT_LINES} lines of output]")
    rich = [name for name in data if name != "text/plain"]
    if rich:
        size = sum(len(_joined(data[name])) for name in rich)
        lines.append(f"[… output {', '.join(rich)}: {size:,} chars]")
        lost.append("rich outputs") if "rich outputs" not in lost else None


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    return value if isinstance(value, str) else ""


def _plain(line: str) -> str:
    """Returns a line without its colour codes."""
    while True:
        start = line.find(ANSI_START)
        end = line.find(ANSI_END, start) if start >= 0 else -1
        if end < 0:
            return line
        line = line[:start] + line[end + 1 :]
