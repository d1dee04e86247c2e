"""Access logs: answers that failed are shown whole, and no log with some is called clean."""

from __future__ import annotations

import pytest

from tokenjuice_ml import compress


def line(n: int, ask: str, status: int, client: str = "") -> str:
    client = client or f"192.0.2.{n % 90}"
    when = f"02/Feb/2025:11:{n // 60 % 60:02}:{n % 60:02} +0000"
    return f'{client} - - [{when}] "{ask} HTTP/1.1" {status} {n * 31 % 900} "-" "Mozilla/5.0"'


def log(odd: dict[int, tuple[str, int]]) -> str:
    common = ("GET /", "GET /shelf", "GET /app.css")
    rows = [line(n, common[n % 3], 200 if n % 5 else 304) for n in range(1500)]
    for n, (ask, status) in odd.items():
        rows[n] = line(n, ask, status, "203.0.113.7")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "odd", [{700: ("GET /shelf", 500)}, {700: ("POST /sum", 504), 702: ("POST /sum", 504)}]
)
def test_a_failed_answer_is_shown_whole_and_the_log_is_not_called_clean(odd: dict[int, tuple[str, int]]):
    text = log(odd)
    body = compress(text, command="tail -n 1500 access.log", exit_code=0).text
    assert text.split("\n")[700] in body
    assert "no error or warning" not in body


def test_a_line_that_came_once_keeps_client_and_time():
    text = log({800: ("GET /.env", 200)})
    body = compress(text, command="tail -n 1500 access.log", exit_code=0).text
    assert text.split("\n")[800] in body.split("\n")
    assert "no error or warning found" in body


def test_rows_below_a_ruled_header_are_not_called_clean():
    rows = [f" {n:>5} ; {n * 37 % 61:>4} ; 2025-02-{n % 28 + 1:02}" for n in range(900)]
    body = compress("\n".join(["    id ;   at ; day", "-------+------+-----------", *rows]), kind="log").text
    assert "no error or warning" not in body


def busy(bad: range = range(600, 1500, 15)) -> list[str]:
    asks = ("/quay/{}", "/tide?day={}", "/", "/map.css")
    rows = [
        line(n, "GET " + asks[n % 4].format(n * 7919 % 100_003), 200, f"10.{n % 250}.{n // 250}.{n % 99}")
        for n in range(1500)
    ]
    for n in bad:
        rows[n] = line(n, f"POST /pay/{n * 31}", 504)
    return [
        f"{row} rt=0.0{n % 9} upstream=10.9.0.{3 if n in bad else n % 4}:80" for n, row in enumerate(rows)
    ]


def test_ids_in_paths_are_one_path_with_a_count() -> None:
    body = compress("\n".join(busy()), command="tail -n 1500 access.log", exit_code=0).text
    paths = next(row for row in body.split("\n") if row.startswith("[… paths "))
    assert "/quay/*×" in paths
    assert "/tide?day=*×" in paths
    assert "/pay/*×60" in paths


def test_answers_that_failed_alike_have_a_count_a_last_time_and_a_place() -> None:
    rows = busy()
    body = compress("\n".join(rows), command="tail -n 1500 access.log", exit_code=0).text
    told = next(row for row in body.split("\n") if row.endswith(rows[600]))
    assert told.startswith("[… 60× L601-L1486, to 02/Feb/2025:11:24:45, upstream=10.9.0.3:80×60] ")


def test_values_that_never_repeat_are_counted_not_listed() -> None:
    body = compress("\n".join(busy()), command="tail -n 1500 access.log", exit_code=0).text
    clients = next(row for row in body.split("\n") if row.startswith("[… clients "))
    assert "different" in clients
    assert "×1" not in clients.replace("×1,", "")


def test_few_paths_with_numbers_stay_as_they_are() -> None:
    rows = [line(n, f"GET /v2/part{n % 3}", 200) for n in range(1500)]
    body = compress("\n".join(rows), command="tail -n 1500 access.log", exit_code=0).text
    assert "/v2/part0×500" in body


def test_failures_of_more_paths_than_are_shown_are_counted() -> None:
    odd = {n: (f"GET /gate{chr(97 + n // 50)}", 500) for n in range(50, 650, 50)}
    body = compress(log(odd), command="tail -n 1500 access.log", exit_code=0).text
    assert "[… 6 more lines of 500 and above, of other paths]" in body
