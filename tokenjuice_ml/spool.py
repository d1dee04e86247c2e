"""Outputs too large for memory: kept in a file, digested by streaming to what a compressor can read.

The digest holds the head, the tail and the surroundings of every signal line, with an omission
line for each part left out, and knows the original number of each of its lines.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tokenjuice_ml.compressors.base import OMISSION_PREFIX, omission_line
from tokenjuice_ml.types import Omission, Reduction

# Up to this size an output is read back whole and cut as usual.
WHOLE_BYTES = 16 << 20
BLOCK_BYTES = 1 << 20
HEAD_LINES, TAIL_LINES = 400, 4000
BEFORE, AFTER = 8, 12
# One template that repeats for ever must not fill the digest.
PER_TEMPLATE = 12
MOST_TEMPLATES = 20_000
DIGEST_BYTES = 3 << 20
LONGEST_LINE = 8 << 10
_FOLD_DIGITS = str.maketrans("0123456789", "0000000000")


class Spool:
    """Collects an output: in memory up to a limit, beyond it in a private file.

    Args:
        folder: where the file goes.
        limit: bytes held in memory.
    """

    def __init__(self, folder: Path, limit: int = 8 << 20) -> None:
        self._folder, self._limit = folder, limit
        self._parts: list[bytes] = []
        self._file: int | None = None
        self.path: Path | None = None
        self.size = 0

    def write(self, data: bytes) -> None:
        """Adds bytes. When the disk is full what came before is kept and OSError raised."""
        if self._file is None and self.size + len(data) > self._limit:
            self._spill()
        if self._file is None:
            self._parts.append(data)
        else:
            _write_all(self._file, data)
        self.size += len(data)

    def whole(self) -> bytes | None:
        """Returns everything, or None when it is too large to hold."""
        if self._file is None:
            return b"".join(self._parts)
        if self.size > WHOLE_BYTES or self.path is None:
            return None
        return self.path.read_bytes()

    def mask(self) -> int:
        """Masks secrets in the file; returns how many there were."""
        from tokenjuice_ml.redact import redact_file

        assert self.path is not None
        masked = self.path.with_name(f"{self.path.name}.masked")
        try:
            count = redact_file(self.path, masked)
            os.replace(masked, self.path)
        finally:
            masked.unlink(missing_ok=True)
        return count

    def close(self) -> None:
        """Removes the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _spill(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file, name = tempfile.mkstemp(prefix="spool-", dir=self._folder)
        self.path = Path(name)
        for part in self._parts:
            _write_all(self._file, part)
        self._parts.clear()


@dataclass(frozen=True, slots=True)
class Digest:
    """What streaming made of a spool file.

    Attributes:
        path: the file, which is the original.
        bytes: its size.
        lines: its lines.
        text: the digest.
        numbers: original line number (1-based) of each line of `text`; for an omission line the
            number of the last line it stands for.
        gaps: what the digest left out.
    """

    path: Path
    bytes: int
    lines: int
    text: str
    numbers: tuple[int, ...]
    gaps: tuple[Omission, ...]

    def renumbered(self, reduction: Reduction) -> Reduction:
        """Returns `reduction` of the digest with all line numbers those of the original."""
        omissions = [self._original(gap) for gap in reduction.omissions]
        covered = [(gap.first_line, gap.last_line) for gap in omissions]
        left = [
            gap
            for gap in self.gaps
            if not any(first <= gap.first_line and gap.last_line <= last for first, last in covered)
        ]
        everything = sorted([*omissions, *left], key=lambda gap: (gap.first_line, gap.last_line))
        rows = [self._renumber_note(row) for row in reduction.text.split("\n")]
        return replace(reduction, text="\n".join(rows), omissions=tuple(everything), lossy=True)

    def _original(self, gap: Omission) -> Omission:
        first, last = self._span(gap.first_line, gap.last_line)
        inside = [own for own in self.gaps if first <= own.first_line and own.last_line <= last]
        hidden = sum(own.lines - 1 for own in inside)
        return replace(
            gap,
            first_line=first,
            last_line=last,
            lines=gap.lines + hidden,
            bytes=gap.bytes + sum(own.bytes for own in inside),
        )

    def _span(self, first: int, last: int) -> tuple[int, int]:
        start = self.numbers[first - 2] + 1 if first > 1 else 1
        return start, self.numbers[min(last, len(self.numbers)) - 1]

    def _renumber_note(self, row: str) -> str:
        """Rewrites the count and the range of an omission line made from the digest."""
        parsed = _parse_note(row)
        if parsed is None:
            return row
        first, last, tail = parsed
        if last > len(self.numbers) or first > last:
            return row
        gap = self._original(Omission(first, last, last - first + 1, 0))
        # Counts in words were made over the digest: with lines hidden inside they would be too small.
        said = tail if gap.lines == last - first + 1 else "]"
        return omission_line(gap.lines, gap.first_line, gap.last_line)[:-1] + said


def _parse_note(row: str) -> tuple[int, int, str] | None:
    """Returns first line, last line and what follows them in ``[… 12 lines, L3-L14: what]``."""
    if not row.startswith(OMISSION_PREFIX) or ", L" not in row[:40]:
        return None
    start = row.index(", L") + 3
    end = start
    while end < len(row) and (row[end].isdigit() or row[end] in "-L"):
        end += 1
    first, _, last = row[start:end].replace("L", "").partition("-")
    if not first.isdigit() or (last and not last.isdigit()):
        return None
    return int(first), int(last or first), row[end:]


def digest(path: Path) -> Digest:
    """Reads a spool file once, in blocks, and returns its digest.

    Args:
        path: the file; its lines may be of any length and in any encoding near UTF-8.
    """
    builder = _Builder()
    for lines in _blocks(path):
        builder.add(lines)
    text, numbers, gaps = builder.finish()
    return Digest(path, path.stat().st_size, builder.count, text, numbers, gaps)


class _Builder:
    """Keeps the head, signal windows and a rolling tail."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: dict[int, str] = {}
        self._sizes = 0
        self._budget = 0
        self._open_until = 0
        self._recent: deque[tuple[int, str]] = deque(maxlen=TAIL_LINES)
        self._seen: Counter[str] = Counter()
        self._bytes: Counter[int] = Counter()

    def add(self, lines: list[str]) -> None:
        from tokenjuice_ml.compressors import signals

        found = signals.scan(lines)
        hits = {at for at in found.hits if found.levels[at] >= signals.WARNING}
        base = self.count
        for at, line in enumerate(lines):
            number = base + at + 1
            # Byte sums by stretches of 256 lines: enough to tell what a gap held, small for ever.
            self._bytes[number >> 8] += len(line) + 1
            if number <= HEAD_LINES:
                self._keep(number, line)
            elif at in hits and self._worth(line):
                for old, text in list(self._recent)[-BEFORE:]:
                    self._keep(old, text)
                self._keep(number, line)
                self._open_until = number + AFTER
            elif number <= self._open_until:
                self._keep(number, line)
            self._recent.append((number, line))
        self.count += len(lines)

    def _worth(self, line: str) -> bool:
        if self._budget >= DIGEST_BYTES:
            return False
        key = line[:200].translate(_FOLD_DIGITS)
        if len(self._seen) < MOST_TEMPLATES or key in self._seen:
            self._seen[key] += 1
            return self._seen[key] <= PER_TEMPLATE
        return False

    def _keep(self, number: int, line: str) -> None:
        if number not in self._kept:
            self._kept[number] = line
            self._budget += len(line) + 1

    def finish(self) -> tuple[str, tuple[int, ...], tuple[Omission, ...]]:
        size = 0
        for number, line in reversed(self._recent):
            size += len(line) + 1
            if size > DIGEST_BYTES // 2:
                break
            self._kept.setdefault(number, line)
        rows: list[str] = []
        numbers: list[int] = []
        gaps: list[Omission] = []
        last = 0
        for number in [*sorted(self._kept), self.count + 1]:
            if number > last + 1:
                gap = Omission(last + 1, number - 1, number - last - 1, self._bytes_of(last + 1, number - 1))
                gaps.append(gap)
                rows.append(omission_line(gap.lines, gap.first_line, gap.last_line))
                numbers.append(number - 1)
            if number <= self.count:
                rows.append(self._kept[number])
                numbers.append(number)
            last = number
        return "\n".join(rows), tuple(numbers), tuple(gaps)

    def _bytes_of(self, first: int, last: int) -> int:
        stretches = range(first >> 8, (last >> 8) + 1)
        total = sum(self._bytes[stretch] for stretch in stretches)
        return round(total * (last - first + 1) / (256 * len(stretches))) if total else 0


def _blocks(path: Path) -> Iterator[list[str]]:
    """Yields the lines of a file, block by block; very long lines are clipped to their ends."""
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            data = rest + block
            end = data.rfind(b"\n")
            if end < 0:
                # A line longer than a block: its start and its end are enough for a digest.
                rest = data if len(data) <= 2 * LONGEST_LINE else data[:LONGEST_LINE] + data[-LONGEST_LINE:]
                continue
            rest = data[end + 1 :]
            yield [_clipped(line) for line in data[:end].split(b"\n")]
    if rest:
        yield [_clipped(rest)]


def _clipped(line: bytes) -> str:
    if len(line) > 2 * LONGEST_LINE:
        line = line[:LONGEST_LINE] + b" [\xe2\x80\xa6] " + line[-LONGEST_LINE:]
    return line.decode("utf-8", "replace").rstrip("\r")


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
