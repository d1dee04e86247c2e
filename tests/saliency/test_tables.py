"""Tables inside prose go as one, are counted where they stood, and show the row that is unlike the others."""

from __future__ import annotations

import pytest

from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.units import Kind, outline, word_spans

TALK = "The weather was fine and everybody in the harbour had a pleasant time there. " * 12
PAIRS = "\n".join(
    f"{name:<14}{'on' if name != 'bell' else 'off'}" for name in ("lamp", "bell", "horn", "pump")
)
ROWS = "\n".join(
    f"pier-{n:02d}     {1200 + n * 7 % 13}     {n % 4}     {731 if n == 22 else 0}" for n in range(40)
)
TABLE = f"pier        seen     late  lost\n{ROWS}"


def cut(text: str, ratio: float) -> str:
    spans = word_spans(text)
    at = text.find("pier" if "pier" in text else "lamp")
    return select(
        text, [0.2 if start >= at and end <= at + 2000 else 0.6 for start, end in spans], ratio
    ).text


@pytest.mark.parametrize("block", [PAIRS, TABLE])
def test_a_table_is_one_block(block: str) -> None:
    text = f"{TALK}\n\n{block}\n\n{TALK}"
    kinds = [segment.kind for segment in outline(text) if text[segment.start : segment.end].strip() == block]
    assert kinds == [Kind.TABLE]


def test_two_columns_that_are_left_out_are_counted_where_they_stood() -> None:
    text = f"{TALK}\n\n{PAIRS}\n\n{TALK}"
    shown = cut(text, 0.3)
    assert "bell          off" in shown or "[… 4 lines, L3-L6: table]" in shown


def test_the_note_of_a_table_shows_the_odd_row() -> None:
    shown = cut(f"{TALK}\n\n{TABLE}\n\n{TALK}", 0.2)
    assert "[… 41 lines, L3-L43: table, with the odd row pier-22 | 1211 | 2 | 731]" in shown


def test_sentences_with_two_blanks_between_them_are_no_table() -> None:
    text = "It rained.  All day.\nIt snowed.  All day.\nIt thawed.  All day."
    assert all(segment.kind is not Kind.TABLE for segment in outline(text))
