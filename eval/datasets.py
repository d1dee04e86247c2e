"""Cases to evaluate: JSONL files, the open data sets when present, and a small own set.

A case has a text with its hints and any of: strings that must survive, graded words, questions
with answers, weighted signals, a gold article.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / "eval" / "data"
DATA_VARIABLE = "TOKENJUICE_DATA"


@dataclass(frozen=True)
class Question:
    """A question over a text: its literal answer, and the words without which it says nothing."""

    question: str
    answer: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Signal:
    """Any of these strings must be in the output."""

    any: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Case:
    """One text to compress and what is judged about it.

    Attributes:
        id: unique in its data set.
        text: the input.
        group: kind, genre or language by which results are told apart.
        hints: tool, command, exit_code, mime, extension, query, ...
        must: strings that must survive.
        words: words of the text (whitespace words, CJK characters alone), if graded.
        grades: one a word: 0 drop, 1 keep, 2 core.
        questions: over the text.
        signals: weighted alternatives.
        chunk: the lines that people marked as the cause.
        article: gold text of a page.
    """

    id: str
    text: str
    group: str = ""
    hints: dict[str, Any] = field(default_factory=dict)
    must: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    grades: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()
    signals: tuple[Signal, ...] = ()
    chunk: tuple[str, ...] = ()
    article: str = ""


def load(name: str, limit: int = 0) -> list[Case]:
    """Returns the cases of a data set by name, or of a JSONL file by path.

    Raises:
        FileNotFoundError: no such data set or file, or the open data is not there.
    """
    if name in ADAPTERS:
        cases = list(ADAPTERS[name]())
    elif Path(name).is_file():
        cases = list(from_jsonl(Path(name)))
    else:
        raise FileNotFoundError(f"no data set '{name}'; known: {', '.join(ADAPTERS)}, or a JSONL file")
    return spread(cases, limit) if limit else cases


def spread(cases: list[Case], limit: int) -> list[Case]:
    """Returns `limit` cases, evenly spaced: the first ones are often of one source."""
    if len(cases) <= limit:
        return cases
    return [cases[at * len(cases) // limit] for at in range(limit)]


def from_jsonl(path: Path) -> Iterator[Case]:
    """Yields the cases of a JSONL file; a relative `path` in a line is relative to the file."""
    for number, row in enumerate(rows(path), 1):
        yield from_row(row, path.parent, str(number))


def from_row(row: dict[str, Any], folder: Path, default_id: str = "") -> Case:
    """Returns the case of one line of a JSONL file in `folder`.

    Raises:
        KeyError: it has neither text nor path.
    """
    text = row["text"] if "text" in row else (folder / row["path"]).read_bytes().decode("utf-8", "replace")
    return Case(
        id=str(row.get("id", default_id)),
        text=text,
        group=row.get("group", ""),
        hints=row.get("hints", {}),
        must=tuple(row.get("must", ())),
        words=tuple(row.get("words", ())),
        grades=tuple(row.get("grade", ())),
        questions=tuple(
            Question(item["question"], item["answer"], tuple(item.get("needs", ())))
            for item in row.get("questions", ())
        ),
        signals=tuple(
            Signal(tuple(item["any"]), item.get("weight", 1.0)) for item in row.get("signals", ())
        ),
        chunk=tuple(row.get("chunk", ())),
        article=row.get("article", ""),
    )  # fmt: skip


def rows(path: Path) -> list[dict[str, Any]]:
    """Returns the objects of a JSONL file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def data_folder() -> Path:
    """Returns the folder of the open data.

    Raises:
        FileNotFoundError: the environment does not name it.
    """
    folder = Path(os.environ.get(DATA_VARIABLE, ""))
    if not os.environ.get(DATA_VARIABLE) or not folder.is_dir():
        raise FileNotFoundError(f"set {DATA_VARIABLE} to the folder of the open data (see eval/README.md)")
    return folder


def _unpacked(name: str) -> Path:
    target = Path(tempfile.gettempdir()) / "tokenjuice-eval" / name
    if not target.exists():
        aside = target.with_name(f"{name}.{os.getpid()}")
        aside.mkdir(parents=True)
        with tarfile.open(data_folder() / f"{name}.tar.xz") as archive:
            archive.extractall(aside, filter="data")
        aside.rename(target)
    inner = target / name
    return inner if inner.is_dir() else target


