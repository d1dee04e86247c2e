"""Prose inside other kinds: cut where the model is on and answers, verbatim, counted, recoverable."""

from __future__ import annotations

import json

import pytest

from tests.saliency.checks import is_subsequence
from tokenjuice_ml import TokenJuice
from tokenjuice_ml.saliency import client, inside
from tokenjuice_ml.saliency.units import WORD, word_spans
from tokenjuice_ml.types import Reason

SENTENCES = [
    f"Pump {i} was repaired by the crew of shift {i % 3}, who also changed the seal of valve {i * 7} and "
    f"wrote into the log that nobody had expected the leak on day {i}."
    for i in range(60)
]
PARAGRAPHS = [" ".join(SENTENCES[i : i + 4]) for i in range(0, 60, 4)]
ARTICLE = (
    "<html><head><title>Pumps</title><meta property='og:title' content='Pumps'></head><body><nav><a href='/'>Home</a>"
    "<a href='/b'>More</a></nav><article><h1>Pumps</h1>"
    + "".join(f"<p>{part}</p>" for part in PARAGRAPHS)
    + "</article><footer>Imprint</footer></body></html>"
)
MAIL = json.dumps(
    {"id": 7, "from": "ana@example.org", "subject": "Pumps", "body": "\n\n".join(PARAGRAPHS[:6])}, indent=1
)
ON = {"ml_compression_enabled": True, "ml_target_ratio": 0.4, "min_bytes_to_compress": 0, "ccr_min_tokens": 0}


@pytest.fixture
def asked(monkeypatch):
    """Scores by the number of the pump instead of a model's; returns the texts that were asked for."""
    texts: list[str] = []

    def scores(text, settings, query=None):
        texts.append(text)
        return client.Answer([(at * 37 % 101) / 101 for at, _ in enumerate(word_spans(text))], "fake model")

    monkeypatch.setattr(client, "scores", scores)
    return texts


def run(tmp_path, text: str, **options):
    settings = {"ccr_dir": str(tmp_path), "ccr_disk_enabled": True, "savings_enabled": False, **options}
    extension = "json" if text.startswith("{") else "html"
    return TokenJuice().compress(text, extension=extension, options=settings)


def test_an_article_is_cut_verbatim_and_says_so(tmp_path, asked):
    whole = run(tmp_path, ARTICLE)
    got = run(tmp_path, ARTICLE, **ON)
    assert len(asked) == 1
    assert got.reason is Reason.SALIENCY
    assert "fake model" in got.detail
    assert got.token
    assert got.tokens_after < 0.6 * whole.tokens_after
    assert "chars of this article, by the saliency model]" in got.text
    assert got.text.startswith('[… article "Pumps"')
    assert "[… left out: page around the article" in got.text
    assert any(gap.what == "text of the article" and gap.bytes > 0 for gap in got.omissions)
    shown = [line for line in got.text.split("\n") if line and not line.startswith(("[", "#"))]
    words = [word for word in WORD.findall(" ".join(shown)) if word != "…"]
    assert is_subsequence(words, WORD.findall(" ".join(PARAGRAPHS)))


def test_a_long_string_is_cut_where_it_stands(tmp_path, asked):
    got = run(tmp_path, MAIL, **ON)
    assert got.reason is Reason.SALIENCY
    assert got.lossy
    assert got.token
    assert asked == ["\n\n".join(PARAGRAPHS[:6])]
    assert "ana@example.org" in got.text
    assert " chars]" in got.text
    gap = next(gap for gap in got.omissions if gap.what == "prose in a string")
    assert gap.first_line == gap.last_line == 5
    assert gap.bytes > 0


@pytest.mark.parametrize("text", [ARTICLE, MAIL])
@pytest.mark.parametrize("options", [{}, {**ON, "profile": "light"}])
def test_off_by_default_and_never_where_nothing_may_be_lost(tmp_path, asked, text, options):
    got = run(tmp_path, text, **options)
    assert not asked
    assert got.reason is not Reason.SALIENCY


@pytest.mark.parametrize("text", [ARTICLE, MAIL])
def test_without_an_answer_the_kind_does_what_it_always_does(tmp_path, monkeypatch, text):
    monkeypatch.setattr(client, "scores", lambda *_: client.Answer(None, "sidecar starting"))
    plain = run(tmp_path, text)
    got = run(tmp_path, text, **ON)
    assert got.reason is not Reason.SALIENCY
    assert got.tokens_after == pytest.approx(plain.tokens_after, abs=60)
    assert "fake model" not in got.detail


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "' + "x" * 5000 + '"}',
        '{"a": "' + "\\" * 4999,
        '{"code": "' + "if (a[0] == b[1]) { c += d * 2; }\\n" * 60 + '"}',
        '"' * 20000,
    ],
)
def test_what_is_no_prose_is_left_alone(tmp_path, asked, text):
    run(tmp_path, text, **ON)
    assert not asked


@pytest.mark.parametrize("text", ['{"a": "' + '\\"' * 200_000, '"' * 400_000, '"\\' * 200_000])
def test_strings_are_found_in_one_pass(text):
    assert inside._long_strings(text) == []


def test_other_kinds_are_not_asked_for(tmp_path, asked):
    page = "<html><body><ul>" + "".join(f"<li><a href='/{i}'>Part {i}</a></li>" for i in range(300)) + "</ul>"
    run(tmp_path, page, **ON)
    assert not asked


def test_markdown_goes_the_way_of_prose(tmp_path, asked):
    text = "# Pumps\n\n" + "\n\n".join(f"## Part {i}\n\n{part}" for i, part in enumerate(PARAGRAPHS))
    got = TokenJuice().compress(
        text, extension="md", options={"ccr_dir": str(tmp_path), "ccr_disk_enabled": True, **ON}
    )
    assert len(asked) == 1
    assert got.reason is Reason.SALIENCY


def test_names_of_fields_are_no_prose(asked):
    name = "\n\n".join(PARAGRAPHS[:4])
    assert inside._long_strings(json.dumps({name: 1})) == []
    assert len(inside._long_strings(json.dumps({"a": name}))) == 1
