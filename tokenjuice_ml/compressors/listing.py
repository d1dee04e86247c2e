"""Long listings (ls -l, find -ls, tar -tv): the rows that are odd, both ends, and counts of the rest.

Odd is what one looks through a listing for: bits that give rights away, an owner or a mode that few
have, links to names that are not there, empty files, the largest, the oldest and the newest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tokenjuice_ml.compressors.asked import lines_asked
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, assemble, line_count
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

LABEL = "listing"
# inode and blocks, mode, links, owner, group, size or device, date, name.
_ROW = re.compile(
    r"(?: {0,12}\d{1,20} {1,12}(?:[\d.]{1,12}[KMGT]? {1,12})?)?(?P<mode>[-bcdlpsDP][-rwxsS]{2}[-rwxsStT]{7})[.+@]? +"
    r"(?:\d{1,9} +(?P<owner>\S{1,64} +\S{1,64})|(?P<both>[^\s/]{1,64}/[^\s/]{1,64})) +"
    r"(?P<size>\d{1,4}, +\d{1,5}|[\d.,]{1,24}[KMGTPE]?i?B?) +"
    r"(?P<date>\d{4}-\d\d-\d\d(?:[ T][\d:.]{4,18}(?: [+-]\d{4})?)?|[^\W\d]{3,5}\.? {1,3}\d{1,2}(?: {1,2}\d{4}| \d\d:\d\d)"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]{8,20} \d{4}"
    r"|\d{1,2}\.? {1,2}[^\W\d]{3,5}\.? {1,3}(?:\d{4}|\d\d:\d\d)) (?P<name>.*)"
)
_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTHS |= {
    "mär": 3,
    "mai": 5,
    "okt": 10,
    "dez": 12,
    "avr": 4,
    "fév": 2,
    "aoû": 8,
    "déc": 12,
    "ene": 1,
    "abr": 4,
}
_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_DATE_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
# Rare is what at most this many rows, and at most this share of them, have.
RARE, RARE_SHARE = 3, 0.02
LARGEST, NEWEST, OLDEST, MOST_OF_A_KIND, HEAD, TAIL, RESERVE = 3, 3, 2, 12, 30, 8, 280
TALLIED = 6


class _Entry(NamedTuple):
    """One row: its line, what is written in it; date is a number that sorts, 0 where it cannot be read.

    `heading` is the line that names its folder, -1 for none.
    """

    at: int
    mode: str
    owner: str
    size: float
    date: float
    name: str
    folder: str
    heading: int


def compress(text: str, context: Context) -> Reduction | None:
    """Returns a listing with its odd rows; None where it is short or its rows cannot be read."""
    if "\x1b" in text:
        from tokenjuice_ml.rules.view import strip_ansi

        text = strip_ansi(text)
    lines = text.split("\n")
    entries = _entries(lines)
    if len(entries) < HEAD + TAIL or len(entries) < 0.5 * sum(1 for line in lines if line.strip()):
        return None
    budget = context.budget_tokens or context.settings.max_inline_tokens
    odd = _odd(entries)
    others = _others(lines, entries)
    keep = bytearray(len(lines))
    left = float(budget - RESERVE)
    total = line_count(lines)
    asked = lines_asked(lines, context.output.query)
    ends = [*range(max(0, total - TAIL), total), *range(min(HEAD, total))]
    headings = {entry.at: entry.heading for entry in entries if entry.heading >= 0}
    for at in dict.fromkeys([*others, *asked, *odd, *ends]):
        wanted = [line for line in {headings.get(at, at), at} if not keep[line]]
        price = sum(estimate(lines[line]) + 1 for line in wanted)
        if price <= left:
            left -= price
            for line in wanted:
                keep[line] = 1
    reasons = {at: why for at, why in odd.items() if keep[at]}
    body = assemble(lines[:total], list(map(bool, keep[:total])))
    if not body.omissions:
        return None
    head = _head(entries, Counter(reasons.values()))
    return Reduction(f"{head}\n{body.text}", True, LABEL, body.omissions)


def _entries(lines: Sequence[str]) -> list[_Entry]:
    found: list[_Entry] = []
    folder, heading = "", -1
    for at, line in enumerate(lines):
        row = _ROW.match(line) if len(line) < 6000 else None
        if row is None:
            if line.endswith(":") and len(line) < 4000:
                folder, heading = line[:-1], at
            continue
        owner = " ".join((row["owner"] or row["both"]).split())
        size, date = _size(row["size"]), _date(row["date"])
        found.append(_Entry(at, row["mode"], owner, size, date, row["name"], folder, heading))
    return found


def _others(lines: Sequence[str], entries: Sequence[_Entry]) -> list[int]:
    """Lines that are no rows: complaints first, of the names of folders and totals the first few."""
    rows = bytearray(len(lines))
    for entry in entries:
        rows[entry.at] = 1
    plain = [at for at, line in enumerate(lines) if not rows[at] and line.strip()]
    told = [at for at in plain if ": " in lines[at] and not lines[at].endswith(":")]
    return told[:MOST_OF_A_KIND]


@lru_cache(maxsize=4096)
def _size(text: str) -> float:
    """Returns a size in bytes; -1 for a device."""
    bare = text.rstrip("Bi")
    number = bare.rstrip("KMGTPE").replace(",", ".")
    try:
        return float(number) * _UNITS.get(bare[-1:], 1)
    except ValueError:
        return -1.0


@lru_cache(maxsize=4096)
def _date(text: str) -> float:
    """Returns days that sort; a time in place of the year is one of the last months.

    >>> _date("Apr 10  2022") < _date("2022-05-01 10:00") < _date("Jan 30 18:17")
    True
    """
    if iso := _DATE_ISO.match(text):
        return int(iso[1]) * 372 + int(iso[2]) * 31 + int(iso[3])
    words = text.replace(".", " ").split()
    if len(words) > 4:  # with the day of the week, the year at the end
        words = [words[1], words[2], words[-1]]
    day, name = (words[0], words[1]) if words[0].isdigit() else (words[1], words[0])
    month = _MONTHS.get(name[:3].lower(), 0)
    if not month or len(words) < 3:
        return 0
    year = 9000 if ":" in words[2] else int(words[2])
    return year * 372 + month * 31 + int(day)


def _odd(entries: Sequence[_Entry]) -> dict[int, str]:
    """Returns the odd rows, the worst first, each with the reason."""
    found: dict[int, str] = {}
    kinds = (
        (
            "setuid or setgid",
            [e for e in entries if e.mode[3] in "sS" or (e.mode[6] in "sS" and e.mode[0] != "d")],
        ),
        ("writable by all", [e for e in entries if e.mode[8] == "w" and e.mode[0] not in "lcps"]),
        ("rare owner", _rare(entries, [e.owner for e in entries])),
        ("rare mode", _rare(entries, [e.mode for e in entries])),
        ("link to nothing listed", _dangling(entries)),
        ("empty", _few([e for e in entries if e.size == 0 and e.mode[0] == "-"], len(entries))),
        ("largest", sorted((e for e in entries if e.mode[0] == "-"), key=lambda e: -e.size)[:LARGEST]),
        ("newest", _newest(entries)),
        ("oldest", _oldest(entries)),
    )
    for why, some in kinds:
        for entry in some[:MOST_OF_A_KIND]:
            found.setdefault(entry.at, why)
    return found


def _few(some: list[_Entry], total: int) -> list[_Entry]:
    """Returns them where they are an exception, nothing where they are many."""
    return some if len(some) <= max(RARE, 0.1 * total) else []


def _rare(entries: Sequence[_Entry], values: Sequence[str]) -> list[_Entry]:
    counts = Counter(values)
    most = max(RARE, RARE_SHARE * len(entries))
    if counts.most_common(1)[0][1] <= 2 * most:
        return []
    rare = [
        (counts[value], entry) for entry, value in zip(entries, values, strict=True) if counts[value] <= most
    ]
    return [entry for _, entry in sorted(rare, key=lambda pair: (pair[0], pair[1].at))]


def _dangling(entries: Sequence[_Entry]) -> list[_Entry]:
    """Links to a name that is not listed, where nearly all others of the same folders are."""
    paths = {_path(entry.folder, entry.name.partition(" -> ")[0]) for entry in entries}
    links = [entry for entry in entries if entry.mode[0] == "l" and " -> " in entry.name]
    listed = {path.rpartition("/")[0] for path in paths}
    gone = [entry for entry in links if not _target_is(entry, paths, listed)]
    return gone if len(gone) <= max(RARE, 0.05 * len(links)) else []


def _path(folder: str, name: str) -> str:
    return name if name.startswith("/") or not folder else f"{folder}/{name}"


def _target_is(entry: _Entry, paths: set[str], listed: set[str]) -> bool:
    """True where a link's target is listed, or may be in a folder that is not."""
    name, _, target = entry.name.partition(" -> ")
    if target.startswith("/"):
        whole = target
    else:
        whole = f"{_path(entry.folder, name).rpartition('/')[0]}/{target}".lstrip(
            "/" if "/" not in name else ""
        )
    parts: list[str] = []
    for part in whole.split("/"):
        if part == ".." and parts and parts[-1] not in ("", ".."):
            parts.pop()
        elif part not in (".", "..") or not parts:
            parts.append(part)
    plain = "/".join(parts)
    if plain in paths or plain.rstrip("/") in paths:
        return True
    folder = plain.rpartition("/")[0]
    return folder not in listed and not target.startswith("/nonexist")


