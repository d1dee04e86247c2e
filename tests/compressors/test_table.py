from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenjuice_ml
from tests.compressors.markup_context import context
from tokenjuice_ml.compressors.table import compress, compress_table, cut_rows, query_words
from tokenjuice_ml.types import Kind, Reduction

COUNTED = re.compile(r"\[… ([\d,]+) rows?, L(\d+)(?:-L(\d+))?")


def reduce(text: str, query: str | None = None, **settings_) -> Reduction | None:
    return compress(text, context(text, Kind.PLAIN_TEXT, "table", settings_ or None, query=query))


def need(text: str, query: str | None = None, **settings_) -> Reduction:
    reduction = reduce(text, query, **settings_)
    assert reduction is not None
    return reduction


def pods(count: int, bad: dict[int, tuple[str, str]]) -> str:
    lines = [f"{'NAME':<40}READY   STATUS             RESTARTS   AGE"]
    for i in range(count):
        ready, status = bad.get(i, ("1/1", "Running"))
        lines.append(f"{f'web-error-handler-{i}':<40}{ready:<8}{status:<19}{i % 3:<11}{i}d")
    return "\n".join(lines) + "\n"


def test_small_tables_only_lose_their_padding():
    text = (
        "NAME      READY   STATUS    AGE\nweb-0     1/1     Running   5d\nweb-10    0/1     Pending   12s\n"
    )
    reduction = need(text)
    assert reduction.text == "NAME READY STATUS AGE\nweb-0 1/1 Running 5d\nweb-10 0/1 Pending 12s\n"
    assert not reduction.lossy
    assert reduction.omissions == ()


def test_cells_with_blanks_and_empty_cells_stay_apart():
    text = (
        "CONTAINER ID   IMAGE     STATUS        PORTS     NAMES\n"
        "9cde0c250a03   app:1     Up 3 hours              one\n"
        "9ee71391f9b9   app:2     Up 1 hour     80/tcp    two\n"
    )
    assert need(text).text == (
        "CONTAINER ID | IMAGE | STATUS | PORTS | NAMES\n"
        "9cde0c250a03 | app:1 | Up 3 hours |  | one\n"
        "9ee71391f9b9 | app:2 | Up 1 hour | 80/tcp | two\n"
    )


def test_rows_that_are_not_well_stay_and_the_rest_is_counted():
    text = pods(100, {7: ("0/1", "CrashLoopBackOff"), 50: ("1/2", "Running"), 51: ("0/1", "Completed")})
    reduction = need(text)
    assert reduction.lossy
    assert "web-error-handler-7 0/1 CrashLoopBackOff 1 7d" in reduction.text
    assert "web-error-handler-50 1/2 Running 2 50d" in reduction.text
    assert "web-error-handler-51" not in reduction.text
    assert re.search(
        r"\[… 48 rows, L53-L100: READY 47 × 1/1, 1 × 0/1; STATUS 47 × Running, 1 × Completed", reduction.text
    )
    check_counts(text, reduction)


def check_counts(text: str, reduction: Reduction) -> None:
    """Rows shown and rows counted make up the table; the ranges lie apart, in order."""
    body = text.strip().split("\n")[1:]
    shown = [line for line in reduction.text.strip().split("\n")[1:] if not line.startswith("[…")]
    dropped = sum(gap.lines for gap in reduction.omissions)
    assert len(shown) + dropped == len(body)
    assert sum(int(count.replace(",", "")) for count, _, _ in COUNTED.findall(reduction.text)) == dropped
    last = 0
    for gap in reduction.omissions:
        assert last < gap.first_line <= gap.last_line
        last = gap.last_line
    at = 0
    for row in shown:
        words = row.replace(" | ", " ").split()
        while at < len(body) and body[at].split() != words:
            at += 1
        assert at < len(body), row


@pytest.mark.parametrize(
    ("column", "bad", "good"),
    [
        ("STATUS", "Exited (137) 2 days ago", "Up 3 hours"),
        ("STATUS", "ImagePullBackOff", "Running"),
        ("STATUS", "Evicted", "Running"),
        ("STATUS", "NotReady", "Ready"),
        ("READY", "2/3", "3/3"),
        ("Use%", "97%", "12%"),
        ("Capacity", "100%", "3%"),
        ("STAT", "Z", "Ss"),
        ("active", "failed", "active"),
        ("state", "unhealthy", "healthy"),
        ("Conclusion", "failure", "success"),
        ("TYPE", "Warning", "Normal"),
    ],
)
def test_unwell_values_are_seen(column, bad, good):
    rows = [f"{f'thing-{i}':<12}{bad if i == 41 else good:<28}{i}" for i in range(80)]
    text = "\n".join([f"{'NAME':<12}{column:<28}AGE", *rows]) + "\n"
    reduction = need(text)
    assert "thing-41" in reduction.text
    assert bad in reduction.text
    if column not in ("Use%", "Capacity"):
        assert "thing-33" not in reduction.text


def test_exited_zero_is_well():
    rows = [f"{f'box-{i}':<12}{'Exited (0) 1 day ago' if i == 41 else 'Up 2 days':<28}x" for i in range(80)]
    assert "box-41" not in need("\n".join([f"{'NAMES':<12}{'STATUS':<28}IMAGE", *rows])).text


