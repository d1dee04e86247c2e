"""Every built-in rule, on outputs captured from its tool."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.rules.helpers import FIXTURES, RULES, Case, cases, chosen, run
from tokenjuice_ml.compressors.base import OMISSION_PREFIX
from tokenjuice_ml.rules.load import builtin_entries
from tokenjuice_ml.rules.schema import FALLBACK_ID, parse_rule
from tokenjuice_ml.tokens import estimate

CASES = cases()
KEYS = {
    "command",
    "exit_code",
    "captured",
    "generated",
    "must_keep",
    "must_drop",
    "min_reduction",
    "argv",
    "tool",
    "budget_tokens",
    "rule",
    "note",
}
SCRUBBED = re.compile(r"/work/|/root/|/home/(?!user|me|dev|app|runner|ci)|/tmp/(?:pytest-of|tmp\w{8})", re.A)
OWN_LABELS = {"rule", "git-status", "gh"}
RULE_FILES = sorted(RULES.glob("*/*.json"))


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rule_file_is_valid(path: Path) -> None:
    data = json.loads(path.read_text("utf-8"))
    rule = parse_rule(data, path=str(path))
    assert rule.id == f"{path.parent.name}/{path.stem}"
    for pattern in _patterns(rule):
        pattern.check()
        assert not re.search(r"[+*]\)[+*]", pattern.source), f"nested repetition: {pattern.source}"


def _patterns(rule):  # type: ignore[no-untyped-def]
    yield from (*rule.skip, *rule.keep, *rule.summary)
    for block in rule.blocks:
        yield from (p for p in (block.start, block.end, block.end_before, block.while_, *block.skip) if p)
    yield from (counter.pattern for counter in rule.counters)
    for item in rule.output_matches:
        yield from (p for p in (item.pattern, item.unless) if p)
    yield from (p for p in (rule.match.command_regex, rule.match.output_regex) if p)


@pytest.mark.parametrize("entry", builtin_entries(), ids=lambda entry: entry.id)
def test_rule_has_a_fixture(entry) -> None:  # type: ignore[no-untyped-def]
    if entry.id == FALLBACK_ID:
        pytest.skip("the fallback is tested with its compressor")
    assert any(FIXTURES.joinpath(entry.id).glob("*.json")), f"tests/fixtures/rules/{entry.id}/ holds no case"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fixture_is_well_formed(case: Case) -> None:
    assert set(case.spec) <= KEYS
    assert ("captured" in case.spec) != ("generated" in case.spec)
    if "captured" in case.spec:
        assert set(case.spec["captured"]) >= {"tool", "version"}
    assert case.spec["must_keep"] or case.spec.get("exit_code") == 0
    found = SCRUBBED.search(case.text)
    assert not found, f"not scrubbed: {found}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fixture(case: Case, request: pytest.FixtureRequest) -> None:
    output = case.output()
    rule = chosen(output)
    assert rule is not None, f"no rule for {output.command!r}"
    assert rule.id == case.spec.get("rule", case.rule_id)
    reduction = run(rule, output, case.spec.get("budget_tokens", 2000))
    body = output.text if reduction is None else reduction.text
    if request.config.getoption("--update-goldens", default=False):
        _write(case, body, reduction is None or reduction.compressor in OWN_LABELS)
    for needle in case.spec["must_keep"]:
        assert needle in body
    for needle in case.spec.get("must_drop", ()):
        assert needle not in body
    saved = 1 - estimate(body) / max(1, estimate(output.text))
    assert saved >= case.spec.get("min_reduction", saved)
    if output.exit_code != 0:
        _no_success_message(rule, body)
    if reduction is not None:
        assert reduction.lossy == bool(reduction.omissions)
        for gap in reduction.omissions:
            assert 1 <= gap.first_line <= gap.last_line <= output.text.count("\n") + 1
    if reduction is not None and reduction.compressor not in OWN_LABELS:
        return  # another compressor's body: its own tests say how it looks
    assert case.golden.is_file(), "no golden: run pytest tests/rules --update-goldens and read what it wrote"
    assert case.golden.read_bytes().decode("utf-8", "surrogateescape") == body


def _write(case: Case, body: str, own: bool) -> None:
    if own:
        case.golden.write_bytes(body.encode("utf-8", "surrogateescape"))
    else:
        case.golden.unlink(missing_ok=True)


def _no_success_message(rule, body: str) -> None:  # type: ignore[no-untyped-def]
    messages = [item.message for item in rule.output_matches] + [rule.on_empty or "\0"]
    ours = [line for line in body.split("\n") if line.startswith(OMISSION_PREFIX)]
    assert not [line for line in ours if any(message in line for message in messages)]
