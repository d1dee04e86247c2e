"""What a rule does to an output, step by step."""

from __future__ import annotations

import re

import pytest

from tests.rules.helpers import body_of, context_of, make, run
from tokenjuice_ml.rules.reduce import apply
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import ToolOutput


def noise(count: int, word: str = "Downloading") -> list[str]:
    return [f"{word} package-{number} (1.{number} MB)" for number in range(count)]


def text_of(*lines: str) -> str:
    return "\n".join(lines) + "\n"


SKIP = {"filters": {"skipPatterns": ["^Downloading "]}}


def test_skipped_lines_are_counted_where_they_stood() -> None:
    body = body_of(text_of("start", *noise(214), "end"), **SKIP)
    assert body == 'start\n[… 214 lines, L2-L215: 214 × "Downloading …"]\nend'


def test_keep_patterns_drop_plain_lines() -> None:
    lines = [f"plain {number}" for number in range(50)]
    body = body_of(text_of(*lines, "FAILED a", *lines), 1, filters={"keepPatterns": ["^FAILED"]})
    assert "FAILED a" in body
    assert "plain 20" not in body
    assert body.startswith("[… exit 1]")


def test_a_window_keeps_both_ends() -> None:
    lines = [f"line {number}" for number in range(100)]
    body = body_of(text_of(*lines), summarize={"head": 2, "tail": 3})
    assert body.split("\n") == ["line 0", "line 1", '[… 95 lines, L3-L97: 95 × "line …"]', *lines[97:]]


def test_tail_zero_means_none() -> None:
    lines = [f"line {number}" for number in range(100)]
    body = body_of(text_of(*lines), summarize={"head": 2, "tail": 0})
    assert body.split("\n") == ["line 0", "line 1", '[… 98 lines, L3-L100: 98 × "line …"]']


def test_an_error_in_the_middle_stays_without_any_pattern() -> None:
    lines = [f"step {number} went by" for number in range(300)]
    lines[150] = "ERROR: disk quota exceeded on volume7"
    assert lines[150] in body_of(text_of(*lines), 1)
    assert lines[150] in body_of(text_of(*lines), 0)
    assert lines[150] in body_of(text_of(*lines), None)


def test_a_failure_without_a_signal_keeps_more_of_the_end() -> None:
    lines = [f"step {number}" for number in range(300)]
    body = body_of(text_of(*lines), 1)
    assert "step 255" in body
    assert "step 100" not in body


BLOCKS = {
    "keepBlocks": [
        {"name": "traceback", "start": r"^Traceback ", "end": r"^\w+Error\b", "before": 1, "maxLines": 10}
    ]
}


def traceback(frames: int) -> list[str]:
    return [
        "Traceback (most recent call last):",
        *[f'  File "a{n}.py", line {n}' for n in range(frames)],
        "KeyError: 'x'",
    ]


def test_a_block_is_kept_whole_with_its_context() -> None:
    lines = [f"info {number}" for number in range(80)]
    body = body_of(text_of(*lines, "about to fail", *traceback(3), *lines), 1, **BLOCKS)
    assert "\n".join(["about to fail", *traceback(3)]) in body


def test_a_long_block_shows_both_ends() -> None:
    body = body_of(text_of(*["info"] * 40, *traceback(50)), 1, **BLOCKS)
    assert "Traceback (most recent call last):" in body
    assert "KeyError: 'x'" in body
    assert 'File "a49.py"' in body
    assert 'File "a20.py"' not in body


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"start": "^# "}, ["# one"]),
        ({"start": "^# ", "after": 1}, ["# one", "  a"]),
        ({"start": "^# ", "while": r"^\s"}, ["# one", "  a", "  b"]),
        ({"start": "^# ", "end": "^stop"}, ["# one", "  a", "  b", "c", "stop"]),
        ({"start": "^# ", "endBefore": "^stop"}, ["# one", "  a", "  b", "c"]),
        ({"start": "^# ", "while": r"^\s", "skip": ["  a"]}, ["# one", "  b"]),
    ],
)
def test_block_ends(block: dict[str, object], expected: list[str]) -> None:
    inside = ["# one", "  a", "  b", "c", "stop"]
    filler = [f"filler number {number} of this output" for number in range(40)]
    body = body_of(text_of(*filler, *inside, *filler), 0, keepBlocks=[{**block, "maxLines": 9}])
    shown = [line for line in body.split("\n") if not line.startswith(("[…", "filler"))]
    assert [line for line in shown if line in expected] == expected
    assert "stop" in expected or "stop" not in shown


def test_the_next_start_closes_a_block_that_has_no_end() -> None:
    sections = [["== a", "x"], ["== b", "y"]]
    rule = make(keepBlocks=[{"start": "^== ", "endBefore": "^never$", "maxLines": 20}])
    body = body_of(text_of(*["filler line of text"] * 30, *sections[0], *sections[1]), 1, rule=rule)
    assert "== a\nx\n== b\ny" in body


