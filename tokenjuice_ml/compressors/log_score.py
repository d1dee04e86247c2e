"""How likely each line of a log belongs to the cause of its failure."""

from __future__ import annotations

from collections.abc import Mapping

from tokenjuice_ml.compressors import log_model
from tokenjuice_ml.compressors.log_features import LogView, candidates, lg, vectors
from tokenjuice_ml.compressors.signals import CAUSE, ERROR, EXIT, FAILED_TEST, HEAD, SUMMARY, WARNING

# Causes are runs of lines: half of a score is its neighbourhood's.
REACH, SHARE = 2, 0.5


def score(log: LogView) -> dict[int, float]:
    """Returns a score, 0 to 1, for each line worth considering."""
    wanted = candidates(log)
    model = log_model.load()
    if model is None:
        return _by_hand(log, wanted)
    rows = vectors(log, wanted, model.words)
    return _spread({number: model.probability(row) for number, row in zip(wanted, rows, strict=True)})


def _spread(alone: Mapping[int, float]) -> dict[int, float]:
    width = 2 * REACH + 1
    return {
        number: (1 - SHARE) * own
        + SHARE * sum(alone.get(at, 0.0) for at in range(number - REACH, number + REACH + 1)) / width
        for number, own in alone.items()
    }


def _by_hand(log: LogView, wanted: list[int]) -> dict[int, float]:
    """Scores without learned weights: signals, their rarity, their distance from the end."""
    total, scan = len(log.lines), log.scan
    scores = {number: 0.1 / (1 + (total - number) / 20) for number in wanted}
    for number in scan.hits:
        level, marks = scan.levels[number], scan.marks[number]
        if number not in scores or (level < WARNING and not marks & SUMMARY):
            continue
        value = (0.5 if level >= ERROR else 0.15) + (
            0.15 if marks & (HEAD | FAILED_TEST | CAUSE | EXIT) else 0.0
        )
        value = (
            value / (1 + 0.5 * lg(log.counts[log.keys[number]])) * (0.4 + 0.6 / (1 + (total - number) / 200))
        )
        for step in range(-4, 9):
            at = number + step
            if at in scores:
                scores[at] = max(scores[at], value * 0.85 ** abs(step))
    return scores
