"""What is said and shown of logs in which no word tells of trouble."""

from __future__ import annotations

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.compressors import generic
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Context, Detection, Kind, ToolOutput

QUIET = "no error or warning found"


def _generic(text: str, code: int | None = 0) -> str:
    output = ToolOutput(text, tool="exec", command="./run", exit_code=code)
    made = generic.compress(
        text, Context(output, Settings(), Detection(Kind.PLAIN_TEXT, "test", "kind"), None, 900)
    )
    assert made is not None
    return made.text


STEPS = [f"[{n}/600] stored cover_{n * 7919 % 977:04x}b.png ... done" for n in range(600)]


@pytest.mark.parametrize("code", [1, 3, 127])
@pytest.mark.parametrize("timed", [True, False])
def test_a_failure_is_named_where_no_line_tells_of_it(code: int, timed: bool) -> None:
    head = "2026-02-03 04:05:06 INFO " if timed else ""
    text = "\n".join(f"{head}{line}" for line in STEPS)
    for made in (reduce(text, exit_code=code).text, _generic(text, code)):
        assert f"exit code {code}, but {QUIET}" in made.split("\n")[0]
        assert made.count(QUIET) == 1


@pytest.mark.parametrize("code", [0, 1])
def test_the_one_line_of_another_shape_is_shown(code: int) -> None:
    lines = list(STEPS)
    lines[222] = "[222/600] stored cover_1f3ab.png ... left out (role guest may not write to shelf)"
    assert lines[222] in _generic("\n".join(lines), code).split("\n")
    assert lines[222] in reduce("\n".join(lines), exit_code=code).text.split("\n")


@pytest.mark.parametrize(
    "line",
    [
        "round 20 cost=nan rate=0.1",
        "round 20 cost=-inf rate=0.1",
        '{"cost": NaN}',
        "speed has regressed by 40%",
    ],
)
def test_what_went_wrong_without_a_word_of_error_is_a_signal(line: str) -> None:
    lines = [f"round {n} cost={3 / (n + 1):.4f} rate=0.1 {'abcdefgh'[n % 8] * 9}" for n in range(900)]
    lines[500:] = [line] * 400
    text = _generic("\n".join(lines))
    assert QUIET not in text
    assert line in text.split("\n")


def test_settings_are_not_said_to_be_free_of_errors() -> None:
    lines = ["[cache]"] + [f"; what key {n} does, at length\nkey_{n} = {n * 31 % 97}\n" for n in range(500)]
    assert QUIET not in _generic("\n".join(lines))


def test_lines_are_counted_alike_everywhere() -> None:
    text = "\n".join(STEPS) + "\n\n"
    made = (
        TokenJuice(Settings(savings_enabled=False))
        .compress(text, tool="exec", command="./run", exit_code=0)
        .text
    )
    assert "601 lines" in made.split("\n")[0]
    assert "of 601 lines" in made.split("\n")[-1]


def test_what_a_rare_indented_line_belongs_to_is_shown() -> None:
    lines = [f"lap_{n}\n    time {n % 7} s\n    No change." for n in range(600)]
    lines[301] = "lap_301\n    time 9 s\n    Performance has regressed."
    text = _generic("\n".join(lines))
    assert "lap_301\n    time 9 s\n    Performance has regressed." in text
