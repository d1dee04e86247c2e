"""The ledger against an independent recount."""

from __future__ import annotations

import random
import sqlite3
import stat

import pytest

from tokenjuice_ml import savings
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.tokens import estimate

MODELS = ("claude-sonnet-4-5", "gpt-5", "no-such-model", None)


def output(dice: random.Random) -> str:
    lines = [f"{dice.random()} step {number} of the work is done" for number in range(dice.randint(200, 900))]
    lines.insert(dice.randrange(len(lines)), "error: disk is full")
    return "\n".join(lines)


def test_two_hundred_mixed_outputs_add_up():
    dice = random.Random(4)
    juice = TokenJuice(Settings())
    before = after = retrieved = 0
    money = 0.0
    events = 0
    for number in range(200):
        model = dice.choice(MODELS)
        text = output(dice)
        result = juice.compress(text, command=f"./job.sh --secret {number}", exit_code=1, model=model)
        if result.compressor == "none":
            continue
        events += 1
        back = 0
        if number % 5 == 0 and result.token:
            back = estimate(juice.retrieve(result.token, lines=(1, 40)).decode())
        before, after, retrieved = (
            before + result.tokens_before,
            after + result.tokens_after,
            retrieved + back,
        )
        price = savings.price_of(model)
        if price is not None:
            money += (result.tokens_before - result.tokens_after - back) * price / 1e6
    total = savings.totals()
    assert total["events"] == events > 100
    assert total["tokens_before"] == before
    assert total["tokens_after"] == after
    assert total["tokens_retrieved"] == retrieved > 0
    assert total["tokens_saved"] == before - after - retrieved
    assert total["usd_saved"] == pytest.approx(money, abs=1e-5)
    for group in savings.GROUPS:
        table = savings.by(group)
        assert sum(row["tokens_saved"] for row in table.values()) == total["tokens_saved"]


def test_only_the_family_of_a_command_is_written():
    TokenJuice(Settings()).compress(output(random.Random(1)), command="git log --author=secret", exit_code=0)
    with sqlite3.connect(savings.ledger_path()) as db:
        rows = db.execute("SELECT * FROM events").fetchall()
    db.close()
    assert rows
    assert not any("secret" in str(cell) for row in rows for cell in row)
    assert stat.S_IMODE(savings.ledger_path().stat().st_mode) == 0o600


def test_off_means_off():
    TokenJuice(Settings(savings_enabled=False)).compress(
        output(random.Random(1)), command="make", exit_code=1
    )
    assert not savings.ledger_path().exists()


def test_the_host_limit_caps_what_was_ours_to_save():
    text = "error: no\n" + "a line of no interest at all\n" * 5000
    TokenJuice(Settings()).compress(text, command="./x", exit_code=1)
    free = savings.totals()["tokens_saved"]
    capped = savings.totals(host_limit=3000)
    assert capped["tokens_before"] == 3000
    assert 0 < capped["tokens_saved"] < free


def test_a_damaged_ledger_breaks_nothing():
    savings.ledger_path().parent.mkdir(parents=True)
    savings.ledger_path().write_text("junk " * 2000)
    result = TokenJuice(Settings()).compress(output(random.Random(2)), command="./x", exit_code=1)
    assert result.compressor != "none"
    assert savings.totals()["events"] == 0
    TokenJuice(Settings()).compress(output(random.Random(2)), command="./x", exit_code=1)
    assert savings.totals()["events"] == 1
    assert len(list(savings.ledger_path().parent.glob("*.damaged-*"))) == 1


@pytest.mark.parametrize("place", ["folder is a file", "ledger is a folder", "ledger is junk"])
def test_who_asks_for_books_that_cannot_be_read_is_told(place, capfd):
    from tokenjuice_ml.cli import main

    path = savings.ledger_path()
    if place == "folder is a file":
        path.parent.write_text("")
    else:
        path.parent.mkdir()
        path.mkdir() if place == "ledger is a folder" else path.write_text("junk " * 2000)
    assert main(["stats"]) == 2
    seen = capfd.readouterr()
    assert seen.out == ""
    assert f"the savings ledger cannot be read: {path}: " in seen.err


def test_the_command_line_debits_too():
    """Agents fetch by the shell as well."""
    import os
    import subprocess
    import sys

    result = TokenJuice(Settings(), disk=True).compress(output(random.Random(5)), command="./x", exit_code=1)
    done = subprocess.run(
        [sys.executable, "-m", "tokenjuice_ml.cli.main", "retrieve", result.token, "--lines", "1-30"],
        capture_output=True,
        check=True,
        env=dict(os.environ),
    )
    assert savings.totals()["tokens_retrieved"] == estimate(done.stdout.decode())


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("claude-sonnet-4-5", True),
        ("anthropic/claude-sonnet-4-5-20250929", True),
        ("gpt-5", True),
        ("nope", False),
    ],
)
def test_prices(model, known):
    assert (savings.price_of(model) is not None) == known


def test_reset():
    TokenJuice(Settings()).compress(output(random.Random(3)), command="./x", exit_code=1)
    assert savings.reset() == 1
    assert savings.totals()["events"] == 0
