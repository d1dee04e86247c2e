"""`git status` in its long form: hints go, one short line a file, long lists counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tokenjuice_ml.compressors.base import omission_line, utf8_len
from tokenjuice_ml.compressors.odd_lines import odd_lines
from tokenjuice_ml.rules.view import strip_ansi
from tokenjuice_ml.types import Context, Omission, Reduction

# Files named over all sections; each section names at least FEW. Conflicts come first and are named as
# far as the whole allowance goes.
MAX_FILES, FEW = 60, 16
_HEADINGS = {
    "Changes to be committed:": "staged",
    "Changes not staged for commit:": "not staged",
    "Changed but not updated:": "not staged",
    "Untracked files:": "untracked",
    "Ignored files:": "ignored",
    "Unmerged paths:": "unmerged",
}
_ENTRY = re.compile(
    r"\t(?:(new file|modified|deleted|renamed|copied|typechange|unmerged|both added|both modified"
    r"|both deleted|added by us|added by them|deleted by us|deleted by them):\s+)?(.+)"
)
_CODES = {
    "new file": "A",
    "modified": "M",
    "deleted": "D",
    "renamed": "R",
    "copied": "C",
    "typechange": "T",
    "unmerged": "U",
    "both added": "AA",
    "both modified": "UU",
    "both deleted": "DD",
    "added by us": "AU",
    "added by them": "UA",
    "deleted by us": "DU",
    "deleted by them": "UD",
}
_HINT = re.compile(
    r'\s*\((?:use|commit or discard|all conflicts fixed: run|fix conflicts and run|see) ["\w]|\s*\(use "git'
)
_CLOSING = (
    "no changes added to commit",
    "nothing added to commit",
    "It took ",
    "but untracked files present",
)


@dataclass(slots=True)
class _Section:
    name: str
    entries: list[tuple[int, str, str]] = field(default_factory=list)  # line, code, path


@dataclass(slots=True)
class _Out:
    lines: list[str] = field(default_factory=list)
    gaps: list[Omission] = field(default_factory=list)
    sections: int = 1
    query: str | None = None


def format_git_status(text: str, context: Context) -> Reduction | None:
    """Returns a long-form status shorter; None for short and porcelain forms."""
    original = text.split("\n")
    lines = strip_ansi(text).split("\n")
    if not any(line.rstrip("\r") in _HEADINGS for line in lines):
        return None
    out = _Out(sections=sum(line.rstrip("\r") in _HEADINGS for line in lines), query=context.output.query)
    section: _Section | None = None
    for at, line in enumerate(lines):
        bare = line.rstrip("\r")
        if bare in _HEADINGS:
            _flush(section, out, original)
            section = _Section(_HEADINGS[bare])
        elif section is not None and (found := _ENTRY.match(bare)):
            code = _CODES.get(found.group(1) or "", "??" if section.name == "untracked" else "")
            section.entries.append((at, code, found.group(2)))
        elif bare.strip() and not _HINT.match(bare) and not bare.startswith(_CLOSING):
            _flush(section, out, original)
            section = None
            out.lines.append(bare)
    _flush(section, out, original)
    return Reduction("\n".join(out.lines), bool(out.gaps), "git-status", tuple(out.gaps))


def _flush(section: _Section | None, out: _Out, original: list[str]) -> None:
    if section is None or not section.entries:
        return
    out.lines.append(f"{section.name}:")
    entries = section.entries
    most = MAX_FILES if section.name == "unmerged" else max(FEW, min(40, MAX_FILES // out.sections))
    count = len(entries) if len(entries) <= most + 4 else most
    rest = entries[count:]
    odd = set(_odd(entries, count, out.query)) if rest else set()
    shown = [*entries[:count], *(entries[at] for at in sorted(odd))]
    out.lines.extend(f"{code} {path}".strip() for _, code, path in shown)
    rest = [entry for at, entry in enumerate(entries) if at >= count and at not in odd]
    if rest:
        first, last = rest[0][0] + 1, rest[-1][0] + 1
        size = sum(utf8_len(original[at]) + 1 for at, _, _ in rest)
        what = f"{len(rest):,} more {section.name}{_folders(rest)}"
        out.lines.append(omission_line(len(rest), first, last, what))
        out.gaps.append(Omission(first, last, len(rest), size, what))


def _odd(entries: list[tuple[int, str, str]], count: int, query: str | None) -> list[int]:
    """Returns which of the files beyond the first `count` are unlike the others."""
    hidden = [at >= count for at in range(len(entries))]
    return odd_lines([f"{code} {path}" for _, code, path in entries], hidden, query)


def _folders(entries: list[tuple[int, str, str]]) -> str:
    """Says which top folders the left-out files are in."""
    counts: dict[str, int] = {}
    for _, _, path in entries:
        top = path.split("/", 1)[0] + "/" if "/" in path else "."
        counts[top] = counts.get(top, 0) + 1
    best = sorted(counts.items(), key=lambda item: -item[1])[:3]
    return ": " + ", ".join(f"{count:,} in {top}" for top, count in best)
