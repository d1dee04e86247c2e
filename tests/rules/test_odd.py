"""A list with one line that decides: no window may lose it, whatever the list."""

from __future__ import annotations

import time

import pytest

from tests.rules.helpers import chosen, run
from tokenjuice_ml.compressors.deciding import meant
from tokenjuice_ml.compressors.odd_lines import odd_lines, shapes_of_lines
from tokenjuice_ml.types import ToolOutput

NAMES = ("orders", "billing", "mailer", "search", "users", "reports", "audit", "media")
ADA, BEN = "Ada Okafor <ada@example.org>", "Ben Ruiz <ben@example.org>"


def _env(count: int = 160) -> list[str]:
    values = ("30s", "true", "8080", "redis://cache:6379/0")
    return [f"{NAMES[n % 8].upper()}_SETTING_{n}={values[n % 4]}" for n in range(count)]


def _pip(count: int = 200) -> list[str]:
    rows = [f"{NAMES[n % 8]}-kit-{n:<14} {n % 9}.{n % 13}.{n % 7}" for n in range(count)]
    return ["Package                Version", "---------------------- -------", *rows]


def _du(count: int = 300) -> list[str]:
    return [f"{4 + n * 37 % 900}K\t./{NAMES[n % 8]}/build/part-{n}" for n in range(count)]


def _tree(count: int = 400) -> list[str]:
    return [".", *(f"│   ├── {NAMES[n % 8]}_{n}.py" for n in range(count))]


def _log(count: int = 120) -> list[str]:
    out = []
    for n in range(count):
        head = [
            f"commit {n * 7919:040x}",
            f"Author: {(ADA, BEN)[n % 2]}",
            f"Date:   Mon Mar {n % 28 + 1} 12:00",
        ]
        out += [*head, "", f"    Tidy {NAMES[n % 8]} (#{n})", "", "    Nothing else moves.", ""]
    return out


def _oneline(count: int = 200) -> list[str]:
    return [f"{n * 7919 + 1:07x} Tidy {NAMES[n % 8]} step" for n in range(count)]


def _blame(count: int = 400) -> list[str]:
    return [
        f"^1a2b3c4d (Ada Okafor 2025-01-02 10:00:00 +0000 {n + 1:3}) value_{n} = {n}" for n in range(count)
    ]


CASES = [
    ("env", _env(), ["HTTPS_PROXY=http://192.0.2.7:3128"], None),
    ("env", _env(), ["NODE_TLS_REJECT_UNAUTHORIZED=0"], None),
    ("printenv", _env(), ["PRIMARY_DB=postgres://db-staging.example/app"], None),
    ("pip list", _pip(), ["httpkit                2.19.0a1+local /home/dev/httpkit"], None),
    ("du -ah .", _du(), ["187G\t./search/tmp/.old"], None),
    ("tree -a", _tree(), ["│   ├── id_rsa_deploy"], "are there any secrets checked in"),
    ("tree", _tree(), ["│   ├── server.pem"], "where are the credentials"),
    ("git log --oneline", _oneline(), ["0badc0d Disable certificate pinning"], None),
    ("git blame a.py", _blame(), ["9f8e7d6c (root       2026-02-03 03:00:00 +0000 200) limit = 0"], None),
    (
        "git log",
        _log(),
        [
            "commit " + "d" * 40,
            "Author: root <root@build-07>",
            "Date:   x",
            "",
            "    Quick fix, BREAKING",
            "",
        ],
        None,
    ),
]


@pytest.mark.parametrize("exit_code", [0, None])
@pytest.mark.parametrize(
    ("command", "lines", "planted", "query"), CASES, ids=[f"{c[0]}: {c[2][0][:24].strip()}" for c in CASES]
)
def test_the_line_that_decides_stays(
    command: str, lines: list[str], planted: list[str], query: str | None, exit_code: int | None
) -> None:
    middle = len(lines) // 2 // 8 * 8
    text = "\n".join([*lines[:middle], *planted, *lines[middle:]]) + "\n"
    output = ToolOutput(text=text, tool="exec", command=command, exit_code=exit_code, query=query)
    rule = chosen(output)
    assert rule is not None
    reduction = run(rule, output)
    assert reduction is not None
    body = reduction.text.split("\n")
    assert all(line in body for line in planted if line)
    assert len(reduction.text) < 0.75 * len(text)
    left_out = sum(gap.lines for gap in reduction.omissions)
    assert left_out + sum(not line.startswith("[…") for line in body) == text.count("\n")


def test_lists_without_an_odd_line_keep_their_windows() -> None:
    for lines in (_env(), _pip(), _oneline()):
        assert odd_lines(lines[2:], [True] * len(lines[2:])) == []


def test_a_list_where_each_line_is_of_its_own_kind_has_no_odd_one() -> None:
    lines = [" ".join(NAMES[(n * k) % 8] + "." * (n % k) for k in range(1, n % 9 + 3)) for n in range(200)]
    assert len(odd_lines(lines, [True] * len(lines))) <= 8


def test_words_that_many_lines_hold_decide_nothing() -> None:
    lines = [f"secret-store-{n} 1.{n % 7}.0" for n in range(200)]
    assert odd_lines(lines, [True] * len(lines)) == []


def test_only_hidden_lines_are_given_and_only_so_many() -> None:
    lines = [*_env(), *(f"password_{n}=x" for n in range(3)), "insecure=1", "private_key=2"]
    hidden = [False] * 161 + [True] * 4
    assert odd_lines(lines, hidden, most=3) == [at for at in odd_lines(lines, hidden, most=3) if at > 160]
    assert len(odd_lines(lines, hidden, most=3)) == 3
    assert odd_lines([], []) == []


def test_question_words_stand_for_others() -> None:
    assert "id_rsa" in meant("any secrets in here?")
    assert "insecure" in meant("security todos")
    assert [meant(None), meant("what is there")] == [[], []]


@pytest.mark.parametrize("line", ["", "\t", "ä ß 0", "\udc80 x", "a" * 100_000, "\x00\x01"])
def test_any_content(line: str) -> None:
    lines = [*_env(), line]
    assert len(shapes_of_lines(lines)) == len(lines)
    odd_lines(lines, [True] * len(lines), line)


def test_time_is_linear() -> None:
    lines = _du(20_000)
    started = time.process_time()
    odd_lines(lines, [True] * len(lines))
    assert time.process_time() - started < 3.0


def test_the_largest_folders_come_first_not_those_listed_first() -> None:
    lines = [f"{4 + n % 50}K\t./part-{n}" for n in range(200)]
    lines[100:100] = [f"{n}{unit}\t./big-{n}{unit}" for n in range(2, 8) for unit in "MG"]
    output = ToolOutput(text="\n".join([*lines, "30G\t."]), tool="exec", command="du -h", exit_code=1)
    rule = chosen(output)
    assert rule is not None
    body = run(rule, output).text  # type: ignore[union-attr]
    assert all(f"./big-{n}{unit}" in body for n in range(2, 8) for unit in "MG")
    assert body.endswith("30G\t.")


def test_history_and_blame_say_who_wrote_how_much() -> None:
    for command, lines, told in (
        ("git log", _log(), "60 × Ada Okafor, 60 × Ben Ruiz"),
        ("git blame a.py", _blame(), "400 × Ada Okafor 2025-01-02"),
    ):
        output = ToolOutput(text="\n".join(lines), tool="exec", command=command, exit_code=0)
        rule = chosen(output)
        assert rule is not None
        assert told in run(rule, output).text.split("\n")[0]  # type: ignore[union-attr]
