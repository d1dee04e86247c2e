"""A service that ended badly: what it did all along, and what came before the end."""

from __future__ import annotations

import random

import pytest

from tests.compressors.log_samples import MUST, body, github, gitlab, reduce
from tests.compressors.test_log_records import access, service
from tokenjuice_ml.compressors.log_service import is_service

ENDS = {
    "given up": [
        "2026-03-14T10:06:40.100Z WARN  pool connection 3 broken",
        "2026-03-14T10:06:40.900Z ERROR pool reconnect failed, attempt 5 of 5: connection refused: db-1:5432",
        "2026-03-14T10:06:41.000Z FATAL no data base, giving up",
        "exit status 2",
    ],
    "killed": [
        "2026-03-14T10:06:40.100Z INFO  received signal 15, draining 14 requests",
        "2026-03-14T10:06:50.100Z ERROR drain took longer than 10 s, 3 requests lost",
        "Killed",
    ],
    "trace": [
        "2026-03-14T10:06:40.100Z ERROR main ended",
        "Traceback (most recent call last):",
        '  File "/srv/app/serve.py", line 41, in loop',
        "    self.step(queue.take())",
        "KeyError: 'tide'",
    ],
}


LONE = "2026-03-14T09:20:00.000Z WARN  config reload failed, old settings stay: line 14: unknown key"


def ended(how: str) -> list[str]:
    rows = service()
    rows[1200:1200] = [
        "2026-03-14T09:20:00.000Z WARN  config reload failed, old settings stay: line 14: unknown key"
    ]
    for at in range(300, 3900, 90):
        rows[at:at] = [
            f"2026-03-14T09:{at // 70:02d}:00.000Z ERROR POST /pay 502 upstream=pay-{at % 3} reset"
        ]
    return rows + ENDS[how]


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("code", [1, 2, 137])
def test_both_the_run_and_its_end_are_told(how: str, code: int) -> None:
    rows = ended(how)
    text = reduce("\n".join(rows) + "\n", exit_code=code).text
    assert text.endswith("\n".join(ENDS[how])) or text.rstrip("\n").endswith("\n".join(ENDS[how]))
    assert LONE in text
    assert "40× " in text
    assert "POST /pay 502" in text
    assert text.startswith("[… ")


def test_lines_are_told_once() -> None:
    text = reduce("\n".join(ended("given up")), exit_code=1).text
    assert all(text.count(line) == 1 for line in ENDS["given up"])


def test_what_is_left_out_is_counted() -> None:
    rows = ended("killed")
    reduction = reduce("\n".join(rows), exit_code=1)
    shown = sum(line in rows for line in reduction.text.split("\n"))
    left_out = sum(gap.lines for gap in reduction.omissions)
    assert len(rows) - shown - 30 <= left_out <= len(rows) - shown


def test_access_logs_of_a_server_that_ended() -> None:
    rows = [
        *access(),
        "2026/03/14 10:07:00 [emerg] 7#7: bind() to 0.0.0.0:80 failed (98: Address already in use)",
    ]
    text = reduce("\n".join(rows), exit_code=1).text
    assert rows[-1] in text
    assert "[… status " in text


@pytest.mark.parametrize("name", sorted(MUST))
@pytest.mark.parametrize("shape", [github, gitlab])
def test_runs_of_builds_keep_their_way(name, shape) -> None:
    text = shape(body(name))
    assert not is_service(text.split("\n"), text)


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("[INFO] Downloading from central: https://repo.example.org/a/{n}.pom", "[INFO] BUILD FAILURE"),
        (
            "[INFO] Downloading from central: https://repo.example.org/a/{n}.pom",
            "[ERROR] Failed to execute goal x",
        ),
        ("INFO  step {n} of the suite", "=== short test summary info ==="),
        ("INFO  compiling unit {n}", "make: *** [Makefile:3: all] Error 1"),
        ("added package {n} in {n}ms", "exit status 1"),
    ],
)
def test_a_timed_build_is_no_service(head: str, end: str) -> None:
    rows = [f"2026-03-14T09:{n // 60 % 60:02d}:{n % 60:02d}Z {head.format(n=n)}" for n in range(900)]
    text = "\n".join([*rows, f"2026-03-14T10:00:00Z {end}"])
    assert not is_service(text.split("\n"), text)


def test_lines_that_never_repeat_are_no_service() -> None:
    dice = random.Random(2)
    words = ["".join(dice.choices("abcdefghijklmnop", k=6)) for _ in range(900)]
    rows = [
        f"2026-03-14T09:00:00Z INFO {one} {two} {one[::-1]}"
        for one, two in zip(words, reversed(words), strict=True)
    ]
    assert not is_service(rows, "\n".join(rows))


def test_blank_lines_behind_the_end_hide_nothing() -> None:
    rows = ended("killed")
    text = reduce("\n".join(rows) + "\n" * 9000, exit_code=1).text
    assert all(line in text for line in (*ENDS["killed"], LONE))


@pytest.mark.parametrize("first", [".171Z odd start of a cut line", "panic: it began so"])
def test_a_log_whose_first_line_is_shown_is_told_from_there(first: str) -> None:
    rows = [first, *service(110), "2026-03-14T10:06:40.100Z ERROR drain failed"]
    made = reduce("\n".join(rows), exit_code=1, max_inline_tokens=1200)
    shown = made.text.split("\n")
    assert first in shown
    assert rows[-1] in shown
    kept = sum(not line.startswith("[…") for line in shown)
    assert kept + sum(gap.lines for gap in made.omissions) == len(rows)