def test_defunct_and_busy_processes_stay():
    head = "USER         PID %CPU %MEM STAT COMMAND"
    rows = [f"root     {i + 100:>7}  0.0  0.1 S    worker {i}" for i in range(80)]
    rows[30] = "root         130  0.0  0.0 Z    [sh] <defunct>"
    rows[60] = "root         160 98.5  4.0 R    burn --all"
    body = need("\n".join([head, *rows])).text
    assert "[sh] <defunct>" in body
    assert "98.5 4.0 R burn --all" in body


def test_bordered_tables_of_three_kinds():
    psql = " id | name  | state \n----+-------+-------\n  1 | anna  | ok\n  2 | bert  | failed\n(2 rows)\n"
    assert need(psql).text.startswith("id | name | state\n1 | anna | ok\n2 | bert | failed")
    mysql = "+----+------+\n| id | name |\n+----+------+\n|  1 | anna |\n|  2 |      |\n+----+------+\n"
    assert need(mysql).text == "id | name\n1 | anna\n2\n"
    box = "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ anna │\n│ 2  │ bert │\n└────┴──────┘\n"
    assert need(box).text == "id | name\n1 | anna\n2 | bert\n"


def test_csv_rows_stay_verbatim_and_errors_are_found():
    rows = [f'{i},"Last, First {i}",{"error" if i == 612 else "ok"}' for i in range(1000)]
    text = "id,name,status\n" + "\n".join(rows) + "\n"
    reduction = need(text)
    assert '\n612,"Last, First 612",error\n' in reduction.text
    assert "status 607 × ok" in reduction.text
    check_counts(text, reduction)


def test_csv_records_over_several_lines_stay_whole():
    text = 'id,note\n1,"two\nlines"\n2,plain\n3,"x\ny"\n'
    assert need(text).text == text


def test_rows_that_the_query_names_stay():
    assert "web-error-handler-33 1/1" in need(pods(100, {}), query="is web-error-handler-33 up").text


def test_numbers_of_counted_rows_are_told_as_a_range():
    rows = [f"{f'r{i}':<8}{'ok':<10}{i * 3}" for i in range(400)]
    body = need("\n".join([f"{'NAME':<8}{'STATUS':<10}COUNT", *rows])).text
    assert "COUNT 15 to 1194" in body


def test_many_alike_failures_are_counted_too():
    text = pods(200, dict.fromkeys(range(0, 200, 2), ("0/1", "Pending")))
    reduction = need(text)
    assert reduction.text.count("Pending") < 40
    assert "× Pending" in reduction.text


def test_without_a_state_column_the_budget_decides():
    rows = [f"{f'package-{i}':<24}1.{i}.0" for i in range(900)]
    text = "\n".join([f"{'Package':<24}Version", f"{'-' * 22}  {'-' * 7}", *rows]) + "\n"
    small = need(text, max_inline_tokens=100_000)
    assert not small.lossy
    assert "package-899 1.899.0" in small.text
    cut = need(text)
    assert len(cut.text) < 8_500
    assert "package-0 1.0.0" in cut.text
    assert "package-899 1.899.0" in cut.text


def test_several_tables_and_words_between_them():
    text = (
        "Pods:\n\n"
        + pods(4, {})
        + "\nNAME    TYPE        AGE\nweb     ClusterIP   5d\ndb      ClusterIP   9d\n"
    )
    body = need(text).text
    assert body.startswith("Pods:\n\nNAME READY STATUS RESTARTS AGE\n")
    assert body.endswith("\n\nNAME TYPE AGE\nweb ClusterIP 5d\ndb ClusterIP 9d\n")


@pytest.mark.parametrize(
    "text",
    [
        "Only words, and a comma, or two.\nThey go on, and on, here.\nThe end, at last, is near.\n",
        "def f(a, b):\n    return a + b\n\nprint(f(1, 2))\n",
        "one\ntwo\nthree\nfour\n",
        "",
        "\n\n\n",
    ],
)
def test_what_is_no_table_is_declined(text):
    assert reduce(text) is None


def test_a_table_inside_a_long_log_is_not_for_this_compressor():
    assert (
        reduce("\n".join(f"step {i} was done in {i} ms, fine" for i in range(40)) + "\n\n" + pods(5, {}))
        is None
    )


def test_headers_of_two_words_stay_one_column():
    text = (
        "LAST SEEN   TYPE      REASON    OBJECT          MESSAGE\n"
        "4m          Normal    Pulled    pod/web-1       Container image already there\n"
        "2s          Warning   BackOff   pod/web-2       Back-off restarting failed container\n"
        "9m          Normal    Created   pod/web-3       Created container web\n"
    )
    body = need(text).text
    assert body.startswith(
        "LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n4m  Normal  Pulled  pod/web-1  Container image"
    )


def test_df_with_a_header_of_two_words():
    text = (
        "Filesystem      Size  Used Avail Use% Mounted on\n"
        "tmpfs           1.6G  2.3M  1.6G   1% /run\n"
        "/dev/sda2        98G   95G  1.2G  99% /\n"
        "tmpfs           7.8G     0  7.8G   0% /dev/shm\n"
    )
    assert "/dev/sda2 98G 95G 1.2G 99% /" in need(text).text