def _prose() -> Iterator[Case]:
    for row in rows(data_folder() / "saliency" / "test_open.jsonl"):
        yield Case(
            row["id"],
            row["text"],
            row["lang"],
            {"kind": "plain_text"},
            words=tuple(row["words"]),
            grades=tuple(row["grade"]),
        )


def _questions() -> Iterator[Case]:
    asked: dict[str, list[Question]] = {}
    for row in rows(data_folder() / "saliency" / "qa_open.jsonl"):
        asked.setdefault(row["doc"], []).append(Question(row["question"], row["answer"], tuple(row["needs"])))
    for row in rows(data_folder() / "saliency" / "longdocs_open.jsonl"):
        yield Case(
            row["doc"],
            row["text"],
            row["genre"],
            {"kind": "plain_text"},
            questions=tuple(asked.get(row["doc"], ())),
        )


def _logs() -> Iterator[Case]:
    folder = _unpacked("logchunks_open.logs")
    for row in rows(data_folder() / "logchunks_open.cases.jsonl"):
        chunk = tuple(line for line in row["chunk_lines"] if len(line) >= 4)
        if chunk:
            text = (folder / row["log"]).read_bytes().decode("utf-8", "replace")
            yield Case(
                row["id"], text, "ci log", {"tool": "exec", "command": "./ci.sh", "exit_code": 1}, chunk=chunk
            )


KIND_HINTS: dict[str, dict[str, Any]] = {
    "json-smartcrusher": {"extension": "json", "tool": "read_file"},
    "test-failure-log": {"tool": "exec", "command": "pnpm vitest", "exit_code": 1},
    "service-log": {"tool": "docker_logs", "command": "docker logs app", "exit_code": 0},
    "search-results": {"tool": "rg", "command": "rg pattern", "exit_code": 0},
    "unified-diff": {"tool": "exec", "command": "git diff", "exit_code": 0},
    "html-status-report": {"mime": "text/html", "tool": "browser"},
    "github-logs": {"extension": "log", "tool": "read_file"},
    "plain-text": {"tool": "notes"},
}


def _kinds() -> Iterator[Case]:
    folder = _unpacked("kinds_open")
    for row in rows(folder / "cases.jsonl"):
        extension = row["file"].rsplit(".", 1)[-1]
        hints = KIND_HINTS.get(row["category"], {"extension": extension, "tool": "read_file"})
        signals = tuple(Signal(tuple(item["any"]), item["weight"]) for item in row["signals"])
        yield Case(
            row["id"],
            (folder / row["file"]).read_bytes().decode("utf-8", "replace"),
            row["category"],
            hints,
            signals=signals,
        )


def _articles() -> Iterator[Case]:
    folder = _unpacked("articles_open")
    for name, truth in json.loads((folder / "truth.json").read_text("utf-8")).items():
        page = (folder / f"{name}.html").read_bytes().decode("utf-8", "replace")
        yield Case(
            name, page, "article", {"tool": "web_fetch", "mime": "text/html"}, article=truth["articleBody"]
        )


def _own() -> Iterator[Case]:
    """What ships with the repository: own prose with questions, the demo, the rules' fixtures."""
    for path in sorted(OWN.glob("*.jsonl")):
        yield from from_jsonl(path)
    demo = ROOT / "tokenjuice_ml" / "_demo"
    for item in json.loads((demo / "manifest.json").read_text("utf-8")):
        hints = {"kind": "plain_text"} if item.get("prose") else item["hints"]
        text = (demo / item["file"]).read_text("utf-8")
        yield Case(f"demo/{item['file']}", text, "demo", hints, must=tuple(item["facts"]))
    fixtures = ROOT / "tests" / "fixtures" / "rules"
    for path in sorted(fixtures.rglob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        source = path.with_suffix(".in")
        if case.get("must_keep") and source.exists():
            hints = {
                key: case[key]
                for key in ("command", "exit_code", "argv", "tool")
                if case.get(key) is not None
            }
            yield Case(
                path.relative_to(fixtures).with_suffix("").as_posix(),
                source.read_bytes().decode("utf-8", "replace"),
                path.parts[-3],
                hints,
                must=tuple(case["must_keep"]),
            )


ADAPTERS: dict[str, Callable[[], Iterator[Case]]] = {
    "own": _own,
    "prose": _prose,
    "qa": _questions,
    "logs": _logs,
    "kinds": _kinds,
    "articles": _articles,
}
