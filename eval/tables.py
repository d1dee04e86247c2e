"""The result as text: all figures, systems at equal kept tokens, promises and costs."""

from __future__ import annotations

from typing import Any

from eval.metrics import GATES
from eval.summary import (
    CHECKS,
    Point,
    by_system,
    curves_of,
    equal_kept,
    levels_of,
    shares_of,
)

NAME = 24


def table(result: dict[str, Any], found: list[Point]) -> str:
    """Returns the terminal table."""
    machine = result["machine"]
    head = f"{result['data']}: {result['cases']} cases, {machine['date']}, commit {machine['commit']}"
    versions = ", ".join(f"{name} {version}" for name, version in _others(result["versions"]).items())
    parts = [head + (f"; {versions}" if versions else ""), _points(found)]
    parts += [_equal(found, share) for share in curves_of(found)]
    parts.append(_promises(result, found))
    parts += [f"failed: {name}: {error}" for name, error in result["failures"].items()]
    parts += [f"not here: {name}: {why}" for name, why in result.get("missing", {}).items()]
    return "\n".join(parts)


def _others(versions: dict[str, str]) -> dict[str, str]:
    return {
        name: version for name, version in versions.items() if "+" not in version and version != "baseline"
    }


def _ratio(point: Point) -> str:
    return f"{point['ratio']:.2f}" if point["ratio"] else "-"


def _percent(value: float | None, width: int) -> str:
    return f"{'-' if value is None else f'{100 * value:.1f} %':>{width}s}"


def _points(found: list[Point]) -> str:
    shares = shares_of(found)
    gates = any("run_length" in point for point in found)
    row = f"{'system':{NAME}s} {'asked':>5s} {'kept':>8s} {'same':>4s}"
    row += "".join(f" {share[:12]:>13s}" for share in shares)
    row += "".join(f" {gate:>8s}" for gate in GATES) if gates else ""
    lines = [row + f" {'ms/1k':>7s} {'p95':>7s}"]
    for point in found:
        row = f"{point['system']:{NAME}s} {_ratio(point):>5s} {_percent(point['kept'], 8)} {point['refused']:4d}"
        row += "".join(f" {_interval(point.get(share)):>13s}" for share in shares)
        row += "".join(f" {point['gates'][gate]:8d}" for gate in GATES) if gates else ""
        lines.append(f"{row} {point['ms_p50']:7.2f} {point['ms_p95']:7.2f}")
    return "\n".join(lines)


def _interval(value: tuple[float, float, float] | None) -> str:
    return "-" if value is None else f"{100 * value[0]:.1f}±{50 * (value[2] - value[1]):.1f} %"


def _equal(found: list[Point], share: str) -> str:
    """One share at the same kept tokens: between measured points only, `-` beyond them."""
    compared = equal_kept(found, share)
    levels = levels_of(found)
    best = sorted(compared, key=lambda name: -(compared[name]["area"] or 0.0))
    lines = [f"\n{share} at equal kept tokens"]
    lines.append(
        f"{'':{NAME}s}" + "".join(f" {f'{100 * level:.0f} %':>8s}" for level in levels) + f" {'area':>6s}"
    )
    for name in best:
        cells = "".join(f" {_percent(compared[name][f'{level:.2f}'], 8)}" for level in levels)
        lines.append(f"{name:{NAME}s}{cells} {compared[name]['area'] or 0.0:6.3f}")
    return "\n".join(lines)


def _promises(result: dict[str, Any], found: list[Point]) -> str:
    """What holds at every ratio, and what the first answer costs."""
    cold = result.get("cold", {})
    heads = ["missed by", "run", *CHECKS, "first: CPU", "wall", "memory"]
    lines = [f"\n{'promises and first cost':{NAME}s}" + "".join(f" {head:>13s}" for head in heads)]
    for name, mine in by_system(found).items():
        missed = [point["missed"] for point in mine if "missed" in point]
        runs = [point["run_length"] for point in mine if "run_length" in point]
        first = cold.get(name, {})
        cells = [
            f"{100 * max(missed):.1f} points" if missed else "-",
            f"{min(runs):.1f} words" if runs else "-",
            *(_sum(mine, check) for check in CHECKS),
            f"{first['cpu_ms']:,.0f} ms" if first else "-",
            f"{first['wall_ms']:,.0f} ms" if first else "-",
            f"{first['rss_mb']:,.0f} MB" if first else "-",
        ]
        lines.append(f"{name:{NAME}s}" + "".join(f" {cell:>13s}" for cell in cells))
    return "\n".join(lines)


def _sum(mine: list[Point], check: str) -> str:
    pairs = [point["checks"][check].split("/") for point in mine if check in point["checks"]]
    return f"{sum(int(got) for got, _ in pairs)}/{sum(int(of) for _, of in pairs)}" if pairs else "-"


def markdown(found: list[Point], share: str, levels: tuple[float, ...]) -> str:
    """Returns one share at equal kept tokens as a Markdown table, best first; bold is the best of a column."""
    curved = {name for name, mine in by_system(found).items() if len(mine) > 1}
    compared = {name: row for name, row in equal_kept(found, share).items() if name in curved}
    keys = [f"{level:.2f}" for level in levels]
    tops = {key: max((row.get(key) or 0.0 for row in compared.values()), default=0.0) for key in keys}
    lines = [
        f"| {share.replace('_', ' ')} at | "
        + " | ".join(f"{100 * level:.0f} %" for level in levels)
        + " | area |",
        "|---|" + "---:|" * (len(levels) + 1),
    ]
    for name in sorted(compared, key=lambda name: -(compared[name]["area"] or 0.0)):
        row, cells = compared[name], []
        for key in keys:
            value = row.get(key)
            text = "–" if value is None else f"{100 * value:.1f} %"
            cells.append(f"**{text}**" if value is not None and value == tops[key] else text)
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {row['area'] or 0.0:.3f} |")
    return "\n".join(lines)


def markdown_points(found: list[Point], shares: tuple[str, ...]) -> str:
    """Returns systems that have one point as a Markdown table."""
    lines = [
        "| system | tokens kept | "
        + " | ".join(share.replace("_", " ") for share in shares)
        + " | ms / 1,000 tokens |",
        "|---|" + "---:|" * (len(shares) + 2),
    ]
    for point in found:
        cells = [f"{100 * point[share][0]:.1f} %" if share in point else "–" for share in shares]
        asked = f" at {point['ratio']:.2f}" if point["ratio"] else ""
        lines.append(
            f"| {point['system']}{asked} | {100 * point['kept']:.1f} % | "
            + " | ".join(cells)
            + f" | {point['ms_p50']:.2f} |"
        )
    return "\n".join(lines)
