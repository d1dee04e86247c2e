"""Which words are chosen: facts before talk, whole clauses, budgets met by the search."""

from __future__ import annotations

import random
import re

import pytest

from tests.saliency.test_promises import SAMPLES, prose, scores_for
from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.graphemes import extends, joints
from tokenjuice_ml.saliency.select import PRICES, select
from tokenjuice_ml.saliency.spans import SHORTEST, Search, glue, runs
from tokenjuice_ml.saliency.units import outline, split, word_spans
from tokenjuice_ml.saliency.value import Words, factors

TALK = "The weather was fine and everybody in the harbour had a pleasant time there. "
FACTS = {
    "a figure": "The crane of the harbour was built from steel and weighs 412 tonnes today. ",
    "a number in words": "The crane of the harbour was built from steel by forty workers there. ",
    "a name": "The crane of the harbour was built from steel by Marlowe and his men. ",
    "a denial": "The crane of the harbour was not built from steel like the others there. ",
    "a duty": "The crane of the harbour must be painted with tar by the crew there. ",
    "a reason": "The crane of the harbour was sold because the crew had left the place. ",
    "a path": "The crane of the harbour writes its log to ~/crane/today.log each hour. ",
    "an address": "The crane of the harbour is described at https://example.org/crane for all. ",
}


@pytest.mark.parametrize("fact", sorted(FACTS))
def test_facts_come_before_talk(fact):
    text = "The day began. " + TALK + FACTS[fact] + TALK.replace("fine", "mild")
    segments = outline(text)
    by = factors(text, segments, Words(text))
    assert by[2] > by[1]
    assert by[2] > by[3]


def test_an_address_is_worth_the_tokens_it_costs():
    address = "https://example.org/harbour/cranes/maintenance-and-repair/schedule.html"
    text = "The day began. " + (TALK + f"The schedule of the crane is at {address} for the crew. ") + TALK * 2
    words = word_spans(text)
    shown = select(text, [0.6 if text[a:b].startswith(address) else 0.4 for a, b in words], 0.5).text
    assert address in shown


def test_an_example_a_question_and_a_heading_say_less():
    text = "A heading here\n\n" + TALK + "For example the harbour was fine for everybody there. " + TALK
    text += "Was the weather fine for everybody in the harbour there?"
    segments = outline(text)
    heading, _, example, plain, question = factors(text, segments, Words(text))
    assert example < plain
    assert question < plain
    assert heading < plain


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("granularity", sorted(PRICES))
def test_the_search_never_spends_more_and_more_budget_keeps_more(name, granularity):
    text = SAMPLES[name]
    segments, words = outline(text), Words(text)
    worth = scores_for(text, 3)
    units = glue(text, segments, words, worth, [1.0] * len(segments), [], PRICES[granularity])
    search, total, before = Search(units), sum(units.cost), -1.0
    for share in (0.0, 0.1, 0.3, 0.5, 0.9, 1.0):
        kept = search.best(total * share)
        cost = sum(cost for cost, flag in zip(units.cost, kept, strict=True) if flag)
        assert cost <= total * share + 1e-6
        assert cost >= before - 0.05 * total
        before = cost


def test_no_scraps_of_a_sentence():
    text = SAMPLES["paragraphs"]
    for seed in range(6):
        for granularity in PRICES:
            shown = select(text, scores_for(text, seed), 0.4, granularity).text
            for sentence in re.split(r"(?<=\.)\s+|\n+|…", shown):
                words = sentence.split()
                assert not words or len(words) >= SHORTEST or sentence in text.split(". "), sentence


def test_a_sentence_goes_on_before_a_small_letter():
    text = "A specialization for Int? would not run when it is called on Int. Another one follows here."
    first = outline(text)[0]
    assert text[first.start : first.end].endswith("on Int.")


@pytest.mark.parametrize(
    "name", ["Mr. St. Clair", "J. R. Oak", "Dr. Wu", "Anna Maria Berg", "(see part 4)", "（第4章）"]
)
def test_names_with_initials_and_short_brackets_are_atoms(name):
    text = f"then came {name} along"
    assert name in [text[a:b] for a, b in protect.atoms(text)]


def test_a_name_does_not_reach_into_the_next_sentence():
    text = "Okay. Seventy percent like Berlin. Well they do."
    assert protect.atoms(text) == []


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_words_that_cannot_govern_need_not_be_asked_about(name):
    text = (
        SAMPLES[name] + " You may not go, unless it rains. N'oublie pas. Es sei denn, er kommt. It isn't so."
    )
    if protect.has_wide(text):
        return
    words = Words(text)
    governing = protect.governing(words.known)
    for segment in outline(text):
        if governing.isdisjoint(words.within(segment.start, segment.end)):
            assert protect.governed(text, segment.start, segment.end) == []


def test_words_are_the_same_however_they_are_found():
    source = random.Random(4)
    for _ in range(300):
        text = "".join(source.choices("ab 東京、。ｶ\u3000\n\u0301\u200d👩é\x1c\x85", k=40))
        starts, words = split(text)
        assert [text[a : a + len(w)] for a, w in zip(starts, words, strict=True)] == words
        assert word_spans(text) == [(a, a + len(w)) for a, w in zip(starts, words, strict=True)]
        assert "".join(words) == re.sub(r"\s", "", text)


def test_joints_are_where_a_character_goes_on():
    source = random.Random(5)
    for _ in range(300):
        text = "".join(source.choices("ab\r\n 文\u0301\u200d👩👍🏽🇩🇪か\u3099각", k=30))
        found = set(joints(text))
        assert found <= {at for at in range(1, len(text)) if extends(text, at)}
        wanted = {at for at in range(1, len(text)) if text[at] > "\u0300" and extends(text, at)}
        assert wanted <= found


def test_runs_and_long_texts():
    text = prose(20_000, 8)
    chosen = select(text, scores_for(text, 2), 0.3)
    assert abs(chosen.after / chosen.before - 0.3) <= 0.03
    assert runs(bytearray(b"\1\1\0\1")) == [(0, 2), (3, 4)]
