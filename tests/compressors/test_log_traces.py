"""Stack traces in logs of records: what belongs together stays together, and gaps are marked."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.compressors.log_samples import reduce
from tests.compressors.test_log_records import service
from tokenjuice_ml.compressors import log_traces
from tokenjuice_ml.compressors.log_census import TIME

FILTERS = [f"\tat org.springframework.web.Filter{n}.call(Filter.java:{n})" for n in range(24)]
BUSY = "Caused by: com.shop.db.PoolBusy: no connection within 30000 ms"
ROUNDED = "Caused by: java.lang.ArithmeticException: rounding is necessary"


def java(cause: str) -> list[str]:
    return [
        "com.shop.web.RequestFailed: checkout failed",
        *FILTERS,
        "Caused by: com.shop.OrderLost: order was not written",
        "\tat com.shop.Orders.write(Orders.java:71)",
        *FILTERS[:6],
        "\t... 20 more",
        cause,
        "\tat java.base/java.util.Objects.check(Objects.java:12)",
        "\tat com.shop.Money.cents(Money.java:31)",
        "\t... 22 more",
    ]


PYTHON = [
    "Traceback (most recent call last):",
    '  File "/srv/venv/lib/python3.12/site-packages/web/app.py", line 88, in run',
    "    return self.call(request)",
    '  File "/srv/shop/views.py", line 41, in post',
    "    store.place(cart)",
    "KeyError: 'cart'",
    "",
    "During handling of the above exception, another exception occurred:",
    "",
    "Traceback (most recent call last):",
    '  File "/srv/shop/errors.py", line 12, in on_missing',
    "    raise OrderLost(cart)",
    "shop.errors.OrderLost: cart is lost",
]
NODE = [
    "TypeError: Cannot read properties of undefined (reading 'id')",
    "    at node:internal/process/task_queues:95:5",
    "    at Layer.handle (/srv/web/node_modules/express/router.js:95:5)",
    "    at pick (/srv/web/src/pick.js:14:9)",
    "  [cause]: RangeError: seat is out of range",
    "      at seat (/srv/web/src/seat.js:3:11)",
]


def logged(trace: list[str], before: str = "", odd: list[str] | None = None) -> list[str]:
    """A service's log of 1500 lines with 14 traces; the ninth may be of another kind."""
    rows: list[str] = []
    for number, line in enumerate(service(1500)):
        rows.append(before + line)
        if number % 100 == 50 and number < 1450:
            rows.append(f"{before}{line[:24]} ERROR web request {number} failed")
            rows += [before + text for text in (odd if odd and number == 850 else trace)]
    return rows


def test_each_trace_is_shown_whole_and_alike_ones_are_counted_together() -> None:
    text = reduce("\n".join(logged(java(BUSY), odd=java(ROUNDED))), exit_code=None).text
    lines = text.split("\n")
    often = next(at for at, line in enumerate(lines) if line.startswith("[… 13× "))
    once = next(at for at, line in enumerate(lines) if line.endswith("ERROR web request 850 failed"))
    for start, cause in ((often, BUSY), (once, ROUNDED)):
        assert lines[start + 1] == "com.shop.web.RequestFailed: checkout failed"
        assert lines[start + 3 : start + 7] == [
            "[… 23 frames]",
            "Caused by: com.shop.OrderLost: order was not written",
            "\tat com.shop.Orders.write(Orders.java:71)",
            "[… 7 frames]",
        ]
        assert lines[start + 7] == cause
        assert lines[start + 8].endswith("Objects.check(Objects.java:12)")
        assert lines[start + 9].endswith("Money.cents(Money.java:31)")
    assert text.count("Caused by") == 4


def test_what_lies_between_two_lines_of_a_trace_is_marked() -> None:
    source = logged(java(BUSY), odd=java(ROUNDED))
    shown = reduce("\n".join(source), exit_code=None).text.split("\n")
    for before, line in pairwise(shown):
        if line.startswith(("\t", "Caused by")) and not before.startswith("[… "):
            at = [number for number, text in enumerate(source) if text == line]
            assert any(source[number - 1] == before for number in at)


@pytest.mark.parametrize("before", ["", "api-1  | "])
@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (PYTHON, ["store.place(cart)", "KeyError: 'cart'", "During handling", "OrderLost: cart is lost"]),
        (NODE, ["TypeError: Cannot", "pick.js:14:9", "[cause]: RangeError", "seat.js:3:11"]),
    ],
)
def test_other_languages_and_joined_logs(trace: list[str], said: list[str], before: str) -> None:
    text = reduce("\n".join(logged(trace, before)), exit_code=None).text
    assert re.search(r"^\[… 14× L\d+-L\d+.*ERROR web request 50 failed$", text, re.MULTILINE)
    places = [text.index(part) for part in said]
    assert places == sorted(places)
    assert all(text.count(part) == 1 for part in said)


