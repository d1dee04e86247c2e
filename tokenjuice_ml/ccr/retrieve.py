"""The way back: an original, or the part of it that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenjuice_ml import marker
from tokenjuice_ml.ccr.token import parse

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store

# One page unless more is asked for: an agent that asks for everything by habit pays twice.
PAGE_LINES = 400
MALFORMED = "not a token: expected ⟦tj:…⟧ with 27 digits, as printed in the footer of a partial view"
MISSING = (
    "no original under this token: it expired, was evicted, or belongs to another store. "
    "The partial view you have stays valid; run the command again only if the missing part matters."
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a retrieval gives.

    Attributes:
        text: the asked part, decoded; None when there is none.
        error: one sentence for the model when `text` is None.
        first_line: original number of the first line of `text`.
        last_line: original number of its last line.
        total_lines: lines of the original.
    """

    text: str | None
    error: str = ""
    first_line: int = 1
    last_line: int = 0
    total_lines: int = 0


def fetch(
    store: Store,
    token: str,
    *,
    lines: tuple[int, int] | None = None,
    bytes_: tuple[int, int] | None = None,
) -> bytes | None:
    """Returns the original byte for byte, or a range of it; None when it is not there.

    Args:
        store: where to look.
        token: bare or in its marker.
        lines: first and last line, 1-based, inclusive, clamped; negative counts from the end.
        bytes_: first and last byte, 0-based, half open, clamped; negative counts from the end.
    """
    bare = parse(token)
    if bare is None:
        return None
    if lines is None and bytes_ is None:
        return store.get(bare)
    size = store.size_of(bare)
    if size is None:
        return None
    if lines is not None:
        first, last = from_end(lines, size[1] + 1)
        return store.get_lines(bare, first, last)
    assert bytes_ is not None
    start, end = (place + size[0] if place < 0 else place for place in bytes_)
    return store.get_bytes(bare, start, end)


def from_end(lines: tuple[int, int], after_last: int) -> tuple[int, int]:
    """Returns a range of lines with negative numbers counted from the end.

    >>> from_end((-3, -1), 11)
    (8, 10)
    """
    first, last = (place + after_last if place < 0 else place for place in lines)
    return max(1, first), last


def view(
    store: Store,
    token: str,
    *,
    lines: tuple[int, int] | None = None,
    around: int | None = None,
    context: int = 20,
    grep: str | None = None,
    numbers: bool = False,
    page: int = PAGE_LINES,
) -> Found:
    """Returns what a model asked to see of an original, at most a page of it.

    Args:
        store: where to look.
        token: bare or in its marker.
        lines: a range of lines, as for `fetch`.
        around: a line to show with its surroundings.
        context: lines on each side of `around` or of a match.
        grep: shows the lines that hold this text (case ignored), with `context` lines.
        numbers: puts original line numbers in front.
        page: most lines shown; 0 means no limit.
    """
    bare = parse(token)
    if bare is None:
        return Found(None, MALFORMED)
    size = store.size_of(bare)
    if size is None:
        return Found(None, MISSING)
    total = size[1]
    if grep is not None:
        return _grep(store, bare, total, grep, context, page)
    first, last = (1, total)
    if around is not None:
        first, last = from_end((around, around), total + 1)
        first, last = max(1, first - context), last + context
    elif lines is not None:
        first, last = from_end(lines, total + 1)
    last = min(last, total)
    shown = min(last, first + page - 1) if page else last
    data = store.get_lines(bare, first, shown)
    if data is None:
        return Found(None, MISSING)
    text = data.decode("utf-8", "replace")
    if numbers:
        text = number(text, first)
    if shown < last:
        joint = "" if text.endswith("\n") else "\n"
        text += f"{joint}[… {last - shown:,} more lines; ask for L{shown + 1}-L{last}]"
    return Found(text, first_line=first, last_line=shown, total_lines=total)


def number(text: str, first: int) -> str:
    """Returns `text` with ``L<n>: `` in front of each line."""
    ended = text.endswith("\n")
    rows = text[:-1].split("\n") if ended else text.split("\n")
    return "\n".join(f"L{first + at}: {row}" for at, row in enumerate(rows)) + ("\n" if ended else "")


def _grep(store: Store, token: str, total: int, words: str, context: int, page: int) -> Found:
    data = store.get(token)
    if data is None:
        return Found(None, MISSING)
    rows = data.decode("utf-8", "replace").split("\n")
    wanted = words.lower()
    hits = [at for at, row in enumerate(rows) if wanted in row.lower()]
    if not hits:
        return Found(f"[… no line of {total:,} holds {words!r}]", total_lines=total)
    shown: list[str] = []
    last = -1
    for count, hit in enumerate(hits):
        start = max(last + 1, hit - context)
        if last >= 0 and start > last + 1:
            shown.append(f"[… L{last + 2}-L{start}]")
        shown.extend(f"L{at + 1}: {rows[at]}" for at in range(start, min(len(rows), hit + context + 1)))
        last = max(last, min(len(rows) - 1, hit + context))
        if page and len(shown) >= page:
            shown = shown[:page]
            shown.append(f"[… {len(hits) - count - 1:,} more matching lines]")
            break
    return Found("\n".join(shown), total_lines=total, last_line=total)


def header(found: Found) -> str:
    """Returns one line that says which part of the original is shown."""
    return f"{marker.RETRIEVE_TOOL}: L{found.first_line}-L{found.last_line} of {found.total_lines:,} lines"
