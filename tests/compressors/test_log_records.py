"""Logs of services, access logs and dumps: told by their kinds of lines."""

from __future__ import annotations

import random

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.compressors.log_census import REPEATED_LOG, TIMED_LOG, census_keys, record_kind
from tokenjuice_ml.tokens import estimate


def service(lines: int = 4000) -> list[str]:
    dice = random.Random(4)
    shapes = (
        "INFO  http GET /orders/{0} 200 {1}ms",
        "INFO  cache hit for session {0}",
        "DEBUG pool size={1}",
        "INFO  job {0} finished failed=0",
    )
    return [
        f"2026-03-14T{9 + n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.{dice.randrange(1000):03d}Z "
        + dice.choice(shapes).format(dice.randrange(10**6), dice.randrange(90))
        for n in range(lines)
    ]


def access(lines: int = 4000) -> list[str]:
    dice = random.Random(5)
    paths, codes = ("/", "/cart", "/api/items?page=2", "/favicon.ico"), (200, 200, 200, 304, 404)
    return [
        f"198.51.100.{dice.randrange(6)} - - [14/Mar/2026:09:{n // 60 % 60:02d}:{n % 60:02d} +0000] "
        f'"GET {dice.choice(paths)} HTTP/1.1" {dice.choice(codes)} {dice.randrange(9000)} "-" "Mozilla/5.0"'
        for n in range(lines)
    ]


def test_kinds_are_counted_and_times_told() -> None:
    text = reduce("\n".join(service()), exit_code=0).text
    assert text.startswith("[… 4,000 lines of 4 kinds, 2026-03-14T09:00:00 to 2026-03-14T10:06:39")
    assert text.count("×") == 4
    assert "no error or warning found" in text.split("\n")[0]
    assert estimate(text) < 400


def test_the_rare_error_is_shown_with_its_trace() -> None:
    rows = service()
    rows[2000:2000] = [
        "2026-03-14T09:33:20.000Z ERROR api payment failed order=4711",
        "java.lang.IllegalStateException: pool is closed",
        "\tat org.example.Pool.take(Pool.java:41)",
        "Caused by: java.net.ConnectException: Connection refused: db-1:5432",
        "\t... 12 more",
    ]
    text = reduce("\n".join(rows), exit_code=0).text
    assert all(line in text for line in rows[2000:2005])


def test_repeated_errors_have_a_count_and_both_times() -> None:
    rows = service()
    for number in range(100, 3100, 100):
        rows[number] = f"2026-03-14T09:{number // 60:02d}:00.000Z ERROR worker {number} lost its lease"
    text = reduce("\n".join(rows), exit_code=0).text
    line = next(line for line in text.split("\n") if "lost its lease" in line)
    assert line.startswith(
        "[… 30× L101-L3001, 2026-03-14T09:01:00 to 2026-03-14T09:50:00, worker 100 → 3000]"
    )


def test_access_logs_have_totals() -> None:
    rows = access()
    rows[77] = rows[77].replace(" 200 ", " 500 ").replace(" 304 ", " 500 ").replace(" 404 ", " 500 ")
    text = reduce("\n".join(rows), exit_code=0).text
    assert "status 200×" in text
    assert "500×1" in text
    assert "/favicon.ico×" in text
    assert "198.51.100." in text


def test_the_first_and_the_last_time_are_told() -> None:
    text = reduce("\n".join(access()), exit_code=None).text
    assert "14/Mar/2026:09:00:00 to 14/Mar/2026:09:06:39" in text or "14/Mar/2026:09:00:00 to" in text


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (service(500), TIMED_LOG),
        (access(500), TIMED_LOG),
        ([f"frame {n % 9} at 0x{n:08x}" for n in range(500)], REPEATED_LOG),
        ([f"{chr(97 + n % 26) * (n % 40 + 1)} says {chr(65 + n // 26)}" for n in range(500)], 0),
        (["2026-03-14 too short"] * 5, 0),
    ],
)
def test_record_kind(rows: list[str], kind: int) -> None:
    assert record_kind(rows) == kind


def test_a_failing_build_with_times_is_no_service_log() -> None:
    rows = [*service(), "2026-03-14T11:00:00.000Z ##[error]Process completed with exit code 1."]
    text = reduce("\n".join(rows), exit_code=None).text
    assert text.endswith("##[error]Process completed with exit code 1.")


def test_numbers_and_hashes_do_not_make_kinds() -> None:
    one, two = census_keys(
        ["blk_-17 from 10.0.0.1:80 h0123abcdef0", "blk_4 from 10.2.33.4:8080 hfedc9876543"]
    )
    assert one == two


def test_every_line_is_counted() -> None:
    rows = service()
    made = reduce("\n".join(rows), exit_code=0)
    assert made.lossy
    assert made.omissions[0].lines >= len(rows) - 5
