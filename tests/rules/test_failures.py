"""Where not each failing test is shown, the first line says how many, where, and what was raised."""

from __future__ import annotations

import pytest

from tests.rules.test_blind_failures import cut

KINDS = ["KeyError: 'cart'", "AssertionError: 3 != 4", "KeyError: 'order'"]


def unittest(count: int, modules: int = 1) -> str:
    """What unittest prints for so many failing tests, two of three with a KeyError."""
    parts = [f"test_ok_{n} (shop.test_errors.FailureTest.test_ok_{n}) ... ok\n" for n in range(60)]
    parts.append("fix_errors (shop.test_errors)\nDoctest: shop.test_errors.fix_errors ... ok\n")
    parts.append("    shop.errors.CartError\n")
    names = [f"test_case_{n} (shop.test_mod{n % modules}.Part{n % 9}.test_case_{n})" for n in range(count)]
    parts += [f"{name} ... ERROR\n" for name in names]
    for at, name in enumerate(names):
        frames = "".join(f'  File "shop/part{n}.py", line {n}, in run\n    call(step)\n' for n in range(6))
        parts.append(f"{'=' * 70}\nERROR: {name}\n{'-' * 70}\nTraceback (most recent call last):\n{frames}")
        parts.append(f"{KINDS[at % 3]}\n\n")
    return f"{''.join(parts)}{'-' * 70}\nRan {count + 61} tests in 3.1s\n\nFAILED (errors={count})\n"


def head(command: str, text: str) -> str:
    return cut(command, text, 1).split("\n", 1)[0]


def test_failing_tests_left_out_are_counted_by_what_was_raised_and_where() -> None:
    said = head("python -m unittest -v", unittest(120))
    assert said.startswith("[… exit 1; 120 failing tests, ")
    assert said.endswith(" of them shown: 80 KeyError, 40 AssertionError; all in shop.test_mod0]")


def test_several_modules_are_counted_each() -> None:
    assert head("python -m unittest", unittest(120, 3)).endswith(
        "; 40 in shop.test_mod0, 40 in shop.test_mod1, 40 in shop.test_mod2]"
    )
    assert head("python -m unittest", unittest(120, 40)).endswith("; all in shop]")


def test_nothing_is_said_where_all_are_shown() -> None:
    assert head("python -m unittest", unittest(2)) == "[… exit 1]"


def test_a_test_that_went_well_is_no_error_whatever_its_name() -> None:
    shown = cut("python -m unittest -v", unittest(3), 1)
    assert "fix_errors" not in shown
    assert "CartError" not in shown
    assert "test_ok" not in shown


def test_a_run_that_ended_before_its_report_shows_what_failed_so_far() -> None:
    text = unittest(3).partition("=" * 70)[0]
    shown = cut("python -m unittest -v", f"{text}Fatal Python error: Segmentation fault\n", 139)
    assert shown.count(" ... ERROR") == 3 or "Fatal Python error" in shown


PYTEST = "".join(
    f"FAILED tests/shop/test_{n % 2}.py::test_case_{n} - {'KeyError: 1' if n % 4 else 'assert 1 == 2'} {'x' * 60}\n"
    for n in range(300)
)
GO = "".join(f"--- FAIL: TestCase{n} (0.00s)\n    case_test.go:{n}: got {n}, want 0\n" for n in range(400))
VITEST = "".join(
    f" FAIL  src/cart.test.js > cart > totals {n}\nTypeError: price {n} is not a number, it is a very long story\n"
    f" ❯ src/cart.js:{n}:4\n     2| x\n       ^\n\n"
    for n in range(200)
)
MAVEN = "".join(
    f"[ERROR] com.shop.CartTest.adds{n} -- Time elapsed: 0.01 s <<< FAILURE!\n"
    f"java.lang.IllegalStateException: cart {n} is closed and cannot be opened again by anyone\n"
    f"\tat com.shop.Cart.add(Cart.java:{n})\n\n"
    for n in range(200)
)
GRADLE = "".join(
    f"com.shop.CartTest > adds{n}() FAILED\n    java.lang.IllegalStateException at CartTest.java:{n}\n\n"
    for n in range(200)
)


@pytest.mark.parametrize(
    ("command", "text", "parts"),
    [
        (
            "pytest",
            f"{PYTEST}= 300 failed in 3.20s =\n",
            ["300 failing tests", "225 KeyError, 75 assert", "150 in tests/shop/test_0.py"],
        ),
        ("vitest run", VITEST, ["200 failing tests", "200 TypeError", "all in src/cart.test.js"]),
        ("mvn test", MAVEN, ["200 failing tests", "200 IllegalStateException", "all in com.shop.CartTest"]),
        (
            "gradle test",
            GRADLE,
            ["200 failing tests", "200 IllegalStateException", "all in com.shop.CartTest"],
        ),
    ],
)
def test_other_runners(command: str, text: str, parts: list[str]) -> None:
    said = head(command, text)
    assert all(part in said for part in parts), said


def test_a_few_left_out_are_named() -> None:
    long = "word " * 180
    text = "".join(
        f"FAILED tests/test_a.py::test_{n} - ValueError: {n} {long if n % 2 else ''}\n" for n in range(14)
    )
    said = head("pytest", f"{text}= 14 failed in 3.20s =\n")
    assert "not shown: tests/test_a.py::test_" in said


def test_warnings_that_give_way_to_an_error_are_counted() -> None:
    warned = "".join(
        f"cc -c part{n}.c\npart{n}.c:3:5: warning: unused variable 'q{n}' [-Wunused-variable]\n    3 | int q;\n      |     ^\n"
        for n in range(80)
    )
    failed = "cc -c last.c\nlast.c:1:10: fatal error: shop.h: No such file or directory\nmake: *** [last.o] Error 1\n"
    assert head("make -k", warned + failed) == "[… exit 1; 80 warnings]"
