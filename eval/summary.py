"""From rows to figures: means with intervals, curves over kept tokens, areas, groups."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from statistics import mean, median
from typing import Any

from eval.metrics import CURVES, GATES, SHARES, interval

MOST_KEPT = 1.0
LEVELS = (0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
CHECKS = ("deterministic", "idempotent", "recoverable")
Point = dict[str, Any]


def points(result: dict[str, Any], group: str | None = None) -> list[Point]:
    """Returns one point a system and ratio: kept share, means with 95 % intervals, gates, times.

    A refusal (the input came back) counts as what it is: all tokens kept.

    Args:
        result: what `run` gave.
        group: only the cases of this group; all by default.
    """
    by_point: dict[tuple[str, float], list[dict[str, Any]]] = defaultdict(list)
    for row in result["rows"]:
        if group is None or row["group"] == group:
            by_point[row["system"], row["ratio"]].append(row)
    return [_point(name, ratio, rows) for (name, ratio), rows in by_point.items()]


def groups(result: dict[str, Any]) -> dict[str, list[Point]]:
    """Returns the points of each group (kind, genre or language), the largest group first."""
    members: dict[str, set[str]] = defaultdict(set)
    for row in result["rows"]:
        members[row["group"]].add(row["id"])
    names = sorted((name for name in members if name), key=lambda name: (-len(members[name]), name))
    return {name: points(result, name) for name in names} if len(names) > 1 else {}


def _point(name: str, ratio: float, rows: list[dict[str, Any]]) -> Point:
    before, after = sum(row["tokens_before"] for row in rows), sum(row["tokens_after"] for row in rows)
    times = sorted(1000 * row["ms"] / max(1, row["tokens_before"]) for row in rows)
    shares = [row["tokens_after"] / max(1, row["tokens_before"]) for row in rows]
    point: Point = {
        "system": name,
        "ratio": ratio,
        "cases": len(rows),
        "kept": after / max(1, before),
        "kept_mean": mean(shares),
        "refused": sum(row["tokens_after"] >= row["tokens_before"] for row in rows),
        "ms_p50": median(times),
        "ms_p95": times[int(0.95 * (len(times) - 1))],
        "gates": {gate: sum(row.get(gate, 0) for row in rows) for gate in GATES},
        "judged": {},
        "checks": {check: _of(check, rows) for check in CHECKS if any(check in row for row in rows)},
    }
    if ratio:
        point["missed"] = mean(abs(share - ratio) for share in shares)
    for share in SHARES:
        values = [row[share] for row in rows if share in row]
        if values:
            point[share] = interval(values)
            point["judged"][share] = len(values)
    runs = [row["run_length"] for row in rows if "run_length" in row]
    if runs:
        point["run_length"] = mean(runs)
    return point


def _of(check: str, rows: list[dict[str, Any]]) -> str:
    return f"{sum(row[check] for row in rows if check in row)}/{sum(check in row for row in rows)}"


def by_system(found: list[Point]) -> dict[str, list[Point]]:
    """Returns the points of each system, in the order they came."""
    systems: dict[str, list[Point]] = defaultdict(list)
    for point in found:
        systems[point["system"]].append(point)
    return dict(systems)


def area(found: list[Point], share: str) -> float | None:
    """Returns the area under the curve of `share` over kept tokens, from 0 kept (0) to all kept (1).

    Points are joined by lines; what a system keeps beyond its last point is taken as a line to
    (1, 1), which any system reaches by keeping everything.
    """
    curve = sorted({(point["kept"], point[share][0]) for point in found if share in point})
    if not curve:
        return None
    corners = [(0.0, 0.0), *[(min(x, MOST_KEPT), y) for x, y in curve], (MOST_KEPT, 1.0)]
    return float(sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise(corners)))


def at_kept(found: list[Point], share: str, kept: float) -> float | None:
    """Returns `share` at exactly `kept` tokens, between two measured points of one system."""
    curve = sorted((point["kept"], point[share][0]) for point in found if share in point)
    below = [pair for pair in curve if pair[0] <= kept]
    above = [pair for pair in curve if pair[0] >= kept]
    if not below or not above:
        return None
    (x1, y1), (x2, y2) = below[-1], above[0]
    return float(y1 if x1 == x2 else y1 + (y2 - y1) * (kept - x1) / (x2 - x1))


def shares_of(found: list[Point], among: tuple[str, ...] = SHARES) -> list[str]:
    """Returns the shares that any point has."""
    return [share for share in among if any(share in point for point in found)]


def levels_of(found: list[Point]) -> list[float]:
    """Returns the kept shares at which systems are compared: fixed ones, and where single points lie."""
    alone = {round(mine[0]["kept"], 2) for mine in by_system(found).values() if len(mine) == 1}
    lowest = min((point["kept"] for point in found), default=0.0)
    fixed = (level for level in LEVELS if level >= lowest)
    return sorted({*fixed, *(kept for kept in alone if 0 < kept < 1)}, reverse=True)


def equal_kept(found: list[Point], share: str) -> dict[str, dict[str, float | None]]:
    """Returns for each system its `share` at each level of kept tokens, and the area under its curve."""
    levels = levels_of(found)
    compared: dict[str, dict[str, float | None]] = {}
    for name, mine in by_system(found).items():
        if any(share in point for point in mine):
            cells: dict[str, float | None] = {
                f"{level:.2f}": at_kept(_rounded(mine), share, level) for level in levels
            }
            compared[name] = {**cells, "area": area(mine, share)}
    return compared


def _rounded(mine: list[Point]) -> list[Point]:
    """A system with one point has a value where its own level is, which was rounded."""
    return [{**mine[0], "kept": round(mine[0]["kept"], 2)}] if len(mine) == 1 else mine


def curves_of(found: list[Point]) -> list[str]:
    """Returns the shares that are drawn against kept tokens."""
    return shares_of(found, CURVES)
