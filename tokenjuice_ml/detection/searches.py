"""Recognises what search and listing tools print."""

from __future__ import annotations

from tokenjuice_ml.detection.sample import Sample
from tokenjuice_ml.detection.words import words

_DIAGNOSTIC = ("error", "warning", "note", "fatal", "info", "hint", "remark")
_LEVELS = frozenset(words("error warn warning info debug trace fatal critical notice http https at file"))


def hits(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of ``path:line:text`` lines, headings with hits, or counts."""
    lines = sample.full
    if not any(split_hit(line) or _is_count(line) or is_path(line) for line in lines[:12]):
        return None
    found, diagnostics, counts, paths = 0, 0, 0, set()
    separators = 0
    for line in lines:
        if line == "--":
            separators += 1
            continue
        split = split_hit(line)
        if split is None:
            counts += _is_count(line)
            continue
        path, _, body = split
        if body.lstrip("0123456789:, ").lower().startswith(_DIAGNOSTIC):
            diagnostics += 1
            continue
        found += 1
        paths.add(path)
    rest = len(lines) - separators
    if diagnostics > found:
        return None
    if found >= 2 and found >= 0.6 * rest and (found > 2 or separators or rest == found):
        return "grep", f"{found} of {len(lines)} lines path:line:text in {len(paths)} files"
    if counts >= 3 and counts >= 0.9 * rest:
        return "count", f"{counts} of {len(lines)} lines path:count"
    return _context(sample, found, paths) or _heading(sample)


def split_hit(line: str) -> tuple[str, str, str] | None:
    """Splits ``path:line:text``; None where the head is no path (a time, a level, a URL).

    >>> split_hit("src/a.py:12:import os")
    ('src/a.py', '12', 'import os')
    >>> split_hit("12:30:45 started") is None
    True
    """
    start = 2 if line[1:3] in (":\\", ":/") and line[0].isalpha() else 0
    first = line.find(":", start)
    if first <= 0:
        return None
    second = line.find(":", first + 1, first + 10)
    number = line[first + 1 : second]
    if second < 0 or not number.isdecimal():
        return None
    path = line[:first]
    return (path, number, line[second + 1 :]) if is_path(path) else None


def is_path(word: str) -> bool:
    """Says whether `word` can be a file's path rather than a time, level or sentence."""
    if len(word) > 400 or word.isdecimal() or not word.strip():
        return False
    low = word.lower()
    if low in _LEVELS or word[0] in "[({\"'#=|" or word[0] == " " or word[-1] == " ":
        return False
    if word[1:3] == ":\\":
        return True
    if "/" in word or "\\" in word:
        return " " not in word.partition("/")[0] and "://" not in word and not _is_date(word)
    if " " in word:
        return False
    stem, dot, tail = word.rpartition(".")
    if dot and stem and 0 < len(tail) <= 12 and not tail.isdecimal():
        return not _is_date(word)
    return word.isidentifier() and not word.isupper() and word[0].isupper() and len(word) > 3


def _is_date(word: str) -> bool:
    """Says whether `word` begins with a date or a time (``2024-01-01T10``)."""
    return word[:4].isdecimal() and word[4:5] in "-/" and word[5:7].isdecimal()


def _is_count(line: str) -> bool:
    path, _, count = line.rpartition(":")
    return count.isdecimal() and is_path(path) and ("/" in path or "." in path)


def _context(sample: Sample, found: int, paths: set[str]) -> tuple[str, str] | None:
    """Hits with context lines around them (``path-12-text``)."""
    if not found:
        return None
    around = 0
    for line in sample.full:
        if any(line.startswith(path) and line[len(path) : len(path) + 1] == "-" for path in list(paths)[:8]):
            around += 1
    if found + around >= 0.85 * (len(sample.full) - sample.full.count("--")) and around:
        return "grep", f"{found} hits with {around} context lines"
    return None


def _heading(sample: Sample) -> tuple[str, str] | None:
    """Paths on lines of their own, with ``12:text`` lines below."""
    if not any(is_path(line) for line in sample.full[:3]):
        return None
    numbered = heads = 0
    below = False
    lines = [line for line in sample.full if line != "--"]
    for line in lines:
        number, sign, _ = line.partition(":")
        if not (sign and number.isdecimal() and len(number) < 8):
            number, sign, _ = line.partition("-")
        if sign and number.isdecimal() and len(number) < 8:
            numbered += 1
            below = True
        elif is_path(line) and ("/" in line or "." in line):
            heads += 1
            below = False
    if heads >= 1 and numbered >= 2 and numbered + heads >= 0.9 * len(lines) and below:
        return "heading", f"{heads} paths with {numbered} numbered lines below"
    return None


def paths(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of a list of paths, or of ``ls -R``."""
    lines = sample.full
    if len(lines) < 5:
        return None
    slashed = sum("/" in line and _is_listed(line) for line in lines)
    if slashed >= 0.8 * len(lines):
        return "paths", f"{slashed} of {len(lines)} lines are paths"
    folders = sum(line[-1] == ":" and (line[:1] in "./" or "/" in line) and " " not in line for line in lines)
    if folders >= 2 and lines[0][-1] in (":", ".") and all(len(line) < 200 for line in lines):
        return "ls-r", f"{folders} folders listed"
    return None


def _is_listed(line: str) -> bool:
    return line.count(" ") <= 1 and "://" not in line and line[-1] not in ",;:{})" and line[0] not in "<#*-"
