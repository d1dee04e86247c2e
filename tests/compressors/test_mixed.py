from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.compressors import json_samples
from tokenjuice_ml.compressors.mixed import compress, parts
from tokenjuice_ml.detect import detect
from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Kind, Reduction, ToolOutput

DIFF = (Path(__file__).parent.parent / "fixtures" / "diff" / "staged.diff").read_text("utf-8")
LOG = "".join(f"10:00:{n % 60:02d} INFO step {n} of the deployment is done\n" for n in range(120))
JSON = json.dumps(json_samples.pods(30), indent=2) + "\n"
TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "/app/mod{n}.py", line {n}, in call_{n}\n    return call_{n + 1}(x)\n' for n in range(30)
)
PROSE = "We saw this on Tuesday, and it may well be that the cache was to blame for it.\n" * 12


def run(text: str) -> Reduction | None:
    output = ToolOutput(text)
    return compress(text, Context(output, DEFAULTS, detect(output, None), None, 2000))


def kinds(text: str) -> list[Kind]:
    return [part.kind for part in parts(text.split("\n"), text)]


def test_a_document_in_a_log() -> None:
    reduction = run(LOG + JSON + LOG)
    assert reduction is not None
    assert "CrashLoopBackOff" in reduction.text
    assert "table 1: items, 30 rows" in reduction.text
    assert len(reduction.text) < 0.3 * len(LOG + JSON + LOG)


def test_log_json_and_diff() -> None:
    text = LOG + JSON + LOG + DIFF
    assert kinds(text) == [Kind.JSON, Kind.DIFF]
    reduction = run(text)
    assert reduction is not None
    assert "+    # rounded half up" in reduction.text
    assert "not to be applied" in reduction.text
    assert all(gap.last_line <= text.count("\n") for gap in reduction.omissions)


def test_line_numbers_are_those_of_the_whole() -> None:
    text = LOG + DIFF
    reduction = run(text)
    assert reduction is not None
    lines = text.split("\n")
    for note in (row for row in reduction.text.split("\n") if "lock file" in row):
        first = int(note.split(", L")[1].split("-")[0])
        assert lines[first - 1].startswith("@@ ")


def test_a_trace_in_prose() -> None:
    text = PROSE + TRACE + "ValueError: too deep\n" + PROSE
    assert kinds(text) == [Kind.LOG]
    reduction = run(text)
    assert reduction is None or "ValueError: too deep" in reduction.text


def test_json_lines_in_a_log() -> None:
    reduction = run(LOG + json_samples.log_lines(150) + LOG)
    assert reduction is not None
    assert "150 JSON lines" in reduction.text


def test_traces_and_small_documents_leave_a_log_whole() -> None:
    assert run(LOG * 4 + TRACE + LOG * 4) is None
    assert run(LOG * 9 + json.dumps(json_samples.users(10)) + "\n" + LOG) is None


@pytest.mark.parametrize("text", [LOG, PROSE, LOG + "{not json}\n" * 50 + LOG, LOG + '{"a": 1}\n' + LOG, ""])
def test_what_is_of_one_kind_is_declined(text: str) -> None:
    assert run(text) is None


@pytest.mark.parametrize("line", ["[", "{", '{"a":', "--- ", "diff --git a/x b/x", "  at x", "<html>", '["'])
def test_time_is_linear_whatever_begins(line: str) -> None:
    text = f"{line}\n" * 40_000
    start = time.process_time()
    run(text)
    assert time.process_time() - start < 2.5
