"""A statement must never come out as its opposite, however the model scores its words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.saliency.checks import GRANULARITIES
from tokenjuice_ml.saliency.native import shorten
from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.units import word_spans

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "negations.jsonl").read_text("utf-8").splitlines()
]
BEFORE = "Zqa wqe zrt 17 bnm. Plk wqi zxu 23 vbo kjz. "
AFTER = " Gfq hjw zke lmr 31. Wxq zyt pqo bvk 42 zzu."
IN_PROSE = {True: ("", ""), False: (BEFORE, AFTER)}


def languages() -> list[str]:
    return sorted({case["lang"] for case in CASES})


def test_there_are_enough():
    assert len(CASES) >= 200
    assert len(languages()) == 9


def lurid(text: str, case: dict) -> list[float]:
    """Scores as bad as can be: what is negated is worth all, the negation nothing."""
    kept = [pair["keep"].lower() for pair in case["never_without"]]
    wanted = " ".join(kept)
    return [
        0.99
        if text[a:b].lower().strip(".,。") in wanted or any(k in text[a:b].lower() for k in kept)
        else 0.01
        for a, b in word_spans(text)
    ]


def backwards(text: str, case: dict) -> list[float]:
    """All but the negation is worth keeping."""
    needed = " ".join(pair["needs"].lower() for pair in case["never_without"])
    return [0.02 if text[a:b].lower().strip(".,。") in needed else 0.9 for a, b in word_spans(text)]


def assert_not_inverted(case: dict, shown: str) -> None:
    low = " ".join(shown.lower().split())
    for pair in case["never_without"]:
        if pair["keep"].lower() in low:
            assert pair["needs"].lower() in low, f"{case['text']!r} came out as {shown!r}"


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("scored", [lurid, backwards])
@pytest.mark.parametrize("alone", [True, False])
def test_never_inverted(lang, granularity, scored, alone):
    before, behind = IN_PROSE[alone]
    for case in CASES:
        if case["lang"] != lang:
            continue
        text = before + case["text"] + behind
        scores = scored(text, case)
        for ratio in (0.2, 0.35, 0.5, 0.65, 0.8):
            assert_not_inverted(case, select(text, scores, ratio, granularity).text)


@pytest.mark.parametrize("lang", languages())
def test_never_inverted_without_a_model(lang):
    for case in CASES:
        if case["lang"] == lang:
            for ratio in (0.2, 0.5, 0.8):
                assert_not_inverted(case, shorten(BEFORE + case["text"] + AFTER, ratio).text)


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_never_inverted_in_one_long_sentence(lang, granularity):
    """Clauses of a very long sentence are divided, but not between a negation and its verb."""
    for case in CASES:
        if case["lang"] != lang:
            continue
        inner = case["text"].rstrip(".。")
        wide = lang in ("zh", "zh-tw", "ja")
        lead = "甲乙丙丁戊己庚辛，" * 12 if wide else "zqa wqe zrt bnm plk wqi, " * 12
        text = f"{lead}{inner}{'；' if wide else '; '}{lead}"
        scores = lurid(text, case)
        for ratio in (0.2, 0.5, 0.8):
            assert_not_inverted(case, select(text, scores, ratio, granularity).text)


QUESTION = "Is the backup safe to delete? No. The crew said so on day 4."
LIST = "Never do any of these on the live system:\n- drop the orders table\n- restart the gateway\n"


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_an_answer_stays_with_its_question_and_a_list_with_its_lead(granularity):
    for text, kept, needed in ((QUESTION, "safe to delete", "No."), (LIST, "drop the orders", "Never")):
        text = BEFORE + "\n\n" + text + "\n" + AFTER
        scores = [0.02 if text[a:b] in ("No.", "Never") else 0.9 for a, b in word_spans(text)]
        for ratio in (0.2, 0.4, 0.5, 0.6, 0.8):
            shown = select(text, scores, ratio, granularity).text
            assert kept not in shown or needed in shown, shown
