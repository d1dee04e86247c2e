"""Contexts for tests of single compressors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Detection, Kind, ToolOutput

FIXTURES = Path(__file__).parent.parent / "fixtures"


def context(
    text: str, kind: Kind, form: str = "", settings: dict[str, Any] | None = None, **hints: Any
) -> Context:
    """Returns a context with the given hints, settings and detected format."""
    chosen = replace(DEFAULTS, **settings) if settings else DEFAULTS
    return Context(ToolOutput(text, **hints), chosen, Detection(kind, "test", "kind", form))
