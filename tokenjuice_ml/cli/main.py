"""``python -m tokenjuice_ml.cli.main``: `tj` without the script."""

from __future__ import annotations

import sys

from tokenjuice_ml.cli import main

if __name__ == "__main__":
    sys.exit(main())
