"""Access logs of web servers: totals by status, path and client, and the answers that failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import OMISSION_PREFIX
from tokenjuice_ml.record import Record

ACCESS = re.compile(r'^(\S+) [^"\n]*"[A-Z]{3,8} (\S+)[^"\n]*" (\d{3}) ', re.M)
SAMPLE, FEWEST = 20, 10
TOTALS = (("status", 2, 12), ("paths", 1, 8), ("clients", 0, 6))
MOST_FAILED = 6
# Up to so many lines of a kind, who asked and when is worth its room.
FEW_LINES = 3


class Access(Record):
    """What an access log says: lines of totals, and the first row of each failure with its count."""

    totals: tuple[str, ...] = ()
    failed: tuple[tuple[int, int], ...] = ()
    trouble: bool = False


def look(lines: Sequence[str]) -> Access:
    """Returns the totals and failures of an access log, nothing for another log.

    A failure is an answer of 500 and above; those of one status and path are one, the rarest first.
    """
    if sum(1 for line in lines[:SAMPLE] if ACCESS.match(line[:2000])) < min(FEWEST, len(lines)):
        return Access()
    hits = [(number, match.groups()) for number, line in enumerate(lines) if (match := ACCESS.match(line))]
    parts = []
    for name, at, most in TOTALS:
        common = Counter(hit[at] for _, hit in hits).most_common(most)
        parts.append(f"{name} " + ", ".join(f"{value[:100]}×{count:,}" for value, count in common))
    bad = [(number, hit[1:]) for number, hit in hits if hit[2] >= "500"]
    counts = Counter(hit for _, hit in bad)
    first = {hit: number for number, hit in reversed(bad)}
    order = sorted(counts, key=lambda hit: (counts[hit], first[hit]))
    failed = tuple(sorted((first[hit], counts[hit]) for hit in order[:MOST_FAILED]))
    return Access(tuple(f"{OMISSION_PREFIX} {part}]" for part in parts), failed, bool(bad))


def is_few(line: str, count: int) -> bool:
    """Tells whether a line of an access log came so seldom that it is shown with client and time."""
    return count <= FEW_LINES and ACCESS.match(line[:2000]) is not None
