"""The lines of a web page as they grow: text, and tables that are written at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MOST_OPTIONS = 12


@dataclass(slots=True)
class Row:
    """One table row with the line of its start in the source."""

    cells: list[str]
    line: int


@dataclass(slots=True)
class Table:
    """A table being read."""

    layout: bool
    headed: bool = False
    rows: list[Row] = field(default_factory=list)
    cell_start: int = -1


@dataclass(slots=True)
class Page:
    """The text of a page as it grows.

    Attributes:
        lines: finished lines; a `Table` stands for its rows.
        buffer: pieces of the line being read.
        left_out: what was dropped, counted by sort.
        urls: link targets already shown.
        framed: True when navigation or the like was left out.
    """

    lines: list[str | Table] = field(default_factory=list)
    buffer: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    urls: set[str] = field(default_factory=set)
    framed: bool = False
    prefix: str = ""
    lists: list[int] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    anchors: list[tuple[str, int, int]] = field(default_factory=list)
    quotes: int = 0

    def in_cell(self) -> bool:
        """True inside a cell of a table that is shown as rows."""
        return bool(self.tables) and not self.tables[-1].layout and self.tables[-1].cell_start >= 0

    def flush(self) -> None:
        """Ends the line; inside a table cell a blank stands for the line end."""
        buffer = self.buffer
        if not buffer:
            return
        if self.tables and self.in_cell():
            buffer.append(" ")
            return
        words = (buffer[0] if len(buffer) == 1 else "".join(buffer)).split()
        buffer.clear()
        if len(words) >= MOST_OPTIONS and words[0] == "1" and words[-1] == str(len(words)):
            self.left_out["line number"] += len(words)
            return
        text = " ".join(words)
        if not text:
            return
        if text in self.urls and not self.prefix.strip():
            self.left_out["URL again"] += 1
        else:
            self.lines.append("> " * self.quotes + self.prefix + text)
            self.prefix = "  " * len(self.lists)
