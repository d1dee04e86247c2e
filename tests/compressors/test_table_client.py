"""What database clients print without a frame: lists, records, tags of statements."""

from __future__ import annotations

import re

import pytest

from tokenjuice_ml import compress

COUNT = 300
TEAMS = ("north", "south", "west")
GAP = re.compile(r"\[… ([\d,]+) (?:rows?|lines?)")


def staff(row: int) -> list[str]:
    pay = "7100000" if row == 140 else str(41000 + row * 37 % 50 * 100)
    mail = "" if row == 201 else f"p{row * 13 % 997}@team.example"
    return [str(row + 1), f"Person {row}", TEAMS[row * 7 % 3], pay, mail]


@pytest.mark.parametrize(
    "command", ["sqlite3 hr.db 'select * from staff'", "psql -At -c 'select * from staff'"]
)
@pytest.mark.parametrize("header", [False, True])
def test_a_list(command: str, header: bool) -> None:
    lines = ["|".join(staff(row)) for row in range(COUNT)]
    lines[:0] = ["id|name|team|pay|mail"] if header else []
    done = compress("\n".join(lines) + "\n", command=command, exit_code=0)
    shown = done.text.split("\n")
    assert "|".join(staff(140)) in shown
    assert "|".join(staff(201)) in shown
    assert shown[0] == lines[0]
    hidden = sum(int(found.replace(",", "")) for found in GAP.findall(done.text))
    assert hidden + sum(line in set(lines) for line in shown) == len(lines)
    assert done.tokens_after < done.tokens_before / 3


def record(client: str, row: int) -> str:
    state, note = ("dead", "no route") if row == 61 else ("done", "")
    pairs = [
        ("id", str(700 + row)),
        ("queue", "mail"),
        ("state", state),
        ("note", note),
        ("tries", str(row % 3)),
    ]
    if client == "mysql":
        head = f"{'*' * 27} {row + 1}. row {'*' * 27}"
        return "\n".join([head, *(f"{name:>10}: {value}" for name, value in pairs)])
    return "\n".join([f"-[ RECORD {row + 1} ]-----", *(f"{name:<9} | {value}" for name, value in pairs)])


@pytest.mark.parametrize(
    ("client", "command"),
    [("psql", "psql -x -c 'select * from jobs'"), ("mysql", "mysql -e 'select * from jobs\\G'")],
)
def test_records_are_rows(client: str, command: str) -> None:
    text = "\n".join(record(client, row) for row in range(120)) + "\n"
    done = compress(text, command=command, exit_code=0)
    assert "id | queue | state | note | tries" in done.text
    assert "761 | mail | dead | no route | 1" in done.text
    assert done.tokens_after < done.tokens_before / 5


def test_values_of_several_lines_are_no_rows() -> None:
    text = "\n".join(f"{record('mysql', row)}\nsecond line of a value" for row in range(60)) + "\n"
    done = compress(text, command="mysql -e 'select * from jobs\\G'", exit_code=0)
    assert "id | queue | state" not in done.text


def test_tags_of_statements_are_no_table() -> None:
    lines = [("CREATE INDEX" if row % 5 == 0 else "INSERT 0 1") for row in range(400)]
    lines[240:240] = [
        'psql:load.sql:241: ERROR:  duplicate key value violates unique constraint "box_code_key"',
        "DETAIL:  Key (code)=(B77) already exists.",
    ]
    lines[242:] = ["psql:load.sql:250: ERROR:  current transaction is aborted, commands ignored"] * 90
    for code in (0, 3, None):
        body = compress("\n".join(lines) + "\n", command="psql -f load.sql stock", exit_code=code).text
        assert "box_code_key" in body
        assert "Key (code)=(B77)" in body
        hidden = sum(int(found.replace(",", "")) for found in GAP.findall(body))
        shown = sum(line in set(lines) for line in body.split("\n"))
        assert hidden + shown == len(lines)


@pytest.mark.parametrize("form", ["csv", "mysql", "psql"])
def test_a_key_that_comes_twice(form: str) -> None:
    rows = [[str(row), f"SKU-{20 if row == 190 else row}", str(row * 37 % 90)] for row in range(COUNT)]
    names = ["id", "sku", "stock"]
    if form == "csv":
        text = "\n".join(",".join(row) for row in [names, *rows])
    elif form == "mysql":
        rule = "+-----+---------+-------+"
        body = [f"| {a:>3} | {b:<7} | {c:>5} |" for a, b, c in [names, *rows]]
        text = "\n".join([rule, body[0], rule, *body[1:], rule])
    else:
        text = "\n".join(
            [" id | sku | stock", "----+-----+------", *(f" {a} | {b} | {c}" for a, b, c in rows)]
        )
    text += "\n"
    body = compress(text, command="./report.sh", exit_code=0).text
    assert len(re.findall(r"SKU-20\b", body)) >= 2
    if "[…" in body:
        assert "sku SKU-20 more than once" in body
