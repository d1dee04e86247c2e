"""The recipe's pure parts: words, alignment, windows, metrics."""

from __future__ import annotations

import itertools

import pytest

np = pytest.importorskip("numpy")
tokenizers = pytest.importorskip("tokenizers")
align = pytest.importorskip("models.train.align")
data = pytest.importorskip("models.train.data")
metrics = pytest.importorskip("models.train.metrics")


def toy_tokenizer() -> tokenizers.Tokenizer:
    """Two characters a token, so that words have several pieces and some pieces touch two words."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    built = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    built.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]{1,2}"), "isolated")
    return built


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  a\tbc\n", ["a", "bc"]),
        ("don't stop!", ["don't", "stop!"]),
        ("我爱API。", ["我", "爱", "API", "。"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("全角\u3000空白", ["全", "角", "空", "白"]),
    ],
)
def test_words_are_runs_or_single_cjk_characters(text: str, words: list[str]) -> None:
    assert [text[a:b] for a, b in data.word_spans(text)] == words


def test_every_word_weighs_one() -> None:
    text = "one three fifteen a b"
    encoded = align.encode(toy_tokenizer(), text, data.word_spans(text))
    _, weights = align.token_targets(encoded, np.ones((encoded.words, 3)))
    assert weights.sum() == pytest.approx(encoded.words)


def test_scores_come_back_to_their_words() -> None:
    text = "aa bbb cccc dd"
    spans = data.word_spans(text)
    encoded = align.encode(toy_tokenizer(), text, spans)
    values = np.arange(len(spans), dtype=float)[:, None]
    tokens, _ = align.token_targets(encoded, values)
    back = align.word_scores(encoded, tokens)
    assert np.abs(back - values).max() <= 0.5
    assert (np.diff(back[:, 0]) > 0).all()


@pytest.mark.parametrize("tokens", [0, 1, 99, 100, 101, 250, 1000])
def test_windows_cover_everything_and_overlap(tokens: int) -> None:
    cut = align.windows(tokens, 100, 20)
    assert cut[0][0] == 0
    assert cut[-1][1] == tokens
    assert all(b - a <= 100 for a, b in cut)
    assert all(end - begin >= 20 for (_, end), (begin, _) in itertools.pairwise(cut))


def test_auc_counts_pairs() -> None:
    rng = np.random.default_rng(0)
    positive, score = rng.random(60) < 0.4, rng.integers(0, 8, 60) / 8
    pairs = [(p > n) + (p == n) / 2 for p in score[positive] for n in score[~positive]]
    found = metrics.measure([metrics.Scored(2 * positive, score, "en", "x")])
    assert found["auc_keep"] == found["auc_core"] == pytest.approx(np.mean(pairs))


def test_weight_two_is_the_same_as_the_passage_twice() -> None:
    rng = np.random.default_rng(1)
    rows = [metrics.Scored(rng.integers(0, 3, 20), rng.integers(0, 9, 20) / 9, "en", "x") for _ in range(3)]
    weighted = metrics.Table(rows).measure(np.array([2, 1, 0]))
    assert weighted == pytest.approx(metrics.measure([rows[0], rows[0], rows[1]]))


def test_share_keeps_that_many_words() -> None:
    assert metrics.keep_share(np.array([0.1, 0.9, 0.5, 0.5]), 0.5).tolist() == [False, True, True, False]


def test_perfect_scores_measure_one() -> None:
    grade = np.array([0, 0, 1, 2])
    found = metrics.measure([metrics.Scored(grade, grade.astype(float), "en", "x")])
    assert found["auc_keep"] == found["auc_core"] == found["f1@0.5"] == found["core_recall@0.3"] == 1


def test_marked_passages_hold_places_and_grades_and_no_text() -> None:
    import json
    import lzma

    with lzma.open(data.MARKED, "rt", encoding="utf8") as stream:
        rows = [json.loads(line) for line in stream]
    assert len(rows) > 6_000
    assert len({row["row"] for row in rows}) == len(rows)
    for row in rows:
        assert row.keys() == {"row", "at", "chars", "grade"}
        assert set(row["grade"]) <= set("012")
        assert 0 < len(row["grade"]) <= row["chars"]


def test_marks_for_another_prose_are_refused() -> None:
    prose = [data.Prose("two words", "en", "", "")] * 60_000
    with pytest.raises(ValueError, match="grades for"):
        data.read_marked(prose)
