from __future__ import annotations

import random
import re
import time

import pytest

from tokenjuice_ml.compressors.diff import compress
from tokenjuice_ml.compressors.diff_parse import files_of, source_of
from tokenjuice_ml.compressors.diff_renames import DOUBTFUL, RENAME, renames_of
from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Detection, Kind, Reduction, ToolOutput

NAMES = {"ledger": "journal", "amount": "total_due", "client": "customer"}
# Lines before the rename: of each kind that a source has, with and without the names.
BODY = (
    "    ledger.append(amount)",
    "    # The amount that the client owes, as the ledger has it.",
    "    if amount > 0 and client is None:",
    "    client = find_client(ledger, key=40)",
    "    total = sum(entry.amount for entry in ledger)",
    "    return ledger.close(client, amount, strict=True)",
)
SAME = ("    check(row)", "    while pending is not None:", "    rate = 12", "", "    log.info('done')")


def renamed(line: str) -> str:
    return re.sub("ledger|amount|client", lambda found: NAMES[found[0]], line)


def run(text: str, query: str | None = None) -> Reduction | None:
    return compress(
        text, Context(ToolOutput(text, query=query), DEFAULTS, Detection(Kind.DIFF, "", "kind"), None, 0)
    )


def cut(text: str, query: str | None = None) -> str:
    reduction = run(text, query)
    assert reduction is not None
    shown = sum(not line.startswith("[…") for line in reduction.text.split("\n"))
    assert shown + sum(gap.lines for gap in reduction.omissions) == text.removesuffix("\n").count("\n") + 1
    return reduction.text


def hunk(old: list[str], new: list[str], at: int) -> list[str]:
    body = [f" {SAME[at % 5]}", " " + SAME[(at + 1) % 5], *(f"-{line}" for line in old)]
    body += [*(f"+{line}" for line in new), f" {SAME[(at + 2) % 5]}"]
    return [f"@@ -{at},{len(old) + 3} +{at},{len(new) + 3} @@ def step_{at}():", *body]


def rename_diff(
    chance: random.Random, plants: dict[int, tuple[list[str], list[str]]], files: int = 60
) -> str:
    """A rename in `files` files; a plant, old and new lines, stands in the middle of a hunk of its file."""
    out = []
    for number in range(files):
        path = f"src/area_{number % 7}/part_{number}.py"
        out += [f"diff --git a/{path} b/{path}", "index 1a..2b 100644", f"--- a/{path}", f"+++ b/{path}"]
        target = chance.randrange(6)
        for place in range(6):
            old = chance.sample(BODY, chance.randint(1, 5))
            new = [renamed(line) for line in old]
            if place == target and number in plants:
                before, after = plants[number]
                middle = chance.randint(0, len(old))
                old[middle:middle], new[middle:middle] = before, after
            out += hunk(old, new, 10 + 40 * place)
    return "\n".join([*out, ""])


PLANTS: tuple[tuple[list[str], list[str]], ...] = (
    (["    if amount >= limit_{}:"], ["    if total_due > limit_{}:"]),
    (["    if ready_{}(client):"], ["    if not ready_{}(customer):"]),
    (["    delay_{} = 30"], ["    delay_{} = 300"]),
    (["    mode_{} = 'append'"], ["    mode_{} = 'replace'"]),
    (["    ledger.flush_{}()"], []),
    ([], ["    journal.skip_{} = True"]),
    (["    return client is None or amount + {}"], ["    return customer is not None or total_due + {}"]),
    (["    strict_{} = True"], ["    strict_{} = False"]),
    (["    settle_{}(ledger, client)"], ["    settle_{}(customer, journal)"]),
    (["    cost_{} = amount * 2"], ["    cost_{} = total_due / 2"]),
)


