"""Command lines and the rule they reach: `fixtures/commands.tsv`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.helpers import chosen
from tokenjuice_ml.command import identify, is_file_read, program_name
from tokenjuice_ml.types import ToolOutput

TABLE = Path(__file__).parent / "fixtures" / "commands.tsv"


def rows() -> list[tuple[str, str, str]]:
    found = []
    for line in TABLE.read_text("utf-8").splitlines():
        if line and not line.startswith("# command"):
            command, identity, rule = line.split("\t")
            found.append((command.replace("␤", "\n"), identity, rule))
    return found


ROWS = rows()


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 200
    assert len({command for command, _, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("command", "identity", "rule"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_identity_and_rule(command: str, identity: str, rule: str) -> None:
    found = identify(command)
    said = f"{found.program} {found.verb}".strip() if found and found.program and not found.compound else "-"
    assert said == identity
    reached = chosen(ToolOutput(text="x", tool="exec", command=command, exit_code=0))
    assert (reached.id if reached else "-") == rule


@pytest.mark.parametrize(
    "command",
    [
        "cat a.py",
        "head -n 50 a.py",
        "head -50 a.py",
        "tail -n +10 a.py",
        "sed -n '1,200p' a.py",
        "sed -n 1,20p a.py | head -5",
        "nl -ba a.py | sed -n '1,20p'",
        "cat a.py | head -100",
        "bat --plain a.py",
        "less a.py",
        "git show HEAD:src/a.py",
        "git -C x show main:a.py",
        "cat a.py; cat b.py",
        "cat a.py && echo --- && cat b.py",
        "cd src && cat a.py",
        "sudo cat /etc/hosts",
        "awk 'NR>=10 && NR<=20' a.py",
        "jq . a.json",
        "Get-Content a.txt",
    ],
)
def test_file_reads(command: str) -> None:
    assert is_file_read(identify(command))


@pytest.mark.parametrize(
    "command",
    [
        "cat",
        "git show HEAD",
        "git diff",
        "sed -i s/a/b/ a.py",
        "sed s/a/b/ a.py",
        "cat a.py | grep x",
        "cat a.py; pytest",
        "pytest | head -5",
        "head -50",
        "echo cat a.py",
        "cat --help",
        "xargs cat",
    ],
)
def test_no_file_reads(command: str) -> None:
    assert not is_file_read(identify(command))


@pytest.mark.parametrize(
    ("command", "masked"),
    [
        ("pytest", False),
        ("pytest | cat", True),
        ("set -o pipefail; pytest | cat", False),
        ("pytest || true", True),
        ("pytest; true", True),
        ('pytest; echo "$?"', True),
        ("pytest && true", False),
        ("cd x && pytest", False),
    ],
)
def test_a_masked_exit_code(command: str, masked: bool) -> None:
    found = identify(command)
    assert found is not None
    assert found.exit_masked is masked


def test_argv_is_used_as_it_is() -> None:
    found = identify(None, ["git", "commit", "-m", "a; b | c > d"])
    assert found is not None
    assert (found.program, found.verb, found.compound, found.redirected) == ("git", "commit", False, False)
    assert found.text == "git commit -m 'a; b | c > d'"
    inner = identify(None, ["bash", "-lc", "cd x && pytest | tail"])
    assert inner is not None
    assert inner.program == "tail"
    assert inner.piped


def test_runner_and_nothing() -> None:
    assert identify(None) is None
    assert identify("  ") is None
    found = identify("sudo npx jest")
    assert found is not None
    assert found.runner == "npx"


@pytest.mark.parametrize(
    "text", ["(" * 5000, "{ " * 5000, "sh -c " * 500, "sudo " * 5000 + "ls", "$(" * 3000, "`" * 999]
)
def test_deep_nesting_never_raises(text: str) -> None:
    assert identify(text) is not None


def test_program_names() -> None:
    words = ("/usr/bin/python3.11", "C:\\Git\\git.EXE", "./gradlew", "gcc-12", "docker-compose", "K")
    assert [program_name(word) for word in words] == [
        "python",
        "git",
        "gradlew",
        "gcc",
        "docker-compose",
        "kubectl",
    ]
