"""What a failure or a list of findings must not lose: the body of a block, the rare kind, other languages."""

from __future__ import annotations

import pytest

from tests.rules.test_blind_failures import cut

FOUND = ["kit/lock.go:15:9: Share passes lock by value: shop.example/kit.Book contains sync.Mutex", "kit/lock.go:21:2: unreachable code"]  # fmt: skip


def vetted() -> str:
    """Returns 200 findings of one kind, and two of other kinds in the middle of them."""
    lines = []
    for part in range(20):
        lines.append(f"# shop.example/part{part:02}")
        lines += [
            f'part{part:02}/a.go:{at}:7: fmt.Printf format %d has arg "n{at}" of wrong type string'
            for at in range(10)
        ]
        if part == 11:
            lines += ["# shop.example/kit", *FOUND]
    return "\n".join([*lines, ""])


def test_the_rare_findings_of_go_vet_are_there_and_the_frequent_ones_counted() -> None:
    body = cut("go vet ./...", vetted(), 1)
    for line in (*FOUND, "# shop.example/kit"):
        assert line in body
    assert "200 × format %d has arg" in body.split("\n", 1)[0]
    assert "# shop.example/part15" not in body


@pytest.mark.parametrize(
    "command", ["flake8 src", "flake8 src | sort", "python -m flake8 src 2>&1 | sort -u"]
)
def test_what_a_linter_says_is_cut_as_such_when_it_is_sorted(command: str) -> None:
    lines = [f"src/part{at:03}.py:{at}:80: E501 line too long (99 > 79 characters)" for at in range(400)]
    lines.insert(217, "src/part217.py:3:1: E999 SyntaxError: invalid syntax")
    body = cut(command, "\n".join([*lines, ""]), 1)
    assert "400 × E501, 1 × E999" in body.split("\n", 1)[0]
    assert "E999 SyntaxError" in body


GERMAN = """  Fehler Shop.Tests.Fees.Rounds_Up [9 ms]
  Fehlermeldung:
   Assert.Equal() Failure: Values differ
Expected: 10,27
Actual:   10,13
  Stapelverfolgung:
     at Shop.Tests.Fees.Rounds_Up() in /app/tests/Fees.cs:line 58
"""
FRENCH = """  Échec Shop.Tests.Fees.Rounds_Up [9 ms]
  Message d'erreur :
   Assert.Equal() Failure: Values differ
Expected: 10,27
Actual:   10,13
  Arborescence des appels de procédure :
     at Shop.Tests.Fees.Rounds_Up() in /app/tests/Fees.cs:line 58
"""


@pytest.mark.parametrize(
    ("block", "passed", "totals"),
    [
        (GERMAN, "Bestanden", ["Gesamtzahl Tests: 161", "     Bestanden: 160", " Gesamtzeit: 3,1 Sekunden"]),
        (FRENCH, "Réussi", ["Nombre total de tests : 161", "     Réussi(s) : 160"]),
    ],
)
def test_a_failing_test_of_dotnet_is_whole_in_any_language(
    block: str, passed: str, totals: list[str]
) -> None:
    passing = [f"  {passed} Shop.Tests.Part{at}.Works [{at} ms]\n" for at in range(160)]
    text = "".join(passing[:80]) + block + "".join(passing[80:]) + "\n" + "\n".join(totals) + "\n"
    body = cut("dotnet test", text, 1)
    assert block in body
    assert "Part40.Works" not in body
    for line in totals:
        assert line in body


def test_a_failing_test_in_the_words_of_testdox_is_whole() -> None:
    block = (
        " ✘ Rounds up\n   ┐\n   ├ Failed asserting that two strings are identical.\n   ┊ ---·Expected\n   ┊ +++·Actual\n"
        "   ┊ @@ @@\n   ┊ -'1,204'\n   ┊ +'1,203'\n   │\n   ╵ /app/tests/RateTest.php:44\n   ┴\n"
    )
    passing = [f" ✔ Rounds {at}\n" for at in range(160)]
    text = "".join(passing) + block + "\n" + "FAILURES!\nTests: 161, Assertions: 161, Failures: 1.\n"
    assert block in cut("vendor/bin/phpunit --testdox", text, 1)


def test_of_many_conflicts_the_asked_packages_are_there_and_one_gap_for_the_rest() -> None:
    lines = [
        "Solving environment: failed",
        "UnsatisfiableError: The following specifications were found to be incompatible",
    ]
    lines += [
        "Package blas conflicts for:",
        "kit=2.1 -> blas[version='>=3.1,<4']",
        "book=1.7 -> blas[version='>=2,<3']",
    ]
    for at in range(100):
        lines += ["Package zlib conflicts for:", f"part{at} -> zlib[version='>=1.2.11,<1.3.0a0']"]
    body = cut("conda install kit=2.1 book=1.7", "\n".join([*lines, ""]), 1)
    for line in lines[2:5]:
        assert line in body
    assert "100 × zlib" in body
    assert body.count("Package zlib") <= 5
