"""The short way to read a command line says what argparse says, or leaves it to argparse."""

from __future__ import annotations

import pytest

from tokenjuice_ml.cli import common, reduce


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["-"],
        ["--raw"],
        [""],
        ["log.txt", "--json"],
        ["--command", "pytest -v", "--exit-code", "1"],
        ["--command=make -j8 all", "out.txt"],
        ["--exit-code=3", "--cwd", "/srv", "--tool", "exec"],
    ],
)
def test_as_argparse(argv: list[str]) -> None:
    found = common.plain(argv, ("json",))
    assert found is not None
    assert vars(found) == vars(reduce._parser().parse_args(argv))


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["-x"],
        ["a", "b"],
        ["--kind", "log"],
        ["--comm", "ls"],
        ["--command"],
        ["--command", "--json"],
        ["--exit-code", "one"],
        ["--exit_code", "1"],
        ["--set", "profile=off"],
        ["--json=1"],
        ["--", "a"],
        ["--exit-code", "9" * 5000],
    ],
)
def test_left_to_argparse(argv: list[str]) -> None:
    assert common.plain(argv, ("json",)) is None
