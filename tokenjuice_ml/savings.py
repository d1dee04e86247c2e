"""The savings ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings
    from tokenjuice_ml.types import Compressed, ToolOutput


def record(result: Compressed, output: ToolOutput, settings: Settings, surface: str) -> None:
    """Writes one event; never fails a call."""
