"""Runs systems over a data set: resumable, with progress, one failing system stops no other."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eval.datasets import Case
from eval.metrics import Measure, measure
from eval.systems import System

ANSWERS = "answers.jsonl"
REPEATS_CHECKED = 5  # determinism and idempotence are looked at on this many cases


def run(
    data: str, cases: Sequence[Case], systems: Iterable[System], ratios: Sequence[float], out: Path
) -> dict[str, Any]:
    """Returns the whole result and writes it under `out`.

    What was answered before stays: after Ctrl-C the same call goes on where it stopped.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / ANSWERS
    known = {(row["system"], row["ratio"], row["id"]): row for row in _rows(path)}
    prose = data in ("prose", "qa") or all(case.hints.get("kind") == "plain_text" for case in cases)
    failures: dict[str, str] = {}
    versions = {}
    with open(path, "a", encoding="utf-8") as file:
        for system in systems:
            versions[system.name] = system.version
            try:
                for row in _answers(system, cases, ratios, known, prose):
                    known[row["system"], row["ratio"], row["id"]] = row
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    file.flush()
            except KeyboardInterrupt:
                print(f"\nstopped; the same command goes on from here ({path})", file=sys.stderr)
                raise
            except Exception as error:  # a system under test may fail in any way
                failures[system.name] = f"{type(error).__name__}: {error}"
                print(f"\n{system.name} failed: {failures[system.name]}", file=sys.stderr)
    wanted = {case.id for case in cases}
    kept = [row for row in known.values() if row["id"] in wanted and row["system"] in versions]
    return {
        "data": data,
        "cases": len(cases),
        "prose": prose,
        "machine": machine(),
        "versions": versions,
        "failures": failures,
        "rows": kept,
    }


def _answers(
    system: System, cases: Sequence[Case], ratios: Sequence[float], known: dict[Any, Any], prose: bool
) -> Iterator[dict[str, Any]]:
    for ratio in ratios if system.takes_ratio else (0.0,):
        missing = [case for case in cases if (system.name, ratio, case.id) not in known]
        if not missing:
            continue
        label = f"{system.name} {ratio or ''}".strip()
        if system.many is not None:
            _progress(label, 0, len(missing))
            made = system.many(missing)
            for at, (case, (text, spent)) in enumerate(zip(missing, made, strict=True), 1):
                yield _row(system, ratio, case, text, spent, prose, {})
                _progress(label, at, len(missing))
            continue
        for at, case in enumerate(missing, 1):
            start = time.process_time()
            text = system.run(case, ratio)
            spent = (time.process_time() - start) * 1000
            checks = _checks(system, case, ratio, text) if at <= REPEATS_CHECKED else {}
            yield _row(system, ratio, case, text, spent, prose, checks)
            _progress(label, at, len(missing))


def _checks(system: System, case: Case, ratio: float, text: str) -> dict[str, bool]:
    from dataclasses import replace

    def bare(answer: str) -> str:
        return "\n".join(line for line in answer.split("\n") if "⟦tj:" not in line)

    checks = {
        "deterministic": bare(system.run(case, ratio)) == bare(text),
        "idempotent": bare(system.run(replace(case, text=text), ratio)) == bare(text),
    }
    if system.recover is not None and "⟦tj:" in text:
        checks["recoverable"] = system.recover(text) == case.text.encode("utf-8", "surrogatepass")
    return checks


def _row(
    system: System, ratio: float, case: Case, text: str, spent: float, prose: bool, checks: dict[str, bool]
) -> dict[str, Any]:
    figures: Measure = measure(case, text, prose)
    return {
        "system": system.name,
        "ratio": ratio,
        "id": case.id,
        "group": case.group,
        "ms": round(spent, 3),
        "text": text,
        **{key: value for key, value in asdict(figures).items() if value is not None},
        **checks,
    }


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    rows = []
    for line in path.read_text("utf-8").split("\n"):
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue  # the last line of a run that was killed
    return rows


def _progress(label: str, done: int, total: int) -> None:
    if not sys.stderr.isatty():
        return
    filled = 30 * done // max(1, total)
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{label:32s} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}{end}")
    sys.stderr.flush()


def machine() -> dict[str, Any]:
    """Returns what a figure must be read with: date, commit, processor, versions."""
    root = Path(__file__).resolve().parent.parent
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    return {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit.stdout.strip() or "unknown",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(__import__("os").sched_getaffinity(0))
        if hasattr(__import__("os"), "sched_getaffinity")
        else 0,
    }
