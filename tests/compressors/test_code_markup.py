"""Tables inside prose: odd rows stay, the others are counted and named; rows are never read as sentences."""

from __future__ import annotations

import re

import pytest

from tests.compressors.markup_context import best_seconds, context
from tokenjuice_ml.compressors.code_markup import compress_markdown
from tokenjuice_ml.types import Kind, Reduction

PROSE = (
    "The collector gathers readings from every station along the coast and writes them to a ledger. Each station "
    "keeps its own clock, which drifts a little over the weeks. Readings that arrive late are put where they belong "
    "and the daily sums are made again. Nobody looks at this as long as the sums agree."
)
ROWS = 90
FORMS = {
    "bars": ("| Station | Interval | Note |", "|---|---|---|", "| pier-{n:02d} | {value} | {note} |"),
    "bare bars": ("Station | Interval | Note", "--- | --- | ---", "pier-{n:02d} | {value} | {note}"),
    "blanks": ("Station     Interval   Note", "", "pier-{n:02d}     {value:<8}   {note}"),
    "tabs": ("Station\tInterval\tNote", "", "pier-{n:02d}\t{value}\t{note}"),
}
ODD = [("30s", "off. See the ledger, and ask."), ("0s", "in service"), ("30s", "")]


def page(form: str, odd: tuple[str, str] | None = None, place: int = 61) -> str:
    head, rule, row = FORMS[form]
    rows = [
        row.format(n=n, value=value, note=note).rstrip()
        for n in range(ROWS)
        for value, note in [odd if odd and n == place else ("30s", "in service")]
    ]
    table = [head, *([rule] if rule else []), *rows]
    return "\n".join(["# Collector", "", PROSE, "", *table, "", PROSE, "", "## More", "", PROSE, ""])


def reduce(text: str) -> Reduction:
    reduction = compress_markdown(text, context(text, Kind.CODE, "markdown"))
    assert reduction is not None
    return reduction


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: "-".join(odd) or "empty")
@pytest.mark.parametrize("place", [33, 61])
def test_the_odd_row_of_a_long_table_stays(form: str, odd: tuple[str, str], place: int) -> None:
    text = page(form, odd, place)
    lines = reduce(text).text.split("\n")
    row = next(line for line in text.split("\n") if line.lstrip("| ").startswith(f"pier-{place}"))
    assert row in lines


@pytest.mark.parametrize("form", FORMS)
def test_each_row_is_shown_or_counted(form: str) -> None:
    text = page(form, ODD[0])
    reduction = reduce(text)
    shown = [line for line in reduction.text.split("\n") if line.lstrip("| ").startswith("pier-")]
    assert all(line in text.split("\n") for line in shown)
    notes = re.findall(r"^\[… (\d+) lines?, L\d+", reduction.text, re.M)
    assert sum(map(int, notes)) + len(shown) == ROWS
    assert sum(gap.lines for gap in reduction.omissions) == ROWS - len(shown)
    assert len(shown) < ROWS / 2


def test_rows_that_are_gone_are_named() -> None:
    names = [f"{one}_{two}" for one in ("ferry", "buoy", "crane", "quay", "dock") for two in "abcdefgh"]
    rows = [f"| `{name}` | sets the {name[::-1]} of the harbour, {len(name)} |" for name in names]
    text = "\n".join(["# Settings", "", "| name | meaning |", "|---|---|", *rows, "", PROSE])
    reduction = reduce(text)
    hidden = [name for name in names if f"| `{name}` |" not in reduction.text]
    assert hidden
    assert f"`{hidden[0]}`, `{hidden[1]}`" in reduction.text


@pytest.mark.parametrize(
    "block",
    [
        "lamp           on\nbell           off. Since the storm nobody has rung it. Do not rely on it at all, "
        + "ask the harbour master for leave to do so. "
        + "He is seldom in.\nhorn           on",
        "    $ collector start\n    Started 14. All of them answer. None is late. " + "More of it. " * 20,
        "\tall: build. And more. " + "More of it. " * 20 + "\n\ttest: all",
    ],
)
def test_short_tables_and_code_are_not_read_as_sentences(block: str) -> None:
    text = f"# Collector\n\n{PROSE}\n\n{block}\n\n{PROSE}\n"
    assert block in reduce(text).text


def test_prose_with_two_blanks_between_sentences_is_prose() -> None:
    text = "# Collector\n\n" + PROSE.replace(". ", ".  \n").replace("the ", "the\n") + "\n\n" + PROSE
    assert len(reduce(text).text) < 0.7 * len(text)


@pytest.mark.parametrize(
    "unit", ["| a | b |\n", "a  b\n", "a | b\n", "a.  b\n", "\tx\n", "    x. Y\n", "|\n"]
)
def test_time_grows_with_the_size_only(unit: str) -> None:
    def cost(count: int) -> float:
        text = unit * count
        return best_seconds(lambda: compress_markdown(text, context(text, Kind.CODE, "markdown")))

    assert cost(8_000) < 9 * cost(2_000) + 0.05
