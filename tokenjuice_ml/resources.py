"""Finds the data folders (rules, models, sidecar) in an installed wheel or beside a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Returns the folder `name` (``rules``, ``models`` or ``sidecar``).

    A wheel carries it in ``tokenjuice_ml/_data``; an editable install or a checkout has it
    beside the package.

    Raises:
        FileNotFoundError: neither place has it, so the installation is damaged.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"tokenjuice_ml: data folder '{name}' is missing; reinstall the package")
