"""Generated fixtures are what their generators write, and say so."""

from __future__ import annotations

import json

import pytest

from tests.fixtures.generators.tools import CASES, FOLDER


@pytest.mark.parametrize("case", CASES)
def test_the_input_is_what_its_generator_writes(case: str) -> None:
    assert (FOLDER / f"{case}.in").read_bytes() == CASES[case]().encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("case", CASES)
def test_it_is_labelled(case: str) -> None:
    assert "generated" in json.loads((FOLDER / f"{case}.json").read_text("utf-8"))