def test_equal_neighbours_become_one_with_a_count() -> None:
    body = body_of(text_of("a", *["warn: same thing again"] * 40, "b"), summarize={"head": 100, "tail": 100})
    assert body == "a\nwarn: same thing again\n[… 39 lines, L3-L41: the line above, repeated]\nb"


def test_dedupe_off_and_similar() -> None:
    lines = [f"retry {number} of 99" for number in range(40)]
    window = {"summarize": {"head": 100, "tail": 100}}
    assert body_of(text_of(*lines), **window, dedupe="off") == text_of(*lines)
    assert body_of(text_of(*lines), **window, dedupe="similar").startswith("retry 0 of 99\n[… 39 lines")


def test_progress_shows_its_last_state() -> None:
    body = body_of("go\n" + "\r".join(f"{n}% of everything" for n in range(101)) + "\ndone\n")
    assert body == "go\n[… L2: 100 earlier states of the line below]\n100% of everything\ndone"


def test_colours_go() -> None:
    body = body_of(
        "\x1b[31mred\x1b[0m text\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n" * 20,
        dedupe="off",
        summarize={"head": 99, "tail": 0},
    )
    assert "\x1b" not in body
    assert body.startswith("red text\nlink")


def test_ci_prefixes_do_not_hide_lines_from_patterns() -> None:
    lines = [
        f"2024-05-06T07:08:{n % 60:02d}.1234567Z {line}" for n, line in enumerate([*noise(60), "FAILED it"])
    ]
    body = body_of(text_of(*lines), 1, **SKIP, summaryPatterns=["^FAILED"])
    assert lines[-1] in body
    assert '60 × "Downloading …"' in body


UP_TO_DATE = {"outputMatches": [{"pattern": "^up to date", "message": "nothing to do"}]}


def test_an_output_match_says_it_on_success() -> None:
    text = text_of(*[f"audit {n}" for n in range(30)], "up to date in 2s")
    assert body_of(text, 0, **UP_TO_DATE) == "up to date in 2s\n[… 30 lines, L1-L31: nothing to do]"


@pytest.mark.parametrize("code", [1, 2, 137, -9, None])
def test_no_success_message_on_failure_or_unknown(code: int | None) -> None:
    text = text_of(*[f"audit {n}" for n in range(30)], "up to date in 2s")
    assert "nothing to do" not in body_of(text, code, **UP_TO_DATE, onEmpty="nothing to do")
    assert "all is well" not in body_of(text_of(*noise(50)), code, **SKIP, onEmpty="all is well")


def test_no_success_message_with_an_error_in_sight() -> None:
    text = text_of(*[f"audit {n}" for n in range(30)], "ERROR: checksum mismatch", "up to date in 2s")
    body = body_of(text, 0, **UP_TO_DATE)
    assert "nothing to do" not in body
    assert "ERROR: checksum mismatch" in body


def test_a_masked_exit_code_is_no_success() -> None:
    text = text_of(*[f"audit {n}" for n in range(30)], "up to date in 2s")
    masked = ToolOutput(text=text, command="x || true", exit_code=0)
    reduction = run(make(UP_TO_DATE), masked)
    assert reduction is None or "nothing to do" not in reduction.text


def test_on_empty() -> None:
    body = body_of(text_of(*noise(50)), 0, **SKIP, onEmpty="all is well")
    assert body == "[… 50 lines, L1-L50: all is well]"


def test_upstreams_spelling_of_output_matches() -> None:
    rule = make(matchOutput=[{"pattern": "UP TO DATE", "message": "m", "flags": "i"}])
    assert "m]" in body_of(text_of(*["a"] * 30, "up to date"), 0, rule=rule)


def test_an_output_that_the_rule_does_not_know_is_never_empty() -> None:
    rule = make(filters={"keepPatterns": ["^FAILED"]}, summaryPatterns=["^total"])
    for code in (0, 1, None):
        body = body_of(text_of(*[f"something else entirely, line {n}" for n in range(200)]), code, rule=rule)
        assert "something else entirely" in body


def test_counters_stand_in_the_first_line() -> None:
    rule = make(
        SKIP, counters=[{"name": "package", "pattern": "^Downloading"}, {"name": "error", "pattern": "zzz"}]
    )
    body = body_of(text_of("a", *noise(50), "b"), 2, rule=rule)
    assert body.startswith("[… exit 2; 50 packages]\n")


