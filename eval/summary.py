"""From rows to figures: means with intervals, curves over kept tokens, a terminal table."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from statistics import mean, median
from typing import Any

from eval.metrics import GATES, SHARES, interval

MOST_KEPT = 1.0


def points(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns one point a system and ratio: kept share, means with 95 % intervals, gates, times.

    A refusal (the input came back) counts as what it is: all tokens kept.
    """
    by_point: dict[tuple[str, float], list[dict[str, Any]]] = defaultdict(list)
    for row in result["rows"]:
        by_point[row["system"], row["ratio"]].append(row)
    return [_point(name, ratio, rows) for (name, ratio), rows in by_point.items()]


def _point(name: str, ratio: float, rows: list[dict[str, Any]]) -> dict[str, Any]:
    before, after = sum(row["tokens_before"] for row in rows), sum(row["tokens_after"] for row in rows)
    times = sorted(1000 * row["ms"] / max(1, row["tokens_before"]) for row in rows)
    point: dict[str, Any] = {
        "system": name,
        "ratio": ratio,
        "cases": len(rows),
        "kept": after / max(1, before),
        "kept_mean": mean(row["tokens_after"] / max(1, row["tokens_before"]) for row in rows),
        "refused": sum(row["tokens_after"] >= row["tokens_before"] for row in rows),
        "ms_p50": median(times),
        "ms_p95": times[int(0.95 * (len(times) - 1))],
        "gates": {gate: sum(row.get(gate, 0) for row in rows) for gate in GATES},
        "checks": {
            check: f"{sum(row[check] for row in rows if check in row)}/{sum(check in row for row in rows)}"
            for check in ("deterministic", "idempotent", "recoverable")
            if any(check in row for row in rows)
        },
    }
    for share in SHARES:
        values = [row[share] for row in rows if share in row]
        if values:
            point[share] = interval(values)
    runs = [row["run_length"] for row in rows if "run_length" in row]
    if runs:
        point["run_length"] = mean(runs)
    return point


def area(found: list[dict[str, Any]], share: str) -> float | None:
    """Returns the area under the curve of `share` over kept tokens, from 0 kept (0) to all kept (1).

    Points are joined by lines; what a system keeps beyond its last point is taken as a line to
    (1, 1), which any system reaches by keeping everything.
    """
    curve = sorted({(point["kept"], point[share][0]) for point in found if share in point})
    if not curve:
        return None
    corners = [(0.0, 0.0), *[(min(x, MOST_KEPT), y) for x, y in curve], (MOST_KEPT, 1.0)]
    return sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise(corners))


def at_kept(found: list[dict[str, Any]], share: str, kept: float) -> float | None:
    """Returns `share` at exactly `kept` tokens, between two measured points of one system."""
    curve = sorted((point["kept"], point[share][0]) for point in found if share in point)
    below = [pair for pair in curve if pair[0] <= kept]
    above = [pair for pair in curve if pair[0] >= kept]
    if not below or not above:
        return None
    (x1, y1), (x2, y2) = below[-1], above[0]
    return y1 if x1 == x2 else y1 + (y2 - y1) * (kept - x1) / (x2 - x1)


def shares_of(found: list[dict[str, Any]]) -> list[str]:
    """Returns the shares that any point has."""
    return [share for share in SHARES if any(share in point for point in found)]


def table(result: dict[str, Any], found: list[dict[str, Any]]) -> str:
    """Returns the terminal table."""
    shares = shares_of(found)
    gates = any(any(point["gates"].values()) for point in found) or result["prose"]
    heads = f"{'system':24s} {'ratio':>5s} {'kept':>6s} {'ref':>4s}" + "".join(
        f" {share[:12]:>13s}" for share in shares
    )
    heads += (" " + " ".join(f"{gate[:6]:>6s}" for gate in GATES) if gates else "") + f" {'ms/1k':>7s}"
    lines = [
        f"{result['data']}: {result['cases']} cases, {result['machine']['date']}, commit {result['machine']['commit']}",
        heads,
    ]
    for point in sorted(found, key=lambda point: (point["system"], -point["ratio"])):
        ratio = f"{point['ratio']:.2f}" if point["ratio"] else "-"
        row = f"{point['system']:24s} {ratio:>5s} {100 * point['kept']:5.1f}% {point['refused']:4d}"
        for share in shares:
            if share in point:
                value, low, high = point[share]
                row += f" {100 * value:5.1f}±{50 * (high - low):4.1f} %".rjust(14)
            else:
                row += f" {'-':>13s}"
        row += " " + " ".join(f"{point['gates'][gate]:6d}" for gate in GATES) if gates else ""
        lines.append(f"{row} {point['ms_p50']:7.2f}")
    lines += [f"failed: {name}: {error}" for name, error in result["failures"].items()]
    return "\n".join(lines)
