"""The way back: an original, or the part of it that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenjuice_ml import marker
from tokenjuice_ml.ccr import grep as search
from tokenjuice_ml.ccr.slices import slice_lines
from tokenjuice_ml.ccr.token import parse
from tokenjuice_ml.decode import decode

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store

# One page unless more is asked for: an agent that asks for everything by habit pays twice.
PAGE_LINES = 400
PAGE_BYTES = 32_000
# A shorter answer is never cut again, whoever carries it; a longer one ends with its token.
SIGNED_BYTES = 500
MALFORMED = "not a token: expected ⟦tj:…⟧ with 27 digits, as printed in the footer of a partial view"
GONE = (
    "the original under this token expired or was evicted to make room. "
    "The partial view you have stays valid; run the command again only if the missing part matters."
)
FOREIGN = (
    "no token of this store: it is mistyped, or from another machine, user or project, or from a process "
    "that keeps originals in its memory only (ccr_disk_enabled = false): that one gives it back while it "
    "runs, then it has expired. "
    "The partial view you have stays valid; run the command again only if the missing part matters."
)
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class Found:
    """What a retrieval gives.

    Attributes:
        text: the asked part, decoded; None when there is none.
        error: one sentence for the model when `text` is None.
        first_line: original number of the first line of `text`; 0 for a range of bytes.
        last_line: original number of its last line.
        total_lines: lines of the original.
        total_bytes: bytes of the original.
        complete: False when a page ended before the asked part did.
    """

    text: str | None
    error: str = ""
    first_line: int = 0
    last_line: int = 0
    total_lines: int = 0
    total_bytes: int = 0
    complete: bool = True


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


def missing(store: Store, token: str) -> str:
    """Returns the sentence that says why there is nothing under `token`."""
    bare = parse(token)
    if bare is None:
        return MALFORMED
    return GONE if store.minted(bare) else FOREIGN


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
    bytes_: tuple[int, int] | None = None,
    around: int | None = None,
    context: int | None = None,
    grep: str | None = None,
    numbers: bool = False,
    page: int = PAGE_LINES,
) -> Found:
    """Returns what a model asked to see of an original, at most a page of it.

    Args:
        store: where to look.
        token: bare or in its marker.
        lines: a range of lines, as for `fetch`.
        bytes_: a range of bytes, as for `fetch`.
        around: a line to show with its surroundings.
        context: lines on each side of `around` (default 20) or of a match (2).
        grep: shows the lines that hold this text or match this pattern (case ignored).
        numbers: puts original line numbers in front.
        page: most lines shown, and at most 32 KB; 0 means no limit.
    """
    bare = parse(token)
    size = store.size_of(bare) if bare is not None else None
    if bare is None or size is None:
        return Found(None, missing(store, token))
    found = Found("", total_bytes=size[0], total_lines=size[1])
    original = _Original(store, bare)
    if grep is not None:
        return _searched(original, found, grep, 2 if context is None else context, page)
    if bytes_ is not None and around is None and lines is None:
        return _byte_view(original, found, bytes_, page)
    first, last = (1, size[1])
    if around is not None:
        place = from_end((around, around), size[1] + 1)[0]
        width = 20 if context is None else context
        first, last = max(1, place - width), place + width
    elif lines is not None:
        first, last = from_end(lines, size[1] + 1)
    return _line_view(original, found, first, last, numbers, page)


class _Original:
    """Reads parts of one original; texts in UTF-16 and UTF-32 as UTF-8."""

    def __init__(self, store: Store, token: str) -> None:
        self._store, self.token = store, token
        self._wide = (store.get_bytes(token, 0, 4) or b"").startswith(_WIDE)

    def all(self) -> bytes | None:
        data = self._store.get(self.token)
        return decode(data).encode("utf-8", "replace") if data is not None and self._wide else data

    def lines(self, first: int, last: int) -> bytes | None:
        if not self._wide:
            return self._store.get_lines(self.token, first, last)
        data = self.all()
        return None if data is None else slice_lines(data, first, last)

    def bytes(self, start: int, end: int) -> bytes | None:
        return self._store.get_bytes(self.token, start, end)

    def gone(self) -> Found:
        return Found(None, missing(self._store, self.token))


def _line_view(original: _Original, found: Found, first: int, last: int, numbers: bool, page: int) -> Found:
    total = found.total_lines
    if first > total or last < first:
        return replace(found, text=f"[… nothing at L{first}-L{last}: the original has {total:,} lines]")
    last = min(last, total)
    shown = min(last, first + page - 1) if page else last
    data = original.lines(first, shown)
    if data is None:
        return original.gone()
    if page and len(data) > PAGE_BYTES:
        end = data.rfind(b"\n", 0, PAGE_BYTES) + 1
        if end == 0:
            return _long_line(original, found, data, first, last)
        data = data[:end]
        shown = first + data.count(b"\n") - 1
    text = data.decode("utf-8", "replace")
    text = number(text, first) if numbers else text
    if shown < last:
        text = _with_note(text, f"{last - shown:,} more lines; ask for L{shown + 1}-L{last}")
    return replace(found, text=text, first_line=first, last_line=shown, complete=shown == last)


def _long_line(original: _Original, found: Found, data: bytes, line: int, last: int) -> Found:
    """Shows the start of a line that is longer than a page, and how to ask for the rest."""
    before = original.lines(1, line - 1) if line > 1 else b""
    start = len(before or b"")
    length = data.find(b"\n") + 1 or len(data)
    rest = f", then L{line + 1}-L{last}" if line < last else ""
    note = f"{length - PAGE_BYTES:,} more bytes of L{line}; ask for bytes {start + PAGE_BYTES}-{start + length}{rest}"
    text = _with_note(data[:PAGE_BYTES].decode("utf-8", "replace"), note)
    return replace(found, text=text, first_line=line, last_line=line, complete=False)


def _byte_view(original: _Original, found: Found, span: tuple[int, int], page: int) -> Found:
    start, end = (place + found.total_bytes if place < 0 else place for place in span)
    stop = min(end, found.total_bytes)
    start = max(0, start)
    shown = min(stop, start + PAGE_BYTES) if page else stop
    if shown <= start:
        note = f"[… nothing at bytes {start}-{end}: the original has {found.total_bytes:,} bytes]"
        return replace(found, text=note)
    data = original.bytes(start, shown)
    if data is None:
        return original.gone()
    text = data.decode("utf-8", "replace")
    if shown < stop:
        text = _with_note(text, f"{stop - shown:,} more bytes; ask for bytes {shown}-{stop}")
    return replace(found, text=text, complete=shown == stop)


def _searched(original: _Original, found: Found, words: str, context: int, page: int) -> Found:
    data = original.all()
    if data is None:
        return original.gone()
    hits = search.grep(data.decode("utf-8", "replace"), words, context, page, PAGE_BYTES if page else 0)
    return replace(
        found, text=hits.text, first_line=hits.first_line, last_line=hits.last_line, complete=hits.complete
    )


def _with_note(text: str, note: str) -> str:
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}[… {note}]"


def number(text: str, first: int) -> str:
    """Returns `text` with ``L<n>: `` in front of each line."""
    ended = text.endswith("\n")
    rows = text[:-1].split("\n") if ended else text.split("\n")
    return "\n".join(f"L{first + at}: {row}" for at, row in enumerate(rows)) + ("\n" if ended else "")


def signed(found: Found, token: str) -> str:
    """Returns the text of `found` for a model, ended by its token where it is long.

    The token makes it known as retrieved under whatever name a host offers the tool, so that
    nobody cuts it again.
    """
    text = found.text or ""
    if len(text) < SIGNED_BYTES:
        return text
    place = f"L{found.first_line}-L{found.last_line} of " if found.last_line else "from "
    return _with_note(
        text, f"{place}{found.total_lines:,} lines of {marker.OPEN}{parse(token)}{marker.CLOSE}"
    )
