"""Examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in (ROOT / "tokenjuice_ml").rglob("*.py")
    if ">>>" in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    done = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.attempted > 0
    assert done.failed == 0
