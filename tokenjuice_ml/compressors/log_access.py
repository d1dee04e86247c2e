"""Access logs of web servers: totals by status, path and client, and the answers that failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import OMISSION_PREFIX
from tokenjuice_ml.record import Record

ACCESS = re.compile(r'^(\S+) [^"\n]*"[A-Z]{3,8} (\S+)[^"\n]*" (\d{3}) ', re.M)
SAMPLE, FEWEST = 20, 10
MOST_PATHS = 8
TOTALS = (("status", 2, 12), ("paths", 1, MOST_PATHS), ("clients", 0, 6))
MOST_FAILED = 6
# Up to so many lines of a kind, who asked and when is worth its room.
FEW_LINES = 3
# Of values that hardly repeat only those are told that make up such a share of the lines, one in so many.
SHARE, VALUE_CHARS, MOST_FIRST = 50, 100, 3
# What in a path is an id or a hash, not a name; a version is a name. Values of a query go too.
_ID = re.compile(
    r"(?<=[/._~-])(?!v\d{1,2}(?:/|$))(?:(?=[^/.?&=]{0,60}\d)[^/.?&=]{1,60}|[0-9a-f]{3,}(?=\.))|(?<==)[^&]{1,200}"
)
# Who answered, as the last words of a line say it.
_PLACE = re.compile(r"[\w.-]{0,40}(?:upstream|backend|server|host|node|pod|peer)\w{0,20}[=:]\S+")


class Failed(Record):
    """Answers of one status to one path.

    Attributes:
        first: 0-based number of the first line.
        count: lines.
        last: number of the last.
        place: who gave most of them, with the count; "" where nobody stands out.
    """

    first: int
    count: int
    last: int
    place: str = ""


class Access(Record):
    """What an access log says: lines of totals, and the first row of each failure with its count.

    Attributes:
        totals: lines of totals.
        failed: failures, by path and status.
        more: lines of failures of further paths.
        trouble: True where some answer failed.
    """

    totals: tuple[str, ...] = ()
    failed: tuple[Failed, ...] = ()
    more: int = 0
    trouble: bool = False


def look(lines: Sequence[str]) -> Access:
    """Returns the totals and failures of an access log, nothing for another log.

    A failure is an answer of 500 and above; those of one status and path are one, the rarest first.
    """
    if sum(1 for line in lines[:SAMPLE] if ACCESS.match(line[:2000])) < min(FEWEST, len(lines)):
        return Access()
    hits = [(number, match.groups()) for number, line in enumerate(lines) if (match := ACCESS.match(line))]
    names = _masked({hit[1] for _, hit in hits})
    rows = [(hit[0], names.get(hit[1], hit[1]), hit[2]) for _, hit in hits]
    totals = [_total(name, [row[at] for row in rows], most) for name, at, most in TOTALS]
    groups: dict[tuple[str, ...], list[int]] = {}
    for (number, _), row in zip(hits, rows, strict=True):
        if row[2] >= "500":
            groups.setdefault(row[1:], []).append(number)
    order = sorted(groups.values(), key=lambda group: (len(group), group[0]))
    failed = [
        Failed(some[0], len(some), some[-1], _place(lines, some)) for some in sorted(order[:MOST_FAILED])
    ]
    more = sum(map(len, order[MOST_FAILED:]))
    return Access(tuple(f"{OMISSION_PREFIX} {part}]" for part in totals), tuple(failed), more, bool(groups))


def _masked(paths: set[str]) -> dict[str, str]:
    """Returns paths without their ids, `*` in place of each, where that makes far fewer of them."""
    names = {path: _ID.sub("*", path[:200]) for path in paths}
    return names if len(paths) > MOST_PATHS and len(set(names.values())) * 2 <= len(paths) else {}


def _total(name: str, values: Sequence[str], most: int) -> str:
    """Returns the most frequent values with counts; of values that hardly repeat, how many there are."""
    counts = Counter(values)
    common = counts.most_common(most)
    head = name
    if len(counts) * 2 > len(values) and len(counts) > most:
        head = f"{name} {len(counts):,} different"
        common = [(value, count) for value, count in common if count * SHARE >= len(values) and count > 1]
        if not common:
            return (
                f"{head}, first {', '.join([value[:VALUE_CHARS] for value in list(counts)[:MOST_FIRST]])}"
                if name == "paths"
                else head
            )
        head += ", most"
    said = f"{head} " + ", ".join(f"{value[:VALUE_CHARS]}×{count:,}" for value, count in common)
    return said if len(counts) <= most or "different" in head else f"{said}, +{len(counts) - most:,} more"


def _place(lines: Sequence[str], numbers: Sequence[int]) -> str:
    """Returns who gave most answers of some lines, where it gave a far smaller part of all."""
    found = [match[0] for number in numbers if (match := _PLACE.search(lines[number], 0, 2000))]
    if len(numbers) <= FEW_LINES or not found:
        return ""
    place, count = Counter(found).most_common(1)[0]
    of_all = sum(1 for line in lines if place in line)
    return f"{place}×{count:,}" if count * 2 >= len(numbers) and of_all * 2 <= len(lines) else ""


def is_few(line: str, count: int) -> bool:
    """Tells whether a line of an access log came so seldom that it is shown with client and time."""
    return count <= FEW_LINES and ACCESS.match(line[:2000]) is not None
