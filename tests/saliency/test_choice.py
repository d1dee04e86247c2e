"""Which words are chosen: facts before talk, whole clauses, budgets met by the search."""

from __future__ import annotations

import random
import re

import pytest

from tests.saliency.test_promises import SAMPLES, prose, scores_for
from tokenjuice_ml.saliency import answers, protect
from tokenjuice_ml.saliency.graphemes import MAYBE, extends, joints
from tokenjuice_ml.saliency.lexicon import COUNTS, MODAL
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.select import PRICES, select
from tokenjuice_ml.saliency.spans import SHORTEST, Search, glue, runs
from tokenjuice_ml.saliency.units import outline
from tokenjuice_ml.saliency.value import PER_CHAR, PER_WORD, factors
from tokenjuice_ml.saliency.words import WORD, Words, split, word_spans

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
    by = told_factors(text)
    assert by[2] > by[1]
    assert by[2] > by[3]


def told_factors(text):
    """Returns what a token of each segment is worth where all words score alike."""
    words = Words(text)
    scores = [0.5] * len(words.starts)
    sections = Sections(text, outline(text), words)
    paid = [PER_WORD + PER_CHAR * len(word) for word in words.texts]
    return factors(text, sections, words, scores, paid)


def test_what_a_model_says_is_asked_for_is_kept():
    places = ("Genoa", "Rostock", "Bergen", "Gdansk", "Trieste", "Malmo")
    text = "".join(f"The crane of {place} was moved to another quay by its crew. " for place in places)
    count = len(word_spans(text)) // len(places)
    for at, place in enumerate(places):
        asked = [0.0] * (at * count) + [3.0] * count + [0.0] * ((len(places) - at - 1) * count)
        assert place in select(text, [0.5] * len(asked), 0.3, asked=asked).text
    with pytest.raises(ValueError, match="scores for"):
        select(text, [0.5] * len(asked), 0.3, asked=asked[1:])


def test_no_number_of_a_foreign_model_breaks_the_choice():
    text = (TALK + FACTS["a figure"]) * 4
    count = len(word_spans(text))
    for extreme in (1e300, -1e300, 1e9):
        asked = [extreme if i % 7 else 0.0 for i in range(count)]
        assert select(text, [0.5] * count, 0.5, asked=asked).text


def test_an_address_is_worth_the_tokens_it_costs():
    address = "https://example.org/harbour/cranes/maintenance-and-repair/schedule.html"
    text = "The day began. " + (TALK + f"The schedule of the crane is at {address} for the crew. ") + TALK * 2
    words = word_spans(text)
    shown = select(text, [0.6 if text[a:b].startswith(address) else 0.4 for a, b in words], 0.5).text
    assert address in shown


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("For example the harbour was calm for all. ", "In autumn the harbour was calm for all. "),
        ("Was the harbour calm in autumn for all? ", "The harbour was calm in autumn for all. "),
        ("The crane. ", "The crane weighs as much as the pier. "),
    ],
)
def test_examples_questions_and_scraps_say_less(less, more):
    text = f"The day began. {TALK}{less}{more}{TALK.replace('fine', 'mild')}"
    by = told_factors(text)
    assert by[2] < by[3]


def test_all_sentences_together_are_worth_what_they_were():
    text = SAMPLES["paragraphs"]
    words = Words(text)
    sections = Sections(text, outline(text), words)
    scores = scores_for(text, 1)
    by = factors(text, sections, words, scores, scores)
    shared = [
        factor * sum(scores[a:b])
        for factor, a, b in zip(by, sections.firsts, sections.firsts[1:], strict=False)
    ]
    assert sum(shared) == pytest.approx(sum(scores))
    assert min(by) >= 0


def test_features_are_on_a_scale_of_the_texts_own():
    text = SAMPLES["paragraphs"]
    words = Words(text)
    sections = Sections(text, outline(text), words)
    scores = scores_for(text, 1)
    first = answers.rows(text, sections, words, scores)
    other = answers.rows(text, sections, words, [0.1 + 0.2 * score for score in scores])
    assert all(len(row) == len(answers.NAMES) for row in first)
    for mine, theirs in zip(first, other, strict=True):
        assert mine == pytest.approx(theirs)


