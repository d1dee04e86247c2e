"""The check with a language model, on a stub that likes answers which stand in its context."""

from __future__ import annotations

import pytest

pytest.importorskip("bpe_openai", reason="needs bpe-openai: pip install 'tokenjuice-ml[eval]'")

from eval import downstream
from eval.datasets import Case, Question
from eval.systems import System

TEXT = "The pump is blue.\n" * 20 + "The limit is 540 litres.\n" + "The tank is old.\n" * 20
CASE = Case("a", TEXT, questions=(Question("What is the limit?", "540 litres"), Question("Who?", "nobody")))


def stub(before: str, answer: str) -> float:
    return -1.0 if answer.strip() in before else -5.0


def keeps(case: Case, ratio: float) -> str:
    return "The limit is 540 litres.\n"


def loses(case: Case, ratio: float) -> str:
    return case.text.replace("540 litres", "")


def test_information_that_is_kept_counts_and_what_is_lost_does_not():
    systems = [System("keeps", keeps), System("loses", loses)]
    rows = list(downstream.measure(downstream.questions([CASE], 0), systems, (0.5,), stub))
    told = {(row["system"], row["id"]): row["information"] for row in rows}
    assert told == {
        ("keeps", "a#0"): 1.0,
        ("loses", "a#0"): 0.0,
        ("keeps", "a#1"): None,
        ("loses", "a#1"): None,
    }
    table = downstream.table(rows)
    assert "100.0±0.0 %" in table
    assert "0.0±0.0 %" in table


def test_the_window_holds_the_answer():
    long = Case("long", "filler line\n" * 5000 + "the key is 8812\n" + "filler line\n" * 5000)
    cut = downstream.window(long, "8812", 3)
    assert "8812" in cut.text
    assert len(cut.text) <= downstream.CONTEXT_CHARS
    assert cut.id == "long#3"


def test_likelihoods_are_cached_across_runs(tmp_path):
    calls = []

    def model():
        def likelihood(before: str, answer: str) -> float:
            calls.append(before)
            return -0.25

        return likelihood

    path = tmp_path / "seen.txt"
    assert downstream.Cached(path, model)("a", "b") == -0.25
    assert downstream.Cached(path, model)("a", "b") == -0.25
    assert calls == ["a"]


def test_a_missing_model_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr(downstream, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="downstream"):
        downstream.smollm()
