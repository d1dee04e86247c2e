"""The engine's laws, on texts and rules that nobody thought of."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.helpers import make, run
from tokenjuice_ml.command import identify
from tokenjuice_ml.rules.literals import required_literals
from tokenjuice_ml.rules.patterns import Pattern
from tokenjuice_ml.rules.view import LineView, last_state, strip_ansi
from tokenjuice_ml.types import Reduction, ToolOutput

LINE = st.one_of(
    st.sampled_from(
        [
            "",
            "  ",
            "Downloading x",
            "ERROR: it broke",
            "FAILED tests/a.py",
            "=== case",
            "    detail of it",
            "total 3 failed",
            "warning: odd",
            "\x1b[31mred\x1b[0m",
            "10%\r20%\r",
            "日本語のログ 行",
            "[… 3 lines, L1-L3]",
            "2024-01-01T00:00:00.0000000Z step",
            "x" * 1500,
        ]
    ),
    st.text(max_size=60).filter(lambda line: "\n" not in line),
)
TEXT = st.lists(LINE, min_size=1, max_size=120).map("\n".join)
CODE = st.sampled_from([0, 1, 2, 137, None])
PATTERN = st.sampled_from(
    ["^Downloading", "ERROR", "^FAILED", "case", r"\d+ failed", "^    ", "^=== ", "o", "^$", "日"]
)
RULE = st.fixed_dictionaries(
    {},
    optional={
        "filters": st.fixed_dictionaries(
            {},
            optional={
                "skipPatterns": st.lists(PATTERN, max_size=3),
                "keepPatterns": st.lists(PATTERN, max_size=3),
            },
        ),
        "summaryPatterns": st.lists(PATTERN, max_size=2),
        "keepBlocks": st.lists(
            st.fixed_dictionaries(
                {"start": PATTERN},
                optional={
                    "end": PATTERN,
                    "endBefore": PATTERN,
                    "while": PATTERN,
                    "skip": st.lists(PATTERN, max_size=1),
                    "before": st.integers(0, 3),
                    "after": st.integers(0, 3),
                    "maxLines": st.integers(1, 9),
                },
            ),
            max_size=3,
        ),
        "summarize": st.fixed_dictionaries({"head": st.integers(0, 9), "tail": st.integers(0, 9)}),
        "dedupe": st.sampled_from(["count", "similar", "off"]),
        "prefer": st.sampled_from(["ends", "first"]),
        "signals": st.booleans(),
        "counters": st.just([{"name": "case", "pattern": "case"}]),
        "outputMatches": st.lists(
            st.fixed_dictionaries({"pattern": PATTERN, "message": st.just("QQ fine")}), max_size=1
        ),
        "onEmpty": st.just("QQ empty"),
        "windowOnSuccess": st.fixed_dictionaries({"head": st.integers(0, 4), "tail": st.integers(0, 4)}),
    },
)


def applied(document: dict[str, object], text: str, code: int | None, budget: int) -> Reduction | None:
    return run(make(document), ToolOutput(text=text, command="x", exit_code=code), budget)


@given(RULE, TEXT, CODE, st.sampled_from([0, 60, 300, 2000]))
def test_laws(document: dict[str, object], text: str, code: int | None, budget: int) -> None:
    reduction = applied(document, text, code, budget)
    again = applied(document, text, code, budget)
    assert reduction == again
    if reduction is None:
        return
    assert len(reduction.text) < len(text)
    assert reduction.lossy == bool(reduction.omissions)
    if reduction.compressor != "rule":
        return
    _only_own_and_original_lines(reduction.text, text)
    if code != 0:
        assert "QQ" not in reduction.text
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    for gap in reduction.omissions:
        assert 1 <= gap.first_line <= gap.last_line <= len(lines)
        assert 0 <= gap.lines <= gap.last_line - gap.first_line + 1
    if not budget:
        _every_line_is_shown_or_counted(reduction, lines)


def _only_own_and_original_lines(body: str, text: str) -> None:
    """Values are verbatim: what is not ours is a line of the input (or an end of a long one)."""
    shown = {strip_ansi(line) for line in text.split("\n")}
    known = shown | {last_state(line) for line in shown}
    for line in body.split("\n"):
        assert (
            line in known
            or line.startswith("[…")
            or any(line in original for original in known if len(original) > 1000)
        )


def _every_line_is_shown_or_counted(reduction: Reduction, lines: list[str]) -> None:
    counted = sum(gap.lines for gap in reduction.omissions)
    ours = [line for line in reduction.text.split("\n") if line.startswith("[…") and line not in lines]
    shown = reduction.text.count("\n") + 1 - len(ours)
    long = sum(1 for gap in reduction.omissions if "characters inside" in gap.what)
    assert shown - long + counted >= len(lines) - ours.count("")


@given(st.text(max_size=200))
def test_identify_never_raises(text: str) -> None:
    found = identify(text)
    assert found is None or (found.program == "" or found.argv)


SHELL_TEXT = st.lists(
    st.sampled_from(
        "git status pytest sudo env A=1 sh -c bash && || ; | > < << EOF ( ) { } $( ` ' \" \\ \n # -- -x if then fi cd x npx uv run".split(
            " "
        )
    ),
    max_size=25,
).map(" ".join)


@given(SHELL_TEXT)
def test_identify_never_raises_on_shell_like_text(text: str) -> None:
    identify(text)


ATOM = st.sampled_from(
    ["a", "ab", "foo", r"\d", r"\d+", ".", ".*", "[ab]", "[^x]+", "(?:foo|bar)", "(foo|)", "(?:ab)?", "x*", "b+", r"\.", r"\b",
     r"\s*", "(?=foo)", "(?!bar)", "a{2}", "(?:ab){0,2}", "foo|bar", "^", "$", "[a]", r"\bfoo\b", "FOO", r"(?P<n>foo)"]
)  # fmt: skip


@given(
    st.lists(ATOM, min_size=1, max_size=6).map("".join), st.text("abfor.1 x\tFO", max_size=30), st.booleans()
)
def test_required_literals_are_required(source: str, line: str, ignore_case: bool) -> None:
    try:
        compiled = re.compile(source, re.ASCII | (re.I if ignore_case else 0))
    except re.error:
        return
    literals = required_literals(source, ignore_case)
    if literals and compiled.search(line):
        text = "\n" + (line.lower() if ignore_case else line)
        assert any(literal in text for literal in literals)


@given(
    st.lists(ATOM, min_size=1, max_size=4).map("".join),
    st.lists(st.text("abfor.1 xFO", max_size=12), min_size=1, max_size=30),
    st.booleans(),
)
def test_hits_are_what_a_search_in_each_line_finds(source: str, lines: list[str], ignore_case: bool) -> None:
    try:
        compiled = re.compile(source, re.ASCII | (re.I if ignore_case else 0))
    except re.error:
        return
    view = LineView("\n".join(lines) + "\n")
    expected = [at for at, line in enumerate(lines) if compiled.search(line)]
    assert Pattern(source, ignore_case).hits(view) == expected
    assert Pattern(source, ignore_case, guarded=True).hits(view) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("^Collecting ", ("\nCollecting ",)),
        (r"error\[E\d+\]", ("error[E",)),
        (r"^(FAILED|ERROR) ", ("FAILED", "ERROR")),
        (r"\d+ (?:passed|failed)", ("passed", "failed")),
        (r"warn(?:ing)?:", ("warn",)),
        (r"^\s*at ", ("at ",)),
        (r"(?i)foo", ()),
        (r"a|\d+", ()),
        (r"(a)(?P=n)|foo", ()),
        ("^$", ()),
    ],
)
def test_literals(source: str, expected: tuple[str, ...]) -> None:
    assert required_literals(source) == expected


BIG = {
    "one line of 1 MB": "x" * 1_000_000,
    "words on one line of 1 MB": "error at step 7 " * 62_500,
    "a million empty lines": "\n" * 1_000_000,
    "escapes": "\x1b[" * 500_000,
    "open links": "\x1b]8;;" * 200_000,
    "carriage returns": "50%\r" * 250_000,
    "spaces": " " * 1_000_000,
    "brackets": "((((" * 250_000,
    "equal lines": "the same line again\n" * 50_000,
    "different errors": "".join(f"ERROR {n}: widget {n * 7} broke\n" for n in range(30_000)),
}


@pytest.mark.parametrize("name", BIG)
def test_big_inputs_take_linear_time(name: str) -> None:
    rule = make(
        filters={
            "skipPatterns": ["^Downloading ", r"\s+at .*node_modules"],
            "keepPatterns": [r"^\S+:\d+:\d+: error", "FAILED"],
        },
        keepBlocks=[{"start": "^Traceback", "end": r"^\w+Error"}, {"start": r"^\s*\d+\) ", "while": r"^\s"}],
        summaryPatterns=[r"\d+ (?:passed|failed)"],
    )
    start = time.process_time()
    run(rule, ToolOutput(text=BIG[name], command="x", exit_code=1))
    assert time.process_time() - start < 8
