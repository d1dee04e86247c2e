"""What other tools of this sort are known to get wrong, each with what must hold here.

One case a fault: a sentence, an input in which the fault would show, and a check of the answer.
Where a whole suite holds a promise already (stores, rules, wrap, saliency), the case here is the
smallest one that shows it through the front door.
"""

from __future__ import annotations

import os
import stat

import pytest

from tests.peer_faults import BUILD, CI_FAILURE, Fault
from tests.peer_faults_engine import UPSTREAM
from tests.peer_faults_router import ROUTER
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.command import identify
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Compressed

QUIET = Settings(savings_enabled=False)


def answer(fault: Fault) -> Compressed:
    """Returns what is shown for a fault's input."""
    return TokenJuice(QUIET, store=open_store(QUIET)).compress(fault.text, **fault.hints)


@pytest.mark.parametrize("fault", ROUTER, ids=lambda fault: fault.says)
def test_faults_of_routers(fault: Fault) -> None:
    shown = answer(fault)
    assert fault.holds(shown), shown.text[:3000]


@pytest.mark.parametrize("fault", UPSTREAM, ids=lambda fault: fault.says)
def test_faults_of_rule_engines(fault: Fault) -> None:
    shown = answer(fault)
    assert fault.holds(shown), shown.text[:3000]


@pytest.mark.parametrize("fault", [*ROUTER, *UPSTREAM], ids=lambda fault: fault.says)
def test_what_was_cut_is_smaller_and_comes_back(fault: Fault) -> None:
    juice = TokenJuice(QUIET, store=open_store(QUIET))
    shown = juice.compress(fault.text, **fault.hints)
    assert shown.bytes_after <= shown.bytes_before
    assert not shown.lossy or shown.token is not None
    if shown.token:
        assert juice.retrieve(shown.token) == fault.text.encode()
        again = juice.compress(shown.text, **fault.hints)
        assert again.text == shown.text, "what was cut once is not cut again"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("sudo -u app pytest -q", "pytest"),
        ("timeout 60 nice -n 5 cargo test", "cargo"),
        ("env A=1 B='x y' npx jest", "jest"),
        ("uv run pytest", "pytest"),
        ("poetry run mypy src", "mypy"),
        ("python3 -m pytest -q", "pytest"),
        ("bash -lc 'cd app && npm test'", "npm"),
        ("/usr/bin/git status", "git"),
        ("C:\\Tools\\git.exe status", "git"),
        ("(cd x && pytest)", "pytest"),
        ('git commit -m "fix git diff bug"', "git"),
    ],
)
def test_the_program_that_really_ran(command: str, program: str) -> None:
    found = identify(command)
    assert found is not None
    assert found.program == program


@pytest.mark.parametrize(
    ("command", "not_rule"),
    [
        ('git commit -m "fix git diff bug"', "git/diff"),
        ("git checkout -b help", "generic/help"),
        ("rg help src", "generic/help"),
        ("echo pytest", "tests/pytest"),
        ("echo help", "generic/help"),
        ("cat pytest.ini", "tests/pytest"),
        ("pytest | grep FAIL", "tests/pytest"),
    ],
)
def test_words_of_arguments_choose_no_rule(command: str, not_rule: str) -> None:
    shown = TokenJuice(QUIET, store=open_store(QUIET)).compress(BUILD, command=command, exit_code=0)
    assert shown.rule != not_rule


def test_originals_on_disk_are_private(tmp_path) -> None:
    """Modes are set; the file of an original is nobody else's to read."""
    settings = Settings(savings_enabled=False, ccr_dir=str(tmp_path / "kept"))
    TokenJuice(settings, disk=True).compress(CI_FAILURE)
    files = [os.path.join(base, name) for base, _, names in os.walk(tmp_path / "kept") for name in names]
    assert files
    assert all(not stat.S_IMODE(os.stat(path).st_mode) & 0o077 for path in files)


def test_secrets_can_be_masked_before_anything_is_kept() -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    settings = Settings(savings_enabled=False, redact_secrets=True)
    juice = TokenJuice(settings, store=open_store(settings))
    shown = juice.compress(CI_FAILURE + f"token={secret}\n", command="./ci.sh", exit_code=1)
    assert secret not in shown.text
    assert secret.encode() not in juice.retrieve(shown.token)


def test_one_variable_in_the_environment_switches_everything_off(monkeypatch) -> None:
    """Whoever must see raw output says so once, for every surface."""
    monkeypatch.setenv("TOKENJUICE_ROUTER_ENABLED", "0")
    settings = Settings.load()
    shown = TokenJuice(settings, store=open_store(settings)).compress(CI_FAILURE)
    assert shown.text == CI_FAILURE


def test_help_is_an_answer_and_no_error(capfd) -> None:
    """Help goes to standard output, with exit code 0."""
    from tokenjuice_ml.cli import main

    assert main(["--help"]) == 0
    told = capfd.readouterr()
    assert told.out.startswith("usage: tj VERB")
    assert told.err == ""


@pytest.mark.parametrize(
    "name", ["command", "argv", "exit_code", "kind", "mime", "extension", "query", "tool"]
)
def test_each_hint_reaches_the_pipeline(name: str) -> None:
    """A hint that a surface forgets costs the whole saving; an unknown one is an error."""
    from tokenjuice_ml.api import HINTS
    from tokenjuice_ml.errors import RequestError

    assert name in HINTS
    with pytest.raises(RequestError):
        TokenJuice(QUIET, store=open_store(QUIET)).compress("x", **{f"{name}_": "y"})
