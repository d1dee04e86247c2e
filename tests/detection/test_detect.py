from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tokenjuice_ml.command import Command
from tokenjuice_ml.detect import detect
from tokenjuice_ml.detection.sample import take
from tokenjuice_ml.types import Detection, Kind, ToolOutput

ROOT = Path(__file__).resolve().parents[2]
DIFF = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"
PROSE = (
    "The quick brown fox jumps over the lazy dog, and that is all there is to it.\n"
    "Nobody knows why the dog was lazy on that day; it may have been the weather.\n"
) * 6
LOG = "".join(f"2024-05-01 10:00:{n:02d} INFO worker {n} picked a job\n" for n in range(40))

TEXTS: dict[str, tuple[Kind, str, str]] = {
    "json": (Kind.JSON, "json", '{"a": 1, "b": [1, 2, {"c": null}]}'),
    "json array": (Kind.JSON, "json", "[\n  1,\n  2\n]"),
    "json cut": (Kind.JSON, "json-cut", json.dumps({"a": [{"b": i} for i in range(50)]}, indent=1)[:300]),
    "json lines": (Kind.JSON, "jsonl", '{"a": 1}\n{"a": 2}\n{"a": 3}\n'),
    "rg json": (Kind.SEARCH, "rg-json", '{"type":"begin","data":{}}\n{"type":"match","data":{}}\n' * 3),
    "notebook": (
        Kind.CODE,
        "notebook",
        json.dumps({"cells": [{"cell_type": "code", "source": ["x"]}], "nbformat": 4, "nbformat_minor": 5}),
    ),
    "diff": (Kind.DIFF, "unified", DIFF),
    "diff without git": (
        Kind.DIFF,
        "unified",
        DIFF.partition("\n--- ")[1].lstrip() + DIFF.partition("\n--- ")[2],
    ),
    "diff in colour": (
        Kind.DIFF,
        "unified",
        DIFF.replace("diff", "\x1b[1mdiff").replace("-b", "\x1b[31m-b\x1b[m"),
    ),
    "combined diff": (
        Kind.DIFF,
        "combined",
        "diff --cc a\nindex 1,2..3\n@@@ -1,2 -1,2 +1,3 @@@\n++x\n +y\n  z\n",
    ),
    "patch": (
        Kind.DIFF,
        "patch",
        f"From {'a1' * 20} Mon Sep 17 00:00:00 2001\nFrom: A <a@b.example>\nSubject: [PATCH] x\n\nlong words\n---\n{DIFF}",
    ),
    "git show": (Kind.DIFF, "unified", f"commit {'a1' * 20}\nAuthor: A\nDate: now\n\n    words\n\n{DIFF}"),
    "html": (Kind.HTML, "html", "\n<!DOCTYPE html>\n<html><body><p>x</p></body></html>"),
    "html fragment": (Kind.HTML, "html", '<div class="a">\n<p>one</p>\n<p>two</p>\n</div>\n'),
    "xml": (Kind.HTML, "xml", '<?xml version="1.0"?>\n<project>\n<a>1</a>\n</project>\n'),
    "rss": (Kind.HTML, "rss", '<?xml version="1.0"?>\n<rss version="2.0"><channel></channel></rss>'),
    "atom": (Kind.HTML, "rss", '<?xml version="1.0"?><feed xmlns="x"><entry/></feed>'),
    "svg": (Kind.HTML, "svg", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'),
    "search": (Kind.SEARCH, "grep", "src/a.py:1:import os\nsrc/a.py:9:x = 1\nsrc/b.py:4:def f():\n"),
    "search with context": (
        Kind.SEARCH,
        "grep",
        "a/b.py-1-x\na/b.py:2:y\na/b.py-3-z\n--\na/c.py-1-x\na/c.py:2:y\na/c.py-3-z\n",
    ),
    "search with headings": (
        Kind.SEARCH,
        "heading",
        "src/a.py\n1:import os\n9:x = 1\n\nsrc/b.py\n4:def f():\n",
    ),
    "counts": (Kind.SEARCH, "count", "src/a.py:0\nsrc/b.py:12\nsrc/c.py:3\n"),
    "paths": (Kind.SEARCH, "paths", "".join(f"./src/area/file{n}.py\n" for n in range(9))),
    "recursive listing": (Kind.SEARCH, "ls-r", ".:\na\nb\n\n./a:\nx.txt\n\n./b:\ny.txt\n"),
    "python": (
        Kind.CODE,
        "python",
        "import os\n\n\ndef f(a):\n    if a:\n        return os.getcwd()\n    return None\n",
    ),
    "ruby": (
        Kind.CODE,
        "ruby",
        "require 'set'\n\nclass A\n  def f(x)\n    puts x\n  end\n\n  def g\n    nil\n  end\nend\n",
    ),
    "sql": (
        Kind.CODE,
        "sql",
        "CREATE TABLE a (\n  id INT,\n  name TEXT\n);\nINSERT INTO a\nVALUES (1, 'x');\n",
    ),
    "query": (
        Kind.CODE,
        "sql",
        "SELECT a, b\nFROM t\nLEFT JOIN u ON t.id = u.id\nWHERE a > 1\nORDER BY b;\n",
    ),
    "shell": (Kind.CODE, "shell", "#!/usr/bin/env bash\nset -e\nfor f in *; do\n  echo $f\ndone\n"),
    "shell without a first line": (
        Kind.CODE,
        "shell",
        'set -e\nif [[ -n "$A" ]]; then\n  echo "$A"\nfi\nfor f in *; do\n  cp "$f" ${B}\ndone\n',
    ),
    "yaml": (
        Kind.CODE,
        "yaml",
        "name: x\non:\n  push:\n    branches: [main]\njobs:\n  a:\n    runs-on: ubuntu\n",
    ),
    "toml": (Kind.CODE, "toml", '[project]\nname = "x"\nversion = "1"\n\n[tool.a]\nlist = ["b"]\n'),
    "ini": (Kind.CODE, "ini", "[server]\nport = 80\nhost = x\n\n[log]\nlevel = debug\n"),
    "dockerfile": (
        Kind.CODE,
        "dockerfile",
        'FROM python:3.11\nWORKDIR /a\nCOPY . .\nRUN pip install x\nCMD ["x"]\n',
    ),
    "javascript": (
        Kind.CODE,
        "javascript",
        "const a = require('a');\nfunction f(x) {\n  return x === 1;\n}\nmodule.exports = f;\n",
    ),
    "typescript": (
        Kind.CODE,
        "typescript",
        "export interface A {\n  a: string;\n  b: number;\n}\nexport const f = (a: A): void => {\n};\n",
    ),
    "go": (Kind.CODE, "go", 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx := 1\n\tfmt.Println(x)\n}\n'),
    "rust": (
        Kind.CODE,
        "rust",
        "use std::fmt;\n\npub struct A {\n    b: u8,\n}\n\nimpl A {\n    fn c(&self) -> u8 {\n        self.b\n    }\n}\n",
    ),
    "csv": (Kind.LOG, "csv", "id,name,age\n1,a,2\n2,b,3\n3,c,4\n4,d,5\n"),
    "tsv": (Kind.LOG, "tsv", "id\tname\tage\n1\ta\t2\n2\tb\t3\n3\tc\t4\n"),
    "table": (
        Kind.LOG,
        "table",
        "NAME        READY   STATUS    AGE\n" + "web-1       1/1     Running   3d\n" * 6,
    ),
    "markdown": (
        Kind.PLAIN_TEXT,
        "markdown",
        "# Title\n\nSome *words* of the text.\n\n- one of them\n- two of the rest\n\n## More\n\n`x` and **y**\n",
    ),
    "travis": (Kind.LOG, "travis", "travis_fold:start:a\n$ make\ncc x\ntravis_fold:end:a\n"),
    "github": (
        Kind.LOG,
        "github",
        "2024-05-01T10:00:00.1Z ##[group]Run x\n2024-05-01T10:00:01.1Z y\n2024-05-01T10:00:01.1Z ##[endgroup]\n",
    ),
    "gitlab": (Kind.LOG, "gitlab", "section_start:1700000000:a\nhello\nsection_end:1700000001:a\nx\n"),
    "jenkins": (Kind.LOG, "jenkins", "Started by user A\n[Pipeline] stage\n+ make\nFinished: SUCCESS\n"),
    "access log": (
        Kind.LOG,
        "access",
        '1.2.3.4 - - [01/May/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "curl"\n' * 9,
    ),
    "log": (Kind.LOG, "log", LOG),
    "log of a boot": (Kind.LOG, "log", "[    0.356012] pci 0000:00:01.0: enabled\n" * 9),
    "levels alone": (Kind.LOG, "log", "INFO  starting\nWARN  slow disk\nERROR cannot open\nINFO  done\n"),
    "crash": (
        Kind.LOG,
        "crash",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\n  File "a.py", line 9, in f\n    g()\nValueError: x\n',
    ),
    "test output": (
        Kind.LOG,
        "test",
        "===== test session starts =====\ncollected 3 items\n\na.py ..F\n\n1 failed, 2 passed in 1s\n",
    ),
    "compiler messages": (
        Kind.LOG,
        "build",
        "a.c:3:5: error: unknown type\n   int x\n   ^\na.c:9:5: warning: unused\n   int y\n   ^\n",
    ),
    "prose": (Kind.PLAIN_TEXT, "", PROSE),
    "empty": (Kind.PLAIN_TEXT, "", ""),
}


def see(text: str, command: Command | None = None, **hints: object) -> Detection:
    return detect(ToolOutput(text, **hints), command)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TEXTS)
