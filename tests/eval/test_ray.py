"""The Ray engine gives the same answers, on a local cluster with two workers."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("bpe_openai", reason="needs bpe-openai: pip install 'tokenjuice-ml[eval]'")
pytest.importorskip("ray", reason="needs ray: pip install 'tokenjuice-ml[ray]'")

import ray

from eval import ray_engine
from eval.baselines import BASELINES
from eval.corpus import run_corpus
from eval.datasets import Case
from eval.run import run
from eval.systems import System

CASES = [
    Case(
        f"c{number}",
        f"Line {number} says that the limit is {number} units.\n" * 12,
        must=(f"{number} units",),
    )
    for number in range(40)
]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": str(ray_engine.ROOT)}},
    )
    yield
    ray.shutdown()


def without_time(result: dict) -> list[dict]:
    return [{key: value for key, value in row.items() if key != "ms"} for row in result["rows"]]


def test_both_engines_give_the_same_rows(tmp_path):
    systems = [System(name, BASELINES[name]) for name in ("head", "tfidf-sentences")]
    local = run("x", CASES, systems, (0.5, 0.3), tmp_path / "local")
    spread = run("x", CASES, systems, (0.5, 0.3), tmp_path / "ray", ray_engine.answers)
    assert len(local["rows"]) == 160
    assert without_time(local) == without_time(spread)


def test_a_failing_system_is_reported_and_the_rest_kept(tmp_path):
    def odd(case: Case, ratio: float) -> str:
        if case.id == "c7":
            raise ValueError("no such luck")
        return case.text[:50]

    result = run("x", CASES, [System("odd", odd)], (0.5,), tmp_path, ray_engine.answers)
    assert "no such luck" in result["failures"]["odd"]
    assert len(result["rows"]) == len(CASES) - 1


def test_a_corpus_of_files_gives_the_same_figures_without_its_texts(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, part in (("a", CASES[:15]), ("b", CASES[15:])):
        lines = [json.dumps({"id": case.id, "text": case.text, "must": case.must}) for case in part]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    system = System("head", BASELINES["head"])
    far = run_corpus(str(folder), [system], (0.5,), tmp_path / "far")
    near = run("x", CASES, [system], (0.5,), tmp_path / "near")
    skipped = ("ms", "text", "deterministic", "idempotent")

    def figures(rows: list[dict]) -> dict:
        return {
            row["id"]: {key: value for key, value in row.items() if key not in skipped} for row in rows
        }  # fmt: skip

    assert figures(far["rows"]) == figures(near["rows"])
    assert all("text" not in row for row in far["rows"])
    again = run_corpus(str(folder), [System("head", None)], (0.5,), tmp_path / "far")
    assert again["rows"] == far["rows"]
