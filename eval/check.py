"""The regression gate: the own set in under two minutes, against stored figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eval.datasets import Case, load
from eval.run import machine, run
from eval.summary import points
from eval.systems import available

STORED = Path(__file__).resolve().parent / "results" / "own.json"
SYSTEMS = ("tokenjuice-ml", "tokenjuice-ml-no-hints", "native", "saliency")
RATIOS = (0.5, 0.3)
# What a figure may drop by before it is a regression: kept tokens may grow by as much.
NOISE = 0.02


def figures(out: Path) -> dict[str, Any]:
    """Returns the figures of the own set: by system and ratio, shares, kept tokens, gates."""
    known = available()
    cases = load("own")
    prose = [case for case in cases if case.hints.get("kind") == "plain_text"]
    rest = [case for case in cases if case not in prose]
    found = _points(prose, [known[name] for name in ("native", "saliency")], out / "prose")
    found += _points(
        rest, [known[name] for name in ("tokenjuice-ml", "tokenjuice-ml-no-hints")], out / "rest"
    )
    table = {}
    for point in found:
        shares = {key: round(value[0], 4) for key, value in point.items() if isinstance(value, tuple)}
        table[f"{point['system']}@{point['ratio']}"] = {
            "kept": round(point["kept"], 4),
            **shares,
            "gates": point["gates"],
        }
    return {"machine": machine(), "cases": len(cases), "figures": table}


def _points(cases: list[Case], systems: list[Any], out: Path) -> list[dict[str, Any]]:
    return points(run("own", cases, systems, RATIOS, out)) if cases else []


def compare(stored: dict[str, Any], fresh: dict[str, Any]) -> list[str]:
    """Returns one line for each figure that got worse by more than its noise."""
    worse = []
    for name, old in stored["figures"].items():
        new = fresh["figures"].get(name)
        if new is None:
            worse.append(f"{name}: gone")
            continue
        for key, value in old.items():
            if key == "gates":
                worse += [
                    f"{name}: {gate} {value[gate]} -> {new['gates'][gate]}"
                    for gate in value
                    if new["gates"][gate] > value[gate]
                ]
            elif key == "kept" and new[key] > value + NOISE:
                worse.append(f"{name}: tokens kept {value:.3f} -> {new[key]:.3f}")
            elif key != "kept" and new.get(key, 0) < value - NOISE:
                worse.append(f"{name}: {key} {value:.3f} -> {new.get(key, 0):.3f}")
    return worse


def check(out: Path, update: bool) -> int:
    """Prints what got worse; with `update` stores the figures instead. 1 when anything did."""
    fresh = figures(out)
    if update or not STORED.exists():
        STORED.parent.mkdir(parents=True, exist_ok=True)
        STORED.write_text(json.dumps(fresh, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"stored {len(fresh['figures'])} rows in {STORED.name}")
        return 0
    worse = compare(json.loads(STORED.read_text("utf-8")), fresh)
    for line in worse:
        print(f"WORSE {line}")
    print(f"{fresh['cases']} cases, {len(fresh['figures'])} rows, {len(worse)} worse")
    return 1 if worse else 0
