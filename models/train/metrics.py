"""Measures how well word scores find the words that people kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

SHARES = (0.5, 0.3)


@dataclass(frozen=True)
class Scored:
    """One passage with its grades and scores, each ``(words,)``, and its groups."""

    grade: np.ndarray
    score: np.ndarray
    lang: str
    genre: str


def auc(positive: np.ndarray, score: np.ndarray) -> float:
    """Area under the ROC curve; ties count half; 0.5 where a class is absent."""
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    if not n_pos or not n_neg:
        return 0.5
    order = np.argsort(score, kind="mergesort")
    _, inverse, counts = np.unique(score[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    return float((ranks[positive[order]].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def keep_share(score: np.ndarray, share: float) -> np.ndarray:
    """Marks the best-scoring share of one passage's words; ties go to the earlier word."""
    mask = np.zeros(len(score), dtype=bool)
    mask[np.argsort(-score, kind="stable")[: round(share * len(score))]] = True
    return mask


def measure(passages: Sequence[Scored]) -> dict[str, float]:
    """Computes every metric over the pooled words of some passages."""
    grade = np.concatenate([p.grade for p in passages])
    score = np.concatenate([p.score for p in passages])
    out = {"auc_keep": auc(grade > 0, score), "auc_core": auc(grade == 2, score)}
    for share in SHARES:
        kept = np.concatenate([keep_share(p.score, share) for p in passages])
        hits = int((kept & (grade > 0)).sum())
        out[f"core_recall@{share}"] = float((kept & (grade == 2)).sum() / max(1, (grade == 2).sum()))
        out[f"f1@{share}"] = float(2 * hits / max(1, kept.sum() + (grade > 0).sum()))
    return out


def bootstrap(passages: Sequence[Scored], rounds: int = 200, seed: int = 0) -> dict[str, tuple[float, float]]:
    """95 % intervals of every metric, resampling whole passages."""
    rng = np.random.default_rng(seed)
    rows = [
        measure([passages[i] for i in rng.integers(0, len(passages), len(passages))]) for _ in range(rounds)
    ]
    return {
        name: (
            float(np.quantile([r[name] for r in rows], 0.025)),
            float(np.quantile([r[name] for r in rows], 0.975)),
        )
        for name in rows[0]
    }


def by_group(passages: Sequence[Scored], group: Callable[[Scored], str]) -> dict[str, list[Scored]]:
    """Splits passages by a key, larger groups first."""
    groups: dict[str, list[Scored]] = {}
    for passage in passages:
        groups.setdefault(group(passage), []).append(passage)
    return dict(sorted(groups.items(), key=lambda kv: -len(kv[1])))


def calibration_error(positive: np.ndarray, probability: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error over equal-width bins."""
    index = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [
        abs(positive[index == b].mean() - probability[index == b].mean()) * (index == b).mean()
        for b in range(bins)
        if (index == b).any()
    ]
    return float(sum(gaps))
