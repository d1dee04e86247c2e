"""A text that is left whole says why, whatever the kind."""

from __future__ import annotations

import pytest

from tokenjuice_ml import TokenJuice
from tokenjuice_ml.saliency.compress import is_prose
from tokenjuice_ml.types import Kind, Reason

PROSE = "\n\n".join(
    f"The committee of {place} met on a grey morning and spoke about the bridge. Nobody objected."
    for place in ("Arnhem", "Breda", "Delft", "Gouda", "Leiden", "Zwolle") * 8
)
TABLE = "\n".join(f"{n * 7919:09d} {n * 104729:011d} -- +{n}% (#{n})" for n in range(300))
NAMES = ("Ines", "Bo", "Dr. Amari", "Łukasz")
SAID = ("the pump is back", "which one?", "the one by the gate, 4.2 bar", "ok, then we close #118 today")
CHAT = "\n".join(f"[09:{n:02d}] {NAMES[n % 4]}: {SAID[n % 4]}" for n in range(60))
ML = {"ml_compression_enabled": True, "savings_enabled": False}


@pytest.mark.parametrize(
    ("text", "settings", "says"),
    [
        (PROSE, {}, "ml_compression_enabled is off"),
        (PROSE, {"profile": "light", **ML}, "profile light"),
        (PROSE, {"ml_target_ratio": 1, **ML}, "ml_target_ratio is 1"),
        (TABLE, ML, "no prose: over 20% of it are digits, marks and signs"),
    ],
)
def test_plain_text_says_why(text, settings, says):
    result = TokenJuice(settings).compress(text, kind="plain_text")
    assert (result.text, result.reason) == (text, Reason.DECLINED)
    assert says in result.detail


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("profile", ["full", "light"])
@pytest.mark.parametrize("text", [PROSE, TABLE, CHAT, "x" * 9000, "ab " * 3000 + "\n" + "b " * 900])
def test_no_kind_declines_without_a_word(kind, profile, text):
    result = TokenJuice({"profile": profile, "savings_enabled": False}).compress(text, kind=kind)
    assert result.detail or result.reason is not Reason.DECLINED


def test_a_rule_is_named():
    result = TokenJuice({"savings_enabled": False}).compress(PROSE, command="git log --format=%B")
    assert result.detail or result.reason is not Reason.DECLINED


STAMPS = [
    "[09:05] {}: ", "09:05:33 {}: ", "(9:05 PM) {}: ", "[2026-03-01 09:05:33] {}: ", "01/03/2026, 09:05 - {}: ",
    "2026-03-01T09:05:33.123 {}: ", "[09:05] <{}> ",
]  # fmt: skip


@pytest.mark.parametrize("stamp", STAMPS)
def test_who_spoke_when_does_not_count(stamp):
    said = [f"{stamp.format(NAMES[n % 4])}{SAID[n % 4]}" for n in range(40)]
    assert is_prose("\n".join(said))
    assert not is_prose("\n".join(f"{stamp.format('INFO')}up in 4.2 s, #118 of 300, 12 %" for _ in said))


def test_a_conversation_is_cut_by_its_turns(monkeypatch):
    from tokenjuice_ml.saliency import client

    monkeypatch.setattr(client, "scores", lambda *_: client.Answer(None, "not asked"))
    result = TokenJuice(ML).compress(CHAT, kind="plain_text")
    assert result.reason is Reason.NATIVE
    rows = [row for row in result.text.split("\n") if row and not row.startswith(("[…", "[partial"))]
    assert 0 < len(rows) < 60
    assert all(row.startswith("[09:") and ": " in row for row in rows)
