"""Logs whose header names their fields: totals by the fields that matter."""

from __future__ import annotations

import random

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.compressors.log_fields import totals

NAMES = ("ts", "uid", "id.orig_h", "id.orig_p", "method", "host", "uri", "status_code", "bytes", "tags")
DICE = random.Random(6)


def monitor(sign: str = "\t", head: str = "#fields\t", count: int = 400) -> list[str]:
    rows = [f"{head}{sign.join(NAMES)}", f"#types{sign}{sign.join('string' for _ in NAMES)}"]
    for n in range(count):
        status, method = ("500", "POST") if n == 211 else ("404", "GET") if n % 17 == 0 else ("200", "GET")
        cells = (f"1777889{n:03d}.25", f"C{DICE.randrange(10**9):x}q", f"198.51.100.{n % 5}", str(40000 + n))
        host = f"h{n % 30}.example.org"
        rows.append(sign.join((*cells, method, host, f"/p/{n}", status, str(DICE.randrange(10**6)), "-")))
    return rows


@pytest.mark.parametrize(("head", "sign"), [("#fields\t", "\t"), ("#Fields: ", " ")])
def test_totals_by_the_fields_that_matter(head: str, sign: str) -> None:
    told = totals(monitor(sign, head))
    assert told[0] == "[… status_code 200×375, 404×24, 500×1]"
    assert told[1] == "[… method GET×399, POST×1]"
    assert any(line.startswith("[… id.orig_h 198.51.100.0×80, ") for line in told)
    assert not any(name in line for line in told for name in (" uid ", " ts ", " uri ", " tags ", " bytes "))


def test_of_many_values_the_commonest_and_the_seldomest_are_told() -> None:
    rows = monitor()
    rows.append(rows[5].replace("h3.example.org", "rare.example.net"))
    host = next(line for line in totals(rows) if line.startswith("[… host "))
    assert "+23 values" in host
    assert host.endswith("rare.example.net×1]")


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["#fields"],
        ["#fields\ta\tb\tc"],
        ["#fields\ta\tb\tc", "1\t2\t3"],
        ["a\tb"] * 400,
        ["#Fields: x"] * 90,
    ],
)
def test_other_logs_have_no_totals(lines: list[str]) -> None:
    assert totals(lines) == ()


def test_totals_stand_in_front_of_the_kinds_and_the_rare_row_stays() -> None:
    rows = monitor()
    text = reduce("\n".join(rows), exit_code=0).text
    assert text.split("\n")[1] == "[… status_code 200×375, 404×24, 500×1]"
    assert rows[213] in text


def test_times_are_not_said_twice() -> None:
    rows = [f"2026-03-14T09:00:00Z level=error job {n % 3} has no worker" for n in range(400)]
    assert "2026-03-14T09:00:00 to 2026-03-14T09:00:00]" not in reduce("\n".join(rows)).text
