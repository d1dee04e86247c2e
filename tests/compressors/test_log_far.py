"""Lines folded into one kind: the one whose number lies far from the others is shown."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.compressors.log_far import look
from tokenjuice_ml.compressors.log_far_slots import columns_of
from tokenjuice_ml.compressors.log_text import template_keys

_DICE = random.Random(41)
_LINES = 700


def _rows(usual: Callable[[int], str], odd: str, at: int = 432) -> list[str]:
    return [odd if number == at else usual(number) for number in range(_LINES)]


ODD = {
    "glued unit": _rows(
        lambda n: f"oven-{n % 9} heat={180 + n % 7}C draft=12mbar", "oven-3 heat=911C draft=12mbar"
    ),
    "zero with a unit": _rows(lambda n: f"pump {n} speed=1{n % 90 + 100}rpm", "pump 432 speed=0rpm"),
    "zero among thousands": _rows(
        lambda n: f"copied shelf s_{n}: {_DICE.randrange(9000, 99000)} books", "copied shelf s_432: 0 books"
    ),
    "far fewer": _rows(
        lambda n: f"ledger {n:03d}: entries={5000 + n % 23} sum=ok", "ledger 432: entries=3 sum=ok"
    ),
    "negative": _rows(
        lambda n: f'{{"level": "info", "booked": {n % 4}, "who": "u{n}"}}',
        '{"level": "info", "booked": -7340032, "who": "u432"}',
    ),
    "negative of a positive": _rows(
        lambda n: f"tide station {n} level={3 + n % 3}.5m", "tide station 9 level=-48.0m"
    ),
    "all alike but one": _rows(
        lambda n: f"batch {n}: skipped 0 rows of 64", "batch 432: skipped 7 rows of 64"
    ),
}


@pytest.mark.parametrize("lines", ODD.values(), ids=ODD)
def test_the_line_far_off_is_found_and_shown(lines: list[str]) -> None:
    odd = lines[432]
    assert odd in reduce("\n".join(lines), exit_code=0).text.split("\n")
    stamped = [f"2026-02-03T04:{n // 60:02d}:{n % 60:02d}Z INFO {line}" for n, line in enumerate(lines)]
    text = reduce("\n".join(stamped), exit_code=0).text
    assert stamped[432] in text.split("\n")
    assert "1 odd line shown" in text.split("\n")[0]


VARYING = {
    "ids": [f"job id={_DICE.randrange(10**9)} pid={_DICE.randrange(40000)} done" for _ in range(_LINES)],
    "ports": [f"from 10.0.0.{n % 250}:{_DICE.randrange(1024, 65535)} accepted" for n in range(_LINES)],
    "counters": [f"processed {n * n} of 490000" for n in range(_LINES)],
    "hashes": [f"blob {_DICE.getrandbits(160):040x} pushed" for _ in range(_LINES)],
    "times": [f"at 0{n // 300}:{n // 5 % 60:02d}:{n % 60:02d} tick" for n in range(_LINES)],
    "even": [f"spent={_DICE.randrange(100000)} tokens" for _ in range(_LINES)],
    "long tail": [f"wait={_DICE.expovariate(0.01):.3f}" for _ in range(_LINES)],
    "two ways": [f"size={(16, 4096)[n % 2]} kept" for n in range(_LINES)],
}


@pytest.mark.parametrize("lines", VARYING.values(), ids=VARYING)
def test_values_that_vary_freely_are_not_odd(lines: list[str]) -> None:
    assert not look(lines, ["k"] * len(lines)).lines


def test_one_thing_unlike_the_others_brings_one_line() -> None:
    lines = [f"INFO queue={n % 6} depth={40 * n if n % 6 == 2 else n % 17}" for n in range(_LINES)]
    assert look(lines, template_keys(lines)).lines == (698,)
    text = reduce("\n".join(lines), exit_code=0).text
    assert lines[698] in text.split("\n")


def test_the_range_stands_in_the_label() -> None:
    text = reduce("\n".join(f"2026-02-03 04:05:06 {line}" for line in ODD["glued unit"]), exit_code=0).text
    assert "heat 180..911C] " in text


def test_few_of_many_odd_lines_are_shown() -> None:
    lines = [f"rows={10 ** (n % 7 + 5) if n % 60 == 1 else 100 + n % 5}" for n in range(_LINES)]
    assert 1 <= len(look(lines, ["k"] * _LINES).lines) <= 5


def test_the_unit_of_a_line_is_minded() -> None:
    lines = [f"step took={800 + n % 90}ms" for n in range(_LINES)]
    lines[99] = "step took=2s"
    assert not look(lines, ["k"] * _LINES).lines


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("12:01:07 rack-3 temp=23C id=9", [("temp", "C")]),
        ('{"port": 443, "ms": -2.5}', [("ms", "")]),
        ("2026-01-02 v1.2.3 fetched 17 rows", [("fetched", "")]),
        ("user_id=7 ratio: 12% [3/40]", [("ratio", "%")]),
        ("0007 abc9f 10.0.0.1:80", []),
    ],
)
def test_values_and_names(line: str, values: list[tuple[str, str]]) -> None:
    assert [(column.name, column.unit) for column in columns_of(line) if column.value] == values


@pytest.mark.parametrize("line", ["9" * 400, "1e999 -", "--5 ..", "x=1 " * 300, "\udcff=3", ""])
def test_odd_texts_are_read(line: str) -> None:
    assert look([line] * 60 + ["a=5"], ["k"] * 61).lines in ((), (60,))
