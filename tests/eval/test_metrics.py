"""Planted bugs: a system that does the wrong thing is caught by the figure that should catch it."""

from __future__ import annotations

import pytest

pytest.importorskip("bpe_openai", reason="needs bpe-openai: pip install 'tokenjuice-ml[eval]'")

from eval import baselines, metrics
from eval.check import compare
from eval.datasets import Case, Question, load
from eval.run import run
from eval.summary import area, at_kept, points
from eval.systems import System
from eval.text import aligned, words

TEXT = (
    "The limit must not be raised above 600 connections.\n"
    "Set --max-conn 540 in /etc/orders/db.conf and restart orders_db.\n"
    "Version 2.4.1 does not read the old file.\n"
) * 6
CASE = Case(
    "one",
    TEXT,
    hints={"kind": "plain_text"},
    must=("540", "/etc/orders/db.conf"),
    questions=(Question("How many?", "600 connections", ("must not",)),),
)


def drop_not(case: Case, ratio: float) -> str:
    return case.text.replace(" not", "")


def fuse(case: Case, ratio: float) -> str:
    return case.text.replace("\n", " ")


def cheat(case: Case, ratio: float) -> str:
    return case.text


def ignore_ratio(case: Case, ratio: float) -> str:
    return case.text[: int(len(case.text) * 0.9)]


def split(case: Case, ratio: float) -> str:
    return case.text.replace("2.4.1", "2.4").replace("orders_db", "orders_")


def invent(case: Case, ratio: float) -> str:
    return case.text + "Please note the above.\n"


def planted(tmp_path, function, ratios=(0.5, 0.3)):
    result = run("planted", [CASE], [System(function.__name__, function)], ratios, tmp_path)
    return points(result)


def test_dropped_negations_are_caught(tmp_path):
    found = planted(tmp_path, drop_not)[0]
    assert found["gates"]["inverted"] >= 6
    assert found["negations"][0] == 0
    assert found["attributable"][0] == 0
    assert found["survive"][0] == 1


def test_fused_lines_are_caught(tmp_path):
    assert planted(tmp_path, fuse)[0]["gates"]["fused"] > 0


def test_returning_the_input_is_a_refusal_that_saves_nothing(tmp_path):
    found = planted(tmp_path, cheat)
    assert all(point["refused"] == 1 and point["kept"] == 1 for point in found)
    assert at_kept(found, "must", 0.5) is None
    assert area(found, "must") == pytest.approx(0.5)


def test_ignoring_the_ratio_is_seen_in_the_kept_share(tmp_path):
    found = planted(tmp_path, ignore_ratio)
    assert all(point["kept"] > point["ratio"] + 0.3 for point in found)


def test_split_atoms_are_caught(tmp_path):
    assert planted(tmp_path, split)[0]["gates"]["split"] >= 6


def test_invented_words_are_caught(tmp_path):
    assert planted(tmp_path, invent)[0]["gates"]["invented"] == 4


def test_an_honest_system_passes_all_gates(tmp_path):
    def first_lines(case: Case, ratio: float) -> str:
        lines = case.text.split("\n")
        return "\n".join(lines[: int(len(lines) * ratio)])

    found = planted(tmp_path, first_lines)[0]
    assert found["gates"] == {"inverted": 0, "split": 0, "fused": 0, "invented": 0}


def test_a_failing_system_stops_no_other(tmp_path, capsys):
    def broken(case: Case, ratio: float) -> str:
        raise RuntimeError("no such luck")

    result = run("x", [CASE], [System("broken", broken), System("cheat", cheat)], (0.5,), tmp_path)
    assert result["failures"] == {"broken": "RuntimeError: no such luck"}
    assert {row["system"] for row in result["rows"]} == {"cheat"}


def test_a_run_goes_on_where_it_stopped(tmp_path):
    calls = []

    def counted(case: Case, ratio: float) -> str:
        calls.append(case.id)
        return case.text

    run("x", [CASE], [System("counted", counted)], (0.5,), tmp_path)
    before = len(calls)
    with open(tmp_path / "answers.jsonl", "a", encoding="utf-8") as file:
        file.write('{"half a li')
    result = run("x", [CASE], [System("counted", counted)], (0.5,), tmp_path)
    assert len(calls) == before
    assert len(result["rows"]) == 1


@pytest.mark.parametrize("name", sorted(baselines.BASELINES))
def test_baselines_keep_order_and_about_the_ratio(name, tmp_path):
    found = points(run("x", [CASE], [System(name, baselines.BASELINES[name])], (0.5,), tmp_path))[0]
    assert found["gates"]["fused"] == 0
    assert found["gates"]["invented"] == 0
    if name != "identity":
        assert found["kept"] <= 0.62


def test_alignment_finds_a_longest_common_subsequence():
    source = words("a b c a b d a")
    assert sum(aligned(source, words("b a d a"))) == 4
    assert aligned(source, []) == [False] * 7


def test_interval_holds_the_mean():
    mean, low, high = metrics.interval([0.0, 1.0] * 50)
    assert low < mean == 0.5 < high


def test_the_gate_names_what_got_worse():
    stored = {
        "figures": {
            "a@0.5": {"kept": 0.5, "must": 1.0, "gates": {"inverted": 0}},
            "b@0": {"kept": 0.1, "gates": {}},
        }
    }
    fresh = {"figures": {"a@0.5": {"kept": 0.6, "must": 0.9, "gates": {"inverted": 2}}}}
    assert compare(stored, stored) == []
    assert len(compare(stored, fresh)) == 4


def test_the_own_set_is_there_and_small():
    cases = load("own")
    assert len(cases) >= 20
    assert sum(len(case.text) for case in cases) < 8_000_000


def test_the_same_words_elsewhere_without_the_negation_are_no_inversion() -> None:
    from eval.metrics import inverted_negations

    source = "I've never seen one before. I've seen one with a dial.".split()
    # An alignment may take the kept words for those of either sentence.
    assert inverted_negations(source, [True, False, True, True, True, *[False] * 6]) == 0
    plain = "I've never seen one before. The other has a dial.".split()
    assert inverted_negations(plain, [True, False, True, True, True, *[False] * 5]) == 1
