"""Contexts for tests of single compressors."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Detection, Kind, ToolOutput

NAMES = (
    *("kiosk", "ferry", "pier", "tide", "lock", "buoy", "crane", "dock", "barge", "canal", "sluice", "quay"),
    *(
        "harbour",
        "anchor",
        "berth",
        "cargo",
        "pilot",
        "toll",
        "chart",
        "depth",
        "gauge",
        "rope",
        "sail",
        "mast",
    ),
)
"""Names for things that are alike but for them."""
FIXTURES = Path(__file__).parent.parent / "fixtures"


def context(
    text: str, kind: Kind, form: str = "", settings: dict[str, Any] | None = None, **hints: Any
) -> Context:
    """Returns a context with the given hints, settings and detected format."""
    chosen = replace(DEFAULTS, **settings) if settings else DEFAULTS
    return Context(ToolOutput(text, **hints), chosen, Detection(kind, "test", "kind", form))


def best_seconds(work: Callable[[], object]) -> float:
    """Returns the least CPU seconds of three runs."""
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best
