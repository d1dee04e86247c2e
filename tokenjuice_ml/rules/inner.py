"""What a task runner's output is made of: the tools that its recipes called, known by what they print.

`make test` prints what `go test` prints. The runner's rule knows the runner's words; the rule of the
tool inside knows what a failing test looks like. Both are asked as one rule.
"""

from __future__ import annotations

from functools import reduce

from tokenjuice_ml.record import replace
from tokenjuice_ml.rules.load import RuleSet
from tokenjuice_ml.rules.schema import Counter, Rule
from tokenjuice_ml.rules.view import strip_ansi

# Programs that run what a recipe says, and nothing of their own.
RUNNERS = frozenset(
    "make just task mise asdf npm pnpm yarn bun tox nox rake invoke inv poe hatch pdm"
    " docker podman nerdctl doppler dotenv direnv earthly".split()
)
# What one of these prints at the start or the end of its work, and the rule that knows the rest. A line
# break stands for the start of a line. Signs are words that no other program prints by chance.
_SIGNS = (
    ("tests/go-test", ("\n--- FAIL: ", "\n=== RUN   ", "\n--- PASS: ", "[no test files]", "\nok  \t")),
    ("tests/pytest", ("= test session starts =", "= short test summary info =")),
    ("tests/cargo-test", ("\ntest result: ok. ", "\ntest result: FAILED. ")),
    ("tests/jest", ("\nTest Suites: ",)),
    ("tests/vitest", ("\n Test Files  ",)),
    ("tests/node-test", ("\nTAP version 1", "\nnot ok ", "\nℹ tests ")),
    ("tests/mocha", (" passing (",)),
    ("tests/phpunit", ("\nPHPUnit ",)),
    ("tests/rspec", (" examples, ", "\nrspec ./")),
    ("tests/ctest", ("% tests passed, ", "\nTest project /")),
    ("tests/unittest", (" tests in ", " test in ")),
    ("tests/playwright", (" using 1 worker\n", " workers\n")),
    ("tests/dotnet-test", ("\nVSTest version ", "\nTest run for ")),
    ("lint/eslint", ("\n✖ ",)),
    ("lint/mypy", (" (checked ",)),
    ("lint/golangci-lint", ('\nlevel=warning msg="[', '\nlevel=error msg="Running error')),
    ("build/tsc", (": error TS",)),
    ("build/cargo-build", ("\n   Compiling ", "\n    Checking ")),
    ("devops/docker-build", ("\n#1 [internal] load ",)),
    ("devops/terraform", ("\nTerraform will perform ", "\nTerraform used the selected providers")),
    ("devops/ansible", ("\nPLAY RECAP ***",)),
)
# A sign that is a common phrase counts only beside this.
_ONLY_WITH = {
    "tests/unittest": "\nRan ",
    "tests/rspec": "\nFinished in ",
    "tests/playwright": "\nRunning ",
    "lint/eslint": " problem",
    "lint/mypy": "\nFound ",
}
# Characters at either end that are looked at, and tools taken in.
_END_CHARS, _MOST_TOOLS = 100_000, 3


def with_inner(rule: Rule, rules: RuleSet, text: str) -> Rule:
    """Returns `rule` with what the rules of the tools inside know, or as it is where none is recognised.

    Args:
        rule: the rule of the runner.
        rules: where the others are.
        text: the output.
    """
    if rule.exact or rule.delegate or rule.table is not None or rule.formatter or rule.layer != "builtin":
        return rule
    for inner in _rules_inside(rules, text):
        if inner.id != rule.id:
            rule = _joined(rule, inner)
    return rule


def alone(rules: RuleSet, text: str) -> Rule | None:
    """Returns the rule of the tools inside where the runner has none (`npm run lint`), or None."""
    found = _rules_inside(rules, text)
    return reduce(_joined, found) if found else None


def _rules_inside(rules: RuleSet, text: str) -> list[Rule]:
    found = filter(None, map(rules.get, tools_in(text)))
    return [rule for rule in found if not (rule.exact or rule.delegate or rule.table)]


def tools_in(text: str) -> list[str]:
    r"""Returns the ids of the rules whose tools printed some of `text`, a few at most.

    >>> tools_in("go test ./...\n--- FAIL: TestSum (0.00s)\nFAIL\n")
    ['tests/go-test']
    """
    sample = text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"
    if "\x1b" in sample:
        sample = strip_ansi(sample)
    if "\r" in sample:
        sample = sample.replace("\r", "")
    sample = f"\n{sample}"
    found = [name for name, signs in _SIGNS if any(map(sample.__contains__, signs))]
    return [name for name in found if _ONLY_WITH.get(name, "") in sample][:_MOST_TOOLS]


def _joined(runner: Rule, inner: Rule) -> Rule:
    """Returns one rule that knows what both know; windows and verdict stay the runner's."""
    return replace(
        runner,
        skip=(*runner.skip, *inner.skip),
        keep=(*runner.keep, *inner.keep),
        minor=(*runner.minor, *inner.minor),
        summary=(*runner.summary, *inner.summary),
        headings=(*runner.headings, *inner.headings),
        blocks=(*runner.blocks, *inner.blocks),
        counters=_counters(runner, inner),
        tally=runner.tally or inner.tally,
        per_kind=runner.per_kind or inner.per_kind,
        failures=runner.failures or inner.failures,
    )


def _counters(runner: Rule, inner: Rule) -> tuple[Counter, ...]:
    names = {counter.name for counter in runner.counters}
    return (*runner.counters, *(counter for counter in inner.counters if counter.name not in names))
