"""Plans of queries, and outputs of one column: a tree is no table, and nothing is cut through a word."""

from __future__ import annotations

import pytest

import tokenjuice_ml
from tests.compressors.markup_context import context
from tokenjuice_ml.compressors.table import compress, compress_table
from tokenjuice_ml.types import Kind


def node(depth: int, name: str, spent: float, loops: int = 1, *more: str) -> list[str]:
    """One node of a plan, with what is told below it."""
    arrow = " " * (2 + 6 * (depth - 1)) + "->  " if depth else ""
    inside = " " * (6 * depth + 2)
    head = f" {arrow}{name}  (cost=1.00..9.00 rows=5 width=8) (actual time=0.010..{spent:.3f} rows=5 loops={loops})"
    return [head, *(f" {inside}{line}" for line in more)]


def plan(branches: int) -> str:
    lines = [f"{'QUERY PLAN':^90}", "-" * 90, *node(0, "Limit", 9000.5)]
    lines += node(1, "Sort", 9000.0, 1, "Sort Key: total DESC", "Sort Method: external merge  Disk: 9120kB")
    lines += node(2, "Append", 8000.0)
    for number in range(branches):
        slow = number == branches // 2
        lines += node(3, "Hash Join", 7900.0 if slow else 1.5, 1, f"Hash Cond: (a.id = b{number}.id)")
        lines += node(
            4, f"Seq Scan on visits_{number} b{number}", 7890.0 if slow else 0.4, 1, "Filter: (paid)"
        )
        lines += [f"{' ' * 28}Rows Removed by Filter: 7700123"] * slow
    rows = len(lines) + 1
    return "\n".join([*lines, " Planning Time: 1.5 ms", " Execution Time: 9001.1 ms", f"({rows} rows)", ""])


@pytest.mark.parametrize("command", [None, "psql -f report.sql", "psql -c 'explain analyze select 1'"])
def test_the_nodes_that_took_the_time_stay_and_so_does_the_nesting(command: str | None):
    text = plan(60)
    done = tokenjuice_ml.compress(text, command=command, exit_code=0)
    kept = done.text.split("\n")
    assert {line for line in kept if not line.startswith("[")} <= set(text.split("\n"))
    for part in (
        "Seq Scan on visits_30 b30",
        "Rows Removed by Filter: 7700123",
        "external merge  Disk: 9120kB",
    ):
        assert part in done.text
    assert " Planning Time: 1.5 ms" in kept
    assert " Execution Time: 9001.1 ms" in kept
    assert (
        f" {' ' * 14}->  Hash Join  (cost=1.00..9.00 rows=5 width=8) (actual time=0.010..7900.000"
        in done.text
    )
    assert len(done.text) < len(text) / 3


def test_one_name_over_one_line_is_one_column():
    lines = ["note", "-" * 30, *(f" {' ' * (i % 5)}step {i}  went  well" for i in range(40))]
    assert compress_table(lines, context("\n".join(lines), Kind.LOG, "table")) is None


def test_letters_before_the_first_name_and_branches_below_the_last_one_stay():
    lines = [f"{'  PID':<8}{'STAT':<8}COMMAND"]
    lines += [f"{i:>5}   {'S':<8}{'  ' * (i % 4)}\\_ worker {i}" for i in range(100, 110)]
    lines += [f"{123456:>6}  {'S':<8}late one"]
    done = compress_table(lines, context("\n".join(lines), Kind.LOG, "table"))
    assert done is not None
    assert "      \\_ worker 103" in done.text
    assert "123456" in done.text


def test_a_line_that_fits_no_column_stays_as_it_is():
    lines = [f"{'name':<12}{'size':<8}", *(f"{f'disk{i}':<12}{i * 10:<8}" for i in range(20)), "(20 rows)"]
    done = compress_table(lines, context("\n".join(lines), Kind.LOG, "table"))
    assert done is None or "(20 rows)" in done.text.split("\n")


def test_a_plan_of_one_deep_branch_and_odd_numbers_is_read_in_linear_time():
    deep = [line for depth in range(3000) for line in node(depth, "Nested Loop", 9000 - depth)]
    text = "\n".join([*deep, " ->  Seq Scan (cost=1..1..1 rows=x) (actual time=...... rows=1 loops=9)"])
    done = compress(text, context(text, Kind.LOG, "table"))
    assert done is None or len(done.text) <= len(text)
