"""How likely each line of a log belongs to the cause of its failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from tokenjuice_ml.compressors.signals import CAUSE, ERROR, EXIT, FAILED_TEST, HEAD, SUMMARY, WARNING, Scan

TAIL = 400


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of candidate lines; lines without an entry are no candidates."""

    by_line: dict[int, float]

    def ranked(self) -> list[int]:
        """Returns the candidates, best first; of equals the later first."""
        return sorted(self.by_line, key=lambda number: (-self.by_line[number], -number))


def score(lines: Sequence[str], keys: Sequence[str], scan: Scan) -> Scores:
    """Scores the lines around signals and at the end."""
    counts = Counter(keys)
    total = len(lines)
    scores: dict[int, float] = {}
    for number in scan.hits:
        level, marks = scan.levels[number], scan.marks[number]
        if level < WARNING and not marks & SUMMARY:
            continue
        value = 3.0 if level == ERROR else 1.0
        value += (
            1.0 * bool(marks & (HEAD | FAILED_TEST | CAUSE))
            + 0.5 * bool(marks & SUMMARY)
            + bool(marks & EXIT)
        )
        value /= 1 + 0.5 * log2(counts[keys[number]])
        value *= 0.4 + 0.6 / (1 + (total - number) / 200)
        for offset in range(-4, 9):
            at = number + offset
            if 0 <= at < total:
                near = value * (0.85 ** abs(offset)) * (1 if lines[at].strip() else 0.8)
                scores[at] = max(scores.get(at, 0.0), near)
    for number in range(max(0, total - TAIL), total):
        scores[number] = scores.get(number, 0.0) + 0.8 * (1 - (total - number) / TAIL) ** 2
    return Scores(scores)
