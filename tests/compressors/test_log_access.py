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
