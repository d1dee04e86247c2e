"""What a database client answers in one column: odd rows stay, the rest is counted."""

from __future__ import annotations

import re

import pytest

import tokenjuice_ml

COUNT = 600


def values(kind: str, odd: str | None) -> list[str]:
    shapes = {"berths": "berth-{n:04d} free", "sums": "{n}", "words": "{w} quay"}
    words = ("amber", "birch", "cedar", "delta", "ebony")
    rows = [
        shapes[kind].format(n=1000 + n * 7 % 97 if kind == "sums" else n, w=words[n % 5] + words[n // 5 % 5])
        for n in range(COUNT)
    ]
    if odd is not None:
        rows[417] = odd
    return rows


def framed(form: str, rows: list[str]) -> tuple[str, str]:
    """Returns the text and the command."""
    wide = max(map(len, rows))
    if form == "psql":
        body = [
            f" {'berth':^{wide}} ",
            "-" * (wide + 2),
            *(f" {row}" for row in rows),
            f"({len(rows)} rows)",
            "",
        ]
        return "\n".join([*body, ""]), "psql -c 'select berth from pier'"
    if form == "mysql":
        line = f"+{'-' * (wide + 2)}+"
        body = [line, f"| {'berth':<{wide}} |", line, *(f"| {row:<{wide}} |" for row in rows), line]
        return "\n".join(
            [*body, f"{len(rows)} rows in set (0.01 sec)", ""]
        ), "mysql -t -e 'select berth from pier'"
    command = {
        "sqlite3": "sqlite3 pier.db 'select berth from pier'",
        "psql -At": "psql -At -c 'select berth from pier'",
    }
    return "\n".join([*rows, ""]), command[form]


FORMS = ["psql", "mysql", "sqlite3", "psql -At"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("kind", "odd"),
    [
        ("berths", "berth-0417 REFUSED: quota of the pier"),
        ("sums", "-5"),
        ("sums", "900000"),
        ("words", "timeout at quay"),
    ],
)
def test_the_odd_row_stays_and_the_others_are_counted(form: str, kind: str, odd: str) -> None:
    rows = values(kind, odd)
    text, command = framed(form, rows)
    done = tokenjuice_ml.compress(text, command=command, tool="exec", exit_code=0)
    lines = done.text.split("\n")
    assert any(line.strip("| ") == odd for line in lines)
    left_out = sum(
        int(found[1].replace(",", ""))
        for line in lines
        if (found := re.match(r"\[… ([\d,]+) lines?, L", line))
    )
    shown = sum(line.strip("| ") in set(rows) for line in lines)
    assert left_out + shown == COUNT
    assert done.tokens_after < done.tokens_before / 3


@pytest.mark.parametrize("form", FORMS)
def test_a_short_answer_stays_whole(form: str) -> None:
    rows = values("berths", None)[:30]
    text, command = framed(form, rows)
    done = tokenjuice_ml.compress(text, command=command, tool="exec", exit_code=0)
    assert all(row in done.text for row in rows)


def test_command_echoes_of_a_script_are_no_column() -> None:
    text = "INSERT 0 1\n" * 900 + "ERROR:  duplicate key value violates unique constraint\n"
    done = tokenjuice_ml.compress(text, command="psql -f load.sql", tool="exec", exit_code=3)
    assert done.compressor != "table"
    assert "duplicate key" in done.text


def test_aligned_columns_are_no_column() -> None:
    rows = [f"{70000 + n:<8}{9000 + n:<10}{n % 7}" for n in range(600)]
    text = "\n".join(["run     rows      lag", "------  --------  ---", *rows, ""])
    done = tokenjuice_ml.compress(
        text, command="sqlite3 -column -header a.db 'select 1'", tool="exec", exit_code=0
    )
    assert "run" in done.text.split("\n")[0]
    assert "rows, L" in done.text
