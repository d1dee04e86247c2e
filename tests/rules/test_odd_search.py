"""Search results, lists of paths and `git status`: the one hit or name that decides is shown."""

from __future__ import annotations

import pytest

from tokenjuice_ml import compress

PARTS = ("orders", "billing", "mailer", "search", "users", "reports", "audit", "media")


def _grep(count: int = 420) -> list[str]:
    what = "TODO: tidy this step when there is time"
    return [f"./{PARTS[n % 8]}/part_{n // 3}.go:{n + 1}:\t// {what} {n % 5}" for n in range(count)]


def _find(count: int = 900) -> list[str]:
    return [f"/srv/app/{PARTS[n % 8]}/unit{n % 40}/view_{n}.py" for n in range(count)]


def _status(count: int = 150) -> list[str]:
    head = ["On branch main", "", "Untracked files:", '  (use "git add <file>..." to include)']
    return [*head, *(f"\tpart_{n}.tmp" for n in range(count)), ""]


@pytest.mark.parametrize(
    ("command", "lines", "planted", "shown", "query"),
    [
        (
            "grep -rn TODO .",
            _grep(),
            "./zeta/tls.go:41:\t// TODO(security): verification is off, must not ship",
            "41: // TODO(security): verification is off, must not ship",
            None,
        ),
        (
            "grep -rn TODO .",
            _grep(),
            "./zeta/auth.go:77:\t// TODO: the login cookie has no flag",
            "./zeta/auth.go",
            "todos about cookies",
        ),
        ("find /srv -type f", _find(), "/srv/app/users/unit4/backup-2019.sql.gz", "backup-2019.sql.gz", None),
        ("find /srv -type f", _find(), "/srv/app/users/unit4/id_ed25519", "id_ed25519", "any secrets"),
        ("git status", _status(), "\tcredentials.json", "?? credentials.json", None),
    ],
    ids=["grave word", "asked", "other ending", "meant", "untracked"],
)
def test_one_of_many_is_shown(
    command: str, lines: list[str], planted: str, shown: str, query: str | None
) -> None:
    middle = len(lines) - 40
    text = "\n".join([*lines[:middle], planted, *lines[middle:]]) + "\n"
    result = compress(text, command=command, exit_code=0, query=query)
    assert shown in result.text
    assert len(result.text) < 0.6 * len(text)


def test_no_file_stands_without_a_hit() -> None:
    result = compress("\n".join(_grep(900)), command="grep -rn TODO .", exit_code=0)
    lines = result.text.split("\n")
    paths = [at for at, line in enumerate(lines) if line.endswith(".go") and line.startswith("./")]
    assert paths
    assert not [lines[at] for at in paths if lines[at + 1].startswith(("[…", "./"))]


def test_settings_that_fold_nowhere_stay_whole_where_a_command_printed_them() -> None:
    lines = ["[main]"]
    for n in range(260):
        lines += [f"; what option {n} is good for", f"option_{n} = {n % 7}", ""]
    text = "\n".join([*lines, "allow_remote = On ; changed by hand", *lines[1:]])
    result = compress(text, command="cat /etc/app/app.ini")
    assert "allow_remote = On ; changed by hand" in result.text
