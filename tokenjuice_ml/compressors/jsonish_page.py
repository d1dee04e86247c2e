"""The page that a JSON tree is shown on: its tables, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import encode


@dataclass(slots=True)
class Page:
    """What is being put together.

    Attributes:
        words: lower-case words of the query.
        blocks: the tables, in order.
        lost: what was left out: a phrase and its bytes.
        lossy: True once anything was left out.
        gaps: rows left out, as the table's path and a half-open range.
        alike: rows of the outermost table for which another one stands.
        by_columns: True where long arrays are `jsonish_columns.Rows`.
        shared: tables by the id of what they were built from, kept from one attempt to the next.
    """

    words: Sequence[str] = ()
    blocks: list[str] = field(default_factory=list)
    lost: list[tuple[str, int]] = field(default_factory=list)
    lossy: bool = False
    shared: dict[Any, Any] = field(default_factory=dict)
    gaps: list[tuple[str, int, int]] = field(default_factory=list)
    alike: int = 0
    by_columns: bool = False

    def lose(self, what: str, size: int) -> None:
        """Writes down that something was left out."""
        self.lossy = True
        self.lost.append((what, size))


def block(page: Page, path: str, what: str, body: str) -> str:
    """Puts a table behind the tree and returns what stands in its place."""
    number = len(page.blocks) + 1
    page.blocks.append(f"[… table {number}{': ' + path if path else ''}, {what}]\n{body}")
    return f"[… table {number}]"


def names_of(names: list[str], room: int) -> str:
    """Joins names in about `room` chars; those that are not there are counted."""
    shown: list[str] = []
    for name in names:
        room -= len(name) + 2
        if room < 0 and shown:
            return ", ".join(shown) + f", +{len(names) - len(shown)}"
        shown.append(_one_line(name if len(name) <= 80 else name[:80] + "…"))
    return ", ".join(shown)


def _one_line(text: str) -> str:
    return text if text.isprintable() else encode(text)


def counted(found: Counter[str], most: int = 4) -> str:
    """Returns the most frequent labels with their counts."""
    shown = [f"{number} × {_one_line(label[:40]) or 'none'}" for label, number in found.most_common(most)]
    return ", ".join(shown) + (f", +{len(found) - most}" if len(found) > most else "")
