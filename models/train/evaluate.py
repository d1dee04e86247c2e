"""Reports the released model, its teacher and the baselines on val or test_open."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from models.train.align import encode
from models.train.baselines import all_scorers
from models.train.data import LANGUAGE_GROUPS, Passage, read_passages
from models.train.export import onnx_forward
from models.train.metrics import Scored, bootstrap, by_group, measure
from models.train.scoring import scored
from models.train.settings import Run, start, write_json
from models.train.soft_labels import teacher_forward
from models.train.student import special
from models.train.teacher import SPECIAL

SYSTEMS = ("baselines", "teacher", "student")
ORDER = ("random", "head", "stop words", "idf", "must-keep + idf", "unigram prior", "e5 teacher", "student")
COLUMNS = ("auc_keep", "auc_core", "core_recall@0.5", "f1@0.5", "core_recall@0.3", "f1@0.3")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.evaluate")
    parser.add_argument("--split", choices=("val", "test_open"), default="val")
    parser.add_argument("--model", type=Path, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    run, args = start("evaluate", parser)
    passages = read_passages(run.data / f"{args.split}.jsonl")
    path = run.work / f"report.{args.split}.json"
    # Systems that were measured before stay in the report.
    report = json.loads(path.read_text("utf8")) if path.exists() else {}
    if "baselines" in args.systems:
        for name, score in all_scorers(run).items():
            report[name] = {"all": _with_interval(_simple(score, passages))}
    if "teacher" in args.systems:
        report["e5 teacher"] = _summary(_teacher(run, passages))
    if "student" in args.systems:
        report["student"] = _summary(student(run, args.model or run.release, passages))
        print(tables(report))
    write_json(path, report)


def student(run: Run, folder: Path, passages: list[Passage]) -> list[Scored]:
    """Scores passages with an exported model as the product runs it."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    encoded = [encode(tokenizer, p.text, p.spans) for p in passages]
    c = run.config["student"]
    return scored(
        onnx_forward(folder / "model.onnx"), passages, encoded, c["window"], c["overlap"], special(tokenizer)
    )


def tables(report: dict[str, Any]) -> str:
    """Formats the report as Markdown: all systems, then the student by group."""
    head = ["system", *COLUMNS]
    rows = [[name, *(_cell(report[name]["all"], c) for c in COLUMNS)] for name in ORDER if name in report]
    out = [_markdown(head, rows)]
    for kind in ("language", "genre"):
        head = [kind, "passages", "e5 teacher auc_keep", *COLUMNS]
        groups = report["student"][kind]
        rows = [
            [
                name,
                str(g["passages"]),
                f"{report['e5 teacher'][kind][name]['auc_keep']:.3f}",
                *(_cell(g, c) for c in COLUMNS),
            ]
            for name, g in groups.items()
        ]
        out.append(_markdown(head, rows))
    return "\n\n".join(out)


def _simple(score: Callable[[Passage], np.ndarray], passages: list[Passage]) -> list[Scored]:
    return [Scored(np.array(p.grade), score(p), p.lang, p.genre) for p in passages]


def _teacher(run: Run, passages: list[Passage]) -> list[Scored]:
    forward, tokenizer = teacher_forward(run)
    encoded = [encode(tokenizer, p.text, p.spans) for p in passages]
    c = run.config["teacher"]
    return scored(forward, passages, encoded, c["window"], c["overlap"], SPECIAL)


def _summary(rows: list[Scored]) -> dict[str, Any]:
    groups = {"language": lambda s: LANGUAGE_GROUPS[s.lang], "genre": lambda s: s.genre}
    found: dict[str, Any] = {"all": _with_interval(rows)}
    for kind, key in groups.items():
        found[kind] = {name: _with_interval(members) for name, members in by_group(rows, key).items()}
    return found


def _with_interval(rows: list[Scored]) -> dict[str, Any]:
    return {"passages": len(rows), **measure(rows), "interval": bootstrap(rows)}


def _cell(found: dict[str, Any], column: str) -> str:
    low, high = found["interval"][column]
    return f"{found[column]:.3f} ({low:.3f}-{high:.3f})"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