def test_structure_alone(name: str) -> None:
    kind, form, text = TEXTS[name]
    found = see(text)
    assert (found.kind, found.format) == (kind, form)
    assert found.by == "structure"
    assert found.evidence


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("times are no hits", "".join(f"10:{n:02d}:12 something {n}\n" for n in range(30))),
        ("dated times are no hits", "".join(f"2024-05-01T10:{n:02d}:12 something {n}\n" for n in range(30))),
        ("levels are no hits", "".join(f"ERROR:{n}:something else\n" for n in range(30))),
        ("a hunk mark in a log is no diff", LOG + "@@ -1,2 +1,2 @@\n" + LOG),
        ("a diff in a log is a log", LOG + DIFF + LOG),
        ("brackets at line starts are no JSON", "".join(f"[{n}] step {n} is done\n" for n in range(30))),
        ("dates in brackets are no JSON", "".join(f"[2024-05-01 10:00:{n:02d}] up\n" for n in range(30))),
        ("half JSON is a log", '2024-05-01 10:00:00 {"a": 1}\n' * 30),
    ],
)
def test_logs_that_look_like_something_else(name: str, text: str) -> None:
    assert see(text).kind is Kind.LOG


def test_prose_with_a_stack_trace_is_not_code() -> None:
    trace = TEXTS["crash"][2]
    assert see(PROSE + trace + PROSE).kind in (Kind.PLAIN_TEXT, Kind.LOG)


