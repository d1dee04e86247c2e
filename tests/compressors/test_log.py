"""The log compressor, end to end."""

from __future__ import annotations

import pytest

from tokenjuice_ml.compressors import generic, log, log_body
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Context, Detection, Kind, Reduction, ToolOutput


def run(
    text: str, budget: int = 2000, settings: Settings | None = None, module: object = log
) -> Reduction | None:
    context = Context(
        ToolOutput(text), settings or Settings(), Detection(Kind.LOG, "test", "kind"), None, budget
    )
    return module.compress(text, context)  # type: ignore[attr-defined]


def ci_log(cause: str, lines: int = 3000) -> str:
    noise = "".join(f"Downloading package-{number} ({number * 7} kB)\n" for number in range(lines))
    return f'$ make test\n{noise}{cause}\nThe command "make test" exited with 1.\nDone.\n'


CAUSES = [
    "src/a.c: In function 'main':\nsrc/a.c:4:2: error: expected ';'\n   4 |   x\n     |    ^",
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: bad size 17',
    "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 4, want 5\nFAIL",
]


@pytest.mark.parametrize("module", [log, generic])
@pytest.mark.parametrize("cause", CAUSES)
def test_the_whole_cause_is_shown(cause: str, module: object) -> None:
    answer = run(ci_log(cause), module=module)
    assert answer
    for line in cause.split("\n"):
        assert line in answer.text.split("\n")


@pytest.mark.parametrize("module", [log, generic])
def test_omissions_add_up(module: object) -> None:
    text = ci_log(CAUSES[0])
    answer = run(text, module=module)
    assert answer
    shown = [line for line in answer.text.split("\n") if not line.startswith("[…")]
    assert len(shown) + sum(gap.lines for gap in answer.omissions) == len(text.split("\n"))


@pytest.mark.parametrize("module", [log, generic])
def test_without_a_signal_it_says_so(module: object) -> None:
    answer = run("\n".join(f"step {n} of the long way" for n in range(9000)), module=module)
    assert answer
    assert "no error or warning found" in answer.text
    assert answer.text.endswith("step 8999 of the long way")


@pytest.mark.parametrize("module", [log, generic])
@pytest.mark.parametrize("said", ["path=/cart status=503 ms=4", '{"status": 500}', '"GET / HTTP/1.1" 502 9'])
def test_answers_that_failed_are_not_called_free_of_errors(module: object, said: str) -> None:
    rows = [f"step {number} of the long way" for number in range(9000)]
    rows[4000] = said
    answer = run("\n".join(rows), module=module)
    assert answer
    assert "no error or warning" not in answer.text


@pytest.mark.parametrize("module", [log, generic])
@pytest.mark.parametrize("inside", ["ERROR [pool] lost the order ", "GET /cart HTTP/1.1 status=500 "])
def test_a_long_line_that_nobody_read_whole_is_not_called_free_of_errors(module: object, inside: str) -> None:
    long = f"{'INFO step is done ' * 3000}{inside}{'INFO step is done ' * 3000}"
    for text in (long, f"{long}\nend of it\n"):
        answer = run(text, module=module)
        assert answer
        assert "no error or warning" not in answer.text


@pytest.mark.parametrize(("code", "start"), [(0, 40), (None, 40), (1, 15)])
def test_an_answer_without_a_signal_fills_the_budget_from_both_ends(code: int | None, start: int) -> None:
    words = "mov push call lea test jmp ret xor add sub cmp shl".split()
    lines = [
        f"{number:x}: {words[number % 12]} %{words[number % 7]},%{words[number % 11]} <{words[number % 5]}>"
        for number in range(2000)
    ]
    output = ToolOutput("\n".join(lines), tool="exec", command="objdump -d app", exit_code=code)
    context = Context(output, Settings(), Detection(Kind.LOG, "test", "kind"), None, 2000)
    made = log.compress(output.text, context)
    assert made is not None
    assert f"{log_body.quiet_words(code)} in 2,000 lines" in made.text
    shown = [line for line in made.text.split("\n") if not line.startswith("[…")]
    assert len(shown) > 60
    assert shown[:start] == lines[:start]
    assert shown[-40:] == lines[-40:]
