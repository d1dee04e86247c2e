"""Rows unlike the others are shown, and each column is spoken of."""

from __future__ import annotations

import time

import pytest

import tokenjuice_ml
from tests.compressors.markup_context import context
from tokenjuice_ml.compressors.table import compress
from tokenjuice_ml.compressors.table_odd import odd_rows
from tokenjuice_ml.types import Kind


def sales(count: int, odd: dict[int, dict[str, str]]) -> str:
    names = ("day", "sale", "net", "tax", "gross", "currency", "status")
    lines = [",".join(names)]
    for i in range(count):
        net, tax = 1000 + i * 7919 % 900, 100 + i * 31 % 90
        cells = [
            f"2024-03-{i % 28 + 1:02}",
            f"{9000 + i}",
            net,
            tax,
            net + tax,
            "CHF",
            ("open", "paid")[i % 2],
        ]
        row = dict(zip(names, map(str, cells), strict=True)) | odd.get(i, {})
        lines.append(",".join(row.values()))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "odd",
    [
        {"gross": "-1444"},
        {"currency": "NOK"},
        {"tax": "99999"},
        {"net": ""},
        {"status": "held"},
        {"gross": "3900"},
        {"day": "2024-02-30 (sic)"},
    ],
)
def test_the_row_that_is_unlike_the_others_is_shown(odd: dict[str, str]):
    text = sales(900, {431: odd})
    done = compress(text, context(text, Kind.LOG, "csv"))
    assert done is not None
    assert text.split("\n")[432] in done.text.split("\n")
    assert len(done.text) < len(text) / 20


def test_each_column_is_spoken_of():
    done = compress(sales(900, {}), context("", Kind.LOG, "csv"))
    assert done is not None
    for part in (
        "net 100",
        "tax 100 to 189",
        "gross 1",
        "currency all CHF",
        "day 2024-03-01 to 2024-03-28",
    ):
        assert part in done.text


def processes(count: int) -> str:
    head = f"{'USER':<10}{'PID':>7} {'%CPU':>5} STAT COMMAND"
    what = ("httpd: worker", "db: app app 10.1.1.{n}({n}) idle", "[kthread/{n}]")
    lines = [f"{'svc':<10}{i + 300:>7} {i % 7 / 10:>5} S    {what[i % 3].format(n=i)}" for i in range(count)]
    lines[count // 2] = f"{'svc':<10}{'77':>7} {'0.1':>5} S    db: app app 10.1.1.9(41) idle in transaction"
    return "\n".join([head, *lines]) + "\n"


@pytest.mark.parametrize("command", ["ps aux", None])
def test_words_between_numbers_tell_the_odd_row(command: str | None):
    done = tokenjuice_ml.compress(processes(240), command=command, exit_code=0)
    assert "idle in transaction" in done.text
    assert done.compressor == "table"


@pytest.mark.parametrize(
    "command", ["sqlite3 -column -header jobs.db 'select * from jobs'", "psql -c x", None]
)
def test_results_of_databases_show_it_too(command: str | None):
    ruled = bool(command) and command.startswith("sqlite3")
    sign, cross = ("  ", "  ") if ruled else (" | ", "-+-")
    widths = (6, 8, 8, 6)
    rows = [
        [str(70000 + i), str(9000 + i * 37 % 800), str(9000 + i * 37 % 800 - i % 5), str(i % 9)]
        for i in range(600)
    ]
    rows[250][2], rows[400][3] = "4904", "86399"
    cells = [("run_id", "rows_in", "rows_out", "lag"), *rows]
    lines = [sign.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    lines.insert(1, cross.join("-" * width for width in widths))
    done = tokenjuice_ml.compress("\n".join(lines) + "\n", command=command, exit_code=0)
    assert "4904" in done.text
    assert "86399" in done.text
    assert done.tokens_after < done.tokens_before / 5


def test_a_small_result_of_a_database_is_not_cut_by_a_window():
    lines = [
        " id  | kind ",
        "-----+------",
        *(f" {i:>3} | {'' if i == 77 else 'blue'}" for i in range(150)),
        "(150 rows)",
    ]
    done = tokenjuice_ml.compress("\n".join(lines) + "\n\n", command="psql -c 'table kinds'", exit_code=0)
    assert "77 |" in done.text or "77\n" in done.text


def test_numbers_that_are_as_they_are_have_no_odd_row():
    assert odd_rows([[str(i)] for i in range(1000)], 1) == []
    assert odd_rows([[str(i % 2)] for i in range(1000)], 1) == []
    assert odd_rows([[f"{i * 7 % 113}", f"w{i * 7 % 113}x"] for i in range(1000)], 2) == []
    assert len(odd_rows([[str(2 ** (i % 40))] for i in range(1000)], 1)) <= 1


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999", "\x1f", "", "-", "٣", "9" * 400])
def test_any_cell_is_survived(cell: str):
    rows = [[str(i), cell, "x"] for i in range(60)]
    rows[30][0] = cell
    assert len(odd_rows(rows, 3)) <= 12


def test_finding_them_is_linear_and_cheap():
    def cost(count: int) -> float:
        rows = [line.split(",") for line in sales(count, {5: {"gross": "-1"}}).strip().split("\n")[1:]]
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            odd_rows(rows, 7)
            best = min(best, time.process_time() - start)
        return best

    assert cost(20_000) < 8 * cost(5_000) + 0.05


@pytest.mark.parametrize("command", ["psql -c 'select note from visits'", "mysql -e x", "sqlite3 a.db x"])
def test_a_short_result_of_one_column_keeps_its_odd_row(command: str):
    rows = [f" visit {i} went {'badly: gate stuck' if i == 33 else 'well'}" for i in range(60)]
    lines = ["        note", "-" * 30, *rows, "(60 rows)", ""]
    done = tokenjuice_ml.compress("\n".join(lines), command=command, exit_code=0)
    assert "visit 33 went badly: gate stuck" in done.text
