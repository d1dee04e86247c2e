"""The few worst lines of a log of records outweigh what repeats, and one command's exit is no run's end."""

from __future__ import annotations

import pytest

from tests.compressors.log_samples import reduce
from tests.compressors.test_log_records import service
from tokenjuice_ml.compressors.log_worst import ends_run, says_worst

DISK = "2026-03-14T09:35:12.114Z PANIC  store cannot write segment 41: No space left on device"
KILLED = "2026-03-14T09:35:12.900Z kernel Out of memory: Killed process 811 (store) total-vm:91kB"
EXITS = (
    "2026-03-14T09:20:00.000Z LOG    upload_command exited with 1 (target full, 12 files wait)",
    "2026-03-14T09:20:00.000Z INFO   supervisor hook finished with exit code 3",
    "2026-03-14T09:20:00.000Z ERROR  runner child 17 has been terminated",
)


def troubled(exit_line: str, prefix: str = "") -> list[str]:
    """Returns a service's log: one exit in the midst, two errors that repeat, the worst once."""
    rows = service(2400)
    for number in range(100, 2300, 9):
        rows[number] = f"{rows[number][:24]} ERROR api order {number} is not valid: zip code missing"
    for number in range(1605, 2300, 7):
        rows[number] = f"{rows[number][:24]} ERROR api connection {number} refused by store"
    rows[1200] = exit_line
    rows[1500] = DISK
    rows[1501] = KILLED
    return [f"{prefix}{row}" for row in rows]


@pytest.mark.parametrize("exit_line", EXITS)
@pytest.mark.parametrize("prefix", ["", "store-1     | ", "[pod/store-0/main] "])
def test_one_exit_in_the_midst_leaves_a_log_of_records(exit_line: str, prefix: str) -> None:
    text = reduce("\n".join(troubled(exit_line, prefix)), exit_code=None).text
    assert text.startswith("[… 2,400 lines of ")
    assert "PANIC  store cannot write segment 41: No space left on device" in text
    assert "Out of memory: Killed process 811" in text
    assert exit_line.split("  ", 1)[1].strip() in text


@pytest.mark.parametrize("exit_code", [None, 1])
def test_the_worst_line_is_shown_when_the_run_failed(exit_code: int | None) -> None:
    rows = [*troubled(EXITS[0]), "##[error]Process completed with exit code 1."]
    text = reduce("\n".join(rows), exit_code=exit_code).text
    assert DISK[25:] in text
    assert KILLED[25:] in text
    assert "Process completed with exit code 1." in text


def test_rare_worst_kinds_come_before_many_kinds_of_errors() -> None:
    rows = service(3000)
    for number in range(50, 2900):
        if number % 3 == 0:
            word = "".join(chr(97 + number // 3 // 26**place % 26) for place in range(4))
            rows[number] = f"{rows[number][:24]} ERROR part {word} lost its lease and will try again soon"
    rows[2500] = DISK
    assert DISK in reduce("\n".join(rows), exit_code=None).text


def test_the_head_counts_as_many_lines_as_there_are() -> None:
    text = reduce("\n".join(service(2000)) + "\n", exit_code=None).text
    assert text.startswith("[… 2,000 lines of ")


def test_a_cause_is_shown_under_its_own_head() -> None:
    rows = service(2000)
    for at in range(300, 1800, 100):
        rows[at : at + 1] = [
            f"{rows[at][:24]} ERROR api request {at} failed",
            "org.example.RequestFailed: no answer",
            "\tat org.example.Api.call(Api.java:41)",
            f"Caused by: {'java.lang.ArithmeticException: too long' if at == 1500 else 'org.example.Busy: full'}",
            "\tat org.example.Money.cents(Money.java:31)",
        ]
    text = reduce("\n".join(rows), exit_code=None).text.split("\n")
    cause = text.index("Caused by: java.lang.ArithmeticException: too long")
    assert "ERROR api request 1500 failed" in text[cause - 3]
    assert text[cause - 2 : cause] == [
        "org.example.RequestFailed: no answer",
        "\tat org.example.Api.call(Api.java:41)",
    ]


def test_the_failure_that_came_once_is_shown_beside_those_that_came_often() -> None:
    rows = service(3000)
    frames = [f"\tat org.example.web.Filter{n}.call(Filter.java:{n})" for n in range(30)]
    for number in range(2600, 200, -200):
        once = number == 1000
        why = (
            "java.lang.ArithmeticException: out of range" if once else "java.sql.SQLException: pool is empty"
        )
        trace = ["org.example.Nested: request failed", *frames, "Caused by: org.example.Order: refused"]
        trace += [*frames, f"Caused by: {why}", *frames[:3]]
        rows[number : number + 1] = [f"{rows[number][:24]} ERROR http request failed", *trace]
    text = reduce("\n".join(rows), exit_code=None).text
    assert "Caused by: java.sql.SQLException: pool is empty" in text
    assert "Caused by: java.lang.ArithmeticException: out of range" in text


@pytest.mark.parametrize(
    ("line", "worst"),
    [
        ("03:11 FATAL: could not write", True),
        ('{"level":60,"msg":"bye"}', True),
        ("kernel: worker invoked oom-killer", True),
        ("kernel: oom-kill:constraint=NONE", True),
        ("ERROR bad zip", False),
        ("summary: FATAL 0 ERROR 0", False),
        ("fatality rates", False),
    ],
)
def test_says_worst(line: str, worst: bool) -> None:
    assert says_worst(line) is worst


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("##[error]Process completed with exit code 2.", True),
        ('The command "make test" exited with 1.', True),
        ("ERROR: Job failed: exit code 1", True),
        ("ERROR: Job failed: command terminated with exit code 1", True),
        ("Command exited with code 1", True),
        ("ERROR: script returned exit code 2", True),
        ("make: *** [Makefile:3: all] Error 2", True),
        ("09:00 archive_command exited with 1", False),
        ("09:00 worker-1 exited with code 137", False),
    ],
)
def test_whose_exit_it_is(line: str, ends: bool) -> None:
    assert ends_run([line, *["x"] * 200], 0) is ends
    assert ends_run(["x", line, "y"], 1)
