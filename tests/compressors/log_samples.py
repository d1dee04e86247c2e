"""Long CI logs around real failures, as four build services write them, and logs of services."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.compressors.markup_context import FIXTURES, context
from tokenjuice_ml.compressors import log
from tokenjuice_ml.types import Kind, Reduction

LOGS = FIXTURES / "logs"

# What a reader must find: what happened, where, and which command failed.
MUST = {
    "pytest": ("E       assert 8.5 == 9.5", "test_cart.py:12: AssertionError", "2 failed, 1 passed in 2.60s"),
    "make": ("main.c:7:27: error: expected ‘;’ before ‘}’ token", "make: *** [Makefile:3: main.o] Error 1"),
    "gotest": ("    queue_test.go:8: got 2 items, want 3", "\t/home/dev/app/queue.go:3"),
    "cargo": (
        "error[E0308]: mismatched types",
        " --> src/lib.rs:6:18",
        "  |     ^^^^^ expected `i64`, found `u32`",
    ),
    "npmtest": ("    + 'café-noir'", "    exports.slug (/home/dev/app/slug.js:1:31)"),
    "java": (
        'Caused by: java.lang.NumberFormatException: For input string: "12x"',
        "\tat Report.parse(Report.java:4)",
    ),
    "ruby": ("	from load.rb:3:in `load'",),
}


def body(name: str) -> str:
    """Returns a captured failure."""
    return (LOGS / f"{name}.body").read_text("utf-8").rstrip("\n")


def noise(lines: int, seed: int = 1) -> Iterator[str]:
    """Yields lines of downloads, compilations and passing steps, none of them a signal."""
    dice = random.Random(seed)
    shapes: tuple[Callable[[int], str], ...] = (
        lambda n: f"Get:{n} http://mirror.example.org stable/main amd64 lib{n} [{dice.randrange(900)} kB]",
        lambda n: f"Setting up lib{n}:amd64 (1.{dice.randrange(40)}-{n}) ...",
        lambda n: f"[{n % 100:3d}%] Building object src/unit_{n}.o",
        lambda n: f"  - Installing vendor/pack-{n} (v{dice.randrange(9)}.{n}): Loading from cache",
        lambda n: f"ok {n} - case {dice.randrange(1000)} behaves",
    )
    for number in range(lines):
        yield shapes[number * len(shapes) // lines](number)


def travis(cause: str, lines: int = 2500) -> str:
    """A log with folds, colours and carriage returns."""
    return "".join(
        (
            "travis_fold:start:worker_info\r\x1b[0K\x1b[33;1mWorker information\x1b[0m\n",
            "travis_fold:end:worker_info\r\x1b[0K\n",
            "".join(f"{line}\r\n" for line in noise(lines)),
            "travis_time:start:0a1\r\x1b[0K$ ./ci/run.sh\r\n",
            "".join(f"\x1b[31m{line}\x1b[0m\r\n" for line in cause.split("\n")),
            'travis_time:end:0a1\r\x1b[0K\x1b[31;1mThe command "./ci/run.sh" exited with 1.\x1b[0m\r\n\r\n',
            "".join(f"uploading cache part {n}\r\n" for n in range(40)),
            "Done. Your build exited with 1.\r\n",
        )
    )


def github(cause: str, lines: int = 2500) -> str:
    """A log with a time on each line, groups and an annotation at the end."""
    rows = ["##[group]Run ./ci/run.sh", "shell: /usr/bin/bash -e {0}", "##[endgroup]", *noise(lines)]
    rows += [*cause.split("\n"), "##[error]Process completed with exit code 1.", "Post job cleanup."]
    stamps = (f"2026-03-14T09:{n // 60 % 60:02d}:{n % 60:02d}.1234567Z" for n in range(len(rows)))
    return "\n".join(f"{stamp} {row}" for stamp, row in zip(stamps, rows, strict=True))


def gitlab(cause: str, lines: int = 2500) -> str:
    """A log with sections."""
    return "\n".join(
        (
            "section_start:1773480000:step_script\r\x1b[0K\x1b[36;1mExecuting script\x1b[0;m",
            *noise(lines),
            "\x1b[32;1m$ ./ci/run.sh\x1b[0;m",
            cause,
            "section_end:1773480100:step_script\r\x1b[0K",
            "\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m",
        )
    )


def jenkins(cause: str, lines: int = 2500) -> str:
    """A pipeline log."""
    return "\n".join(
        (
            "Started by user builder",
            "[Pipeline] stage",
            *noise(lines),
            "+ ./ci/run.sh",
            cause,
            "[Pipeline] }",
            "[Pipeline] // stage",
            "ERROR: script returned exit code 1",
            "Finished: FAILURE",
        )
    )


WRAPPERS = {"travis": travis, "github": github, "gitlab": gitlab, "jenkins": jenkins}


def reduce(text: str, exit_code: int | None = 1, query: str | None = None, **settings: object) -> Reduction:
    """Returns what the log compressor makes of a text that is too long for the budget."""
    hints = {"exit_code": exit_code, "query": query}
    made = log.compress(text, context(text, Kind.LOG, settings=settings or None, **hints))
    assert made is not None
    return made
