"""JSON that a command with a rule printed is cut as JSON: rules made for lines tear it apart."""

from __future__ import annotations

import json

import pytest

from tokenjuice_ml import compress

COUNT = 160
ROWS = [
    {"name": f"part-{i:03}", "state": "broken" if i == 97 else "ready", "size": 10 + i % 7}
    for i in range(COUNT)
]
COMMANDS = (
    "sqlite3 -json parts.db 'select * from parts'",
    "pip list --format json",
    "ip -j addr",
    "mongosh --eval 'db.parts.find()'",
    "systemctl list-units -o json",
    "duckdb -json parts.db",
    "redis-cli --json hgetall parts",
    "docker inspect parts",
    "npm ls --json",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_document(command: str, indent: int | None) -> None:
    done = compress(json.dumps(ROWS, indent=indent), command=command)
    assert done.compressor == "json"
    assert "part-097,broken" in done.text
    assert f"{COUNT} rows" in done.text


@pytest.mark.parametrize(
    "command", ['git log --pretty=format:\'{"name":"%h"}\'', "docker compose ps --format json"]
)
def test_lines_of_records(command: str) -> None:
    done = compress("\n".join(map(json.dumps, ROWS)) + "\n", command=command)
    assert done.compressor == "json"
    assert "part-097,broken" in done.text


def test_lines_of_a_log_stay_with_their_rule() -> None:
    rows = [
        {"time": f"2026-01-02T03:{i // 60:02}:{i % 60:02}Z", "level": "info", "msg": "up"}
        for i in range(COUNT)
    ]
    text = "\n".join(map(json.dumps, rows)) + "\n"
    assert compress(text, command="docker compose up").compressor != "json"


def test_what_only_begins_as_json_goes_to_the_rule() -> None:
    text = json.dumps(ROWS, indent=1)[:-200] + "\nError: the connection was closed\n"
    done = compress(text, command="mongosh --eval 'db.parts.find()'", exit_code=1)
    assert "Error: the connection was closed" in done.text
