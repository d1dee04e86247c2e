"""`python -m eval table`: the tables of the README, from the open prose, questions and logs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from eval import datasets, summary, tables
from eval.run import first_costs, run
from eval.systems import System, available

# Asked for: a little beyond what is shown, since a share is read off between two measured points.
RATIOS = {
    "prose": (0.75, 0.5, 0.3, 0.15),
    "qa": (0.55, 0.3, 0.15, 0.07),
    "logs": (0.35, 0.1, 0.04, 0.015, 0.005),
}
COLUMNS = {"prose": (0.7, 0.5, 0.3, 0.2), "qa": (0.5, 0.3, 0.2, 0.1), "logs": (0.3, 0.1, 0.05, 0.02, 0.01)}
PEERS = ("npm-tokenjuice", "tokenjuice-py", "headroom", "llmlingua")
WORDS = ("random-words", "stop-words", "must-keep-idf")
LINES = ("identity", "head", "tail", "head-tail", "random-sentences")
RANKED = ("tfidf-sentences", "textrank")
# Which systems make sense on which data, and how many cases are enough where none is said.
PLANS: dict[str, tuple[tuple[str, ...], int]] = {
    "prose": (("saliency", "saliency-span", "native", *LINES, *WORDS, *RANKED, *PEERS), 0),
    "qa": (
        ("saliency", "saliency-span", "tokenjuice-ml-saliency", "native", *LINES, *WORDS, *RANKED, *PEERS),
        0,
    ),
    "logs": (("tokenjuice-ml", "tokenjuice-ml-no-hints", *LINES, *PEERS), 120),
}
SHOWN = {"prose": ("core_recall",), "qa": ("survive", "attributable"), "logs": ("whole_cause",)}


def main(out: Path, limit: int, only: str) -> int:
    """Runs what the README shows and prints its Markdown; 1 when a system failed.

    Args:
        out: folder for a folder of each data set, and `README.md` with the tables.
        limit: at most this many cases of each data set; 0 for the plan's number.
        only: names of data sets with commas; empty for all.
    """
    known = available()
    text, failed = "", False
    for data in only.split(",") if only else PLANS:
        names, enough = PLANS[data]
        cases = datasets.load(data, limit or enough)
        chosen = [known[name] for name in names if name in known]
        made, broke = _one(data, cases, chosen, out / data)
        text, failed = text + made, failed or broke
    (out / "README.md").write_text(text, encoding="utf-8")
    print(f"\n{text}\nwritten: {out / 'README.md'}", file=sys.stderr)
    return 1 if failed else 0


def _one(data: str, cases: list[datasets.Case], chosen: list[System], out: Path) -> tuple[str, bool]:
    from eval.__main__ import written

    result = run(data, cases, chosen, RATIOS[data], out)
    result["cold"] = first_costs(chosen, out)
    found = written(result, cases, out, everything=True)
    return _markdown(data, result, found), bool(result["failures"])


def _markdown(data: str, result: dict[str, Any], found: list[summary.Point]) -> str:
    machine = result["machine"]
    peers = ", ".join(f"{name} {version}" for name, version in result["versions"].items() if name in PEERS)
    parts = [
        f"### {data}: {result['cases']} cases\n",
        f"{machine['date']}, commit {machine['commit']}, Python {machine['python']}, {machine['cores']} cores; {peers or 'no peers'}.\n",
    ]
    alone = [point for point in found if not point["ratio"] and point["system"] != "identity"]
    shares = tuple(share for share in SHOWN[data] if share in summary.shares_of(found))
    parts += [tables.markdown(found, share, COLUMNS[data]) + "\n" for share in shares]
    if alone and shares:
        parts.append(tables.markdown_points(alone, shares) + "\n")
    gates = [
        _gates(name, mine) for name, mine in summary.by_system(found).items() if name in result["versions"]
    ]
    parts += [line for line in gates if line]
    return "\n".join(parts) + "\n"


def _gates(name: str, mine: list[summary.Point]) -> str:
    """Returns one line on the gates of one of our systems."""
    if name in PEERS or not any("run_length" in point for point in mine) or not name.startswith("saliency"):
        return ""
    total = {gate: sum(point["gates"][gate] for point in mine) for gate in mine[0]["gates"]}
    return f"{name}: " + json.dumps(total).strip("{}").replace('"', "") + " over all ratios."
