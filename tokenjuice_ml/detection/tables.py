"""Recognises tables: CSV, TSV and columns aligned with blanks."""

from __future__ import annotations

from collections import Counter

from tokenjuice_ml.detection.sample import Sample


def marked(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of CSV or TSV with a header that cannot be a log line."""
    lines = sample.full
    if len(lines) < 4:
        return None
    if lines[0].startswith("#separator") or lines[0].count("\t") >= 2:
        return _separated(lines, "\t", "tsv")
    cells = lines[0].split(",")
    if len(cells) >= 3 and all(_is_name(cell) for cell in cells):
        return _separated(lines, ",", "csv")
    if len(cells) == 2 and all(line.count(",") == 1 and " " not in line for line in lines):
        return "csv", f"{len(lines)} rows with 2 fields"
    return None


def _is_name(cell: str) -> bool:
    cell = cell.strip().strip('"')
    return bool(cell) and (cell[0].isalpha() or cell[0] == "_") and len(cell) < 50 and "  " not in cell


def certain(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of what a database client prints: a plan of a query, ruled columns."""
    lines = sample.full
    if len(lines) < 4:
        return None
    nodes = sum("(cost=" in line or "(actual time=" in line for line in lines)
    if nodes >= 4 and nodes >= 0.25 * len(lines) and any("->  " in line or "-> " in line for line in lines):
        return "table", f"{nodes} nodes of a plan"
    bars = lines[1].count("+")
    if bars and "-+-" in lines[1] and not lines[1].strip("-+ ") and lines[0].count("|") == bars:
        ruled = sum(line.count("|") == bars for line in lines)
        return ("table", f"{ruled} ruled rows") if ruled >= 0.8 * len(lines) else None
    return None


def rows(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of a table."""
    lines = sample.full
    if len(lines) < 4:
        return None
    return _separated(lines, "\t", "tsv") or _separated(lines, ",", "csv") or _columns(lines)


def _separated(lines: list[str], sign: str, form: str) -> tuple[str, str] | None:
    """Rows that all have the same number of separators."""
    body = [line for line in lines if not line.startswith("#")]
    counts = Counter(_separators(line, sign) for line in body)
    if not counts:
        return None
    fields, same = counts.most_common(1)[0]
    if fields < 2 and (sign == "," or same < len(body)):
        return None
    if not fields or same < 0.9 * len(body) or same < 4:
        return None
    if sign == "," and (_is_code(body) or any(line.count(", ") > fields // 2 for line in body[:3])):
        return None
    return form, f"{same} of {len(body)} rows with {fields + 1} fields"


def _separators(line: str, sign: str) -> int:
    if '"' not in line:
        return line.count(sign)
    # What stands between quotes does not separate.
    return sum(part.count(sign) for part in line.split('"')[::2])


def _is_code(lines: list[str]) -> bool:
    ends = sum(line[-1] in ";{}()" for line in lines)
    return ends > 0.3 * len(lines)


def _columns(lines: list[str]) -> tuple[str, str] | None:
    """Lines whose columns begin where the header's do."""
    head = lines[0]
    if head[0] in "+|":
        ruled = sum(line[0] in "+|" and line[-1] in "+|" for line in lines)
        return ("table", f"{ruled} ruled rows") if ruled >= 0.85 * len(lines) else None
    starts = _starts(head)
    if len(starts) < 3 or head[-1] in ".;:{" or (head.lstrip() != head and not head.strip().isupper()):
        return None
    fits = 0
    for line in lines[1:]:
        own = set(_starts(line))
        fits += sum(start in own or _ends_at(head, line, start) for start in starts) >= 0.6 * len(starts)
    if fits >= 0.8 * (len(lines) - 1):
        return "table", f"{fits} of {len(lines) - 1} rows fit the header's {len(starts)} columns"
    return None


def _starts(line: str) -> list[int]:
    """Returns where columns begin: at words behind two blanks or more."""
    starts, position = [], len(line) - len(line.lstrip())
    starts.append(position)
    while True:
        gap = line.find("  ", position)
        if gap < 0:
            return starts
        position = gap
        while position < len(line) and line[position] == " ":
            position += 1
        if position < len(line):
            starts.append(position)


def _ends_at(head: str, line: str, start: int) -> bool:
    """Says whether a right-aligned cell ends where the header word at `start` ends."""
    end = head.find(" ", start)
    end = len(head) if end < 0 else end
    return line[end - 1 : end].strip() != "" and line[end : end + 1] in ("", " ")