def test_the_end_of_a_service_shows_its_last_trace_as_one() -> None:
    text = reduce("\n".join([*logged(java(BUSY)), *java(ROUNDED)]), exit_code=1).text
    lines = text.split("\n")
    cause = lines.index(ROUNDED)
    assert lines[cause + 1].endswith("Objects.check(Objects.java:12)")
    assert lines[cause - 1].startswith("[… ")
    assert "Caused by: com.shop.OrderLost: order was not written" in lines[:cause]


def test_traces_that_differ_in_words_only_are_told_by_what_was_thrown() -> None:
    rows: list[str] = []
    for number, line in enumerate(service(1500)):
        rows.append(line)
        if number % 15 == 0:
            name = "".join(chr(97 + number // 15 // 26**place % 26) for place in range(3))
            rows += [
                f"{line[:24]} ERROR web no account",
                f"com.shop.NoAccount: {name} is unknown",
                FILTERS[0],
            ]
    text = reduce("\n".join(rows), exit_code=None).text
    assert re.search(r"^\[… 100× L\d+-L\d+.*ERROR web no account$", text, re.MULTILINE)


def test_a_log_without_traces_has_none() -> None:
    rows = [*service(300), "a line at the end ... caused by nothing", "    indented"]
    assert log_traces.find(rows, TIME) == []
    assert log_traces.find([], TIME) == []


def test_of_a_long_chain_what_failed_and_its_first_cause_are_shown() -> None:
    chain = [
        line
        for at in range(300)
        for line in (f"Caused by: shop.Lost: level {at}", f"\tat shop.A.f{at}(A.java:{at})", "\t... 3 more")
    ]
    rows = [
        *service(80),
        "2026-03-01 10:00:01 ERROR main order lost",
        "shop.Top: no",
        "\tat shop.T.t(T.java:1)",
    ]
    text = reduce("\n".join([*rows, *chain, *service(80)]), exit_code=None).text
    for line in ("shop.Top: no", "Caused by: shop.Lost: level 0", "Caused by: shop.Lost: level 299"):
        assert f"\n{line}\n" in text
    assert re.search(r"^\[… 8\d\d lines\]$", text, re.MULTILINE)


def _report(number: int) -> list[str]:
    """Returns a report of a use after free, as sanitizers of C programs print it."""
    stacks = {
        "READ of size 4 at 0x6020000000a0 thread T2": (
            "Shelf::peek() /src/shelf.cc:31",
            "Shop::serve() /src/shop.cc:77",
        ),
        "freed by thread T1 here:": (
            "operator delete(void*) asan_new_delete.cpp:9",
            "Shelf::~Shelf() /src/shelf.cc:12",
        ),
        "previously allocated by thread T0 here:": (
            "operator new(unsigned long) asan_new.cpp:5",
            "Shop::open() /src/shop.cc:8",
        ),
    }
    lines = [
        "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000000a0 at pc 0x51 bp 0x7f sp 0x7e"
    ]
    for head, frames in stacks.items():
        shared = (
            "Shop::serve() /src/shop.cc:77",
            "main /src/main.cc:4",
            "__libc_start_main ../sysdeps/libc-start.c:58",
        )
        lines += [
            head,
            *[f"    #{at} 0x55{at}{number} in {frame}" for at, frame in enumerate((*frames, *shared))],
            "",
        ]
    lines += ["SUMMARY: AddressSanitizer: heap-use-after-free /src/shelf.cc:31 in Shelf::peek()"]
    lines += ["Shadow bytes around the buggy address:"]
    lines += [f"  0x0c04{at:08x}: fa fa 00 00 fd fd fd fd fa fa 00 00 fa fa fd fd" for at in range(9)]
    return [
        *lines,
        "Shadow byte legend (one shadow byte represents 8 bytes):",
        "  Addressable:           00",
        "==77==ABORTING",
    ]


@pytest.mark.parametrize("code", [0, 1])
def test_stacks_of_a_native_report_are_each_one(code: int) -> None:
    steps = [f"[2026-02-03 10:{n // 60:02d}:{n % 60:02d}] served {n} apples from shelf 3" for n in range(400)]
    text = reduce("\n".join([*steps, *_report(1)]), exit_code=code).text
    told = (
        "READ of size 4",
        "freed by thread T1 here:",
        "previously allocated by thread T0 here:",
        "SUMMARY: Address",
    )
    own = ("Shelf::peek()", "Shelf::~Shelf()", "Shop::open()")
    assert all(part in text for part in (*told, *own))
    assert not re.search(r"2× .*#\d", text)
    assert text.count("fa fa 00 00 fd") <= 3
