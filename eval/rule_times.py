"""`python -m eval.rule_times`: each built-in rule on 1 MB of its own output and of foreign output.

Its own is the largest fixture of the rule, repeated; foreign are the outputs of all tools of other
families, one after the other. Times are CPU ms of one call, the better of two; the limit is 60 ms a MB on a quiet
core. Beside them stands a loop of fixed work: where it takes longer than usual, so did all else.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tokenjuice_ml import Settings, command, tokens
from tokenjuice_ml.detect import detect
from tokenjuice_ml.rules.load import load
from tokenjuice_ml.rules.reduce import apply
from tokenjuice_ml.rules.schema import Rule
from tokenjuice_ml.types import Context, ToolOutput

FIXTURES = Path(__file__).resolve().parent.parent / "tests/fixtures/rules"
_CASES = sorted(FIXTURES.glob("*/*/*.in"))
SIZE = 1_000_000
LIMIT_MS = 60.0
# What `fixed_work_ms` takes where nothing else runs.
QUIET_MS = 10.0


class Times(NamedTuple):
    """CPU ms of one rule on 1 MB."""

    rule: str
    own: float
    foreign: float


def foreign(rule_id: str, size: int = SIZE) -> str:
    """Returns `size` characters of other families' fixtures, the first lines of each in turn."""
    family = rule_id.partition("/")[0]
    parts: list[str] = []
    total = at = 0
    while total < size and at < 10_000:
        for path in _CASES:
            if path.parent.parent.name != family:
                part = _lines(path, at, at + 100)
                parts.append(part)
                total += len(part)
        at += 100
    return "".join(parts)[:size]


@cache
def _split(path: Path) -> tuple[str, ...]:
    return tuple(path.read_bytes().decode("utf-8", "surrogateescape").splitlines(keepends=True))


def _lines(path: Path, first: int, last: int) -> str:
    return "".join(_split(path)[first:last])


def own(rule_id: str, size: int = SIZE) -> tuple[str, dict[str, object]]:
    """Returns `size` characters of the rule's largest fixture, repeated, and its hints."""
    cases = list(FIXTURES.joinpath(rule_id).glob("*.in"))
    if not cases:
        return "", {}
    largest = max(cases, key=lambda case: case.stat().st_size)
    text = largest.read_bytes().decode("utf-8", "surrogateescape")
    hints = json.loads(largest.with_suffix(".json").read_text("utf-8"))
    text = text if text.endswith("\n") else f"{text}\n"
    return (text * (size // max(1, len(text)) + 1))[:size], hints


def spent_ms(rule: Rule, text: str, hints: dict[str, object]) -> float:
    """Returns the CPU ms of one call, the better of two, as on a quiet core."""
    line, argv, code = hints.get("command"), hints.get("argv"), hints.get("exit_code")
    output = ToolOutput(
        text,
        command=str(line) if line else None,
        argv=tuple(map(str, argv)) if isinstance(argv, list) else None,
        exit_code=code if isinstance(code, int) else None,
    )
    identified = command.identify(output.command, output.argv)
    context = Context(output, Settings(), detect(output, identified), identified, 2000)
    best = float("inf")
    before = fixed_work_ms()
    for _ in range(2):
        tokens.forget()
        start = time.process_time()
        apply(rule, text, context)
        spent = (time.process_time() - start) * 1000
        after = fixed_work_ms()
        best = min(best, spent * QUIET_MS / max(QUIET_MS, (before + after) / 2))
        before = after
    return best


def fixed_work_ms() -> float:
    """Returns the CPU ms of a loop that never changes: `QUIET_MS` on a quiet core."""
    start = time.process_time()
    counts: dict[int, int] = {}
    for number in range(64_000):
        counts[number & 255] = counts.get(number & 255, 0) + len(str(number))
    return (time.process_time() - start) * 1000


def main() -> None:
    """Prints the slowest rules, and how many are over the limit."""
    parser = argparse.ArgumentParser(prog="python -m eval.rule_times", description=__doc__)
    parser.add_argument("--top", type=int, default=20, help="rules to print, the slowest first")
    parser.add_argument("--only", default="", help="rules whose id holds this")
    args = parser.parse_args()
    times: list[Times] = []
    for rule in load("/nonexistent", "off").all():
        if args.only in rule.id:
            text, hints = own(rule.id)
            mine = spent_ms(rule, text, hints) if text else 0.0
            times.append(Times(rule.id, mine, spent_ms(rule, foreign(rule.id), hints)))
    print(
        f"{len(times)} rules on 1 MB, CPU ms as on a quiet core; fixed work takes {fixed_work_ms():.1f} ms now"
    )
    print(f"{'rule':34s} {'own':>8s} {'foreign':>8s}")
    for row in sorted(times, key=lambda row: -max(row.own, row.foreign))[: args.top]:
        flag = " over" if max(row.own, row.foreign) > LIMIT_MS else ""
        print(f"{row.rule:34s} {row.own:8.1f} {row.foreign:8.1f}{flag}")
    over = sum(max(row.own, row.foreign) > LIMIT_MS for row in times)
    print(f"{over} of {len(times)} rules over {LIMIT_MS:.0f} ms")


if __name__ == "__main__":
    main()
