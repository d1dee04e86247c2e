"""A mailbox: the mail that is asked for stays whole, the others with sender and subject."""

from __future__ import annotations

import random
import time

import pytest

from tokenjuice_ml import compress

WORDS = "harbour crane berth pilot cargo quay ferry buoy anchor tide manifest draft".split()
ASKED = [
    "Hello,",
    "",
    "the lease of berth 12 ends early: we offer 84 EUR a day, not 148.",
    "Reply by 4 December.",
    "",
    "Ida",
]


def _mail(number: int, subject: str, body: list[str]) -> list[str]:
    return [
        f"From ida{number}@mail.example Mon Nov  1 10:00:00 2026",
        f"Received: from mx{number}.example (mx.example [192.0.2.{number % 200}])",
        "DKIM-Signature: v=1; a=rsa-sha256; d=mail.example; s=k1;",
        "\tb=" + "5a9c4b231a2565fb" * 8,
        f"Message-ID: <{number}@mail.example>",
        f"From: Person {number} <p{number}@mail.example>",
        "To: all@mail.example",
        f"Subject: {subject}",
        "Date: Mon, 1 Nov 2026 10:00:00 +0000",
        "",
        *body,
        "",
    ]


def _box(count: int = 50, at: int = 30) -> str:
    numbers = random.Random(5)
    out: list[str] = []
    for number in range(count):
        body = [" ".join(numbers.choices(WORDS, k=12)) for _ in range(10)]
        out += _mail(number, " ".join(numbers.choices(WORDS, k=3)), body)
        if number == at:
            out += _mail(900, "Lease terminated", ASKED)
    return "\n".join(out)


@pytest.mark.parametrize("command", ["cat inbox.mbox", None])
def test_the_mail_asked_for_stays_as_a_whole(command: str | None) -> None:
    text = _box()
    result = compress(text, command=command, query="who terminates the lease and what do they offer")
    assert result.compressor == "mailbox"
    assert "\n".join(ASKED) in result.text
    assert "From: Person 900 <p900@mail.example>" in result.text
    assert "Subject: Lease terminated" in result.text
    assert "DKIM" not in result.text
    assert result.tokens_after < 0.25 * result.tokens_before


def test_nothing_is_left_out_uncounted() -> None:
    text = _box()
    result = compress(text, command="cat inbox.mbox")
    shown = [line for line in result.text.split("\n") if not line.startswith(("[…", "[partial"))]
    assert sum(gap.lines for gap in result.omissions) + len(shown) == len(text.removesuffix("\n").split("\n"))


@pytest.mark.parametrize(
    "text", ["From here on\nall is well\n", "From a b\nx: y\nSubject: z\n\n", "\n".join(_mail(1, "x", ASKED))]
)
def test_small_and_other_texts_stay(text: str) -> None:
    assert compress(text, command="cat x").text.strip() == text.strip()


def test_many_mails_take_linear_time() -> None:
    text = _box(3000, 1)
    started = time.process_time()
    compress(text, command="cat inbox.mbox", query="lease")
    assert time.process_time() - started < 5.0
