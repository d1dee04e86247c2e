"""Reports the released model, its teacher, a fine-tuned MiniLM and the baselines on val or test_open."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from transformers import BertForTokenClassification

from models.train import minilm, teacher
from models.train.align import encode
from models.train.baselines import all_scorers
from models.train.data import LANGUAGE_GROUPS, Passage, read_passages
from models.train.export import onnx_forward
from models.train.metrics import Scored, bootstrap, by_group, measure
from models.train.scoring import Forward, Special, scored, torch_forward
from models.train.settings import Run, start, write_json
from models.train.soft_labels import load_teacher
from models.train.student import special

SYSTEMS = ("baselines", "teacher", "minilm", "student")
MINILM = "MiniLM, fine-tuned here"
SIMPLE = ("random", "head", "stop words", "idf", "must-keep + idf", "unigram prior")
OTHERS = ("e5 teacher", MINILM)
ORDER = (*SIMPLE, *OTHERS, "student")
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
    if "minilm" in args.systems and (minilm.tuned(run) / "tokenizer.json").exists():
        report[MINILM] = _summary(_minilm(run, passages))
    if "student" in args.systems:
        report["student"] = _summary(student(run, args.model or run.release, passages))
    if {"student", "e5 teacher"} <= report.keys():
        print(tables(report))
    write_json(path, report)


def student(run: Run, folder: Path, passages: list[Passage]) -> list[Scored]:
    """Scores passages with an exported model as the product runs it."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return by_encoder(
        onnx_forward(folder / "model.onnx"), tokenizer, passages, run.config["student"], special(tokenizer)
    )


def tables(report: dict[str, Any]) -> str:
    """Formats the report as Markdown: all systems, then the trained ones by language, the student by genre."""
    rows = [[name, *_cells(report[name]["all"])] for name in ORDER if name in report]
    trained = [name for name in (*OTHERS, "student") if name in report]
    return "\n\n".join(
        [
            _markdown(["system", *COLUMNS], rows),
            _by_language(report, trained),
            _by_genre(report, trained[:-1]),
        ]
    )


def _by_language(report: dict[str, Any], systems: list[str]) -> str:
    groups = report["student"]["language"]
    rows = [
        [group, str(groups[group]["passages"]), name, *_cells(report[name]["language"][group])]
        for group in groups
        for name in systems
    ]
    return _markdown(["language", "passages", "system", *COLUMNS], rows)


def _by_genre(report: dict[str, Any], others: list[str]) -> str:
    head = ["genre", "passages", *(f"{name} auc_keep" for name in others), *COLUMNS]
    rows = [
        [
            genre,
            str(found["passages"]),
            *(f"{report[name]['genre'][genre]['auc_keep']:.3f}" for name in others),
            *_cells(found),
        ]
        for genre, found in report["student"]["genre"].items()
    ]
    return _markdown(head, rows)


def _simple(score: Callable[[Passage], np.ndarray], passages: list[Passage]) -> list[Scored]:
    return [Scored(np.array(p.grade), score(p), p.lang, p.genre) for p in passages]


def _teacher(run: Run, passages: list[Passage]) -> list[Scored]:
    tokenizer, model = load_teacher(run)
    return by_encoder(torch_forward(model), tokenizer, passages, run.config["teacher"], teacher.SPECIAL)


def _minilm(run: Run, passages: list[Passage]) -> list[Scored]:
    """Scores with the float32 weights: what int8 would cost is no fault of that model."""
    folder = minilm.tuned(run)
    forward = torch_forward(BertForTokenClassification.from_pretrained(folder), half=False)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return by_encoder(forward, tokenizer, passages, run.config["minilm"], minilm.SPECIAL)


def by_encoder(
    forward: Forward, tokenizer: Tokenizer, passages: list[Passage], c: dict[str, Any], special: Special
) -> list[Scored]:
    """Scores passages with any model in the windows of its part of the configuration."""
    encoded = [encode(tokenizer, p.text, p.spans) for p in passages]
    return scored(forward, passages, encoded, c["window"], c["overlap"], special)


def _summary(rows: list[Scored]) -> dict[str, Any]:
    groups = {"language": lambda s: LANGUAGE_GROUPS[s.lang], "genre": lambda s: s.genre}
    found: dict[str, Any] = {"all": _with_interval(rows)}
    for kind, key in groups.items():
        found[kind] = {name: _with_interval(members) for name, members in by_group(rows, key).items()}
    return found


def _with_interval(rows: list[Scored]) -> dict[str, Any]:
    return {"passages": len(rows), **measure(rows), "interval": bootstrap(rows)}


def _cells(found: dict[str, Any]) -> list[str]:
    intervals = (found["interval"][column] for column in COLUMNS)
    return [
        f"{found[column]:.3f} ({low:.3f}-{high:.3f})"
        for column, (low, high) in zip(COLUMNS, intervals, strict=True)
    ]


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
