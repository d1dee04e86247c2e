"""Runs systems over a data set: resumable, with progress, one failing system stops no other."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from eval.datasets import Case
from eval.metrics import Measure, graded_auc, measure
from eval.systems import System

ANSWERS, COLD = "answers.jsonl", "cold.json"
REPEATS_CHECKED = 20  # determinism and idempotence are looked at on this many cases
PROSE = ("prose", "qa")
Row = dict[str, Any]
Known = set[tuple[str, str, float, str]]
# Yields rows, for one system, of the cases that `known` does not hold.
Engine = Callable[[System, Sequence[Case], Sequence[float], Known, bool], Iterable[Row]]


def run(
    data: str,
    cases: Sequence[Case],
    systems: Iterable[System],
    ratios: Sequence[float],
    out: Path,
    engine: Engine | None = None,
) -> dict[str, Any]:
    """Returns the whole result and writes it under `out`.

    What was answered before, by the same version, stays: after Ctrl-C the same call goes on where
    it stopped.

    Args:
        data: name of the data set.
        cases: what to compress.
        systems: who does it.
        ratios: for those that take one.
        out: folder for the answers.
        engine: who answers; this process by default.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / ANSWERS
    rows = {key_of(row): row for row in _rows(path)}
    failures: dict[str, str] = {}
    versions = {}
    with open(path, "a", encoding="utf-8") as file:
        for system in systems:
            versions[system.name] = system.version
            try:
                for row in (engine or answers)(system, cases, ratios, set(rows), data in PROSE):
                    rows[key_of(row)] = row
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    file.flush()
            except KeyboardInterrupt:
                print(f"\nstopped; the same command goes on from here ({path})", file=sys.stderr)
                raise
            except Exception as error:  # a system under test may fail in any way
                failures[system.name] = f"{type(error).__name__}: {error}"
                print(f"\n{system.name} failed: {failures[system.name]}", file=sys.stderr)
    return {
        "data": data,
        "cases": len(cases),
        "machine": machine(),
        "versions": versions,
        "failures": failures,
        "rows": _in_order(rows.values(), cases, versions),
    }


def key_of(row: Row) -> tuple[str, str, float, str]:
    """Returns what an answer is an answer to."""
    return row["system"], row.get("version", ""), row["ratio"], row["id"]


def _in_order(rows: Iterable[Row], cases: Sequence[Case], versions: dict[str, str]) -> list[Row]:
    place = {case.id: at for at, case in enumerate(cases)}
    order = {name: at for at, name in enumerate(versions)}
    mine = [
        row for row in rows if row["id"] in place and versions.get(row["system"]) == row.get("version", "")
    ]
    return sorted(mine, key=lambda row: (order[row["system"]], -row["ratio"], place[row["id"]]))


def answers(
    system: System, cases: Sequence[Case], ratios: Sequence[float], known: Known, prose: bool
) -> Iterator[Row]:
    """Yields the rows of one system that are not known yet, made in this process."""
    for ratio in ratios if system.takes_ratio else (0.0,):
        todo = [
            (at, case)
            for at, case in enumerate(cases)
            if (system.name, system.version, ratio, case.id) not in known
        ]
        label = f"{system.name} {ratio or ''}".strip()
        made = _batches(system, todo, prose) if system.many else _singly(system, todo, ratio, prose)
        for done, row in enumerate(made, 1):
            yield row
            _progress(label, done, len(todo))


def _singly(
    system: System, todo: Sequence[tuple[int, Case]], ratio: float, prose: bool
) -> Iterator[Row]:  # fmt: skip
    for at, case in todo:
        yield answer(system, case, ratio, at < REPEATS_CHECKED, prose)


def answer(system: System, case: Case, ratio: float, check: bool, prose: bool) -> Row:
    """Returns the row of one case: the answer and every figure of it."""
    start = system.cpu()
    text = system.run(case, ratio)
    spent = (system.cpu() - start) * 1000
    more: dict[str, Any] = {}
    if check:
        more["deterministic"] = bare(system.run(case, ratio)) == bare(text)
        more["idempotent"] = bare(system.run(replace(case, text=text), ratio)) == bare(text)
    if system.recover is not None and "⟦tj:" in text:
        more["recoverable"] = system.recover(text) == case.text.encode("utf-8", "surrogatepass")
    if system.scores is not None and case.grades:
        more |= graded_auc(case, system.scores(case))
    return _row(system, ratio, case, text, spent, prose, more)


def _batches(system: System, todo: Sequence[tuple[int, Case]], prose: bool) -> Iterator[Row]:
    from eval.peer_systems import BATCH

    assert system.many is not None
    for start in range(0, len(todo), BATCH):
        batch = todo[start : start + BATCH]
        made = system.many([case for _, case in batch])
        again = _again(system, [(at, case, text) for (at, case), (text, _) in zip(batch, made, strict=True)])
        for (at, case), (text, spent) in zip(batch, made, strict=True):
            yield _row(system, 0.0, case, text, spent, prose, again.get(at, {}))


def _again(system: System, made: Sequence[tuple[int, Case, str]]) -> dict[int, dict[str, bool]]:
    """Returns whether a peer says the same twice, and leaves its own answers alone."""
    assert system.many is not None
    first = [item for item in made if item[0] < REPEATS_CHECKED]
    if not first:
        return {}
    both = system.many([case for _, case, _ in first] + [replace(case, text=text) for _, case, text in first])
    return {
        at: {
            "deterministic": both[place][0] == text,
            "idempotent": both[len(first) + place][0] == text,
        }
        for place, (at, _, text) in enumerate(first)
    }


def bare(text: str) -> str:
    """Returns an answer without its footer: the token in it is new each time."""
    return "\n".join(line for line in text.split("\n") if "⟦tj:" not in line)


def _row(
    system: System, ratio: float, case: Case, text: str, spent: float, prose: bool, more: dict[str, Any]
) -> Row:
    figures: Measure = measure(case, text, prose or case.hints.get("kind") == "plain_text")
    return {
        "system": system.name,
        "version": system.version,
        "ratio": ratio,
        "id": case.id,
        "group": case.group,
        "ms": round(spent, 3),
        "text": text,
        **{key: value for key, value in asdict(figures).items() if value is not None},
        **more,
    }


def _rows(path: Path) -> list[Row]:
    if not path.exists():
        return []
    rows = []
    for line in path.read_text("utf-8").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the last line of a run that was killed
        if isinstance(row, dict) and "system" in row:
            rows.append(row)
    return rows


def first_costs(systems: Iterable[System], out: Path) -> dict[str, dict[str, int]]:
    """Returns CPU, wall time and memory of each system's first answer in a fresh process; kept in `out`."""
    from eval.cold import measure as first

    path = out / COLD
    found: dict[str, dict[str, int]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    systems = list(systems)
    for done, system in enumerate(systems, 1):
        if system.name not in found and (cost := first(system)) is not None:
            found[system.name] = cost
        _progress("first answer", done, len(systems))
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return {system.name: found[system.name] for system in systems if system.name in found}


def _progress(label: str, done: int, total: int) -> None:
    if not sys.stderr.isatty():
        return
    filled = 30 * done // max(1, total)
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{label:32s} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}{end}")
    sys.stderr.flush()


@lru_cache(maxsize=1)
def commit() -> str:
    """Returns the commit of the checkout, with `-dirty` where files differ from it."""
    root = Path(__file__).resolve().parent.parent
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return "unknown"
    return said.stdout.strip() or "unknown"


def machine() -> dict[str, Any]:
    """Returns what a figure must be read with: date, commit, processor, versions."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0,
    }
