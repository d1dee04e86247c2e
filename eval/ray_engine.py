"""The same answers made by a Ray cluster: for a corpus that one machine does not get through.

Every node needs this checkout and what its systems need (models, peers). Rows come back as they
are made, so a run that is stopped goes on where it was, as with the local engine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eval.datasets import Case
from eval.run import REPEATS_CHECKED, Known, Row, answer
from eval.run import answers as local_answers
from eval.systems import System

ROOT = Path(__file__).resolve().parent.parent
BLOCK = 16
"""Cases that a worker takes at once."""
ADDRESS = "RAY_ADDRESS"


class Failed(RuntimeError):
    """A system failed on a worker."""


def answers(
    system: System, cases: Sequence[Case], ratios: Sequence[float], known: Known, prose: bool
) -> Iterator[Row]:
    """Yields the rows of one system that are not known yet, made by the workers.

    Peers answer in a process of their own here, as with the local engine.

    Raises:
        Failed: the system failed on a case; the rows of the others were yielded before.
    """
    if system.many is not None:
        yield from local_answers(system, cases, ratios, known, prose)
        return
    todo = [
        {"ratio": ratio, "at": at, "case": case}
        for ratio in (ratios if system.takes_ratio else (0.0,))
        for at, case in enumerate(cases)
        if (system.name, system.version, ratio, case.id) not in known
    ]
    if not todo:
        return
    first_failure = ""
    for item in _mapped(system, todo, prose):
        if item["error"]:
            first_failure = first_failure or item["error"]
        else:
            yield item["row"]
    if first_failure:
        raise Failed(first_failure)


def _mapped(system: System, todo: Sequence[dict[str, Any]], prose: bool) -> Iterator[dict[str, Any]]:
    import pickle

    data = _ray_data()
    from ray import cloudpickle

    # Blocks travel pickled: cases hold nested values of many shapes, which columns would flatten.
    blocks = [cloudpickle.dumps(todo[start : start + BLOCK]) for start in range(0, len(todo), BLOCK)]
    packed = cloudpickle.dumps(system)

    def work(block: dict[str, Any]) -> list[dict[str, bytes]]:
        import pickle

        mine = pickle.loads(packed)
        return [
            {"item": pickle.dumps(_one(mine, item, prose))} for item in pickle.loads(block["block"])
        ]  # fmt: skip

    made = data.from_items([{"block": block} for block in blocks], override_num_blocks=len(blocks))
    for item in made.flat_map(work).iter_rows():
        yield pickle.loads(item["item"])


def _one(system: System, item: dict[str, Any], prose: bool) -> dict[str, Any]:
    try:
        row = answer(system, item["case"], item["ratio"], item["at"] < REPEATS_CHECKED, prose)
    except Exception as error:  # a system under test may fail in any way
        return {"row": None, "error": f"{type(error).__name__}: {error}"}
    return {"row": row, "error": ""}


def _ray_data() -> Any:
    """Returns `ray.data`, connected to the cluster that RAY_ADDRESS names or to one on this machine.

    Raises:
        RuntimeError: ray is not installed.
    """
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise RuntimeError("needs ray: pip install 'tokenjuice-ml[ray]'") from error
    if not ray.is_initialized():
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        ray.init(
            address=os.environ.get(ADDRESS),
            include_dashboard=False,
            log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray.data
