"""Findings of linters and compilers: headings, what yields to worse, kinds, and what a delegate forgets."""

from __future__ import annotations

from tests.rules.helpers import body_of, make

LINT = {
    "filters": {"keepPatterns": [r"^\s+\d+:\d+\s+error\b"], "minorPatterns": [r"^\s+\d+:\d+\s+warning\b"]},
    "headings": [r"^\S+\.js$"],
    "summaryPatterns": [r"\d+ problems?\b"],
    "signals": False,
}


def report(errors: int, warnings: int = 40) -> str:
    """Returns the report of a linter: one file of warnings, one with the errors."""
    warned = [f"  {at}:3  warning  Unexpected var  no-var" for at in range(1, warnings + 1)]
    wrong = [f"  {at}:1  error  'total{at}' is not defined  no-undef" for at in range(1, errors + 1)]
    return "\n".join(["a.js", *warned, "", "b.js", *wrong, "", "c.js", *warned, "", "9 problems", ""])


def test_a_heading_stays_with_what_is_kept_under_it() -> None:
    lines = body_of(report(1), 1, make(LINT)).split("\n")
    assert "b.js" in lines
    assert "a.js" not in lines
    assert lines[lines.index("b.js") + 1].startswith("  1:1  error")


def test_an_output_without_headings_is_cut_all_the_same() -> None:
    text = "\n".join(f"  {at}:3  warning  x  no-var" for at in range(90)) + "\n  7:1  error  y  no-undef\n"
    assert "7:1  error" in body_of(text, 1, make(LINT))


def test_minor_findings_yield_to_errors() -> None:
    body = body_of(report(1), 1, make(LINT))
    assert body.count("Unexpected var") <= 1
    assert "9 problems" in body


def test_minor_findings_stay_where_nothing_is_worse() -> None:
    body = body_of(report(0, 6), 1, make(LINT))
    assert "6:3  warning" in body


def test_minor_blocks_yield_to_errors() -> None:
    blocks = [
        {"name": "error", "start": "^error: ", "endBefore": r"^\s*$"},
        {"name": "warning", "start": "^warning: ", "endBefore": r"^\s*$", "minor": True},
    ]
    noise = "".join(f"warning: unused variable x{at}\n  --> src/a.rs:{at}\n\n" for at in range(60))
    text = f"{noise}error: mismatched types\n  --> src/b.rs:9\n\n{noise}"
    rule = make({"keepBlocks": blocks, "signals": False})
    assert "src/b.rs:9" in body_of(text, 1, rule)
    assert "src/a.rs:3\n" not in body_of(text, 1, rule)
    assert "src/a.rs:1\n" in body_of(noise, 0, rule)


def test_the_tally_counts_kinds_most_frequent_first() -> None:
    rule = make({**LINT, "tally": r"^\s+\d+:\d+\s+(?:error|warning)\s.*\s(\S+)$"})
    assert body_of(report(2), 1, rule).startswith("[… exit 1; 80 × no-var, 2 × no-undef]\n")


def test_a_rare_kind_is_bought_before_repeats() -> None:
    many = [
        f"src/file{at}.py:{at}:1: E501 line too long in a place of its own, number {at}" for at in range(400)
    ]
    many[211] = "src/x.py:3:1: F821 undefined name 'total'"
    rule = make(
        {"filters": {"keepPatterns": [r":\d+:\d+: [A-Z]\d+"]}, "tally": r": ([A-Z]\d+) ", "signals": False}
    )
    body = body_of("\n".join(many), 1, rule, budget=600)
    assert "F821 undefined name 'total'" in body
    assert "399 × E501" in body


def test_per_kind_limits_repeats_but_not_news() -> None:
    many = [f"src/file{at}.js:{at}:5: 'console' is not defined (no-undef)" for at in range(200)]
    many[150] = "src/pay.js:41:9: 'amout' is not defined (no-undef)"
    rule = make(
        {
            "filters": {"keepPatterns": [r"\((?:[\w-]+)\)$"]},
            "tally": r"\(([\w-]+)\)$",
            "perKind": 5,
            "signals": False,
        }
    )
    body = body_of("\n".join(many), 1, rule)
    assert body.count("'console'") == 5
    assert "src/pay.js:41:9: 'amout' is not defined" in body
    assert "200 × no-undef" in body


def test_the_source_line_of_a_skipped_frame_goes_too() -> None:
    frames = "".join(
        f'  File "/usr/lib/python3/site-packages/lib{at}.py", line {at}, in call\n    return inner({at})\n'
        for at in range(12)
    )
    text = f'Traceback (most recent call last):\n  File "app.py", line 3, in run\n    load()\n{frames}ValueError: no rows\n'
    block = {
        "start": "^Traceback ",
        "end": r"^\w+Error\b",
        "skip": [r'^\s+File ".*site-packages'],
        "skipDeeper": True,
    }
    body = body_of(text, 1, make({"keepBlocks": [block]}))
    assert "    load()" in body
    assert "ValueError: no rows" in body
    assert "return inner" not in body


def test_going_to_the_first_column_redraws_the_line() -> None:
    spinner = "".join(f"{sign}\x1b[1G\x1b[0K" for sign in "⠙⠹⠸⠼" * 40)
    text = f"{spinner}npm warn deprecated x@1.0.0: gone\n" + "done\n" * 3
    body = body_of(text, 0)
    assert "npm warn deprecated x@1.0.0: gone" in body
    assert "⠙⠹" not in body


def test_refused_paths_stand_before_the_body_of_a_delegate() -> None:
    paths = "\n".join(f"./src/part{at // 9}/file{at}.ts" for at in range(300))
    text = f"find: './vault': Permission denied\n{paths}\n"
    rule = make({"delegate": "search", "filters": {"keepPatterns": ["Permission denied$"]}, "signals": False})
    body = body_of(text, 1, rule)
    assert "find: './vault': Permission denied" in body
    assert len(body) < len(text)


def test_a_list_that_the_rule_counts_is_not_foreign() -> None:
    text = "\n".join(f"src/file{at}.ts" for at in range(200))
    rule = make(
        {
            "filters": {"keepPatterns": ["^tar: "]},
            "counters": [{"name": "member", "pattern": r"^\S"}],
            "windowOnSuccess": {"head": 2, "tail": 1},
        }
    )
    body = body_of(text, 0, rule)
    assert body.split("\n")[0] == "[… 200 members]"
    assert "src/file199.ts" in body
    assert "src/file100.ts" not in body
