"""A stack trace inside one line: what was raised and why stays."""

from __future__ import annotations

import json

import pytest

from tests.compressors.log_samples import reduce
from tokenjuice_ml.compressors.log_inline import shortened

JAVA = (
    "org.shop.StockException: shelf 7 holds less than nothing\n\tat org.shop.Shelf.take(Shelf.java:88)\n"
    + "".join(f"\tat org.springframework.web.F{n}.invoke(F{n}.java:{n})\n" for n in range(60))
    + "Caused by: java.io.IOException: disk of node-4 is gone\n\tat java.base/sun.nio.Disk.read(Disk.java:5)\n"
    + "\tat org.shop.Store.load(Store.java:41)\n"
    + "".join(f"\tat java.base/java.lang.T{n}.run(T{n}.java:{n})\n" for n in range(30))
    + "\t... 12 more\n"
)
PYTHON = (
    "Traceback (most recent call last):\n"
    + "".join(
        f'  File "/venv/site-packages/web/m{n}.py", line {n}, in call\n    run_{n}()\n' for n in range(40)
    )
    + "  File \"/srv/shop/stock.py\", line 12, in take\n    shelf.pop(key)\nKeyError: 'apple'\n"
)


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        (
            JAVA,
            (
                "StockException: shelf 7 holds less than nothing",
                "at org.shop.Shelf.take(Shelf.java:88)",
                "Caused by: java.io.IOException: disk of node-4 is gone",
                "at org.shop.Store.load(Store.java:41)",
            ),
        ),
        (PYTHON, ("stock.py", "shelf.pop(key)", "KeyError: 'apple'", "Traceback")),
    ],
)
def test_messages_and_own_frames_stay(trace: str, told: tuple[str, ...]) -> None:
    line = json.dumps(
        {"time": "2026-02-03T04:05:06Z", "level": "WARN", "msg": "again", "stack": trace, "shop": "s-9"}
    )
    short = shortened(line)
    assert len(short) < 1200 < len(line)
    assert " frames …]" in short
    assert all(part in short for part in (*told, '"shop": "s-9"'))
    rows = [
        json.dumps(
            {"time": f"2026-02-03T04:{n // 60:02d}:{n % 60:02d}Z", "level": "INFO", "msg": f"sold {n}"}
        )
        for n in range(400)
    ]
    text = reduce("\n".join([*rows[:200], line, *rows[200:]]), exit_code=0).text
    assert all(part in text for part in told)


@pytest.mark.parametrize(
    "line", ["short\\n\\tat x", "a\\nb" * 300, "x" * 9000, json.dumps({"note": "one\ntwo\n" * 100})]
)
def test_other_lines_stay(line: str) -> None:
    assert shortened(line) is line
