"""A task runner's output is cut with the knowledge of the tools that its recipes called."""

from __future__ import annotations

import pytest

from tests.rules.test_blind_failures import cut
from tokenjuice_ml.rules.inner import tools_in


def go_verbose() -> str:
    """Returns what `go test -v` prints: a message stands long before the line that says FAIL."""
    lines = ["go test -v ./..."]
    for case in range(80):
        lines += [f"=== RUN   TestFees/row_{case}", f"    fees_test.go:20: took part {case} of the book"]
        if case == 31:
            lines.append('    fees_test.go:27: fee("GBP") = 310, want 311')
    lines.append("--- FAIL: TestFees (0.00s)")
    lines += [
        f"    --- {'FAIL' if case == 31 else 'PASS'}: TestFees/row_{case} (0.00s)" for case in range(80)
    ]
    return "\n".join(
        [*lines, "FAIL", "FAIL\tshop.example/fees\t0.01s", "FAIL", "make: *** [Makefile:3: test] Error 1\n"]
    )


def tap() -> str:
    """Returns a TAP stream with one failing point."""
    lines = [f"ok {at} - adds row {at}" for at in range(1, 120)]
    lines += [
        "not ok 120 - refuses a negative price",
        "  ---",
        "    operator: throws",
        "    expected: |-",
        "      TypeError: price",
        "    actual: |-",
        "      nothing was thrown",
        "    at: Test.<anonymous> (/app/test/price.js:31:7)",
        "    stack: |-",
        "      Error: it should throw",
        "  ...",
    ]
    lines += [f"ok {at} - adds row {at}" for at in range(121, 240)]
    return "\n".join([*lines, "1..239", "# tests 239", "# pass  238", "# fail  1\n"])


@pytest.mark.parametrize(
    "command", ["make test", "just test", "mise run test", "docker run --rm app make test"]
)
def test_what_go_test_says_before_its_verdict_stays(command: str) -> None:
    body = cut(command, go_verbose(), 2)
    assert 'fees_test.go:27: fee("GBP") = 310, want 311' in body
    assert "--- FAIL: TestFees/row_31" in body
    assert "failed tests" in body.split("\n", 1)[0]


@pytest.mark.parametrize("command", ["make check", "just check", "npm test"])
@pytest.mark.parametrize("code", [2, None])
def test_the_whole_failing_point_of_a_tap_stream_stays(command: str, code: int) -> None:
    body = cut(command, tap(), code)
    for line in ("TypeError: price", "nothing was thrown", "at: Test.<anonymous> (/app/test/price.js:31:7)"):
        assert line in body
    assert "# fail  1" in body
    assert "adds row 60" not in body


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("cc -c a.c\ncc -c b.c\nld a.o b.o\n", []),
        ("\x1b[1m===== test session starts =====\x1b[0m\r\n", ["tests/pytest"]),
        ("Ran 3 tests in 0.1s\n", ["tests/unittest"]),
        ("he ran 3 tests in a row\n", []),
        ("Finished in 0.2s\n3 examples, 1 failure\n", ["tests/rspec"]),
        ("there were 3 examples, all of them good\n", []),
    ],
)
def test_a_tool_is_known_by_what_only_it_prints(text: str, tools: list[str]) -> None:
    assert tools_in(text) == tools


def test_a_success_keeps_the_runner_s_window() -> None:
    text = (
        "go test ./...\n"
        + "".join(f"ok  \tshop.example/part{at}\t0.0{at}s\n" for at in range(90))
        + "all is well\n"
    )
    body = cut("make test", text, 0)
    assert body.startswith("[… 90 ok packages]\ngo test ./...\n")
    assert body.endswith("all is well")


def test_in_verbose_output_the_lines_below_a_message_stay() -> None:
    text = go_verbose().replace("311\n", "311\n        book:\n          - 310\n          + 311\n")
    body = cut("go test -v ./...", text, 1)
    assert "          - 310\n          + 311" in body
