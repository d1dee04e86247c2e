"""Promises of the selection: verbatim, in order, lines apart, atoms whole, ratio met, same every time."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.saliency.checks import GRANULARITIES, check_promises, selections
from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.graphemes import extends
from tokenjuice_ml.saliency.native import shorten
from tokenjuice_ml.saliency.select import select
from tokenjuice_ml.saliency.units import outline, word_spans
from tokenjuice_ml.tokens import estimate

SCRIPTS = {
    "latin": "the pump valve crew report night shift seal repair did not was Berlin Ana 12 4.5 ms v2.1 /etc/x",
    "accents": "café señal größer Übung naïve été não coração kahvaltı žluť e\u0301tude",
    "cyrillic": "насос клапан смена отчёт не был закрыт Москва 12 если только",
    "han": "系统 服务器 没有 重启 银行 接受 付款 12 版本 东京",
    "kana": "サーバー 再起動 しない で ください テスト 12 版",
    "hangul": "서버 재시작 하지 마십시오 은행 12 승인 않았다",
    "rtl": "שלום עולם משפט קצר مرحبا بالعالم لا 12",
    "emoji": "👩‍👩‍👧 ok 🇩🇪 ❤️ fine 👍🏽 done",
    "code": "x=1; foo(bar) {a:b} --flag=3 -v http://a.b/c?d=e `code` a@b.c",
}
ENDS = [
    ". ",
    "? ",
    "! ",
    "。",
    ", ",
    "; ",
    "\n",
    "\n\n",
    "\n- ",
    "\n# ",
    ": ",
    " ",
    "\r\n",
    "…",
    "\n```\nx = 1\n```\n",
    "\t",
]


@st.composite
def texts(draw) -> str:
    words = draw(st.sampled_from(sorted(SCRIPTS.values()))).split()
    more = draw(st.sampled_from(sorted(SCRIPTS.values()))).split()
    parts = []
    for _ in range(draw(st.integers(1, 60))):
        pool = words if draw(st.integers(0, 3)) else more
        parts.append(draw(st.sampled_from(pool)))
        parts.append(draw(st.sampled_from(ENDS)) if not draw(st.integers(0, 4)) else " ")
    return "".join(parts)


def scores_for(text: str, seed: int) -> list[float]:
    source = random.Random(seed)
    return [source.random() for _ in word_spans(text)]


def check(text: str, seed: int) -> None:
    scores = scores_for(text, seed)
    for chosen in selections(text, scores):
        check_promises(text, chosen.text)
        check_gaps(text, chosen.omissions)
    for ratio in (0.3, 0.5, 0.8):
        shown = shorten(text, ratio)
        check_promises(text, shown.text)
        check_gaps(text, shown.omissions)


def check_gaps(text: str, omissions) -> None:
    lines = text.count("\n") + 1
    last = 0
    for gap in omissions:
        assert last <= gap.first_line <= gap.last_line <= lines
        assert 0 <= gap.lines <= gap.last_line - gap.first_line + 1
        assert gap.bytes > 0
        last = gap.first_line


@given(texts(), st.integers(0, 9))
@example("Do it.\nNo.\n", 1)
@example("\ufeffa\u0301 b\u200dc", 2)
def test_promises_on_made_texts(text, seed):
    check(text, seed)


@given(st.text(max_size=300), st.integers(0, 9))
def test_promises_on_any_text(text, seed):
    check(text, seed)


ODD = {
    "empty": "",
    "spaces": " \n\t " * 50,
    "one word": "a" * 3000,
    "dots": "." * 2000,
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=" * 60,
    "listing": "\n".join(f"-rw-r--r-- 1 root root {i * 37} Jan {i % 28 + 1} file{i}.txt" for i in range(60)),
    "table": "Name   Age   City\n" * 3 + "\n".join(f"n{i}   {i}   c{i}" for i in range(40)),
    "pipes": "Text before it.\n\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 30 + "\nText after it.",
    "fence": "Intro text here.\n\n```python\n" + "x = 1\n" * 40 + "```\n\nOutro text follows. It is short.",
    "open fence": "Intro.\n```\n" + "x = 1\n" * 40,
    "rtl": "זה משפט ראשון. זה משפט שני, ארוך יותר. " * 20,
    "emoji": "Fine 👩‍👩‍👧 today. Ok 🇩🇪 then 👍🏽. " * 20,
    "surrogate": "A lone \udc80 one. Another sentence stands here. " * 20,
    "controls": "a\x00b\x1b[31m red\x1b[0m. Next\x0b one\x0c here.\u2028 More\x85 text. " * 10,
    "log": "\n".join(f"2024-01-02 03:04:{i:02d} INFO job {i} done in {i * 3} ms" for i in range(60)),
    "crlf": "Line one is here.\r\nLine two is there.\r\n\r\n" * 20,
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_promises_on_odd_texts(name):
    check(ODD[name], 3)


def sentence(source: random.Random) -> str:
    words = [
        "".join(source.choices(string.ascii_lowercase, k=source.randint(2, 9)))
        for _ in range(source.randint(5, 25))
    ]
    return " ".join(words).capitalize() + ". "


def prose(tokens: int, seed: int, per_paragraph: int = 5) -> str:
    source = random.Random(seed)
    out = ""
    while estimate(out) < tokens:
        out += "".join(sentence(source) for _ in range(per_paragraph)).strip() + "\n\n"
    return out


CHINESE = "".join(f"第{i}号水泵在第{i % 9}天由夜班修好，阀门{i * 3}更换了密封圈。" for i in range(60))
SAMPLES = {
    "paragraphs": prose(1500, 1),
    "one paragraph": prose(1500, 2, per_paragraph=500),
    "wrapped": "\n".join(prose(1500, 3)[i : i + 79].strip() for i in range(0, 6000, 79)),
    "no punctuation": prose(1500, 4).replace(".", ""),
    "chinese": CHINESE,
    "items": "\n".join(f"- {line}" for line in prose(1500, 5).split(". ")),
}


@pytest.mark.parametrize("ratio", [0.2, 0.35, 0.5, 0.65, 0.8])
@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_the_ratio_is_met(name, granularity, ratio):
    text = SAMPLES[name]
    chosen = select(text, scores_for(text, 5), ratio, granularity)
    assert chosen.before == estimate(text)
    assert abs(estimate(chosen.text) / estimate(text) - ratio) <= 0.03, chosen.detail
    assert not chosen.detail


@pytest.mark.parametrize("ratio", [0.2, 0.35, 0.5, 0.65, 0.8])
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_native_ratio_is_met(name, ratio):
    text = SAMPLES[name]
    room = 0.06 if name == "no punctuation" else 0.04  # pieces of seven hundred chars
    assert abs(estimate(shorten(text, ratio).text) / estimate(text) - ratio) <= room


def test_what_may_not_be_divided_is_said():
    text = "it may not be that nobody never saw nothing " * 150
    chosen = select(text, scores_for(text, 1), 0.5)
    assert chosen.detail == "" or "cannot be divided" in chosen.detail


@pytest.mark.parametrize(
    "text",
    [
        '鹿的蹄是张开的，方便行走，头颅骨也很大。"R. d. duvauceli"分布在北方邦的沼泽。雄鹿肩高132厘米。"R. x."很小。'
        * 3,
        "學習內容A-I-4像學習表現的呈現A-I-5「獲得學習的成就」建議修改方向如下NBA總排名第13。" * 3,
        "Er sagte (leise). «Nein.» Dann ging er.Noch etwas. e.g. this one. Ms. Hale, Dr. Wu and J. R. Oak came. "
        * 3,
    ],
)
def test_no_word_is_cut_or_made(text):
    for seed in range(8):
        check(text, seed)


ATOMS = [
    "12 ms", "4.5 GB", "3 March 2024", "March 3, 2024", "--depth 3", "version 2.1", "New York City", "`git push`",
    '"all or none"', "«tout ou rien»", "25 Prozent", "$ 40", "RFC 9110", "15 Jahre", "10 000 km", "Anna Maria Berg",
    "5 человек", "--out=a/b.txt", "„ganz oder gar“", "https://example.org/a?b=c", "7 June 1912", "Section 4.2",
]  # fmt: skip
ATOMS_CJK = ["「全部か無か」", "『夜』", "《风暴》", "15万", "300名", "カタカナ"]


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("atom", [*ATOMS, *ATOMS_CJK])
def test_atoms_are_whole_or_gone(atom, granularity):
    wide = atom in ATOMS_CJK
    pad = "水泵修好了阀门换了新的密封圈" if wide else " the pump and seal went to the crew "
    parts = atom.split(" ") if " " in atom else list(atom)
    for seed in range(12):
        text = (pad * 2 + atom + pad * 2 + ("。" if wide else ". ")) * 2
        source = random.Random(seed)
        scores = [source.choice((0.05, 0.95)) for _ in word_spans(text)]
        for ratio in (0.2, 0.4, 0.6, 0.8):
            shown = select(text, scores, ratio, granularity).text
            bare = shown.replace(atom, "")
            torn = [part for part in parts if len(part) > 1 and f" {part} " in f" {bare} "]
            assert not torn or (not wide and all(part in pad for part in torn)), shown
            if wide and len(atom) < 5:
                assert atom[0] not in bare, shown


def test_no_cut_inside_a_grapheme():
    text = "".join(f"文{mark}字か\u3099き\u309aく葛\U000e0100城" for mark in ("\u0301", "", "\ufe0f")) * 40
    for seed in range(6):
        for chosen in selections(text, scores_for(text, seed)):
            at = 0
            for line in chosen.text.split("…"):
                part = line.strip()
                if part:
                    assert not extends("x" + part, 1)
                    at += len(part)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_the_same_every_time(granularity):
    text = SAMPLES["paragraphs"]
    scores = scores_for(text, 7)
    assert len({select(text, scores, 0.5, granularity).text for _ in range(3)}) == 1
    assert shorten(text, 0.5) == shorten(text, 0.5)


def test_wrong_number_of_scores_is_refused():
    for granularity in GRANULARITIES:
        with pytest.raises(ValueError, match="2 scores for 3 words"):
            select("a b c", [0.1, 0.2], 0.5, granularity)


def test_a_question_raises_its_sentences():
    text = SAMPLES["paragraphs"] + "The harbour crane was painted green by the apprentice. " + prose(800, 9)
    scores = [0.3] * len(word_spans(text))
    for granularity in GRANULARITIES:
        shown = select(text, scores, 0.2, granularity, query="Who painted the harbour crane?").text
        assert "crane" in shown


def test_a_dropped_block_leaves_a_note():
    text = ODD["fence"] + "\n" + SAMPLES["paragraphs"]
    for granularity in GRANULARITIES:
        scores = [0.01 if "x" in text[a:b] or "=" in text[a:b] else 0.7 for a, b in word_spans(text)]
        chosen = select(text, scores, 0.5, granularity)
        assert "x = 1" in chosen.text or "lines, L3-L44: code]" in chosen.text
        assert any(gap.what == "code" for gap in chosen.omissions) or "x = 1" in chosen.text


def test_atoms_are_found_fast_and_never_run_away():
    for text in (
        "1," * 50000,
        "a@" * 50000,
        "-a" * 50000,
        '"' * 50000,
        "A b " * 30000,
        "1.1" * 40000,
        "가" * 90000,
    ):
        protect.atoms(text)
        for segment in outline(text):
            protect.governed(text, segment.start, segment.end)
