"""The level and the marks of single lines, and the scan of whole texts."""

import pytest

from tokenjuice_ml.compressors import signals
from tokenjuice_ml.compressors.signals import ERROR, NONE, WARNING, judge, scan, severity

ERRORS = [
    "src/a.c:4:2: error: expected ';' before '}' token",
    "[ERROR] Failed to execute goal on project demo",
    "[INFO] BUILD FAILURE",
    "npm ERR! code ELIFECYCLE",
    "Traceback (most recent call last):",
    "java.lang.NullPointerException: null",
    "TypeError: cannot read property 'x' of undefined",
    "not ok 3 - opens the file",
    "make: *** [all] Error 2",
    'The command "make test" exited with 1.',
    "thread 'main' panicked at 'no', src/main.rs:1",
    "E0311 12:00:00.1 main.go:5] failed to renew the lease",
    "Caused by: java.io.IOException: closed",
    "time=12:00 level=error msg=boom",
    "==== 2 failed, 3 passed in 1.21s ====",
    "FAILED tests/test_a.py::test_b - assert 1 == 2",
    "Fehler: Datei nicht lesbar",
    "错误: 找不到文件",
    "bash: foo: command not found",
    "run done, errors=3",
    "dial tcp 192.0.2.1:6443: i/o timeout",
    "x509: certificate has expired",
]
WARNINGS = [
    "WARN deprecated left-pad@1.0.0",
    "src/a.c:4:2: warning: unused variable 'x'",
    '{"level":"warn","msg":"slow"}',
    "LaTeX: Overfull \\hbox (2.1pt too wide) in paragraph",
]
HARMLESS = [
    "INFO run finished failed=0 errors=0",
    "0 errors",
    "Compiled without errors",
    "error handling middleware loaded",
    "compiling src/error.rs",
    "cp lib/errors.py build/lib/errors.py",
    "ok 3 - rejects a bad error path",
    "test_error_is_raised ... ok",
    "  ✓ shows an error page (3 ms)",
    "gcc -Wall -Werror -c error.c -o error.o",
    "failures: 0, errors: 0",
    "process finished with exit code 0",
    "test result: ok. 5 passed; 0 failed",
    "+ ./run.sh --on-error=stop",
    "DEBUG retry after error, attempt=2",
    "log_errors => On",
    "html_errors = 0",
    "the USA under License Exception TSU",
    "SKIP web page with fatal error [a.phpt] reason: not built in",
]


@pytest.mark.parametrize("line", ERRORS)
def test_errors(line: str) -> None:
    assert severity(line) == ERROR


@pytest.mark.parametrize("line", WARNINGS)
def test_warnings(line: str) -> None:
    assert severity(line) == WARNING


@pytest.mark.parametrize("line", HARMLESS)
def test_harmless(line: str) -> None:
    assert severity(line) <= signals.NOTICE


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("3 failed, 2 passed", signals.SUMMARY),
        ("Tests run: 3, Failures: 1", signals.SUMMARY),
        ("lib/a.py:3:1: F401 unused import", signals.DIAGNOSTIC),
        ("error[E0308]: mismatched types", signals.DIAGNOSTIC),
        ("npm exited with status 1", signals.EXIT),
        ("--- FAIL: TestX (0.00s)", signals.FAILED_TEST),
        ("panic: runtime error: index out of range", signals.HEAD),
        ("Caused by: x", signals.CAUSE),
    ],
)
def test_marks(line: str, mark: int) -> None:
    assert judge(line)[1] & mark


def test_scan_equals_single_lines() -> None:
    lines = [*HARMLESS, *ERRORS, *WARNINGS, "", "İstanbul error: x", "plain words"]
    found = scan("\n".join(lines))
    assert [severity(line) for line in lines] == list(found.levels)
    assert list(scan(lines).levels) == list(found.levels)


def test_own_words_are_signals_and_taken_literally() -> None:
    found = scan(["a quiet line", "payment (a+)+$ late"], ["(a+)+$", ""])
    assert list(found.levels) == [NONE, WARNING]
    assert found.marks[1] & signals.OWN


@pytest.mark.parametrize("text", ["", "\n" * 1000, "error" * 200_000, "a.b." * 250_000 + "error"])
def test_odd_texts(text: str) -> None:
    assert len(scan(text).levels) == text.count("\n") + 1


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("round 7 cost=nan", WARNING),
        ("2026-02-03 INFO round 7 cost: NaN rate=1", WARNING),
        ("cost=-inf", WARNING),
        ("level=inf", NONE),
        ("10:02AM INF listening", NONE),
        ("level=info msg=ready", NONE),
        ("nanoseconds=4 inferred=3", NONE),
        ("throughput regressed by 12%", WARNING),
        ("service is degraded", WARNING),
        ("access denied for role guest", WARNING),
        ('{"error": "", "n": 3}', NONE),
        ('{"last_error": null, "errors": []}', NONE),
        ("exec err=<nil> took=3ms", NONE),
        ("error: null pointer", ERROR),
        ("error: none of the mirrors answered", ERROR),
        ('{"error": "disk full"}', ERROR),
    ],
)
def test_fields_without_a_value_and_numbers_that_are_none(line: str, level: int) -> None:
    assert severity(line) == level
    assert scan([line]).levels[0] == level


def test_an_empty_field_is_no_signal_and_hides_none() -> None:
    jobs = [
        f"job {n}\n  queue: mail\n  error: {'disk full on /var' if n == 41 else ''}\n  retries: 0"
        for n in range(90)
    ]
    found = scan("\n".join(jobs))
    assert [number for number in found.hits if found.levels[number] >= WARNING] == [41 * 4 + 2]


@pytest.mark.parametrize("text", ["Error:\n  the shelf is full\n", "Failed:\nthe shelf is full"])
def test_a_heading_stays_a_signal(text: str) -> None:
    assert scan(text).found
