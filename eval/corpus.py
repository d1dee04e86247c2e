"""A corpus in many JSONL files, by Ray Data: read, answered and judged on the workers.

The driver never holds a text: only the figures of each answer come back. A file that is through
is noted, so a run that was stopped goes on with the next.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any

from eval.datasets import from_row
from eval.ray_engine import _ray_data
from eval.run import Row, answer, machine
from eval.systems import System

FIGURES, DONE = "figures.jsonl", "done.txt"
LINES = 32
"""Lines that a worker takes at once."""


def is_corpus(name: str) -> bool:
    """Says whether `name` is a folder or a pattern of JSONL files."""
    return Path(name).is_dir() or "*" in name


def files_of(name: str) -> list[str]:
    """Returns the JSONL files of a folder or a pattern, sorted.

    Raises:
        FileNotFoundError: there are none.
    """
    found = sorted(glob(f"{name}/*.jsonl" if Path(name).is_dir() else name))
    if not found:
        raise FileNotFoundError(f"no JSONL files in '{name}'")
    return [str(Path(path).resolve()) for path in found]


def run_corpus(name: str, systems: Sequence[System], ratios: Sequence[float], out: Path) -> dict[str, Any]:
    """Returns the result of all files, without texts; the rows are in `figures.jsonl` under `out`.

    Args:
        name: folder or pattern; each line is a case with an `id` that is unique in the corpus.
        systems: who compresses; peers, which answer on one machine, are left out and named.
        ratios: for those that take one.
        out: folder for the figures.
    """
    out.mkdir(parents=True, exist_ok=True)
    done_path, path = out / DONE, out / FIGURES
    done = set(done_path.read_text("utf-8").split("\n")) if done_path.exists() else set()
    mine = [system for system in systems if system.many is None]
    failures = {system.name: "answers on one machine only" for system in systems if system.many is not None}
    for file in files_of(name):
        if file in done:
            continue
        rows = list(_one_file(file, mine, ratios))
        with open(path, "a", encoding="utf-8") as target:
            target.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with open(done_path, "a", encoding="utf-8") as target:
            target.write(file + "\n")
    rows, broken = _read(path)
    return {
        "data": Path(name).name,
        "cases": len({row["id"] for row in rows}),
        "machine": machine(),
        "versions": {system.name: system.version for system in mine},
        "failures": {**failures, **broken},
        "rows": rows,
    }


def _read(path: Path) -> tuple[list[Row], dict[str, str]]:
    rows: list[Row] = []
    broken: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if "error" in row:
                broken.setdefault(row["system"], row["error"])
            else:
                rows.append(row)
    return sorted(rows, key=lambda row: (row["system"], -row["ratio"], row["id"])), broken


def _one_file(file: str, systems: Sequence[System], ratios: Sequence[float]) -> Iterator[Row]:
    data = _ray_data()
    from ray import cloudpickle

    packed = cloudpickle.dumps([(system, ratios if system.takes_ratio else (0.0,)) for system in systems])
    folder = str(Path(file).parent)

    def work(batch: dict[str, Any]) -> dict[str, list[bytes]]:
        wanted = pickle.loads(packed)
        return {
            "row": [pickle.dumps(row) for line in batch["text"] for row in _judged(str(line), folder, wanted)]
        }

    for item in data.read_text(file).map_batches(work, batch_size=LINES).iter_rows():
        yield pickle.loads(item["row"])


def _judged(line: str, folder: str, wanted: Sequence[tuple[System, Sequence[float]]]) -> Iterator[Row]:
    case = from_row(json.loads(line), Path(folder))
    for system, ratios in wanted:
        for ratio in ratios:
            try:
                row = answer(system, case, ratio, False, False)
            except Exception as error:  # a system under test may fail in any way
                yield {"system": system.name, "error": f"{type(error).__name__}: {error}"}
                continue
            yield {key: value for key, value in row.items() if key != "text"}