@pytest.mark.parametrize("seed", range(5))
def test_every_plant_among_renames_is_shown(seed: int) -> None:
    chance = random.Random(seed)
    numbers = chance.sample(range(60), 20)
    plants = {
        number: ([line.format(number) for line in old], [line.format(number) for line in new])
        for number, (old, new) in zip(numbers, PLANTS * 2, strict=True)
    }
    text = rename_diff(chance, plants)
    body = cut(text).split("\n")
    wanted = [f"-{line}" for old, _ in plants.values() for line in old]
    wanted += [f"+{line}" for _, new in plants.values() for line in new]
    assert [line for line in wanted if line not in body] == []
    assert len("\n".join(body)) < 0.3 * len(text)


def test_renames_are_counted_at_the_top_and_where_they_stood() -> None:
    text = rename_diff(random.Random(1), {})
    body = cut(text).split("\n")
    assert body[0].startswith("[… reduced diff, not to be applied: 60 files, ")
    assert re.search(r"ledger → journal in \d+ lines of 60 files", body[1])
    assert "client → customer" in body[1]
    assert all(
        f"diff --git a/src/area_{n % 7}/part_{n}.py b/src/area_{n % 7}/part_{n}.py" in body for n in range(60)
    )
    told = [found for line in body if (found := re.search(r": renames, \+(\d+) -(\d+)\]$", line))]
    assert sum(int(found[1]) for found in told) == text.count("\n+") - text.count("\n+++ ")
    assert sum(int(found[2]) for found in told) == text.count("\n-") - text.count("\n--- ")


def test_a_small_rename_is_shown_whole() -> None:
    text = rename_diff(random.Random(2), {}, files=6)
    body = cut(text)
    assert "renames" not in body
    assert body.count("\n+") == text.count("\n+") - text.count("\n+++ ")


def flags_of(pairs: list[tuple[str, str]]) -> list[int]:
    """Returns what the added line of each pair is known to be."""
    lines = ["diff --git a/f b/f", "--- a/f", "+++ b/f"]
    for number, (old, new) in enumerate(pairs):
        lines += [f"@@ -{number} +{number} @@", f"-{old}", f"+{new}"]
    source = source_of("\n".join([*lines, ""]))
    return list(renames_of(source, files_of(source.lines, source)).flags[5::3])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x{} = true", "x{} = false"),
        ("assertTrue(x{})", "assertFalse(x{})"),
        ("assertEqual(x{})", "assertNotEqual(x{})"),
        ("if is_valid(x{}):", "if is_invalid(x{}):"),
        ("a{} = low and high", "a{} = low or high"),
        ("m{} = min(rows)", "m{} = max(rows)"),
        ("h{} = sha1(rows)", "h{} = sha256(rows)"),
        ("w{} = width_1", "w{} = width_2"),
        ("n{} = low + 1", "n{} = low + 2"),
        ("n{} = low < top", "n{} = low > top"),
        ("n{} = low", "n{} = -low"),
        ("if ready: x{}", "if not ready: x{}"),
        ("enable(x{})", "disable(x{})"),
        ("x{} = Row", "x{} = row"),
    ],
)
def test_another_meaning_is_no_rename_however_often_it_is_seen(old: str, new: str) -> None:
    assert set(flags_of([(old.format(n), new.format(n)) for n in range(40)])) == {0}


@pytest.mark.parametrize(
    ("old", "new", "flag"),
    [
        ("send(ledger)", "send(journal)", RENAME),
        ("class LedgerView(Base):", "class JournalView(Base):", RENAME),
        ("open_ledger(ledger, 3)", "open_journal(journal, 3)", RENAME),
        ("row['ledger']", "row['journal']", DOUBTFUL),
        ("self.ledger = ledger", "self.ledger = journal", DOUBTFUL),
        ("# the bank's ledger", "# the bank's journal", RENAME),
        ('"""Opens a ledger."""', '"""Opens a journal."""', RENAME),
        ("send(ledger, 3)", "send(journal, 4)", 0),
        ("  send(ledger)", "    send(journal)", 0),
        ("send(journal)", "send(ledger)", 0),
        ("send(ledger, other)", "send(journal, another)", 0),
    ],
)
def test_lines_that_differ_in_known_names_alone(old: str, new: str, flag: int) -> None:
    known = [(f"value_{n} = ledger[{n}]", f"value_{n} = journal[{n}]") for n in range(20)]
    assert flags_of([*known, (old, new)]) == [RENAME] * 20 + [flag]


