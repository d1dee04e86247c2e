"""What expressions need, and that gates never keep a line from a pattern that matches it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenjuice_ml.compressors import signal_words, signals
from tokenjuice_ml.compressors.gates import Gates, folded, needed
from tokenjuice_ml.compressors.needles import Needles, cased, encoded, lowered
from tokenjuice_ml.compressors.signals import judge, judge_all, lines_with, triggers

# The expressions for lower-case lines.
PATTERNS = [
    value.source
    for value in vars(signals).values()
    if isinstance(value, signals._Later) and not re.search("[A-Z]{3}|IWEF", value.source)
]
# Digits of other scripts are no digits to a gate.
LETTERS = st.characters(codec="utf-8", exclude_categories=["Nd", "Cs"], include_characters="0123456789")
SOURCES = (
    *("a|bc", r"x\s?[:=]\s?\d+", r"(?:no |any )?(?:error|fail)s? [1-9]{2,3}", r"[ab][cd](?:e|f)?g", r"\w+"),
    *(r"a(?:b|c.d)e", r"(?<!x)ab+c", r"[^a]b", r"\[(?:-|x y)\]", r"q(?:r|s)*t", r"é[àü]", "#{1,3} z"),
)


@pytest.mark.parametrize("source", [*SOURCES, *PATTERNS])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_a_match_passes_the_gate(source: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(source, alphabet=LETTERS)).lower()
    lines = [line for line in text.split("\n") if re.search(source, line)]
    masks = Gates([(1, source)]).masks("\n".join(lines), len(lines)) if lines else []
    assert masks == [1] * len(lines)


def test_gates_tell_lines_apart() -> None:
    gates = Gates([(1, "error [1-9]"), (2, r"\w+"), (4, "(?:no|any) (?:big )?(?:error|fault)")])
    assert gates.masks("error 7\nno big error\nno such error", 3) == [3, 6, 2]


def test_needed_reads_choices_and_repeats() -> None:
    assert needed("exit(?:ed)? [1-9]|x+y") == [(("exit 1", "exited 1"),), (("xy",),)]
    assert needed(r"\d+|[a-z]b?") == [(), ()]


def test_folded_has_one_digit_and_one_blank() -> None:
    assert folded("a\t12 b") == b"a 11 b"
    assert folded("é\u20090") == "é 0".encode()


@given(
    st.lists(st.sampled_from([*signal_words.TRIGGERS, *signal_words.WIDE_TRIGGERS, "0 ", ": ", "ok", "["]))
)
def test_many_lines_are_judged_as_single_ones(words: list[str]) -> None:
    lines = [" ".join(words[at:]) for at in range(len(words))] * signals.FEW
    assert judge_all(lines) == [judge(line) for line in lines]


@given(st.lists(st.text(alphabet="abe\r r", max_size=6), max_size=12))
def test_needles_find_what_a_search_finds(lines: list[str]) -> None:
    needles = Needles(("ab", "b", "re"))
    data = encoded("\n".join(lines))
    for word, places in zip(needles.words, needles.places(data), strict=True):
        assert places == [number for number, line in enumerate(lines) if word in line]
    any_word = [number for number, line in enumerate(lines) if re.search("b|re", line)]
    assert needles.lines(data) == any_word == lines_with(lines, needles)


def test_words_beyond_ascii_are_found_in_capitals() -> None:
    assert cased(("a", "été")) == ("a", "été", "ÉTÉ", "Été")
    assert triggers().lines(lowered("alles gut\nОШИБКА: x\nÉchec")) == [1, 2]
