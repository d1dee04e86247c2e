"""``tj eval``: the evaluation harness, from a checkout only."""

from __future__ import annotations

import sys
from pathlib import Path

from tokenjuice_ml.errors import RequestError

ROOT = Path(__file__).resolve().parent.parent.parent


def run(argv: list[str]) -> int:
    """Passes everything on to ``python -m eval``."""
    if not (ROOT / "eval" / "__main__.py").is_file():
        raise RequestError("the harness is not in the package: clone the repository and run `python -m eval`")
    sys.path.insert(0, str(ROOT))
    from eval.__main__ import main

    return main(argv)