@pytest.mark.parametrize(
    ("hints", "wanted"),
    [
        ({"kind": Kind.CODE, "mime": "text/html"}, (Kind.CODE, "kind")),
        ({"mime": "text/html; charset=utf-8", "extension": "log"}, (Kind.LOG, "extension")),
        ({"mime": "text/x-python", "extension": "log"}, (Kind.CODE, "mime")),
        ({"extension": "log", "tool": "grep"}, (Kind.LOG, "extension")),
        ({"extension": ".py"}, (Kind.CODE, "extension")),
        ({"extension": "Dockerfile"}, (Kind.CODE, "extension")),
        ({"mime": "text/plain"}, (Kind.PLAIN_TEXT, "structure")),
        ({"tool": "run_tests"}, (Kind.LOG, "tool")),
    ],
)
def test_order_of_trust(hints: dict[str, object], wanted: tuple[Kind, str]) -> None:
    found = see(PROSE, **hints)
    assert (found.kind, found.by) == wanted


@pytest.mark.parametrize(
    ("command", "text", "wanted"),
    [
        (Command("rg x", "rg", argv=("rg", "x")), "src/a.py:x\n" * 5, Kind.SEARCH),
        (Command("git diff", "git", "diff", ("git", "diff")), DIFF, Kind.DIFF),
        (Command("cat a.py", "cat", argv=("cat", "a.py")), "x = 1\n", Kind.CODE),
        (Command("kubectl get pods -o json", "kubectl", "get"), '{"items": []}', Kind.JSON),
        (Command("journalctl", "journalctl"), PROSE, Kind.LOG),
        (Command("curl x", "curl"), TEXTS["html"][2], Kind.HTML),
    ],
)
def test_commands(command: Command, text: str, wanted: Kind) -> None:
    assert see(text, command, tool="exec").kind is wanted


def test_a_hint_the_text_contradicts() -> None:
    assert see(TEXTS["html"][2], extension="json").kind is Kind.HTML
    assert see(DIFF, extension="txt", mime="text/plain").kind is Kind.DIFF
    assert see(TEXTS["json lines"][2], extension="log").format == "jsonl"
    assert see(LOG, tool="browser").kind is Kind.LOG


def test_file_names_say_the_format() -> None:
    assert see(TEXTS["json lines"][2], extension="ndjson").format == "jsonl"
    assert see("a: 1\nb: 2\n", extension="yml").format == "yaml"
    assert see("a,b\n1,2\n", extension="csv").format == "csv"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tokenjuice_ml").rglob("*.py"))[:60], ids=lambda path: path.name
)
def test_own_sources_are_python(path: Path) -> None:
    text = path.read_text("utf-8")
    if text.count("\n") > 40:
        assert see(text).format == "python"


@pytest.mark.parametrize(
    "char", ["\n", "x", "[", "{", '"', "<", "\x1b[", "\\", "a:1:", "@@ -", " ", "\ud800", "é"]
)
def test_hostile_texts_cost_little(char: str) -> None:
    text = char * 1_000_000
    start = time.process_time()
    see(text)
    assert time.process_time() - start < 0.3


def test_a_sample_covers_both_ends_of_long_lines() -> None:
    sample = take("{" + "x" * 100_000 + "}\n" + "\n".join(map(str, range(5000))))
    assert sample.lines[0][0] == "{"
    assert sample.lines[0][-1] == "}"
    assert sample.lines[-1] == "4999"
    assert len(sample.lines) < 120
