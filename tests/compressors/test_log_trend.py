"""Of many lines alike: what the one number did that only rises, and who wrote them."""

from __future__ import annotations

import random

import pytest

from tests.compressors.log_samples import reduce
from tests.compressors.test_log_records import service
from tokenjuice_ml.compressors.log_trend import trend


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([f"INFO heap={300 + 7 * n}MiB files={n % 4}" for n in range(40)], "heap=300MiB → 573MiB"),
        ([f"lag: {90 - n} s" for n in range(40)], "lag: 90 → 51"),
        ([f"retry {n} of 50" for n in range(1, 51)], "retry 1 → 50"),
        ([f"heap={n}MiB disk={2 * n}" for n in range(40)], ""),
        ([f"took={n * 37 % 11}ms" for n in range(40)], ""),
        (["queue=4"] * 40, ""),
        (["heap=1", "heap=2"], ""),
        ([f"heap={n}" if n % 2 else "heap=none" for n in range(40)], ""),
        (["x" * 100_000] * 40, ""),
    ],
)
def test_trend(lines: list[str], told: str) -> None:
    assert trend(lines) == told


def test_a_rising_number_is_told_with_its_count() -> None:
    dice, rows = random.Random(8), service(2000)
    for number in range(20, 2000, 40):
        rows[number] = f"{rows[number][:24]} INFO  heap={200 + number}MiB objects={dice.randrange(9000)}"
    text = reduce("\n".join(rows), exit_code=0).text
    line = next(line for line in text.split("\n") if "heap=" in line)
    assert line.startswith("[… 50× L21-L1981, heap=220MiB → 2180MiB] ")


def test_host_and_program_of_a_line_stay() -> None:
    rows = [
        f"Mar 14 09:{n // 60:02d}:{n % 60:02d} edge-07 {'cron' if n % 3 else 'sshd'}[{800 + n % 3}]: session {n} begins"
        for n in range(900)
    ]
    text = reduce("\n".join(rows), exit_code=0).text
    assert "] edge-07 sshd[800]: session 0 begins" in text
    assert "] edge-07 cron[801]: session 1 begins" in text
