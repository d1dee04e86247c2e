"""The Ray engine gives the same answers, on a local cluster with two workers."""

from __future__ import annotations

import pytest

pytest.importorskip("bpe_openai", reason="needs bpe-openai: pip install 'tokenjuice-ml[eval]'")
pytest.importorskip("ray", reason="needs ray: pip install 'tokenjuice-ml[ray]'")

import ray

from eval import ray_engine
from eval.baselines import BASELINES
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
