"""The fallback: windows around signals, both ends, the density."""

from __future__ import annotations

import pytest

from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import generic
from tokenjuice_ml.types import Kind, Reduction


def reduce(text: str, **settings: object) -> Reduction:
    made = generic.compress(text, context(text, Kind.PLAIN_TEXT, settings=settings or None))
    assert made is not None
    return made


def rows(total: int = 3000) -> list[str]:
    return [f"{'abcdefghij'[n % 10] * (n % 17 + 3)} item {n} of the list" for n in range(total)]


def test_windows_have_the_context_of_the_settings() -> None:
    lines = rows()
    lines[1500] = "something failed here"
    text = reduce("\n".join(lines), context_before=1, context_after=4).text
    assert lines[1499] in text
    assert lines[1504] in text
    assert lines[1505] not in text
    assert lines[1498] not in text


def test_build_failures_have_more_context() -> None:
    lines = rows()
    lines[1500] = "src/a.c:1:2: error: no"
    text = reduce("\n".join(lines)).text
    assert lines[1495] in text
    assert lines[1508] in text


def test_head_and_tail_are_shown() -> None:
    lines = rows()
    lines[1500] = "error: no"
    text = reduce("\n".join(lines)).text
    assert text.startswith(lines[0])
    assert text.endswith(lines[-1])


def test_no_signal_is_said() -> None:
    assert reduce("\n".join(rows())).text.startswith("[… no error or warning found")


def test_what_fits_is_declined() -> None:
    assert generic.compress("a\nb", context("a\nb", Kind.PLAIN_TEXT)) is None


@pytest.mark.parametrize(
    ("text", "low", "high"), [("", 0, 0), ("same\n" * 100, 0, 0.05), ("a b\nc d\ne f", 0.6, 0.7), ("x", 1, 1)]
)
def test_density(text: str, low: float, high: float) -> None:
    assert low <= generic.density(text) <= high
