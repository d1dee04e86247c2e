"""What a reader sees of a cut: no word divided, no lead lost, no fragment that passes for a sentence."""

from __future__ import annotations

import random
import re

import pytest

from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.words import word_spans

JAPANESE = (
    "六月の点検では、第二倉庫のポンプを三台とも取り外して洗浄します。作業の間は給水が止まるため、担当者は前日までに必要な水を確保してください。"
    "古い配管は来週の月曜日に業者が交換する予定です。天気がよければ屋外の塗装も同時に進めます。"
)
CHINESE = (
    "六月检修期间，第二仓库的三台水泵将全部拆下清洗。施工时供水中断，负责人须在前一天备足用水。"
    "旧管道将于下周一由承包商更换，天气好的话室外油漆也会同时进行。"
)
PARTED = re.compile(r"[\s、，。]+")


def shown_by(text, worth, ratio, granularity="sentence"):
    """Returns what is kept where words within one of some phrases are worth more than others."""
    scores = [0.2] * len(word_spans(text))
    for phrase in worth:
        at = text.index(phrase)
        for index, (a, b) in enumerate(word_spans(text)):
            if at <= a and b <= at + len(phrase):
                scores[index] = 0.95
    return select(text, scores, ratio, granularity).text


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("text", "granularity"), [(JAPANESE, "sentence"), (CHINESE, "sentence"), (CHINESE, "span")]
)
def test_what_has_no_spaces_is_cut_at_its_punctuation(text, granularity, seed):
    rnd = random.Random(seed)
    scores = [rnd.random() for _ in word_spans(text)]
    shown = select(text, scores, 0.3 + 0.04 * seed, granularity).text
    clauses = set(PARTED.split(text))
    assert {part for part in PARTED.split(shown.replace("…", " ")) if part} <= clauses


@pytest.mark.parametrize("seed", range(12))
def test_japanese_phrases_stay_whole_where_spans_are_chosen(seed):
    rnd = random.Random(seed)
    scores = [rnd.random() for _ in word_spans(JAPANESE)]
    shown = select(JAPANESE, scores, 0.3 + 0.04 * seed, "span").text
    for part in re.split(r"[\s、。…]+", shown):
        at = JAPANESE.index(part)
        for edge in (at, at + len(part)):
            # A phrase ends with kana: nothing is cut between two signs that are none.
            around = JAPANESE[edge - 1 : edge + 1] if 0 < edge < len(JAPANESE) else ""
            assert not re.fullmatch(r"[一-龯ァ-ヴー]{2}", around), (part, around)


def test_a_run_without_any_punctuation_is_still_cut():
    text = "倉庫の水を運ぶ人" * 400
    scores = [float(i % 97 < 40) for i in range(len(text))]
    chosen = select(text, scores, 0.4)
    assert chosen.after < 0.5 * chosen.before


def test_no_sentence_is_taken_for_its_neighbours_part():
    text = (
        "The vent moved 4 cubic metres where the plan asks for 6. Nowak had argued at length for leaving the hall open. "
        "The board turned that down by a vote of 5 to 2 in the end. People talked about the weather for a while. "
    ) * 3
    for seed in range(40):
        rnd = random.Random(seed)
        shown = select(text, [rnd.random() for _ in word_spans(text)], 0.35, "span").text
        for match in re.finditer(r"[^.…\s] (?=[A-Z])", shown):
            # A capital in the midst of a line opens a sentence here: what stands before it has to end or show its cut.
            word = shown[match.end() :].split()[0]
            assert word == "Nowak" or text.find(shown[match.start() : match.end()] + word) >= 0, shown


def test_a_fragment_shows_where_its_sentence_was_cut():
    text = (
        "In the spring of that year, long before anybody had thought of selling it to the harbour, Marlowe paid 900 crowns. "
        "Nothing else of any weight was said by the people who had come, and all of them went home before the rain. "
        "The other crane, which had been bought by a man nobody knew, was moved to the northern quay of the town."
    )
    shown = shown_by(text, ["Marlowe paid 900 crowns.", "The other crane", "was moved"], 0.3, "span")
    assert re.search(r"(^|…) ?Marlowe paid 900 crowns\.", shown)
    for match in re.finditer(r"[^.…\n] (?=[A-Z])", shown):
        assert text.find(shown[match.start() : match.end() + 4]) >= 0, shown


def test_what_a_colon_announces_keeps_its_lead():
    text = (
        "People came and went all day long. For the base: 150 g of clay, 90 g of sand and 20 ml of oil. "
        "They talked about old times and the weather. In the evening everybody went home."
    )
    shown = shown_by(text, ["150 g of clay, 90 g of sand and 20 ml of oil."], 0.45, "span")
    assert "For the base: 150 g of clay" in shown
    labelled = f"For the base: 150 g of clay, 90 g of sand and 20 ml of oil.\n\n{text[35:]}"
    assert "For the base: 150 g" in shown_by(labelled, ["150 g of clay, 90 g of sand and 20 ml of oil."], 0.3)


def test_a_list_that_goes_on_says_so():
    items = "\n".join(f"{n}. Turn wheel {n} by hand" for n in range(2, 7))
    first = "1. Open the main valve slowly, because the pipe must fill before the pressure in the tank rises too far."
    text = f"## Steps\n\n{first}\n{items}\n\nAfterwards people went home and talked about the weather of the past week."
    shown = shown_by(text, [first], 0.45)
    assert first in shown
    assert "Turn wheel 3" in shown or re.search(r"\[… 5 lines, L4-L8: list\]", shown)


@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        ("Liability ends at 250,000 crowns a year.", "This limit does not apply to intent."),
        ("Die Haftung endet bei 250.000 Kronen im Jahr.", "Das gilt nicht bei Vorsatz."),
        ("责任以每年二十五万为限。", "该限额不适用于故意行为。"),
    ],
)
def test_a_rule_and_its_exception_come_together(rule, bound):
    talk = "People spoke about the weather and the harbour for a long while that day. "
    text = f"{talk}{rule} {bound} {talk * 3}"
    assert bound in shown_by(text, [rule], 0.3)
    assert rule in shown_by(text, [bound], 0.3)


def test_a_denial_brings_what_it_points_back_to():
    talk = "People spoke about the weather and the harbour for a long while that day. "
    asked, ruled = (
        "Marlowe asked whether the shed counts as a hall.",
        "The chair ruled that it does not, for now.",
    )
    assert asked in shown_by(f"{talk}{asked} {ruled} {talk * 3}", [ruled], 0.3)


def test_a_name_after_a_number_is_no_date():
    from tokenjuice_ml.saliency.protect import atoms

    text = "The plan asks for 6. Novak said so on 3 Nov. 2024 and on 4 November."
    assert [text[a:b] for a, b in atoms(text)] == ["3 Nov. 2024", "4 November"]
