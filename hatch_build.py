"""Puts rules, models and the sidecar into the wheel, for standard builds only.

An editable install reads them beside the checkout: copying them there would leave a stale
shadow of the rules that people are editing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA = ("rules", "models", "sidecar")
# Recipes are for the checkout; a wheel carries what runs.
SKIP = {"__pycache__", "train", "train_logs", "train_value"}


class DataHook(BuildHookInterface):
    """Maps ``rules/``, ``models/`` and ``sidecar/`` to ``tokenjuice_ml/_data/``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds each data file to the wheel unless the build is editable."""
        if version != "standard":
            return
        root = Path(self.root)
        for name in DATA:
            for path in sorted((root / name).rglob("*")):
                relative = path.relative_to(root)
                if path.is_file() and not SKIP.intersection(relative.parts):
                    build_data["force_include"][str(path)] = f"tokenjuice_ml/_data/{relative.as_posix()}"
