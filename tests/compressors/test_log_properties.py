"""What holds for any text: never raises, counts every line, shows only what was there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import generic, log
from tokenjuice_ml.compressors.log_select import GAP_COST, select
from tokenjuice_ml.types import Kind

PIECES = st.sampled_from(
    (
        *("error: x", "  at f (a.js:1)", "", "ok 1", "warning: y", "Traceback (most recent call last):"),
        *("exit code 1", "\x1b[31mred", "10%\r20%", "INFO failed=0", "caused by: z", "a" * 1500),
        *("é 错误 x", "\ud800", "$ make", "\t\t}"),
    )
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=30)), min_size=1, max_size=400).map("\n".join)


@given(text=TEXTS, budget=st.integers(60, 400), exit_code=st.sampled_from([None, 0, 1]))
@settings(max_examples=80, deadline=None)
def test_any_text(text: str, budget: int, exit_code: int | None) -> None:
    for module in (log, generic):
        made = module.compress(
            text, context(text, Kind.LOG, exit_code=exit_code, settings={"max_inline_tokens": budget})
        )
        if made is None:
            continue
        total = text.replace("\r\n", "\n").count("\n") + 1
        assert all(1 <= gap.first_line <= gap.last_line <= total for gap in made.omissions)
        assert sum(gap.lines for gap in made.omissions) <= total


@given(
    scores=st.dictionaries(st.integers(0, 199), st.floats(0, 1), max_size=150),
    forced=st.lists(st.integers(0, 199), max_size=5),
    budget=st.integers(100, 900),
)
@settings(max_examples=60, deadline=None)
def test_a_selection_keeps_to_its_budget(scores: dict[int, float], forced: list[int], budget: int) -> None:
    lines = [f"line {n} of the story, told in some words" for n in range(200)]
    chosen = select(lines, scores, forced, budget)
    gaps = 1 + sum(1 for number in chosen if number - 1 not in chosen)
    assert all(0 <= number < 200 for number in chosen)
    assert 8 * len(chosen) + GAP_COST * gaps <= 2 * budget + 40
