"""What all compressors share: omission lines and a body put together from kept lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tokenjuice_ml.record import Record
from tokenjuice_ml.types import Context, Omission, Reduction

OMISSION_PREFIX = "[…"


class Compressor(Protocol):
    """The one function every compressor module has."""

    def __call__(self, text: str, context: Context) -> Reduction | None:
        """Returns the shorter body, or None to decline."""


def line_count(lines: Sequence[str]) -> int:
    """Returns how many lines a text cut at its line ends has: one at the very end starts no line."""
    return len(lines) - (lines[-1] == "")


def omission_line(lines: int, first: int, last: int, what: str = "") -> str:
    """Returns the line that stands where original lines were left out.

    Args:
        lines: lines left out.
        first: first original line of the place, 1-based.
        last: last original line of the place, inclusive.
        what: what it was, in a few words.

    >>> omission_line(214, 118, 331, '180 × "Downloading …"')
    '[… 214 lines, L118-L331: 180 × "Downloading …"]'
    >>> omission_line(1, 7, 7)
    '[… 1 line, L7]'
    """
    noun = "line" if lines == 1 else "lines"
    place = f"L{first}" if first == last else f"L{first}-L{last}"
    tail = f": {what}" if what else ""
    return f"{OMISSION_PREFIX} {lines:,} {noun}, {place}{tail}]"


class Assembled(Record):
    """A body made of kept lines, and what stands between them."""

    text: str
    omissions: tuple[Omission, ...]


def utf8_len(text: str) -> int:
    """Returns the UTF-8 bytes of `text`; lone surrogates count three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def assemble(
    lines: Sequence[str],
    keep: Sequence[bool],
    describe: Callable[[int, int], str] | None = None,
    smallest_gap: int = 2,
) -> Assembled:
    """Puts the kept lines together, with an omission line in each gap.

    Args:
        lines: the original lines, without line ends.
        keep: one flag a line.
        describe: called with the 0-based half-open range of a gap, says what it held.
        smallest_gap: gaps of fewer lines than this are shown when they are no longer than the
            omission line would be.

    Returns:
        The body and its omissions, in order.
    """
    out: list[str] = []
    gaps: list[Omission] = []
    flags, total = bytes(map(bool, keep)), len(lines)
    position = 0
    while position < total:
        end = flags.find(0, position)
        end = total if end < 0 else end
        out.extend(lines[position:end])
        if end == total:
            break
        position, end = end, flags.find(1, end)
        end = total if end < 0 else end
        size = utf8_len("\n".join(lines[position:end])) + 1
        what = describe(position, end) if describe else ""
        note = omission_line(end - position, position + 1, end, what)
        if end - position < smallest_gap and size <= utf8_len(note):
            out.extend(lines[position:end])
        else:
            out.append(note)
            gaps.append(Omission(position + 1, end, end - position, size, what))
        position = end
    return Assembled("\n".join(out), tuple(gaps))
