"""Views of an original: ranges, surroundings, search, pages."""

from __future__ import annotations

import pytest

from tokenjuice_ml.ccr.retrieve import fetch, view
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.settings import Settings

TEXT = "".join(f"line {number}\n" for number in range(1, 1001))


@pytest.fixture
def kept():
    store = open_store(Settings())
    return store, store.put(TEXT.encode(), lines=1000)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((2, 3), b"line 2\nline 3\n"),
        ((999, 5000), b"line 999\nline 1000\n"),
        ((-2, -1), b"line 999\nline 1000\n"),
        ((0, 1), b"line 1\n"),
        ((7, 6), b""),
    ],
)
def test_line_ranges_are_clamped_and_may_count_from_the_end(kept, lines, wanted):
    assert fetch(*kept, lines=lines) == wanted


@pytest.mark.parametrize(("span", "wanted"), [((0, 4), b"line"), ((-5, 9999), b"1000\n"), ((5, 5), b"")])
def test_byte_ranges(kept, span, wanted):
    assert fetch(*kept, bytes_=span) == wanted


def test_a_marker_is_as_good_as_its_token(kept):
    store, token = kept
    assert fetch(store, f"⟦tj:{token}⟧") == TEXT.encode()


def test_around_and_numbers(kept):
    found = view(*kept, around=331, context=1, numbers=True)
    assert found.text == "L330: line 330\nL331: line 331\nL332: line 332\n"
    assert (found.first_line, found.last_line, found.total_lines) == (330, 332, 1000)


def test_around_the_first_line_starts_there(kept):
    assert view(*kept, around=1, context=2).text == "line 1\nline 2\nline 3\n"


def test_a_page_ends_with_what_to_ask_next(kept):
    found = view(*kept, page=10)
    assert found.text.endswith("line 10\n[… 990 more lines; ask for L11-L1000]")


def test_grep_ignores_case_and_marks_gaps(kept):
    found = view(*kept, grep="LINE 50", context=0)
    rows = found.text.split("\n")
    assert rows[0] == "L50: line 50"
    assert rows[1] == "[… L51-L499]"
    assert rows[2:4] == ["L500: line 500", "L501: line 501"]


def test_grep_without_a_hit_says_so(kept):
    assert view(*kept, grep="nowhere").text == "[… no line of 1,000 holds 'nowhere']"
