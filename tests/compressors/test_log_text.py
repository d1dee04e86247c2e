"""Colours, carriage returns, clipping, and logs small enough to stay."""

from __future__ import annotations

import pytest

from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import log
from tokenjuice_ml.compressors.log_text import clean, clip, template_keys
from tokenjuice_ml.types import Kind


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("plain\n", ["plain", ""]),
        ("\x1b[31mred\x1b[0m", ["red"]),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", ["link"]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("10%\r50%\r100% done", ["100% done"]),
        ("50%\rerror: disk full\r60%", ["error: disk full 60%"]),
        ("50%\r\x1b[K\r", [" ".join(["50%"])]),
        ("travis_fold:end:x\r\x1b[0Ktravis_fold:start:y\r\x1b[0KBuild", ["Build"]),
        ("a\bb", ["ab"]),
        ("", [""]),
    ],
)
def test_clean(text: str, lines: list[str]) -> None:
    assert clean(text).lines == lines


def test_dropped_progress_is_counted_where_it_stood() -> None:
    made = clean("start\n10%\r20%\r30%\n40%\r50%\nend")
    assert [(gap.first_line, gap.last_line, gap.bytes) for gap in made.progress] == [(2, 3, 9)]


def test_a_small_log_only_loses_its_colours() -> None:
    text = "\x1b[32mok\x1b[0m 1\n" * 30
    made = log.compress(text, context(text, Kind.LOG))
    assert made is not None
    assert made.text == "ok 1\n" * 30
    assert not made.lossy


def test_a_small_plain_log_is_declined() -> None:
    text = "\n".join(f"error: no {number}" for number in range(30))
    assert log.compress(text, context(text, Kind.LOG)) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "start\n" + "waiting for it\n" * 30 + "up\n",
            "start\nwaiting for it\n[… 29 lines, L3-L31: 29 × the line above]\nup\n",
        ),
        (
            "ask the server\nno answer yet\n" * 20,
            "ask the server\nno answer yet\n[… 38 lines, L3-L40: 19 × the 2 lines above]\n",
        ),
        ("no\n" * 3 + "end", None),
        ("\n" * 400, None),
    ],
)
def test_repeats_in_a_small_log_are_counted(text: str, shown: str | None) -> None:
    made = log.compress(text, context(text, Kind.LOG))
    assert (made.text if made else None) == shown
    assert made is None or not made.lossy


def test_small_logs_with_progress_are_lossy_and_say_so() -> None:
    text = "fetch 10%\rfetch 100%\n" * 20
    made = log.compress(text, context(text, Kind.LOG))
    assert made is not None
    assert made.lossy
    assert sum(gap.bytes for gap in made.omissions) == 20 * len("fetch 10%")


def test_much_progress_is_told_where_it_stood() -> None:
    bar = "\r".join(f"{n}% of the archive" for n in range(100))
    text = f"start\n{bar}\nend"
    made = log.compress(text, context(text, Kind.LOG))
    assert made is not None
    lost = made.omissions[0].bytes
    assert made.text == f"start\n[… {lost:,} bytes of overwritten progress, L2-L2]\n99% of the archive\nend"


@pytest.mark.parametrize("place", [-1, 0, 3000, 5999])
def test_clip_counts_what_it_leaves_out(place: int) -> None:
    line = "x" * 6000
    short = clip(line, 400, place)
    gone = [int(part.split(" chars")[0].replace(",", "")) for part in short.split("[… ")[1:]]
    assert short.count("x") + sum(gone) == 6000
    assert short.count("x") <= 400


def test_a_long_line_is_cut_around_its_signal() -> None:
    line = "a" * 9000 + " TypeError: x is not a function " + "b" * 9000
    text = "\n".join(["quiet line"] * 900 + [line] + ["quiet line"] * 900)
    made = log.compress(text, context(text, Kind.LOG, exit_code=1))
    assert made is not None
    assert "TypeError: x is not a function" in made.text
    assert len(made.text) < 3000


def test_template_keys() -> None:
    one, two, three = template_keys(["took 17 ms", "took 8 ms", "gave 8 ms"])
    assert one == two != three