def test_weights_are_shipped_and_their_lack_breaks_nothing(monkeypatch, tmp_path):
    assert answers.weights() is not None
    assert answers.weights(True) is not None
    answers.weights.cache_clear()
    monkeypatch.setattr(answers, "data_dir", lambda _: tmp_path)
    try:
        for content in (None, "{", "[]", '{"weights": {"mean": 1}}', '{"weights": {"mean": "x"}}'):
            if content is not None:
                (tmp_path / answers.MODEL).mkdir(exist_ok=True)
                (tmp_path / answers.MODEL / "weights.json").write_text(content)
            answers.weights.cache_clear()
            assert answers.weights() is None
            shown = select(SAMPLES["paragraphs"], scores_for(SAMPLES["paragraphs"], 1), 0.5).text
            assert 0 < len(shown) < len(SAMPLES["paragraphs"])
    finally:
        answers.weights.cache_clear()


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("granularity", sorted(PRICES))
def test_the_search_never_spends_more_and_more_budget_keeps_more(name, granularity):
    text = SAMPLES[name]
    words = Words(text)
    sections = Sections(text, outline(text), words)
    worth = scores_for(text, 3)
    units = glue(text, sections, words, worth, [1.0] * len(sections.segments), [], PRICES[granularity])
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


GOVERNED = (
    " You may not go, unless it rains. N'oublie pas le sac, d'accord. Es sei denn, er kommt doch noch. It isn't so. "
    "À moins que la pompe ne parte, on attend; provided that he came, she left; (not so) and «only» then. "
    "The crew, who had never seen the harbour at night, and the pilot, if he was there at all, which nobody "
    "remembers, went down to the pier, without lamps, and waited for the ship until the morning came over the hills. "
    "We must go. It should not. At least 40 men came on 3 May 1912, up to 12 more (at most 9) in Section 4.2 or No. 5. "
)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_what_governs_is_found_from_its_words_as_in_the_whole_sentence(name):
    text = SAMPLES[name] + GOVERNED
    words = Words(text)
    sections = Sections(text, outline(text), words)
    if protect.has_wide(text):
        hits = protect.wide_hits(words.low, sections.segments)
        for index, (start, end, *_) in enumerate(sections.segments):
            found = protect.governed(text, start, end)
            assert found == protect.governed(text, start, end, index in sections.governing)
            if hits[index] == protect.HELD:
                assert found == [(start, end)]
            elif not hits[index] and index not in sections.governing:
                assert not found
        return
    for index, (start, end, *_) in enumerate(sections.segments):
        by = [(*words.span(word), words.marks[word]) for word in sections.governing.get(index, ())]
        found = protect.governed_by(text, words.low, start, end, by)
        assert found == protect.governed(text, start, end)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_atoms_are_found_from_the_words_that_begin_them(name):
    text = SAMPLES[name] + GOVERNED
    words = Words(text)
    counting, modal = (map(words.span, words.telling(bits)) for bits in (COUNTS, MODAL))
    found = protect.atoms(text, counting, modal)
    assert found == protect.atoms(text)
    shown = [text[a:b] for a, b in found]
    for atom in ("At least 40", "3 May 1912", "up to 12 more", "Section 4.2", "No. 5", "must go."):
        assert any(atom in part for part in shown), atom


def test_blocks_without_marks_are_what_unicode_says():
    plain = [char for char in map(chr, range(0x300, 0x110000)) if not MAYBE.match(char)]
    assert len(plain) > 40_000
    assert not any(extends(f"a{char}", 1) for char in plain)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_segments_cover_all_words_and_begin_with_one(name):
    text = SAMPLES[name]
    at = 0
    for start, end, *_ in outline(text):
        assert not text[at:start].strip()
        assert not text[start].isspace()
        at = end
    assert not text[at:].strip()


def test_words_are_the_same_however_they_are_found():
    source = random.Random(4)
    for _ in range(300):
        text = "".join(
            source.choices(
                "ab 東京、。ｶ\u3000\n\u0301\u200d👩é\x1c\x85\ue000\ue0ff\ufffd\ud800\uf900\u3100\u2003", k=40
            )
        )
        text = text[:5] if not source.randrange(9) else text
        starts, words = split(text)
        assert words == WORD.findall(text)
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
