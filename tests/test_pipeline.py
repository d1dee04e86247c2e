"""The laws of the way through, with compressors that misbehave on purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml import marker, pipeline, route, tokens
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.errors import StoreError
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Kind, Omission, Reason, Reduction, ToolOutput

QUIET = Settings(savings_enabled=False)
LONG = "\n".join(f"line {number} says nothing of note today" for number in range(400))


def juice_with(monkeypatch, run, settings=QUIET, store=None):
    """An instance whose every text is cut by `run`."""
    monkeypatch.setattr(route, "plan", lambda *_: route.Plan(run, rule="test/rule", is_log=True))
    return TokenJuice(settings, store=store or open_store(settings))


def body(text: str, lossy: bool = True):
    return lambda _text, _context: Reduction(text, lossy, "log", (Omission(2, 399, 398, 9000, ""),))


class BrokenStore:
    """A store that cannot keep anything."""

    def put(self, data, *, lines):
        raise StoreError("disk full")

    def contains(self, token):
        return False


def test_a_lossy_result_carries_its_way_back(monkeypatch):
    juice = juice_with(monkeypatch, body("short"))
    result = juice.compress(LONG)
    assert result.reason is Reason.COMPRESSED
    assert result.text.startswith("short\n[partial view of 400 lines; whole: tokenjuice_retrieve ⟦tj:")
    assert result.token is not None
    assert juice.retrieve(result.token) == LONG.encode()
    assert juice.retrieve(result.token, lines=(2, 3)) == "".join(LONG.splitlines(True)[1:3]).encode()
    assert result.rule == "test/rule"


def test_bytes_come_back_as_they_were(monkeypatch):
    juice = juice_with(monkeypatch, body("short"))
    raw = LONG.encode("utf-16") + b"\xff\xfe\x00\xd8"
    result = juice.compress(raw)
    assert juice.retrieve(result.token) == raw
    assert result.bytes_before == len(raw)


def test_a_lossless_result_needs_no_token(monkeypatch):
    result = juice_with(monkeypatch, body("short", lossy=False)).compress(LONG)
    assert (result.text, result.token, result.reason) == ("short", None, Reason.LOSSLESS)


@pytest.mark.parametrize("bad", ["", "  \n", LONG, LONG + "x", LONG[:-40]])
def test_never_larger_never_empty(monkeypatch, bad):
    result = juice_with(monkeypatch, body(bad)).compress(LONG)
    assert result.text == LONG
    assert result.reason is Reason.NOT_SMALLER
    assert result.token is None


def test_a_compressor_that_raises_costs_nothing(monkeypatch):
    def broken(text, context):
        raise ZeroDivisionError("ouch")

    result = juice_with(monkeypatch, broken).compress(LONG)
    assert (result.text, result.reason) == (LONG, Reason.INTERNAL)
    assert "ouch" in result.detail


def test_what_cannot_be_stored_is_withdrawn(monkeypatch):
    juice = juice_with(monkeypatch, body("short"), store=BrokenStore())
    result = juice.compress(LONG)
    assert (result.text, result.reason) == (LONG, Reason.STORE_FAILED)
    allowed = juice.compress(LONG, options={"lossy_without_ccr": True})
    assert (allowed.text, allowed.reason, allowed.token) == ("short", Reason.UNSTORED, None)


@pytest.mark.parametrize("options", [{"profile": "light"}, {"ccr_enabled": False}])
def test_no_lossy_result_where_none_may_be(monkeypatch, options):
    result = juice_with(monkeypatch, body("short")).compress(LONG, options=options)
    assert (result.text, result.reason) == (LONG, Reason.LOSSY_REFUSED)


def test_a_cut_text_is_never_cut_again(monkeypatch):
    juice = juice_with(monkeypatch, body("short " * 300))
    result = juice.compress(LONG * 3)
    assert result.token
    again = juice.compress(result.text)
    assert (again.text, again.reason) == (result.text, Reason.RETRIEVED)


def test_a_foreign_token_in_the_text_is_only_text(monkeypatch):
    text = LONG + marker.footer("1" * 27, 9)
    assert juice_with(monkeypatch, body("short")).compress(text).reason is Reason.COMPRESSED


def test_a_small_text_with_a_small_saving_keeps_no_original(monkeypatch):
    text = LONG[:900]
    result = juice_with(monkeypatch, body(text[:700])).compress(text)
    assert (result.text, result.reason) == (text, Reason.TOO_SMALL)
    heavy = juice_with(monkeypatch, body("gone")).compress(text)
    assert heavy.reason is Reason.COMPRESSED


@given(st.text(max_size=4000), st.text(max_size=4000), st.booleans())
def test_for_any_text_and_body_the_answer_is_smaller_or_the_original(text, cut, lossy):
    settings = QUIET.merged({"min_bytes_to_compress": 0, "min_bytes_to_compress_log": 0, "ccr_min_tokens": 0})
    output = ToolOutput(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(route, "plan", lambda *_: route.Plan(body(cut, lossy), is_log=True))
        result = pipeline.compress(output, settings, open_store(settings))
    if result.compressor == "none":
        assert result.text == text
        return
    assert len(result.text.encode("utf-8", "surrogatepass")) < len(text.encode("utf-8", "surrogatepass"))
    assert result.tokens_after < result.tokens_before
    assert result.lossy == (result.token is not None)


def test_the_footer_is_cheap():
    exact = tokens.exact(marker.footer("839204719384756102938475610", 1_234_567))
    assert exact is None or exact <= 40


def test_explicit_kind_is_kept():
    result = TokenJuice(QUIET).compress("{}" * 400, kind="json")
    assert result.kind is Kind.JSON


@pytest.mark.parametrize(
    ("end", "rule"),
    [
        ("\n Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 30 passed (31)\n", "tests/vitest"),
        (
            "\nTest Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 30 passed, 31 total\n",
            "tests/jest",
        ),
    ],
)
def test_a_test_report_without_a_command_reaches_its_runners_rule(end, rule):
    passed = "\n".join(f" ✓ src/area_{n}.test.ts (12 tests) {n}ms" for n in range(200))
    failed = (
        "\n FAIL  src/cart.test.ts > total\nAssertionError: expected 3 to be 4\n ❯ src/cart.test.ts:12:20\n"
    )
    result = TokenJuice(QUIET).compress(passed + failed + end, exit_code=1)
    assert result.rule == rule
    assert "expected 3 to be 4" in result.text
    assert result.tokens_after < result.tokens_before * 0.3