def test_names_that_change_places_are_no_rename() -> None:
    pairs = [(f"move_{n}(source, sink)", f"move_{n}(sink, source)") for n in range(40)]
    assert set(flags_of(pairs)) == {0}


def test_a_name_that_changes_a_few_times_is_no_rename() -> None:
    assert flags_of([(f"a_{n} = ledger", f"a_{n} = journal") for n in range(7)]) == [0] * 7


def test_an_edit_made_in_many_places_is_shown_once() -> None:
    parts = []
    for number in range(300):
        path = f"pkg/mod_{number}.py"
        parts += [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
        parts += hunk(
            ["import mocks", "import legacy.client as c"], ["from testing import mocks, client as c"], 3
        )
        if number == 250:
            parts += hunk(["    retries = 3"], ["    retries = 0"], 90)
    body = cut("\n".join([*parts, ""]))
    assert body.count("+from testing import mocks, client as c") == 1
    assert "edits shown once: L7 in 300 places" in body.split("\n")[1]
    assert body.count("the edit at L7, +1 -2]") == 299
    assert "-    retries = 3\n+    retries = 0" in body


def test_comments_go_before_code_wherever_they_stand() -> None:
    parts = []
    for number in range(100):
        path = f"lib/unit_{number}.py"
        parts += [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
        words = [
            f"    # note {number} {line} on what the step before has to leave behind it" for line in range(8)
        ]
        parts += hunk(words, [f"{line}, and why {number}" for line in words], 3)
        parts += hunk([f"    limit_{number} = {number}"], [f"    limit_{number} = {number + 1}"], 80)
    body = cut("\n".join([*parts, ""]))
    assert [n for n in range(100) if f"+    limit_{n} = {n + 1}" not in body] == []
    assert "not shown]" in body


def test_a_diff_of_very_many_hunks_shows_some_of_each_file() -> None:
    parts = []
    for number in range(40):
        parts += [f"diff --git a/m{number}.py b/m{number}.py", f"--- a/m{number}.py", f"+++ b/m{number}.py"]
        for place in range(15):
            lines = [
                f"    v_{number}_{place}_{n} = f{n}(alpha, beta_{place})" for n in range((1, 9, 5)[place % 3])
            ]
            parts += hunk(lines, [f"{line} or other_{place}(gamma)" for line in lines], 40 * place)
    body = cut("\n".join([*parts, ""]))
    for number, part in enumerate(body.split("diff --git ")[1:]):
        assert part.count("\n+") >= 2, number
    assert re.search(r": \d+ hunks, \+\d+ -\d+ not shown\]", body)
    hidden = sum(int(found) for found in re.findall(r"\+(\d+) -\d+ not shown\]", body))
    assert hidden + body.count("\n+") == 40 * 5 * (1 + 9 + 5)


def test_what_the_query_names_is_not_folded() -> None:
    text = rename_diff(random.Random(3), {})
    body = cut(text, "what changed in part_17")
    part = text.split("diff --git a/src/area_3/part_17.py")[1].split("diff --git")[0]
    assert all(
        line in body for line in part.split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")
    )


@pytest.mark.parametrize(
    "line", ["-a b c foo({0})\n", "-" + "x " * 250 + "{0}\n", '-"\\"" * {0}\n', "-{0} = 'a' 'b' 'c'\n"]
)
def test_time_grows_with_size_alone(line: str) -> None:
    def seconds(count: int) -> float:
        text = f"--- a/f\n+++ b/f\n@@ -1,{count} +1,{count - 9} @@\n"
        old = "".join([line.format(n) for n in range(count)])
        text += old + "".join(["+" + line.format(n * 7)[1:] for n in range(count - 9)])
        start = time.process_time()
        run(text)
        return time.process_time() - start

    seconds(100)
    assert seconds(8000) < 40 * max(0.002, seconds(800))
