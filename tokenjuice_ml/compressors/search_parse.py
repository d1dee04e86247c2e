"""Reads what search tools print into hits by file, whatever the tool's layout."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tokenjuice_ml.detection.searches import is_path, split_hit

# Of long outputs so many parts of so many lines are read first; with fewer hits in them than this share the
# whole has not the half of its lines that it takes.
PARTS, PART_LINES, LEAST_FOUND = 8, 100, 0.25


@dataclass(slots=True)
class Hit:
    """A line that a search printed.

    Attributes:
        number: line number in the file, as printed; "" where there was none.
        text: the line's text.
        source: 0-based line of the output.
        context: True for a line around a hit.
    """

    number: str
    text: str
    source: int
    context: bool = False


@dataclass(slots=True)
class Found:
    """All that was found.

    Attributes:
        files: hits by path, in the order of the output; breaks are hits without text and number.
        rest: lines that belong to no file, by 0-based line of the output.
        exact: True when the output can be rebuilt from this.
    """

    files: dict[str, list[Hit]] = field(default_factory=dict)
    rest: dict[int, str] = field(default_factory=dict)
    exact: bool = True

    def add(self, path: str, hit: Hit) -> None:
        """Puts a hit under its path."""
        self.files.setdefault(path, []).append(hit)

    @property
    def read(self) -> int:
        """Number of lines that were read as hits or as lines around them."""
        return sum(map(len, self.files.values()))

    @property
    def hits(self) -> int:
        """Number of hits, context lines not counted."""
        return sum(len([hit for hit in hits if not hit.context]) for hits in self.files.values())


def read(lines: list[str], form: str) -> Found | None:
    """Returns the hits of an output of the given format, None where few lines are hits."""
    if form == "rg-json":
        found = _read_events(lines)
    elif form == "heading":
        found = _read_heading(lines)
    elif not _looks_found(lines):
        return None
    else:
        filled = len(lines) - lines.count("") - lines.count("--")
        found = _read_lines(lines)
        if found.read < 0.5 * filled:
            found = _read_heading(lines)
        if found.read < 0.5 * filled:
            found = _read_unnumbered(lines)
    return found if found.hits >= 2 and len(found.rest) <= 0.4 * len(lines) else None


def _looks_found(lines: list[str]) -> bool:
    """Returns False for a long output of whose parts hardly a line is read as a hit."""
    if len(lines) <= 2 * PARTS * PART_LINES:
        return True
    step = len(lines) // PARTS
    sample = [line for at in range(PARTS) for line in lines[at * step : at * step + PART_LINES]]
    filled = len(sample) - sample.count("") - sample.count("--")
    readers = (_read_lines, _read_heading, _read_unnumbered)
    return any(reader(sample).read >= LEAST_FOUND * filled for reader in readers)


def _read_lines(lines: list[str]) -> Found:
    """Reads ``path:12:text`` with ``path-12-text`` around it."""
    found = Found()
    left: list[int] = []
    head, start, hits = "", 0, []
    numbers: dict[str, str] = {}
    for index, line in enumerate(lines):
        if head and line.startswith(head):
            number, sign, text = line[start:].partition(":")
            if sign and number.isdecimal():
                # Files have lines of the same numbers: each number is held once.
                hits.append(Hit(numbers.setdefault(number, number), text, index))
                continue
        split = split_hit(line)
        if split is not None:
            hits = found.files.setdefault(split[0], [])
            head, start = f"{split[0]}:", len(split[0]) + 1
            hits.append(Hit(split[1], split[2], index))
        elif line and line != "--":
            left.append(index)
        elif line:
            found.exact = False
    _read_context(lines, left, found)
    return found


def _read_context(lines: list[str], left: list[int], found: Found) -> None:
    """Gives context lines to their files; what belongs to none is kept as it is."""
    touched = set()
    for index in left:
        path, number, text = _context_of(lines[index], found.files)
        if path:
            found.add(path, Hit(number, text, index, context=True))
            touched.add(path)
        else:
            found.rest[index] = lines[index]
    for path in touched:
        found.files[path].sort(key=lambda hit: hit.source)
        found.exact = False


def _context_of(line: str, known: dict[str, list[Hit]]) -> tuple[str, str, str]:
    at = line.find("-")
    while 0 < at < 400:
        end = line.find("-", at + 1)
        if end > at and line[at + 1 : end].isdecimal() and line[:at] in known:
            return line[:at], line[at + 1 : end], line[end + 1 :]
        at = line.find("-", at + 1)
    return "", "", ""


def _read_heading(lines: list[str]) -> Found:
    """Reads paths on lines of their own with ``12:text`` below."""
    found = Found(exact=False)
    path = ""
    for index, line in enumerate(lines):
        if not line or line == "--":
            continue
        number, text, context = _numbered(line)
        if number and path:
            found.add(path, Hit(number, text, index, context))
        elif is_path(line) and ("/" in line or "." in line):
            path = line
        else:
            found.rest[index] = line
    return found


def _numbered(line: str) -> tuple[str, str, bool]:
    for sign in (":", "-"):
        number, found, text = line.partition(sign)
        if found and number.isdecimal() and len(number) < 9:
            return number, text, sign == "-"
    return "", "", False


def _read_unnumbered(lines: list[str]) -> Found:
    """Reads ``path:text`` of a search without line numbers."""
    found = Found()
    for index, line in enumerate(lines):
        if not line or line == "--":
            continue
        path, sign, text = line.partition(":")
        if sign and is_path(path) and ("/" in path or "." in path):
            found.add(path, Hit("", text, index))
        else:
            found.rest[index] = line
    return found


def _read_events(lines: list[str]) -> Found:
    """Reads the events of ``rg --json``."""
    found = Found(exact=False)
    for index, line in enumerate(lines):
        if not line:
            continue
        try:
            event = json.loads(line)
            data = event["data"]
            if event["type"] in ("match", "context"):
                text = data["lines"].get("text", "").rstrip("\r\n")
                path = data["path"].get("text", "")
                number = data["line_number"]
                hit = Hit("" if number is None else str(number), text, index, event["type"] == "context")
                found.add(path, hit)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found.rest[index] = line
    return found
