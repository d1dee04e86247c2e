"""``tj version``."""

from __future__ import annotations

import tokenjuice_ml
from tokenjuice_ml.cli import common


def run(argv: list[str]) -> int:
    """Prints the version."""
    common.parser("version", "Prints the version.").parse_args(argv)
    common.write_text(f"tokenjuice-ml {tokenjuice_ml.__version__}")
    return 0
