"""Dumps of bytes (`xxd`, `hexdump -C`, `od -t x1z`): both ends, and the words that stand in the bytes.

Hexadecimal digits tell a reader next to nothing; what is readable among them does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors import deciding
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, omission_line, utf8_len
from tokenjuice_ml.types import Context, Omission, Reduction

LABEL = "hexdump"
FEWEST_LINES, HEAD, TAIL = 24, 4, 2
# A readable run has so many characters, is shown up to a length, and so many are shown.
RUN, RUN_CHARS, MOST_RUNS = 6, 200, 40
# Share of lines that are rows of a dump, and rows that are looked at.
MOSTLY, SEEN = 0.9, 8
_ROW = re.compile(r"([0-9A-Fa-f]{6,16}):? {1,2}((?:[0-9A-Fa-f]{2,8} {1,2}){3,32}|[0-9A-Fa-f]{2,8}(?= |$))")
_READABLE = re.compile(rb"[\x20-\x7e]{6,}")
_WORDY = re.compile(r"[A-Za-z]{3}|[\w.-]{6}")


def is_dump(head: str) -> bool:
    r"""Tells whether a text begins as a dump of bytes does.

    >>> is_dump("00000000: 7f45 4c46 0201 0100 0000  .ELF......\n" * 9), is_dump("deadbeef: a commit\n" * 9)
    (False, False)
    >>> rows = [f"{16 * n:08x}: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF....\n" for n in range(9)]
    >>> is_dump("".join(rows)), is_dump("081109 203615 148 INFO dfs: block 3\n" * 9)
    (True, False)
    """
    lines = head.split("\n", SEEN)[:SEEN]
    rows = [_ROW.match(line) for line in lines[:-1]]
    return len(lines) == SEEN and None not in rows and _base(rows) > 0


def compress(text: str, context: Context) -> Reduction | None:
    """Returns both ends and the readable runs with their offsets, None where most lines are no rows."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(lines) < FEWEST_LINES:
        return None
    rows = [_ROW.match(line) for line in lines]
    base = _base(rows)
    if not base or sum(row is not None for row in rows) < MOSTLY * len(lines):
        return None
    runs = list(_runs(rows, base))
    shown = _chosen([run for _, run in runs], context.output.query)
    first, last = HEAD + 1, len(lines) - TAIL
    size = sum(utf8_len(line) + 1 for line in lines[HEAD : len(lines) - TAIL])
    what = f"{len(runs):,} readable runs in all lines, {len(shown):,} shown"
    out = lines[:HEAD]
    out.append(omission_line(last - HEAD, first, last, what))
    out += [f"{OMISSION_PREFIX} at {runs[at][0]:#x}: {_cut(runs[at][1])}]" for at in shown]
    out += lines[-TAIL:]
    gap = Omission(first, last, last - HEAD, size, what)
    return Reduction("\n".join(out), True, LABEL, (gap,))


def _cut(run: str) -> str:
    return run if len(run) <= RUN_CHARS else f"{run[:RUN_CHARS]}…+{len(run) - RUN_CHARS:,}"


def _base(rows: Sequence[re.Match[str] | None]) -> int:
    """Returns in which numbers each row says where its bytes stand, 0 where most do not go on from the row before.

    Dates and times in front of lines are hexadecimal digits, too; only offsets grow by the bytes of their row.
    """
    found = [row for row in rows if row is not None]
    for base in (16, 8, 10):
        try:
            places = [int(row[1], base) for row in found]
        except ValueError:
            continue
        sizes = [len(row[2].replace(" ", "")) // 2 for row in found]
        steps = sum(at + size == after for at, size, after in zip(places, sizes, places[1:], strict=False))
        if steps >= MOSTLY * (len(found) - 1):
            return base
    return 0


def _runs(rows: Sequence[re.Match[str] | None], base: int) -> Iterator[tuple[int, str]]:
    """Yields the readable runs that look like words, with their offsets; one may go over several rows."""
    start, size = 0, 0
    parts: list[bytes] = []
    for row in rows:
        data, offset = _bytes_of(row, base)
        if parts and (row is None or offset != start + size):
            yield from _words(start, b"".join(parts))
            parts = []
        if row is None:
            continue
        if not parts:
            start, size = offset, 0
        parts.append(data)
        size += len(data)
    yield from _words(start, b"".join(parts))


def _bytes_of(row: re.Match[str] | None, base: int) -> tuple[bytes, int]:
    if row is None:
        return b"", 0
    digits = row[2].replace(" ", "")
    return bytes.fromhex(digits[: len(digits) // 2 * 2]), int(row[1], base)


def _words(start: int, data: bytes) -> Iterator[tuple[int, str]]:
    for found in _READABLE.finditer(data):
        run = found[0].decode("ascii")
        if _WORDY.search(run):
            yield start + found.start(), run


def _chosen(runs: Sequence[str], query: str | None) -> list[int]:
    """Returns which runs are shown, ascending: those with deciding words, then the longest."""
    if len(runs) <= MOST_RUNS:
        return list(range(len(runs)))
    scores = deciding.scores(runs, query)
    ranked = sorted(range(len(runs)), key=lambda at: (-scores.get(at, 0), -len(runs[at]), at))
    return sorted(ranked[:MOST_RUNS])
