"""Ten times the text takes about ten times the time, whatever the text is made of."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.compressors.log_samples import noise
from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import generic, log
from tokenjuice_ml.types import Kind

MIXED = ("error: step {0} failed", "compile unit_{0}.c", "  at f{0} (a.js:{0})", "", "done {0}")

TEXTS: dict[str, Callable[[int], str]] = {
    "quiet": lambda size: "\n".join(noise(size // 45)),
    "all errors": lambda size: "\n".join(f"error {n:x}: no such thing" for n in range(size // 25)),
    "mixed": lambda size: "\n".join(MIXED[n % 5].format(n) for n in range(size // 16)),
    "one line": lambda size: "word error " * (size // 11),
    "one word": lambda size: "a" * size,
    "empty lines": lambda size: "\n" * (size // 10),
    "equal signs": lambda size: "=" * size,
    "carriage returns": lambda size: "10%\r" * (size // 4),
    "escapes": lambda size: "\x1b]" * (size // 2),
    "timed": lambda size: "\n".join(f"2026-03-14 09:00:00 INFO u{n} ok" for n in range(size // 31)),
}


def seconds(module: object, text: str, exit_code: int) -> float:
    made = context(text, Kind.LOG, exit_code=exit_code)
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        module.compress(text, made)  # type: ignore[attr-defined]
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize("name", TEXTS)
def test_time_grows_with_the_text_and_no_faster(name: str, exit_code: int) -> None:
    small, large = (
        seconds(log, TEXTS[name](100_000), exit_code),
        seconds(log, TEXTS[name](1_000_000), exit_code),
    )
    assert large < 40 * max(small, 0.004)


@pytest.mark.parametrize("name", ["mixed", "one line", "empty lines"])
def test_the_fallback_grows_alike(name: str) -> None:
    small, large = seconds(generic, TEXTS[name](100_000), 1), seconds(generic, TEXTS[name](1_000_000), 1)
    assert large < 40 * max(small, 0.004)
