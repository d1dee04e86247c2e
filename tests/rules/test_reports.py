"""Reports inside the output of tools that only run others: what fails in them stays."""

from __future__ import annotations

import pytest

from tests.compressors.test_log_traces import _report
from tokenjuice_ml import Settings, TokenJuice


def _cut(lines: list[str], command: str, code: int) -> str:
    juice = TokenJuice(Settings(savings_enabled=False))
    return juice.compress("\n".join(lines), tool="exec", command=command, exit_code=code).text


@pytest.mark.parametrize("command", ["ctest --output-on-failure", "ctest --output-on-failure | tee log"])
def test_stacks_of_a_sanitizer_stay(command: str) -> None:
    passed = [f"[ {'RUN     ' if n % 2 else '      OK'} ] Shelf.case{n // 2}" for n in range(400)]
    text = _cut([*passed, *_report(1)], command, 8)
    told = (
        "READ of size 4",
        "Shelf::peek()",
        "freed by thread T1",
        "Shelf::~Shelf()",
        "Shop::open()",
        "SUMMARY: ",
    )
    assert all(part in text for part in told)


def test_notes_of_deprecated_packages_give_way_to_the_failing_test() -> None:
    lines = [f"npm warn deprecated pack{n}@1.0.{n}: use case{n}" for n in range(200)]
    lines += [f"ok {n} - shelf holds {n} apples" for n in range(60)]
    lines += [
        "not ok 60 - shelf refuses stones",
        "  ---",
        "  expected: StoneError",
        "  actual: 'no exception'",
    ]
    lines += ["  at: Test.<anonymous> (/srv/shop/test/shelf.js:9:4)", "  ..."]
    lines += [f"ok {n} - shelf holds {n} apples" for n in range(61, 200)]
    lines += ["# tests 200", "# pass 199", "# fail 1", "##[error]Process completed with exit code 1."]
    stamped = [f"2026-02-03T04:{n // 60:02d}:{n % 60:02d}.0000000Z {line}" for n, line in enumerate(lines)]
    text = _cut(stamped, "gh run view 7 --log", 1)
    assert "actual: 'no exception'" in text
    assert "shelf.js:9:4" in text
    assert text.count("deprecated") <= 1
