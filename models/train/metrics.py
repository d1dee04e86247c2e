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


def keep_share(score: np.ndarray, share: float) -> np.ndarray:
    """Marks the best-scoring share of one passage's words; ties go to the earlier word."""
    mask = np.zeros(len(score), dtype=bool)
    mask[np.argsort(-score, kind="stable")[: round(share * len(score))]] = True
    return mask


class Table:
    """Some passages, prepared so that any reweighting of them is measured in milliseconds."""

    def __init__(self, passages: Sequence[Scored]) -> None:
        grade = np.concatenate([p.grade for p in passages])
        score = np.concatenate([p.score for p in passages])
        order = np.argsort(score, kind="mergesort")
        owner = np.repeat(np.arange(len(passages)), [len(p.grade) for p in passages])
        self.size = len(passages)
        self._grade, self._owner = grade[order], owner[order]
        self._ties = np.flatnonzero(np.r_[True, np.diff(score[order]) > 0])
        self._counts = {share: np.array([_counts(p, share) for p in passages]) for share in SHARES}

    def measure(self, weight: np.ndarray | None = None) -> dict[str, float]:
        """Computes every metric, each passage counted ``weight`` times, ``(passages,)``."""
        weight = np.ones(self.size) if weight is None else weight
        words = weight[self._owner]
        out = {"auc_keep": self._auc(self._grade > 0, words), "auc_core": self._auc(self._grade == 2, words)}
        for share, counts in self._counts.items():
            kept, positive, hits, core, core_kept = weight @ counts
            out[f"core_recall@{share}"] = float(core_kept / max(1, core))
            out[f"f1@{share}"] = float(2 * hits / max(1, kept + positive))
        return out

    def _auc(self, positive: np.ndarray, words: np.ndarray) -> float:
        pos = np.add.reduceat(words * positive, self._ties)
        neg = np.add.reduceat(words * ~positive, self._ties)
        pairs = pos.sum() * neg.sum()
        below = np.cumsum(neg) - neg / 2  # a tie counts half
        return float((pos * below).sum() / pairs) if pairs else 0.5


def measure(passages: Sequence[Scored]) -> dict[str, float]:
    """Computes every metric over the pooled words of some passages."""
    return Table(passages).measure()


def bootstrap(passages: Sequence[Scored], rounds: int = 400, seed: int = 0) -> dict[str, tuple[float, float]]:
    """95 % intervals of every metric, resampling whole passages."""
    rng, table = np.random.default_rng(seed), Table(passages)
    n = len(passages)
    rows = [table.measure(np.bincount(rng.integers(0, n, n), minlength=n)) for _ in range(rounds)]
    return {
        name: (
            float(np.quantile([r[name] for r in rows], 0.025)),
            float(np.quantile([r[name] for r in rows], 0.975)),
        )
        for name in rows[0]
    }


def _counts(p: Scored, share: float) -> tuple[int, int, int, int, int]:
    """Words kept, words wanted, both, core words, core words kept."""
    kept = keep_share(p.score, share)
    wanted, core = p.grade > 0, p.grade == 2
    return (
        int(kept.sum()),
        int(wanted.sum()),
        int((kept & wanted).sum()),
        int(core.sum()),
        int((kept & core).sum()),
    )


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
