"""A complaint is seen in any listing; what a listing holds is none."""

from __future__ import annotations

import pytest

from tests.rules.helpers import body_of, cases, chosen, context_of
from tokenjuice_ml.rules.complaints import is_complaint
from tokenjuice_ml.rules.reduce import apply
from tokenjuice_ml.types import ToolOutput

COMPLAINTS = [
    'ERROR: relation "accounts_v7" does not exist',
    "fatal: unable to access 'https://git.example/x.git/': Could not resolve host",
    "java.lang.IllegalStateException: pool closed twice",
    "panic: runtime error: index out of range [7] with length 3",
    "Segmentation fault (core dumped) in worker-17",
    "src/pay/ledger.c:412:9: error: 'struct acct' has no member named 'iban'",
    "WARNING: certificate for api.example expires in 2 days",
    "ls: cannot open directory '/srv/key': Permission denied",
    "Error: connect ECONNREFUSED 127.0.0.1:5433",
    "assertion failed: left == right (left: 41, right: 42)",
    "npm ERR! code ERESOLVE",
    "undefined reference to `frob_init'",
    "E: Unable to locate package libfrob9",
    "bash: frob: command not found",
    "Traceback (most recent call last):",
    "thread 'main' panicked at src/main.rs:4:5:",
]
NONE = [
    "src/error_handler.py",
    "4f1c2aa Fix fatal error in the parser: Permission denied",
    "    error: this is a commit message",
    "-rw-r--r-- 1 dev dev 812 May  6 07:08 warnings.log",
    "+  raise ValueError('error: no')",
    "src/a.py:12:    raise KeyError('x')",
    "dev  412  0.0  0.1  9120  812 ?  S  07:08  0:00 python error_worker.py",
    "* fix/error-in-login",
]


@pytest.mark.parametrize("line", COMPLAINTS)
def test_complaints(line: str) -> None:
    assert is_complaint(line)


@pytest.mark.parametrize("line", NONE)
def test_no_complaints(line: str) -> None:
    assert not is_complaint(line)


def biggest_passing():  # type: ignore[no-untyped-def]
    best = {}
    for case in cases():
        if case.spec.get("exit_code") == 0 and len(case.text) > len(
            best[case.rule_id].text if case.rule_id in best else ""
        ):
            best[case.rule_id] = case
    return [case for case in best.values() if len(case.text) > 400]


@pytest.mark.parametrize("case", biggest_passing(), ids=lambda case: case.rule_id)
@pytest.mark.parametrize(
    ("code", "fact"), [(0, COMPLAINTS[0]), (1, COMPLAINTS[5])], ids=["passing", "failing"]
)
def test_a_planted_complaint_survives_every_rule(case, code: int, fact: str) -> None:  # type: ignore[no-untyped-def]
    """In the middle of some hundred lines of the tool's own output."""
    output = case.output()
    rule = chosen(output)
    if rule is None or rule.exact or rule.delegate in ("diff", "json", "html", "code"):
        pytest.skip("another compressor's word counts, or it stays whole")
    lines = case.text.rstrip("\n").split("\n")
    lines *= 150 // len(lines) + 1
    planted = "\n".join([*lines[: len(lines) // 2], fact, *lines[len(lines) // 2 :]]) + "\n"
    given = ToolOutput(planted, tool="exec", command=output.command, argv=output.argv, exit_code=code)
    reduction = apply(rule, planted, context_of(given))
    assert reduction is None or fact in reduction.text


def test_a_listing_that_holds_such_words_is_cut_all_the_same() -> None:
    text = "\n".join(f"src/error_{n}/fatal_failure.py" for n in range(300)) + "\n"
    assert len(body_of(text, 0, signals=False)) < 800
