"""Chooses the lines to show: the best scores under a budget of tokens, in readable runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tokenjuice_ml.tokens import estimate

# What an omission line costs, tokens: a gap must be worth it.
GAP_COST = 15
# Gaps of at most this many lines between chosen lines are shown when the budget allows it.
BRIDGE = 2


def line_costs(lines: Sequence[str], wanted: Sequence[int]) -> dict[int, float]:
    """Returns the estimated tokens of the wanted lines; lengths are scaled by one common estimate."""
    if not wanted:
        return {}
    sample = wanted[:200]
    chars = sum(len(lines[number]) + 1 for number in sample)
    rate = max(0.2, estimate("\n".join(lines[number] for number in sample)) / max(1, chars))
    return {number: (len(lines[number]) + 1) * rate + 0.5 for number in wanted}


def choose(ranked: Sequence[int], costs: dict[int, float], budget: float, total: int) -> list[int]:
    """Returns the chosen line numbers, ascending.

    Args:
        ranked: candidate lines, best first.
        costs: tokens of each candidate.
        budget: tokens to spend, omission lines included.
        total: lines of the log.
    """
    chosen: set[int] = set()
    left = budget - GAP_COST
    for number in ranked:
        before, after = number - 1 in chosen or number == 0, number + 1 in chosen or number == total - 1
        price = costs[number] + GAP_COST * (1 - before - after)
        if price > left:
            if left < GAP_COST:
                break
            continue
        chosen.add(number)
        left -= price
    _bridge(chosen, costs, left)
    return sorted(chosen)


def _bridge(chosen: set[int], costs: dict[int, float], left: float) -> None:
    """Shows small gaps where that is hardly dearer than saying that they are left out."""
    ordered = sorted(chosen)
    for before, after in pairwise(ordered):
        gap = range(before + 1, after)
        if not 1 <= len(gap) <= BRIDGE:
            continue
        price = sum(costs.get(number, 40.0) for number in gap) - GAP_COST
        if price <= left:
            chosen.update(gap)
            left -= price