def test_a_rule_may_name_what_is_unwell():
    lines = pods(60, {}).strip().split("\n")
    done = compress_table(lines, context("", Kind.LOG), unhealthy=re.compile("handler-44 "), first_line=11)
    assert done is not None
    assert "web-error-handler-44 1/1" in done.text
    assert done.omissions[0].first_line == 17
    judged = compress_table(
        lines, context("", Kind.LOG), unhealthy=lambda cells, line: cells[0].endswith("-45")
    )
    assert judged is not None
    assert "web-error-handler-45 1/1" in judged.text


def test_long_cells_are_clipped_and_counted():
    text = (
        f"{'PID':<8}{'STAT':<8}COMMAND\n"
        + f"{'1':<8}{'Ss':<8}init\n" * 3
        + f"{'2':<8}{'S':<8}java {'x' * 5000}\n"
    )
    reduction = need(text)
    assert "[… 4,705 chars …]" in reduction.text
    assert reduction.lossy


def test_the_light_profile_only_loses_padding():
    reduction = need(pods(200, {}), profile="light")
    assert not reduction.lossy
    assert reduction.text.count("\n") == 201


def test_tables_reach_this_compressor_whatever_printed_them():
    for hints in ({}, {"tool": "exec", "command": "./list-pods.sh", "exit_code": 0}):
        result = tokenjuice_ml.compress(pods(150, {99: ("0/1", "CrashLoopBackOff")}), **hints)
        assert result.compressor == "table"
        assert "web-error-handler-99 0/1 CrashLoopBackOff" in result.text


def test_rows_from_markup():
    rows = [[f"t{i}", "failed" if i == 9 else "passed"] for i in range(200)]
    cut = cut_rows(["name", "status"], rows, list(range(3, 203)), context("", Kind.HTML))
    assert "t9 | failed" in cut.text
    assert cut.omissions[0].first_line == 8


def test_query_words():
    assert query_words("why does test_login fail in src/app.py?") == ("test_login", "fail", "src/app.py")
    assert query_words(None) == ()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["web", "db", "cache"]),
            st.sampled_from(["Running", "Failed", "Pending"]),
            st.integers(0, 99),
        ),
        min_size=3,
        max_size=120,
    )
)
def test_shown_and_counted_rows_make_up_the_table(rows):
    lines = [f"{name + str(i):<12}{state:<10}{age}d" for i, (name, state, age) in enumerate(rows)]
    text = "\n".join([f"{'NAME':<12}{'STATUS':<10}AGE", *lines]) + "\n"
    reduction = reduce(text)
    if reduction is not None:
        check_counts(text, reduction)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from(list('ab1 |,\t\n-+%│─"')), max_size=300))
def test_any_text_is_survived(text):
    reduction = reduce(text)
    if reduction is not None and not reduction.lossy and "│" not in text and "|" not in text:
        assert reduction.text.split() == [
            word for word in reduction.text.split() if word in text or word == "|"
        ]


@pytest.mark.parametrize(
    "unit", ["pod-abc   Running  5d\n", '1,"x, y",ok\n', "| x | y |\n", "a  b\n\n", "\n"]
)
def test_time_grows_with_the_size_only(unit):
    head = {"1": "a,b,c\n", "|": "| a | b |\n|---|---|\n"}.get(unit[0], "NAME      STATUS   AGE\n")

    def cost(count: int) -> float:
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            reduce(head + unit * count)
            best = min(best, time.process_time() - start)
        return best

    assert cost(20_000) < 9 * cost(5_000) + 0.05


def test_events_that_give_the_same_reason_are_shown_a_few_times_and_counted_by_reason():
    rows = ["LAST SEEN   TYPE      REASON         OBJECT         MESSAGE"]
    for n in range(200):
        reason, message = (
            ("Unhealthy", "probe failed: no answer") if n % 4 == 0 else ("Created", "made a container")
        )
        if n == 140:
            reason, message = "FailedMount", 'secret "tide-tls" not found'
        kind = "Normal" if reason == "Created" else "Warning"
        rows.append(f"{str(n % 60) + 'm':<12}{kind:<10}{reason:<15}{f'pod/pier-{n % 30:02d}':<15}{message}")
    done = tokenjuice_ml.compress("\n".join(rows), command="kubectl get events", tool="exec", exit_code=0)
    assert 3 <= done.text.count("probe failed") <= 6
    assert 'secret "tide-tls" not found' in done.text
    assert "REASON" in "".join(line for line in done.text.split("\n") if line.startswith("[…"))


def test_rows_of_nothing_but_rules_have_no_columns() -> None:
    from tokenjuice_ml.compressors.table_parse import column_starts

    assert column_starts(["|" * 40] * 9) == []
    answer = tokenjuice_ml.TokenJuice(tokenjuice_ml.Settings(savings_enabled=False)).compress(
        ("|" * 5000 + "\n") * 30
    )
    assert answer.reason != "internal_error"