def test_the_budget_keeps_verdict_cause_and_both_ends() -> None:
    lines = []
    for number in range(60):
        lines += [
            f"=== case {number} failed",
            *[f"    detail {number}.{row} of what happened" for row in range(12)],
        ]
    lines += ["60 failed, 3 passed"]
    rule = make(
        summaryPatterns=[r"^\d+ failed"], keepBlocks=[{"start": "^=== case", "while": r"^\s", "maxLines": 30}]
    )
    reduction = run(rule, ToolOutput(text=text_of(*lines), command="x", exit_code=1), 600)
    assert reduction is not None
    for needle in (
        "60 failed, 3 passed",
        "=== case 0 failed",
        "detail 0.3",
        "=== case 59 failed",
        "detail 59.3",
    ):
        assert needle in reduction.text
    assert len(reduction.text) < 600 * 4.5


def test_a_budget_smaller_than_one_block_still_shows_both_ends_of_it() -> None:
    lines = [
        "=== case",
        *[f"    detail {row} of what happened in the middle" for row in range(500)],
        "    the end of it",
    ]
    rule = make(keepBlocks=[{"start": "^=== case", "while": r"^\s", "maxLines": 800}])
    reduction = run(rule, ToolOutput(text=text_of(*lines), command="x", exit_code=1), 200)
    assert reduction is not None
    assert "=== case" in reduction.text
    assert "the end of it" in reduction.text


def test_a_very_long_line_is_cut_inside() -> None:
    body = body_of(text_of("a", "x" * 50_000 + " tail", "b"))
    assert len(body) < 1500
    assert "characters inside the line" in body
    assert body.endswith(" tail\nb")


def test_interleaved_noise_shares_a_note() -> None:
    lines = [
        line
        for n in range(20)
        for line in (f"Auto-merging src/some/path/file_{n}.py", f"CONFLICT in file_{n}")
    ]
    body = body_of(
        text_of(*lines), 1, filters={"skipPatterns": ["^Auto-merging"], "keepPatterns": ["^CONFLICT"]}
    )
    assert body.count("[…") == 2
    assert '[… 20 lines, L1-L39: 20 × "Auto-merging …" among those below]' in body


def test_crlf_input() -> None:
    body = body_of("\r\n".join(["start", *noise(50), "end"]) + "\r\n", **SKIP)
    assert body == 'start\n[… 50 lines, L2-L51: 50 × "Downloading …"]\nend'


def test_ignore_case_and_flags() -> None:
    text = text_of(*["filler of the usual kind"] * 50, "Failed: A", "FAILED: B")
    rule = make(
        ignoreCase=True, filters={"keepPatterns": ["^failed: a", {"pattern": "^failed: b", "flags": "i"}]}
    )
    body = body_of(text, 1, rule=rule)
    assert "Failed: A" in body
    assert "FAILED: B" in body


def test_window_on_success_only_on_success() -> None:
    rule = make(
        summaryPatterns=["^total"], filters={"keepPatterns": ["^K"]}, windowOnSuccess={"head": 2, "tail": 0}
    )
    text = text_of("first", "second", *[f"plain {n}" for n in range(40)], "total 40")
    assert "second" in body_of(text, 0, rule=rule)
    assert "second" not in body_of(text, None, rule=rule)


def test_pretty_print_keeps_numbers_as_they_are() -> None:
    rule = make(transforms={"prettyPrintJson": True}, summarize={"head": 99, "tail": 0}, signals=False)
    body = body_of(
        '{"a": 1.10, "b": 12345678901234567890123, "c": [' + ",".join(["7"] * 200) + "]}", 0, rule=rule
    )
    assert '"a": 1.10' in body
    assert "12345678901234567890123" in body


def test_plural() -> None:
    rule = make(SKIP, counters=[{"name": "entry", "pattern": "^Downloading"}])
    found = re.match(r"\[… (.*?)\]", body_of(text_of("a", *noise(50)), 0, rule=rule))
    assert found
    assert found.group(1) == "50 entries"


@pytest.mark.parametrize("query", ["what became of worker_37", "is the tracker still used?", "`port 9911`"])
@pytest.mark.parametrize(
    "more", [{}, {"keepBlocks": [{"start": "^never"}]}, {"summarize": {"head": 1, "tail": 1}}]
)
def test_a_line_that_the_query_names_survives_any_rule(query: str, more: dict) -> None:
    lines = noise(300)
    lines[120] = "Downloading worker_37, its tracker listens on port 9911"
    output = ToolOutput(text=text_of(*lines), command="x", exit_code=0, query=query)
    reduction = apply(make({**SKIP, **more}), output.text, context_of(output))
    assert reduction is not None
    assert lines[120] in reduction.text.split("\n")


def test_own_words_survive_any_rule() -> None:
    lines = [f"Downloading part {number}" for number in range(300)]
    lines[150] = "Downloading part 150 for project Heron"
    output = ToolOutput(text=text_of(*lines), command="x", exit_code=0)
    settings = Settings(signal_patterns=("heron",))
    reduction = apply(make(SKIP, signals=False), output.text, context_of(output, settings=settings))
    assert reduction is not None
    assert lines[150] in reduction.text
