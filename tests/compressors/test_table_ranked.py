"""Lists ordered by a number: the first rows are the point."""

from __future__ import annotations

import re

import pytest

from tokenjuice_ml import compress

COUNT = 260
GAP = re.compile(r"\[… ([\d,]+) lines?, L\d+")


def shares(count: int = COUNT) -> list[float]:
    return [max(0.01, round(38.5 * 0.62**row, 2)) for row in range(count)]


def profile() -> list[str]:
    head = ["# samples: 81K of event 'cycles'", "#", "# share  program  symbol", "# .....  .......  ......"]
    return [
        *head,
        *(f"   {share:>6.2f}%  engine   [.] Place::step_{row}" for row, share in enumerate(shares())),
    ]


def times() -> list[str]:
    head = ["Type: cpu", "      flat  flat%   sum%        cum   cum%"]
    rows = [
        f"{share * 300:>9.0f}ms {share:>5.2f}% 99.00% {share * 320:>9.0f}ms  1.0%  pkg/w.(*T{row}).Run"
        for row, share in enumerate(shares())
    ]
    return [*head, *rows]


def queries() -> list[str]:
    head = ["  calls   total_ms  query"]
    return [
        *head,
        *(f"{row * 37 % 90:>7} {90000 // (row + 1):>10}  select * from t{row}" for row in range(COUNT)),
    ]


def counts() -> list[str]:
    return [f"{9000 // (row + 1) ** 2 + 1:>7} GET /page/{row}" for row in range(COUNT)]


@pytest.mark.parametrize("make", [profile, times, queries, counts])
@pytest.mark.parametrize("command", ["./report.sh", "perf report --stdio", None])
def test_the_first_rows_stay(make: object, command: str | None) -> None:
    lines = make()  # type: ignore[operator]
    done = compress("\n".join(lines) + "\n", command=command, tool=None if command else "bash")
    shown = done.text.split("\n")
    assert all(line in shown for line in lines[:10])
    assert lines[-1] in shown
    hidden = sum(int(found.replace(",", "")) for found in GAP.findall(done.text))
    assert hidden + sum(line in lines for line in shown) == len(lines)
    assert done.tokens_after < done.tokens_before / 3


def test_an_odd_row_further_down_stays() -> None:
    lines = profile()
    lines[180] = lines[180].replace("engine   [.] Place::step_176", "engine   [k] error: no symbols")
    assert lines[180] in compress("\n".join(lines) + "\n", command="perf report --stdio").text.split("\n")


def test_a_list_that_begins_again() -> None:
    lines = [*profile(), *profile()[4:]]
    shown = compress("\n".join(lines) + "\n", command="./report.sh").text.split("\n")
    assert sum("Place::step_0" in line for line in shown) == 2
    assert sum("Place::step_1" in line and line.split("::")[1] == "step_1" for line in shown) == 2


def test_what_rises_is_no_such_list() -> None:
    lines = [f"{row:>7} step {row * 37 % 91} of the run took {row % 7} s" for row in range(COUNT)]
    done = compress("\n".join(lines) + "\n", command="./train.sh")
    assert done.compressor != "table"


def test_a_failed_run_is_no_such_list() -> None:
    done = compress("\n".join(profile()) + "\n", command="./report.sh", exit_code=2)
    assert done.compressor != "table"


def test_a_run_whose_loss_falls_is_no_such_list() -> None:
    lines = [f"step {row} loss {9 / (row + 1):.4f} took {row % 7} s" for row in range(COUNT)]
    assert compress("\n".join(lines) + "\n", command="./train.sh").compressor != "table"