def _newest(entries: Sequence[_Entry]) -> list[_Entry]:
    dated = [entry for entry in entries if entry.date]
    recent = {int(entry.date) % 372 // 31 for entry in dated if entry.date >= 9000 * 372}
    # From January on, the last months of the old year are the earlier ones.
    wraps = bool(recent) and max(recent) - min(recent) > 6

    def key(entry: _Entry) -> tuple[float, int]:
        early = wraps and entry.date >= 9000 * 372 and entry.date % 372 < 7 * 31
        return -(entry.date + 372 * early), entry.at

    return _standing_out(sorted(dated, key=key), NEWEST)


def _oldest(entries: Sequence[_Entry]) -> list[_Entry]:
    return _standing_out(sorted((e for e in entries if e.date), key=lambda e: (e.date, e.at)), OLDEST)


def _standing_out(ordered: list[_Entry], most: int) -> list[_Entry]:
    """Returns the first ones, none where many more share the very same day."""
    first = ordered[:most]
    if not first:
        return []
    same = sum(1 for entry in ordered if entry.date == first[0].date)
    return first if same <= most else []


def _head(entries: Sequence[_Entry], reasons: Counter[str]) -> str:
    """Returns the line of counts: modes, owners, empty files, and why rows are shown."""
    owners = Counter(entry.owner for entry in entries)
    facts = [_tally(Counter(entry.mode for entry in entries)), f"owner {_tally(owners)}"]
    empty = sum(1 for entry in entries if entry.size == 0 and entry.mode[0] == "-")
    facts += [f"{empty:,} empty"] if empty else []
    told = ", ".join(f"{count:,} {why}" for why, count in reasons.items())
    facts += [f"odd rows shown: {told}"] if told else []
    return f"{OMISSION_PREFIX} {len(entries):,} entries: {'; '.join(facts)}]"


def _tally(counts: Counter[str]) -> str:
    some: Iterable[tuple[str, int]] = counts.most_common(TALLIED)
    told = ", ".join(f"{count:,} × {name}" for name, count in some)
    return f"{told}, {len(counts) - TALLIED:,} other kinds" if len(counts) > TALLIED else told
