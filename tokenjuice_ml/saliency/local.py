"""Scores in this process, for evaluation and big batches. The core never imports this module.

It loads numpy and a runtime into the caller's process; that is the caller's explicit wish.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any


def score(
    texts: Iterable[str], model_id: str = "bundled", device: str = "cpu"
) -> Iterator[list[list[float]]]:
    """Yields of each text, in order, a score a word: to be kept, and to be core where the model tells it.

    Raises:
        sidecar.runtime.LoadError: the model cannot be used.
    """
    scorer = load(model_id, device)
    for text in texts:
        yield scorer.scores(text)


@lru_cache(maxsize=4)
def load(model_id: str = "bundled", device: str = "cpu") -> Any:
    """Returns the scorer of a model, loaded once a process."""
    _import_sidecar()
    runtime = importlib.import_module("sidecar.runtime")
    return runtime.load(model_id, device)


def _import_sidecar() -> None:
    """Makes `sidecar` importable from the data folder, wherever the working directory is."""
    if "sidecar" in sys.modules:
        return
    from tokenjuice_ml.resources import data_dir

    folder = data_dir("sidecar")
    spec = importlib.util.spec_from_file_location(
        "sidecar", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sidecar"] = module
    spec.loader.exec_module(module)
