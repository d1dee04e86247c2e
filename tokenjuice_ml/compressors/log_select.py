"""Chooses the lines to show: the best scores under a budget of tokens, in readable runs.

Greedy by score: a line beside a chosen one saves an omission line, so runs form by themselves.
The strong lines come first, then their runs are lengthened to the ends of their paragraphs, then
come the weaker lines; those much weaker than the best stay out even when there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tokenjuice_ml.compressors.signals import only_passes
from tokenjuice_ml.tokens import estimate

# What an omission line costs, tokens.
GAP_COST = 15
# Gaps of at most this many lines between chosen lines are shown when the budget allows it.
BRIDGE = 2
# A line below this score, or below this share of the best score, is not worth its tokens.
WEAK, WEAK_SHARE = 0.01, 0.1
# Lines below this share of the best score wait until the runs of the better ones have grown.
STRONG_SHARE = 0.2
# A run grows when its best line reaches this score, by at most so many lines down (a third up).
STRONG, GROWTH = 0.3, 30
# Dearer lines need better scores: score / tokens ** PRICE decides.
PRICE = 0.35
# Shorter lines ("}", "OK") repeat without being copies of each other.
SHORT = 8


class Selection:
    """Lines chosen so far, and the tokens left.

    Attributes:
        chosen: 0-based numbers of the chosen lines.
        left: tokens left.
    """

    def __init__(self, lines: Sequence[str], wanted: Iterable[int], budget: float) -> None:
        """Starts empty; `wanted` lines give the rate of tokens a char."""
        sample = [lines[number] for number in sorted(wanted)[:300]]
        self._lines = lines
        self._rate = max(0.15, estimate("\n".join(sample)) / max(1, sum(len(line) + 1 for line in sample)))
        self._seen: set[str] = set()
        self.chosen: set[int] = set()
        self.left = budget - GAP_COST

    def cost(self, number: int) -> float:
        """Returns the tokens of a line by itself, roughly."""
        line = self._lines[number]
        return (len(line) + 1) * self._rate + 0.5 if line and not line.isspace() else 1.0

    def add(self, number: int) -> bool:
        """Chooses a line if it can be paid; returns False when the budget is spent."""
        if number in self.chosen:
            return True
        total = len(self._lines)
        before = number == 0 or number - 1 in self.chosen
        after = number == total - 1 or number + 1 in self.chosen
        price = self.cost(number) + GAP_COST * (1 - before - after)
        if price <= self.left:
            self.chosen.add(number)
            self.left -= price
            self._seen.add(self._lines[number].strip())
            return True
        return self.left >= GAP_COST

    def add_all(self, numbers: Iterable[int], copies: bool = False) -> None:
        """Chooses lines in the given order, copies of chosen lines only if asked to."""
        for number in numbers:
            if (copies or not self._is_copy(self._lines[number])) and not self.add(number):
                break

    def _is_copy(self, line: str) -> bool:
        text = line.strip()
        return len(text) > SHORT and text in self._seen

    def bridge(self) -> None:
        """Shows small gaps where that is hardly dearer than saying that they are left out."""
        for before, after in pairwise(sorted(self.chosen)):
            gap = range(before + 1, after)
            if not 1 <= len(gap) <= BRIDGE:
                continue
            price = sum(self.cost(number) for number in gap) - GAP_COST
            if price <= self.left:
                self.chosen.update(gap)
                self.left -= price

    def grow(self, scores: Mapping[int, float]) -> None:
        """Lengthens the best runs to the ends of their paragraphs, down first."""
        for best, first, last in sorted(self._runs(scores), reverse=True):
            if best < STRONG:
                return
            self._extend(range(last + 1, min(len(self._lines), last + 1 + GROWTH)))
            self._extend(range(first - 1, max(-1, first - 1 - GROWTH // 3), -1))

    def _extend(self, numbers: range) -> None:
        """Chooses lines in order until one is dear, taken, a copy, about a success, or the second blank one."""
        blank: int | None = None
        for number in numbers:
            line = self._lines[number]
            if number in self.chosen:
                return
            if not line or line.isspace():
                if blank is not None:
                    return
                blank = number
                continue
            price = self.cost(number) + (blank is not None)
            if price > self.left or only_passes(line) or self._is_copy(line):
                return
            self._seen.add(line.strip())
            self.chosen.update((number,) if blank is None else (blank, number))
            self.left -= price
            blank = None

    def _runs(self, scores: Mapping[int, float]) -> list[tuple[float, int, int]]:
        """Returns (best score, first, last) of each run of chosen lines."""
        runs: list[tuple[float, int, int]] = []
        for number in sorted(self.chosen):
            score = scores.get(number, 0.0)
            if runs and runs[-1][2] == number - 1:
                runs[-1] = (max(runs[-1][0], score), runs[-1][1], number)
            else:
                runs.append((score, number, number))
        return runs


def select(
    lines: Sequence[str], scores: Mapping[int, float], forced: Iterable[int], budget: float
) -> set[int]:
    """Returns the numbers of the lines to show.

    The costs of single lines are rough, so the choice is made again with the budget corrected by
    the real size of the first one.

    Args:
        lines: the log, long lines already clipped.
        scores: score of each candidate, 0 to 1.
        forced: lines to show before any other, most important first.
        budget: tokens to spend, omission lines included.
    """
    forced = list(forced)
    chosen = _select(lines, scores, forced, budget)
    real = _size(lines, chosen)
    if abs(real - budget) <= budget / 40:
        return chosen
    again = _select(lines, scores, forced, min(budget * 1.4, budget * budget / max(1.0, real)))
    return again if real > budget or _size(lines, again) <= budget * 1.02 else chosen


def _size(lines: Sequence[str], chosen: set[int]) -> float:
    gaps = 1 + sum(1 for number in chosen if number - 1 not in chosen)
    return estimate("\n".join([lines[number] for number in sorted(chosen)])) + GAP_COST * gaps


def _select(
    lines: Sequence[str], scores: Mapping[int, float], forced: Sequence[int], budget: float
) -> set[int]:
    selection = Selection(lines, scores, budget)
    worth = {number: score / max(4.0, selection.cost(number)) ** PRICE for number, score in scores.items()}
    ranked = sorted(worth, key=lambda number: (-worth[number], -number))
    selection.add_all(forced, copies=True)
    best = max(scores.values(), default=0.0)
    for share in (STRONG_SHARE, WEAK_SHARE):
        least = max(WEAK, share * best)
        good = (number for number in ranked if scores[number] >= least)
        selection.add_all(number for number in good if not only_passes(lines[number]))
        selection.bridge()
        selection.grow(scores)
    return selection.chosen


def choose(ranked: Sequence[int], lines: Sequence[str], budget: float) -> set[int]:
    """Returns the lines that fit, taken in the given order, with small gaps filled."""
    selection = Selection(lines, ranked, budget)
    selection.add_all(ranked, copies=True)
    selection.bridge()
    return selection.chosen
