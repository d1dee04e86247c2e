"""The estimate against exact counts, kind by kind, and its promise to add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml import tokens

pytest.importorskip("tiktoken", reason="needs tiktoken: pip install 'tokenjuice-ml[tokens]'")

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures" / "rules"
SKIPPED = 200  # shorter texts say nothing about a rate
PER_CORPUS = 30


def read(paths) -> list[str]:
    texts = [path.read_text("utf-8", "replace")[:40_000] for path in sorted(paths)]
    return [text for text in texts if len(text) > SKIPPED][:PER_CORPUS]


def lines(path: str, group: str, *languages: str) -> list[str]:
    rows = [json.loads(row) for row in (ROOT / path).read_text("utf-8").splitlines()]
    return [row["text"] for row in rows if row[group] in languages]


def prose(*languages: str) -> list[str]:
    """Own prose, and own sentences one a line, in these languages."""
    own = lines("eval/data/prose.jsonl", "group", *languages)
    return [*own, "\n".join(lines("tests/saliency/negations.jsonl", "lang", *languages))]


ENGLISH = (
    "runbook",
    "meeting minutes",
    "support",
    "changelog",
    "policy",
    "talk transcript",
    "security advisory",
)


CORPORA = {
    "builds": lambda: read((FIXTURES / "build").rglob("*.in")),
    "tests": lambda: read((FIXTURES / "tests").rglob("*.in")),
    "installs": lambda: read((FIXTURES / "install").rglob("*.in")),
    "lint": lambda: read((FIXTURES / "lint").rglob("*.in")),
    "containers": lambda: read((FIXTURES / "devops").rglob("*.in")),
    "git": lambda: read((FIXTURES / "git").rglob("*.in")),
    "services": lambda: read((FIXTURES / "service").rglob("*.in")),
    "databases": lambda: read((FIXTURES / "database").rglob("*.in")),
    "listings": lambda: read((FIXTURES / "filesystem").rglob("*.in")),
    "Python": lambda: read((ROOT / "tokenjuice_ml").glob("*.py")),
    "JSON": lambda: read([*ROOT.glob("docs/*.json"), *ROOT.glob("tokenjuice_ml/*.json"), *ROOT.glob("tokenjuice_ml/_demo/*.json"), *ROOT.glob("rules/git/*.json")]),
    "HTML": lambda: read((ROOT / "tokenjuice_ml" / "_demo").glob("*.html")),
    "diff": lambda: read((ROOT / "tokenjuice_ml" / "_demo").glob("*.diff")),
    "Markdown": lambda: read([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "rules" / "README.md"]),
    "English": lambda: prose(*ENGLISH, "en"),
    "German": lambda: prose("de"),
    "French": lambda: prose("fr"),
    "Spanish": lambda: prose("es"),
    "Russian": lambda: prose("ru"),
    "Korean": lambda: prose("ko"),
    "Chinese and Japanese": lambda: prose("zh-tw", "ja", "zh"),
}  # fmt: skip


def ratio(texts: list[str]) -> float:
    return sum(map(tokens.estimate, texts)) / sum(tokens.exact(text) or 0 for text in texts)


@pytest.mark.parametrize("name", CORPORA)
def test_each_kind_is_within_ten_percent(name):
    texts = CORPORA[name]()
    assert texts
    assert ratio(texts) == pytest.approx(1, abs=0.10)


def test_all_together_are_within_five_percent():
    assert ratio([text for make in CORPORA.values() for text in make()]) == pytest.approx(1, abs=0.05)


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=80), min_size=1
    )
)
def test_it_adds_up_line_by_line(lines):
    assert tokens.weigh("\n".join(lines)) == pytest.approx(sum(map(tokens.weigh, lines)), abs=1e-6)


@given(st.text(max_size=300))
def test_it_is_never_negative_and_one_at_least(text):
    assert tokens.estimate(text) >= (1 if text else 0)


def test_exact_counts_take_anything():
    assert tokens.exact("a <|endoftext|> \ud800") is not None
    assert tokens.exact("x" * 200_000) is not None
    assert tokens.count("hello world") == (2, True)


@pytest.mark.parametrize(
    "unit",
    ['word "and, 12 A', "é word\tB ", "abc\nde fg", "x" * 70_000 + "\n", "0123456789", '{"k":1.5,"Key":[]}'],
)
def test_a_long_text_weighs_what_its_pieces_do(unit, monkeypatch):
    text = unit * (400_000 // len(unit))
    in_pieces = tokens.weigh(text)
    monkeypatch.setattr(
        tokens, "_weigh_pairs", lambda classes: sum(w * classes.count(p) for p, w in tokens._PAIR_WEIGHTS)
    )
    monkeypatch.setattr(tokens, "_BLOCK", len(text))
    assert in_pieces == pytest.approx(tokens.weigh(text), rel=1e-9)
