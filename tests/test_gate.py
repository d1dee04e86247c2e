"""Bypasses and sizes."""

from __future__ import annotations

import json

import pytest

from tokenjuice_ml import gate, marker
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Reason, ToolOutput

ON = Settings()


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ('{"flags": "--raw"}', True),
        ('{"args": ["-v", "--full"]}', True),
        ('{"--raw": true}', True),
        ('{"note": "--rawhide"}', False),
        ('{"command": "systemctl status --full"}', False),
        ('{"command": "x", "extra": {"deep": ["--full"]}}', True),
        ("not json --raw", True),
        ("", False),
    ],
)
def test_raw_is_a_whole_token_in_the_arguments_but_never_in_the_command(arguments, asked):
    output = ToolOutput("x" * 5000, arguments_json=arguments, command="systemctl status --full")
    assert (gate.bypass(output, ON, None) is Reason.BYPASS) == asked


@pytest.mark.parametrize(
    ("hints", "reason"),
    [
        ({"bypass": True}, Reason.BYPASS),
        ({"tool": "tokenjuice_retrieve"}, Reason.RETRIEVED),
        ({"tool": "mcp__tokenjuice__tokenjuice-retrieve"}, Reason.RETRIEVED),
        ({"command": "tj retrieve 123 --lines 1-9"}, Reason.RETRIEVED),
        ({"command": "/usr/local/bin/tj retrieve 123"}, Reason.RETRIEVED),
        ({"argv": ("tokenjuice-ml", "retrieve", "123")}, Reason.RETRIEVED),
        ({"command": "cd /srv && tj retrieve 123 --grep x"}, Reason.RETRIEVED),
        ({"command": "uvx --from tokenjuice-ml tj retrieve 123"}, Reason.RETRIEVED),
        ({"command": "grep -rn retrieve tj"}, None),
        ({"command": "git cat-file -p HEAD"}, None),
        ({"tool": "exec", "command": "make"}, None),
    ],
)
def test_bypasses(hints, reason):
    assert gate.bypass(ToolOutput("text", **hints), ON, None) is reason


@pytest.mark.parametrize("wrap", [str, json.dumps, lambda text: json.dumps({"content": [{"text": text}]})])
def test_a_text_with_a_token_of_this_store_is_left_alone_under_any_name(wrap):
    store = open_store(ON)
    token = store.put(b"original", lines=1)
    output = ToolOutput(wrap(f"{'x' * 5000}\n{marker.footer(token, 9)}"), tool="recall_anything")
    assert gate.bypass(output, ON, store) is Reason.RETRIEVED
    assert gate.bypass(output, ON, open_store(ON)) is None


def test_switches():
    assert gate.bypass(ToolOutput("x"), Settings(router_enabled=False), None) is Reason.ROUTER_OFF
    assert gate.bypass(ToolOutput("x"), Settings(profile="off"), None) is Reason.PROFILE_OFF


@pytest.mark.parametrize(
    ("text", "small"),
    [("x" * 511, True), ("x" * 512, False), ("ä" * 255, True), ("ä" * 256, False), ("你" * 171, False)],
)
def test_the_size_gate_counts_bytes(text, small):
    assert (gate.too_small(ToolOutput(text), ON) is Reason.TOO_SMALL) == small


def test_only_logs_and_command_output_go_on_between_the_floors():
    output = ToolOutput("x" * 1000)
    assert gate.below_floor(output, False, ON) is Reason.TOO_SMALL
    assert gate.below_floor(output, True, ON) is None


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)])
def test_line_count(text, lines):
    assert gate.line_count(text) == lines
