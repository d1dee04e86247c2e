"""Turns a reversible body back into JSON: the proof that nothing was lost."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tokenjuice_ml.compressors.jsonish_parse import DECODER as RAW
from tokenjuice_ml.compressors.jsonish_parse import Doubled, Num

GAP = object()


def decode(body: str) -> Any:
    """Returns the value a body of the JSON compressor stands for, numbers as they were written."""
    if body.startswith("[… table, "):
        head, _, rest = body.partition("\n")
        return _table(rest.split("\n"), int(head.split()[2].replace(",", "")))
    lines = body.split("\n")
    starts = [index for index, line in enumerate(lines) if line.startswith("[… table ")]
    tables: dict[str, Any] = {}
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        words = lines[start].split(" ")
        name = words[2].rstrip(":,")
        count = int(words[-2].replace(",", ""))
        tables[name] = _table(lines[start + 1 : end], count)
    return _tree("\n".join(lines[: starts[0]] if starts else lines), tables)


def _tree(text: str, tables: dict[str, Any]) -> Any:
    """Reads JSON in which references stand for tables."""
    if not tables:
        return json_lines(text)
    out, position = [], 0
    while True:
        at = text.find("[… table ", position)
        if at < 0:
            break
        end = text.index("]", at)
        out.append(text[position:at] + json.dumps(f"\x00{text[at + 9 : end]}"))
        position = end + 1
    value = json_lines("".join(out) + text[position:])
    return _resolved(value, tables)


def json_lines(text: str) -> Any:
    """Reads one document, or several, one a line."""
    value, end = RAW.raw_decode(text)
    if not text[end:].strip():
        return value
    return [RAW.raw_decode(line)[0] for line in text.split("\n")]


def _resolved(value: Any, tables: dict[str, Any]) -> Any:
    if type(value) is str and value.startswith("\x00"):
        return tables[value[1:]]
    if isinstance(value, dict):
        pairs = [(key, _resolved(item, tables)) for key, item in value.items()]
        return Doubled(pairs) if isinstance(value, Doubled) else dict(pairs)
    return [_resolved(item, tables) for item in value] if isinstance(value, list) else value


def _table(lines: list[str], count: int) -> list[Any]:
    header, sign = _header(lines[0])
    shown = [column for column in header if column[1] is GAP]
    rows: list[Any] = []
    for index in range(count):
        line = lines[index + 1] if index + 1 < len(lines) else ""
        if line.startswith("="):
            rows.append(RAW.raw_decode(line[1:])[0])
            continue
        cells = _cells(line, sign) if shown else []
        cells += [GAP] * (len(shown) - len(cells))
        found = dict(zip((column[2] for column in shown), cells, strict=True))
        row: dict[str, Any] = {}
        for path, constant, order in header:
            value = constant if constant is not GAP else found[order]
            if value is not GAP:
                _put(row, path, value)
        rows.append(row)
    return rows


def _put(row: Any, path: list[Any], value: Any) -> None:
    for step, after in itertools.pairwise(path):
        fresh: Any = [] if after == 0 else {}
        if step == 0:
            if not row:
                row.append(fresh)
            row = row[0]
        else:
            row = row.setdefault(step, fresh)
    if path[-1] == 0:
        row.append(value)
    else:
        row[path[-1]] = value


def _header(line: str) -> tuple[list[tuple[list[Any], Any, int]], str]:
    """Returns the columns (path, constant or GAP, position), and the separator."""
    columns: list[tuple[list[Any], Any, int]] = []
    position, sign = 0, ""
    while True:
        path, position = _path(line, position)
        constant: Any = GAP
        if line[position : position + 1] == "=":
            constant, position = _cell(line, position + 1, sign or _guess(line, position + 1))
        columns.append((path, constant, len(columns)))
        if position >= len(line):
            return columns, sign or ","
        sign = line[position]
        assert sign in ",|"
        position += 1


def _guess(line: str, position: int) -> str:
    """The separator behind a first column that is constant."""
    bar, comma = line.find("|", position), line.find(",", position)
    return "|" if bar >= 0 and (comma < 0 or bar < comma) else ","


def _path(line: str, position: int) -> tuple[list[Any], int]:
    path: list[Any] = []
    while True:
        if line.startswith("[0]", position):
            path.append(0)
            position += 3
        elif line[position] == '"':
            key, position = RAW.raw_decode(line, position)
            path.append(key)
        else:
            end = position
            while end < len(line) and line[end] not in ".=,|":
                end += 1
            path.append(line[position:end])
            position = end
        if line[position : position + 1] != ".":
            return path, position
        position += 1


def _cells(line: str, sign: str) -> list[Any]:
    cells, position = [], 0
    while True:
        value, position = _cell(line, position, sign)
        cells.append(value)
        if position >= len(line):
            return cells
        position += 1
        if position == len(line):
            return [*cells, GAP]


def _cell(line: str, position: int, sign: str) -> tuple[Any, int]:
    if line[position : position + 1] in ('"', "{", "["):
        return RAW.raw_decode(line, position)
    end = line.find(sign, position)
    end = len(line) if end < 0 else end
    word = line[position:end]
    if not word:
        return GAP, end
    if word in ("true", "false", "null"):
        return json.loads(word), end
    try:
        float(word)
    except ValueError:
        return word, end
    return (Num(word) if "_" not in word and word[-1] in "0123456789yN" else word), end
