"""Real failures of seven tools inside long logs of four build services."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.compressors.log_samples import MUST, WRAPPERS, body, github, jenkins, noise, reduce, travis
from tokenjuice_ml.tokens import estimate


@pytest.mark.parametrize("service", WRAPPERS)
@pytest.mark.parametrize("tool", MUST)
def test_the_cause_and_the_exit_are_shown(tool: str, service: str) -> None:
    text = WRAPPERS[service](body(tool))
    made = reduce(text)
    missing = [line for line in MUST[tool] if line not in made.text]
    assert not missing
    assert "exit" in made.text
    assert estimate(made.text) < 2300 < estimate(text) / 8


@pytest.mark.parametrize("service", WRAPPERS)
@pytest.mark.parametrize("tool", MUST)
def test_the_whole_failure_is_shown_where_the_budget_allows_it(tool: str, service: str) -> None:
    made = reduce(WRAPPERS[service](body(tool)))
    lines = [line for line in body(tool).split("\n") if line.strip()]
    assert sum(line in made.text for line in lines) >= 0.8 * len(lines)


def test_every_line_is_shown_or_counted() -> None:
    text = travis(body("pytest"))
    made = reduce(text)
    shown = [line for line in made.text.split("\n") if not line.startswith("[…")]
    assert len(shown) + sum(gap.lines for gap in made.omissions) == text.count("\n") + 1
    noted = [line for line in made.text.split("\n") if line.startswith("[…")]
    assert len(noted) == sum(1 for gap in made.omissions if gap.lines)


def test_shown_lines_are_the_logs_own() -> None:
    text = github(body("cargo"))
    stamp = len("2026-03-14T09:00:00.1234567Z ")
    own = {line[stamp:] for line in text.split("\n")}
    made = reduce(text)
    assert all(line in own for line in made.text.split("\n") if not line.startswith("[…"))
    assert made.text.startswith(
        "[… the time in front of each line is left out: 2026-03-14T09:00:00.1234567Z to "
    )
    assert made.omissions[0].bytes == stamp * (text.count("\n") + 1)


def test_omission_lines_lead_to_the_right_lines() -> None:
    text = jenkins(body("make"))
    lines = text.split("\n")
    shown = reduce(text).text.split("\n")
    for before, after in pairwise(shown):
        if before.startswith("[…"):
            last = before.split(" L", 1)[1].rstrip("]").split(":")[0].split("-L")[-1]
            assert lines[int(last)] == after


def test_an_early_cause_is_found_far_from_the_end() -> None:
    late = "\n".join(noise(2000, seed=2))
    made = reduce(travis(f"{body('gotest')}\n{late}"))
    assert "queue_test.go:8: got 2 items, want 3" in made.text


def test_a_cause_longer_than_the_budget_says_what_is_missing() -> None:
    errors = "\n".join(f"src/unit_{n}.c:{n}:3: error: unknown type name 'word{n}'" for n in range(900))
    made = reduce(travis(errors))
    assert estimate(made.text) < 2300
    assert "src/unit_" in made.text
    assert "error lines" in made.text


def test_repeats_of_one_trace_are_shown_once() -> None:
    once = body("java")
    made = reduce(travis("\n".join([once] * 60)))
    assert made.text.count("bad quantity in row 17") <= 3


def test_repetition_is_named() -> None:
    made = reduce("\n".join(["Compiling the same thing"] * 5000 + ["error: out of luck", "exit code 1"]))
    assert '× "Compiling the same thing"' in made.text


def test_own_words_must_survive() -> None:
    rows = list(noise(3000))
    rows[1234] = "a line about the frobnicator that nobody would look at"
    made = reduce("\n".join(rows), signal_patterns=("Frobnicator",))
    assert rows[1234] in made.text


def test_what_the_query_names_is_shown() -> None:
    rows = [*noise(3000), "error: out of luck", "exit code 1"]
    rows[1234] = "resolved left_pad to 1.3.0 from the cache of yesterday"
    rows[1300:1300] = [f"resolved pack_{n} to {n}.0 from the cache" for n in range(300)]
    assert rows[1234] in reduce("\n".join(rows), query="why is left_pad that old?").text


def test_the_one_odd_line_is_shown_without_any_signal_word() -> None:
    rows = [f"step {n} done in {n % 9} ms" for n in range(4000)]
    rows[700] = "the moon was full over the harbour"
    assert rows[700] in reduce("\n".join(rows), exit_code=1).text


def test_stats_header() -> None:
    first = reduce(travis(body("ruby")), stats_header=True).text.split("\n")[0]
    assert first.startswith("[…")
    assert "tokens" in first


def test_a_level_in_the_line_wins_over_its_words() -> None:
    rows = [f"INFO batch {n} finished failed=0 errors=0" for n in range(3000)]
    rows.insert(1500, "ERROR batch 17 lost its lease")
    text = reduce("\n".join(rows)).text
    assert "ERROR batch 17 lost its lease" in text
    assert text.count("failed=0") < 200


def test_tests_that_passed_do_not_take_the_room_of_those_that_failed() -> None:
    lines: list[str] = []
    for number in range(1500):
        lines.append(f"[ RUN      ] spec/date_spec.lua @ {number}: date reads {number}")
        if number % 200 == 77:
            lines += [
                f"spec/date_spec.lua:{number}: Expected objects to be the same.",
                f"Passed in: {number}",
                f"Expected: {number + 1}",
                f"[  FAILED  ] spec/date_spec.lua @ {number}: date reads {number} (0.19 ms)",
            ]
        else:
            lines.append(f"[       OK ] spec/date_spec.lua @ {number}: date reads {number} (0.02 ms)")
    body = reduce("\n".join(lines)).text
    failed = [line for line in lines if "FAILED" in line or "Expected" in line]
    assert [line for line in failed if line not in body] == []
    assert body.count("OK ]") <= 10


def test_same_input_same_output() -> None:
    text = travis(body("npmtest"))
    assert reduce(text) == reduce(text)
