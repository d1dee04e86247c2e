"""Values that decide, in lines that are alike in all but numbers: they are not folded away."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.compressors import log_slots
from tokenjuice_ml.compressors.log_asked import records_asked
from tokenjuice_ml.compressors.log_census import census_keys
from tokenjuice_ml.compressors.log_slot_names import bad_values, slots_of

QUIET = "no error or warning found"
# How a line says how it went, a usual value, a bad one.
WAYS = {
    "status=": ("INFO  served verb=GET path=/berths/{n} status={v} dur={d}ms", "200", "500"),
    "quoted": ('INFO  worker "GET /berths/{n} HTTP/1.1" {v} {d}ms', "200", "502"),
    "arrow": ("[info] GET /berths/{n} -> {v} in {d}ms", "200", "503"),
    "completed": ("I, Completed {v} Service in {d}ms (Views: 2.5ms) id={n}", "200", "500"),
    "json": ('{{"level":"info","berth":{n},"status":{v},"elapsed":"{d}ms"}}', "200", "504"),
    "code=": ("INFO  call closed id={n} code={v} took={d}ms", "0", "14"),
    "exit": ("INFO  pilot task {n} finished exit_status={v} after {d}ms", "0", "137"),
    "failed=": ("INFO  batch {n} done rows=500 failed={v} took {d}ms", "0", "412"),
    "errors": ("INFO  sync of berth {n} done errors={v} elapsed={d}ms", "0", "3"),
}


def log(way: str, bad: set[int] = frozenset(), far: set[int] = frozenset(), lines: int = 1100) -> list[str]:  # type: ignore[assignment]
    shape, usual, worse = WAYS[way]
    dice = random.Random(3)
    rows = []
    for n in range(lines):
        value = worse if n in bad else usual
        took = 61234 if n in far else dice.randint(5, 90)
        line = shape.format(n=dice.randint(1000, 9999), v=value, d=took)
        rows.append(f"2026-04-02T05:{n // 60 % 60:02d}:{n % 60:02d}.000Z {line}")
    return rows


def body(rows: list[str], query: str | None = None) -> str:
    return reduce("\n".join(rows) + "\n", exit_code=0, query=query).text


@pytest.mark.parametrize("way", WAYS)
def test_the_one_line_that_failed_is_shown(way: str) -> None:
    rows = log(way, {612})
    text = body(rows)
    assert rows[612] in text.split("\n")
    assert QUIET not in text


@pytest.mark.parametrize("way", WAYS)
def test_the_lines_that_failed_are_a_kind_with_count_and_times(way: str) -> None:
    rows = log(way, set(range(300, 700, 10)))
    text = body(rows)
    told = next(line for line in text.split("\n") if line.startswith("[… 40× L301-L691"))
    assert "2026-04-02T05:05:00" in told
    assert "2026-04-02T05:11:30" in told
    assert "1,060" in text
    assert QUIET not in text


@pytest.mark.parametrize("way", WAYS)
def test_a_value_far_off_is_shown_as_a_line(way: str) -> None:
    rows = log(way, far={777})
    text = body(rows)
    assert rows[777] in text.split("\n")
    assert "61234ms]" in text or "61234ms, " in text


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_said_of_usual_values(way: str) -> None:
    text = body(log(way))
    assert QUIET in text.split("\n")[0]
    assert "1,100× L1-L1100, " in text
    assert re.search(r"5ms\.\.90ms\]", text)


def test_values_that_are_no_failure_are_counted() -> None:
    rows = log("status=", set(range(0, 1100, 11)))
    text = body([row.replace("status=500", "status=404") for row in rows])
    assert "status 200×1,000 404×100" in text
    assert QUIET in text


def test_counts_that_are_seldom_zero_are_no_failures() -> None:
    rows = [row.replace("errors=0", f"errors={n % 9 + 1}") for n, row in enumerate(log("errors"))]
    assert "[… 1,100× " in body(rows)


def test_other_numbers_that_look_like_statuses_are_none() -> None:
    rows = [f"2026-04-02T05:00:{n % 60:02d}Z INFO  buoy moved {490 + n % 30} cells" for n in range(900)]
    text = body(rows)
    assert "[… 900× " in text
    assert QUIET in text


def test_several_values_of_a_failure_are_told() -> None:
    rows = log("failed=", set(range(100, 130)))
    rows = [row.replace("failed=412", f"failed={n % 2 + 6}") for n, row in enumerate(rows)]
    assert re.search(r"\[… 30× .*failed 6×15 7×15\]", body(rows))


def test_a_lone_kind_with_a_failure_is_no_quiet_log() -> None:
    rows = log("status=")
    rows[500:500] = ["2026-04-02T05:08:20.000Z INFO  probe of harbour gate answered status=503"]
    text = body(rows)
    assert rows[500] in text
    assert QUIET not in text


@pytest.mark.parametrize("many", [1, 40])
@pytest.mark.parametrize("word", ["state=stopped", "result=failed", 'status="timeout"'])
def test_words_that_mean_failure_are_signals(word: str, many: int) -> None:
    rows = [f"2026-04-02T05:00:{n % 60:02d}Z INFO  pump {n} state=running lag={n % 80}ms" for n in range(900)]
    for n in range(300, 300 + many):
        rows[n] = rows[n].replace("state=running", word)
    text = body(rows)
    assert rows[300].split("Z ")[1] in text
    assert QUIET not in text


def test_the_place_of_failures_is_told() -> None:
    rows = [f"{row} upstream=quay-{n % 4}:80" for n, row in enumerate(log("status=", set(range(0, 400, 4))))]
    assert re.search(r"\[… 100× .*upstream quay-0:80×100|upstream=quay-0:80", body(rows))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("which calls have status=207", "status=207"),
        ("berth 4711?", "/berths/4711 "),
        ("/berths/4711", "/4711 "),
    ],
)
def test_what_is_asked_for_is_shown(query: str, shown: str) -> None:
    rows = log("status=")
    rows[430] = re.sub(r"berths/\d+ status=200", "berths/4711 status=207", rows[430])
    assert rows[430] in body(rows, query).split("\n")
    assert shown in rows[430]


def test_terms_in_most_lines_ask_for_nothing() -> None:
    rows = log("status=")
    assert records_asked(rows, "status=200") == {}
    assert body(rows, "status=200") == body(rows)


def test_asked_words_far_in_a_line_are_in_view() -> None:
    rows = [f"{row} {'trail ' * 120}ticket=Q-{n % 90 + 100}" for n, row in enumerate(log("arrow"))]
    assert "ticket=Q-117" in body(rows, "ticket=Q-117")


def test_kinds_that_are_not_shown_are_counted() -> None:
    dice = random.Random(6)
    words = ["".join(dice.choices("bcdfgh", k=9)) for _ in range(400)]
    rows = [
        f"2026-04-02T05:00:{n % 60:02d}Z INFO  {words[n % 400]} berth {n} is {words[-n % 400]}"
        for n in range(1600)
    ]
    made = reduce("\n".join(rows), exit_code=0)
    top = made.text.split("\n")[0]
    match = re.search(
        r"lines of (\d+) kinds.*one of (\d+) kinds, none of (\d+) kinds \(([\d,]+) lines\)", top
    )
    assert match
    every, some, hidden = (int(match[at]) for at in (1, 2, 3))
    assert some + hidden == every
    assert int(match[4].replace(",", "")) == hidden * 4


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("GET /a status=200 rt=0.01", [("status", "status"), ("measured", "rt")]),
        ("exit code 3 in 5 ms", [("exit", "exit_code"), ("measured", "in")]),
        ("job exit_code=1 rss=40MiB", [("exit", "exit_code"), ("measured", "rss")]),
        ("user=17 id=200 port:443", []),
        ("done upstream=10.0.0.1:80", [("place", "upstream")]),
    ],
)
def test_slots(line: str, kinds: list[tuple[str, str]]) -> None:
    assert [(slot.kind, slot.name) for slot in slots_of(line.split())] == kinds


def test_bad_values() -> None:
    slot = slots_of(["status=200"])[0]
    assert bad_values(slot, {"status=200": 9, "status=404": 4, "status=503": 2}) == {"status=503"}
    assert bad_values(slot, {"status=0": 9, "status=7": 2}) == {"status=7"}


@pytest.mark.parametrize("way", ["completed", "code=", "json"])
def test_long_logs_are_counted_whole(way: str) -> None:
    rows = log(way, set(range(2, 5000, 250)), {4321}, lines=5000)
    found = log_slots.look(rows, census_keys(rows))
    counts = [found.keys.count(key) for key in found.levels]
    assert counts == [20]
    assert found.far == [4321]
    assert found.failed


def test_units_are_compared() -> None:
    shape: Callable[[int], str] = lambda n: f"INFO  done in {'2s' if n == 50 else f'{n % 40 + 30}ms'}"  # noqa: E731
    rows = [shape(n) for n in range(200)]
    assert log_slots.look(rows, census_keys(rows)).far == [50]


def test_long_and_many_lines_take_linear_time() -> None:
    rows = [f"INFO  {'a=1 ' * 30_000}", *["9" * 40_000] * 20, *[""] * 100_000]
    rows += [f"INFO  code={n * 7919 % 99991} failed={n} dur={n % 977}ms" for n in range(30_000)]
    start = time.process_time()
    log_slots.look(rows, [row[:9] for row in rows])
    assert time.process_time() - start < 4
