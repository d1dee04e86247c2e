"""Reads labelled CI logs and turns them into rows for the line scorer.

Expects the layout of the LogChunks data set (Brandt, Panichella, Zaidman, Beller; MSR 2020,
CC-BY-4.0) as a JSONL of cases (`id`, `log`, `project`, `chunk_lines`: the white-space-normalised
lines that people marked as the failure's cause) and a folder of the logs it names.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokenjuice_ml.compressors.log_features import NAMES, candidates, vectors, view
from tokenjuice_ml.compressors.log_text import clean, template_keys
from tokenjuice_ml.compressors.signals import scan

WORD = re.compile(r"[a-z][a-z']{2,24}")


@dataclass
class Case:
    """One log: its candidate lines as rows, and which of them belong to the cause."""

    project: str
    numbers: list[int]
    rows: np.ndarray  # (candidates, features), word features zero
    labels: np.ndarray  # (candidates,)
    words: list[set[str]]


def normal(line: str) -> str:
    """Returns the line with runs of blanks as one blank."""
    return re.sub(r"\s+", " ", line).strip()


def load(cases: Path, logs: Path) -> list[Case]:
    """Returns all cases of a JSONL file."""
    with cases.open(encoding="utf-8") as file:
        return [_case(json.loads(line), logs) for line in file]


def _case(record: dict, logs: Path) -> Case:
    lines = clean((logs / record["log"]).read_bytes().decode("utf-8", "replace")).lines
    cause = marked([normal(line) for line in lines], record["chunk_lines"])
    log = view(lines, template_keys(lines), scan(lines))
    numbers = candidates(log)
    rows = np.array(vectors(log, numbers, {}), dtype=np.float64).reshape(len(numbers), len(NAMES))
    labels = np.array([number in cause for number in numbers], dtype=np.int8)
    words = [set(WORD.findall(lines[number][:400].lower())) for number in numbers]
    return Case(record["project"], numbers, rows, labels, words)


def marked(lines: list[str], chunk: list[str]) -> set[int]:
    """Returns the numbers of the lines that carry the chunk: its best alignments, then strays."""
    solid = [number for number, line in enumerate(lines) if line]
    where: dict[str, list[int]] = defaultdict(list)
    for place, number in enumerate(solid):
        where[lines[number]].append(place)
    votes = Counter(
        place - offset for offset, line in enumerate(chunk) for place in where.get(line, ())[:3000]
    )
    found: set[int] = set()
    most = max(votes.values(), default=0)
    for start in [start for start, count in votes.items() if count == most][-3:]:
        for offset, line in enumerate(chunk):
            if 0 <= start + offset < len(solid) and lines[solid[start + offset]] == line:
                found.add(solid[start + offset])
    have = {lines[number] for number in found}
    for line in chunk:
        if line not in have and len(where.get(line, ())) in (1, 2):
            found.update(solid[place] for place in where[line])
    return found | _inside(lines, [line for line in chunk if len(line) >= 4 and line not in have])


def _inside(lines: list[str], missing: list[str]) -> set[int]:
    """Returns lines that hold a missing chunk line as a part, where there are at most three."""
    found: set[int] = set()
    for part in missing[:20]:
        hits = [number for number, line in enumerate(lines) if part in line]
        if len(hits) <= 3:
            found.update(hits)
    return found
