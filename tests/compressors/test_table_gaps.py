"""Where rows of a table are missing between rows that are shown, a mark stands."""

from __future__ import annotations

from itertools import pairwise

from tests.compressors.test_table import reduce


def test_each_of_many_gaps_is_marked_where_it_is() -> None:
    rows = [
        f" {n:4} | part-{n * 7 % 50:02} | {'failed' if n % 90 == 40 else 'done':6} | 2026-03-{n % 28 + 1:02}"
        for n in range(900)
    ]
    text = "\n".join(["  id  |  name   | state  | day", "------+---------+--------+-----------", *rows])
    body = reduce(text)
    assert body is not None
    lines = body.text.split("\n")
    ids = [-1 if line.startswith("[… ") else int(line.split(" | ")[0]) for line in lines[1:-1]]
    assert sum(1 for number in ids if number < 0) > 4
    for at, (before, after) in enumerate(pairwise(ids)):
        if before >= 0 and after >= 0:
            assert after == before + 1
        elif before < 0:
            assert lines[at + 1] == f"[… {after - ids[at - 1] - 1} rows]"
    assert " rows, L" in lines[-1]
    assert "places" in lines[-1]
