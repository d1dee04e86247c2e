"""The regression gate: the own set in under two minutes, against stored figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eval.datasets import Case, load
from eval.run import machine, run
from eval.summary import points
from eval.systems import own_systems

STORED = Path(__file__).resolve().parent / "results" / "own.json"
ON_PROSE = ("native", "saliency", "saliency-span")
ON_THE_REST = ("tokenjuice-ml", "tokenjuice-ml-no-hints")
RATIOS = (0.5, 0.3)
# What a figure may drop by before it is a regression: kept tokens may grow by as much. Without a
# model the same input gives the same output everywhere; a model rounds differently from processor to processor.
NOISE, NOISE_OF_MODELS = 0.005, 0.03
# A figure of fewer cases jumps with every change of taste.
FEWEST = 5


def figures(out: Path) -> dict[str, Any]:
    """Returns the figures of the own set: by system and ratio, shares, kept tokens, gates."""
    known = own_systems()
    cases = load("own")
    prose = [case for case in cases if case.hints.get("kind") == "plain_text"]
    rest = [case for case in cases if case not in prose]
    found = _points(prose, [known[name] for name in ON_PROSE], out / "prose")
    found += _points(rest, [known[name] for name in ON_THE_REST], out / "rest")
    table = {}
    for point in found:
        judged = point["judged"]
        shares = {key: round(point[key][0], 4) for key in judged if judged[key] >= FEWEST}
        table[f"{point['system']}@{point['ratio']}"] = {
            "kept": round(point["kept"], 4),
            **shares,
            "gates": {**point["gates"], **_broken(point)},
        }
    return {"machine": machine(), "cases": len(cases), "figures": table}


def _broken(point: dict[str, Any]) -> dict[str, int]:
    """Returns how often the same input gave another output, and an original did not come back."""
    pairs = {check: value.split("/") for check, value in point["checks"].items() if check != "idempotent"}
    return {f"not {check}": int(of) - int(got) for check, (got, of) in pairs.items()}


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
        worse += _worse_gates(name, old["gates"], new["gates"])
        noise = NOISE_OF_MODELS if name.startswith("saliency") else NOISE
        for key, value in old.items():
            if key == "kept" and new[key] > value + noise:
                worse.append(f"{name}: tokens kept {value:.3f} -> {new[key]:.3f}")
            elif key not in ("kept", "gates") and new.get(key, 0) < value - noise:
                worse.append(f"{name}: {key} {value:.3f} -> {new.get(key, 0):.3f}")
    return worse


def _worse_gates(name: str, old: dict[str, int], new: dict[str, int]) -> list[str]:
    return [
        f"{name}: {gate} {old.get(gate, 0)} -> {count}"
        for gate, count in new.items()
        if count > old.get(gate, 0)
    ]  # fmt: skip


def check(out: Path, update: bool) -> int:
    """Prints what got worse; with `update` stores the figures instead. 1 when anything did."""
    fresh = figures(out)
    if update or not STORED.exists():
        STORED.parent.mkdir(parents=True, exist_ok=True)
        STORED.write_text(json.dumps(fresh, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"stored {len(fresh['figures'])} rows in {STORED.name}")
        return 0
    stored = json.loads(STORED.read_text("utf-8"))
    worse = compare(stored, fresh)
    if stored["cases"] != fresh["cases"]:
        print(
            f"the own set has {fresh['cases']} cases, the stored figures are of {stored['cases']}: "
            "when the changes are meant, store new ones with `python -m eval check --update`"
        )
    for line in worse:
        print(f"WORSE {line}")
    print(f"{fresh['cases']} cases, {len(fresh['figures'])} rows, {len(worse)} worse")
    return 1 if worse else 0
