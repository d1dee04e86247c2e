"""Views of an original: ranges, surroundings, search, pages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr import grep as search
from tokenjuice_ml.ccr.retrieve import PAGE_BYTES, fetch, from_end, signed, view
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Reason

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


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("line 99[12]$", ["L991: line 991", "L992: line 992"]),
        ("LINE 1000|line 13$", ["L13: line 13", "[… L14-L999]", "L1000: line 1000"]),
        ("^line 7$", ["L7: line 7"]),
    ],
)
def test_grep_takes_patterns(kept, pattern, rows):
    assert view(*kept, grep=pattern, context=0).text.split("\n") == rows


def test_grep_finds_text_that_looks_like_a_pattern():
    store = open_store(Settings())
    token = store.put(b"a\ncall(x[0]\nb\n", lines=3)
    assert view(store, token, grep="call(x[0]", context=0).text.startswith(
        "L2: call(x[0]\n[… ('call(x[0]' is no pattern"
    )


def test_a_pattern_that_runs_away_is_stopped(monkeypatch):
    monkeypatch.setattr(search, "TIME_LIMIT_S", 0.2)
    store = open_store(Settings())
    token = store.put(("a" * 40 + "!\n").encode() * 50, lines=50)
    start = time.process_time()
    assert "took longer than" in view(store, token, grep="(a|aa)+$").text
    assert time.process_time() - start < 5


def test_grep_shows_the_surroundings_in_long_lines():
    store = open_store(Settings())
    data = "ä".encode() * 50_000 + b"needle" + b"x" * 900_000
    token = store.put(b"first\n" + data, lines=2)
    text = view(store, token, grep="NEEDLE").text
    row = text.split("\n")[-1]
    assert row.startswith("L2, from byte 99406: …ääää")
    assert "needle" in row
    assert len(text) < 1000
    assert fetch(store, token, bytes_=(99406, 99408)) == "ä".encode()


def test_grep_pages(kept):
    found = view(*kept, grep="line", context=0, page=10)
    assert found.text.endswith("L10: line 10\n[… 990 more matching lines, from L11]")
    assert not found.complete


def test_a_page_is_bounded_in_bytes_too():
    store = open_store(Settings())
    line = "y" * 300
    token = store.put(f"{line}\n".encode() * 1000, lines=1000)
    found = view(store, token)
    assert len(found.text) < PAGE_BYTES + 100
    assert found.text.endswith(f"{line}\n[… 894 more lines; ask for L107-L1000]")
    assert len(view(store, token, page=0).text) == 301_000


def test_a_line_longer_than_a_page_is_told_by_bytes():
    store = open_store(Settings())
    token = store.put(b"one\n" + b"z" * 100_000 + b"\nthree", lines=3)
    assert view(store, token).text == "one\n[… 2 more lines; ask for L2-L3]"
    text = view(store, token, lines=(2, 3)).text
    assert text.endswith("[… 68,001 more bytes of L2; ask for bytes 32004-100005, then L3-L3]")
    rest = view(store, token, bytes_=(32004, 100005))
    assert rest.text.endswith("[… 36,001 more bytes; ask for bytes 64004-100005]")
    assert view(store, token, bytes_=(64004, 200000), page=0).text == "z" * 36000 + "\nthree"


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        ({"lines": (2000, 3000)}, "[… nothing at L2000-L3000: the original has 1,000 lines]"),
        ({"lines": (9, 8)}, "[… nothing at L9-L8: the original has 1,000 lines]"),
        ({"around": 5000}, "[… nothing at L4980-L5020: the original has 1,000 lines]"),
        ({"bytes_": (9999, 10000)}, "[… nothing at bytes 9999-10000: the original has 8,893 bytes]"),
        ({"around": -1, "context": 1}, "line 999\nline 1000\n"),
        ({"lines": (-1, -1), "numbers": True}, "L1000: line 1000\n"),
        ({"bytes_": (-5, 1 << 62)}, "1000\n"),
    ],
)
def test_edges(kept, ask, answer):
    assert view(*kept, **ask).text == answer


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-be", "utf-16-le"])
def test_wide_texts_are_shown_by_lines(encoding):
    store = open_store(Settings())
    text = "eins\nzwei ä\ndrei\n"
    mark = {"utf-16": b"", "utf-16-le": b"\xff\xfe", "utf-32-be": b"\x00\x00\xfe\xff"}[encoding]
    data = mark + text.encode(encoding)
    token = store.put(data, lines=3)
    assert view(store, token, lines=(2, 2)).text == "zwei ä\n"
    assert view(store, token, grep="ZWEI", context=0).text == "L2: zwei ä"
    assert fetch(store, token) == data


def test_long_answers_are_signed_and_never_cut_again(kept):
    store, token = kept
    found = view(store, token, lines=(1, 300))
    text = signed(found, token)
    assert text.endswith(f"line 300\n[… L1-L300 of 1,000 lines of ⟦tj:{token}⟧]")
    again = TokenJuice(Settings(), store=store).compress(text, tool="recall_anything")
    assert again.reason is Reason.RETRIEVED
    assert signed(view(store, token, lines=(1, 2)), token) == "line 1\nline 2\n"


@given(st.binary(max_size=2000), st.integers(-30, 30), st.integers(-30, 30))
def test_views_are_the_slices_of_the_original(data, first, last):
    store = open_store(Settings())
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    token = store.put(data, lines=lines)
    rows = data.split(b"\n")
    rows = [row + b"\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])
    low, high = from_end((first, last), lines + 1)
    wanted = b"".join(rows[max(0, low - 1) : max(0, high)])
    assert fetch(store, token, lines=(first, last)) == wanted
    assert fetch(store, token, bytes_=(max(0, first), max(0, last))) == data[max(0, first) : max(0, last)]
