"""AUC, curves, groups, tables and the page."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("bpe_openai", reason="needs bpe-openai: pip install 'tokenjuice-ml[eval]'")

from eval import metrics, report, summary, tables
from eval.__main__ import main
from eval.datasets import Case, spread
from eval.run import run
from eval.systems import System


def point(system: str, kept: float, value: float, ratio: float = 0.5) -> dict:
    return {"system": system, "ratio": ratio, "kept": kept, "must": (value, value, value)}


def graded(grades, scores) -> dict:
    return metrics.graded_auc(Case("x", "", grades=tuple(grades)), scores)


def test_auc_of_graded_words_counts_pairs_and_ties():
    assert graded([0, 1, 2], [[0.1, 0.5, 0.9]]) == {"auc_keep": 1.0, "auc_core": 1.0}
    assert graded([0, 2, 0, 2], [[0.5, 0.5, 0.5, 0.5]]) == {"auc_keep": 0.5, "auc_core": 0.5}
    assert graded([2, 0], [[0.1, 0.9]]) == {"auc_keep": 0.0, "auc_core": 0.0}


def test_auc_takes_the_second_column_for_core():
    assert graded([0, 1, 2], [[0.1, 0.9, 0.8], [0.1, 0.2, 0.9]])["auc_core"] == 1.0
    told = [[0.1, 0.9, 0.8], [0.1, 0.2, 0.9], [9.0, 0.0, -9.0]]
    assert graded([0, 1, 2], told)["auc_core"] == 1.0, "what is asked for is another question"


@pytest.mark.parametrize(
    ("grades", "scores"), [((1, 1), [[0.1, 0.2]]), ((), [[0.1]]), ((0, 2), [[0.1]]), ((0, 2), None)]
)
def test_no_auc_where_there_are_no_pairs_or_no_scores(grades, scores):
    assert "auc_keep" not in graded(grades, scores)


def test_systems_are_compared_at_equal_kept_tokens():
    found = [point("a", 0.6, 0.9), point("a", 0.2, 0.5), point("one", 0.4004, 0.8, 0.0)]
    compared = summary.equal_kept(found, "must")
    assert compared["a"]["0.40"] == pytest.approx(0.7)
    assert compared["one"]["0.40"] == 0.8
    assert compared["a"]["0.70"] is None


def test_a_dominating_curve_has_the_larger_area():
    good, bad = [point("g", 0.3, 0.9)], [point("b", 0.3, 0.4)]
    assert summary.area(good, "must") > summary.area(bad, "must")


def test_limits_take_cases_from_the_whole_set():
    cases = [Case(str(number), "") for number in range(100)]
    assert [case.id for case in spread(cases, 4)] == ["0", "25", "50", "75"]


@pytest.fixture
def result(tmp_path):
    cases = [
        Case(
            f"{group}{number}",
            f"line {number} has no value\nand <b> more {group}\n" * 9,
            group,
            must=("value",),
        )
        for group in ("first", "second")
        for number in range(3)
    ]
    half = System("half", lambda case, ratio: case.text[: int(len(case.text) * ratio)])
    return run("x", cases, [half], (0.5, 0.2), tmp_path), {case.id: case.text for case in cases}


def test_groups_have_points_of_their_own(result):
    assert list(summary.groups(result[0])) == ["first", "second"]
    assert all(point["cases"] == 3 for point in summary.groups(result[0])["first"])


def test_the_table_shows_promises_and_equal_tokens(result):
    shown = tables.table(result[0], summary.points(result[0]))
    assert "must at equal kept tokens" in shown
    assert "deterministic" in shown
    assert "missed by" in shown


def test_the_page_is_whole_and_escaped(result, tmp_path):
    path = tmp_path / "page.html"
    report.write(result[0], summary.points(result[0]), result[1], path)
    page = path.read_text("utf-8")
    assert "<!--" not in page
    assert page.count('class="view"') == 3
    assert "http://" not in page
    assert "https://" not in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert {case["id"].split(" · ")[0] for case in json.loads(data)} == {"first", "second"}


def test_answers_of_another_version_are_not_used_again(tmp_path):
    case, seen = Case("a", "text to cut\n" * 9), []

    def cut(case: Case, ratio: float) -> str:
        seen.append(ratio)
        return case.text[:20]

    run("x", [case], [System("s", cut, version="1")], (0.5,), tmp_path)
    before = len(seen)
    result = run("x", [case], [System("s", cut, version="2")], (0.5,), tmp_path)
    assert len(seen) == 2 * before
    assert [row["version"] for row in result["rows"]] == ["2"]


def test_ctrl_c_leaves_what_was_answered(tmp_path, capsys):
    def stops(case: Case, ratio: float) -> str:
        if case.id == "b":
            raise KeyboardInterrupt
        return case.text[:20]

    cases = [Case("a", "text to cut\n" * 9), Case("b", "other\n" * 9)]
    with pytest.raises(KeyboardInterrupt):
        run("x", cases, [System("s", stops)], (0.5,), tmp_path)
    assert "goes on from here" in capsys.readouterr().err
    assert len((tmp_path / "answers.jsonl").read_text("utf-8").strip().split("\n")) == 1


def test_unknown_systems_and_missing_data_are_told_in_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("TOKENJUICE_DATA", raising=False)
    assert main(["run", "--data", "own", "--systems", "nobody", "--out", str(tmp_path)]) == 2
    assert "not here: nobody" in capsys.readouterr().err
    assert main(["run", "--data", "prose", "--systems", "head", "--out", str(tmp_path)]) == 2
    assert "TOKENJUICE_DATA" in capsys.readouterr().err
