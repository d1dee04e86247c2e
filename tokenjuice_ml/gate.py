"""Decides early that a text stays as it is: bypasses and sizes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenjuice_ml import marker
from tokenjuice_ml.compressors.base import utf8_len as byte_count
from tokenjuice_ml.types import Reason, ToolOutput

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store
    from tokenjuice_ml.settings import Settings

__all__ = ["below_floor", "bypass", "byte_count", "line_count", "too_small"]

RAW_FLAGS = frozenset({"--raw", "--full"})
# Under these names hosts offer the way back; what they return is never cut again.
RETRIEVAL_TOOLS = ("tokenjuice_retrieve", "tinyjuice_retrieve", "retrieve_tool_output")
RETRIEVAL_VERBS = ("retrieve", "cat")
MOST_WORDS = 40
OWN_PROGRAMS = frozenset({"tj", "tokenjuice", "tokenjuice-ml"})


def line_count(text: str) -> int:
    """Returns the lines of `text`; a last line without a line end counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def bypass(output: ToolOutput, settings: Settings, store: Store | None) -> Reason | None:
    """Returns the reason to leave the text alone, or None to go on."""
    if not settings.router_enabled:
        return Reason.ROUTER_OFF
    if settings.profile == "off":
        return Reason.PROFILE_OFF
    if output.bypass or _raw_asked(output.arguments_json):
        return Reason.BYPASS
    if _is_retrieval(output) or _carries_known_token(output.text, store):
        return Reason.RETRIEVED
    return None


def too_small(output: ToolOutput, settings: Settings) -> Reason | None:
    """Returns a reason when no kind could be cut, before anything is looked at."""
    floor = min(settings.min_bytes_to_compress, settings.min_bytes_to_compress_log)
    return Reason.TOO_SMALL if _smaller_than(output.text, floor) else None


def below_floor(output: ToolOutput, is_log: bool, settings: Settings) -> Reason | None:
    """Returns a reason when the text is too small for its kind, known after detection."""
    floor = settings.min_bytes_to_compress_log if is_log else settings.min_bytes_to_compress
    return Reason.TOO_SMALL if _smaller_than(output.text, floor) else None


def _smaller_than(text: str, floor: int) -> bool:
    # A character has 1 to 4 bytes: most texts are decided without encoding them.
    if len(text) >= floor:
        return False
    return len(text) * 4 < floor or byte_count(text) < floor


def _raw_asked(arguments_json: str | None) -> bool:
    """True when a whole token `--raw` or `--full` stands in the call's arguments."""
    if not arguments_json or not any(flag in arguments_json for flag in RAW_FLAGS):
        return False
    try:
        arguments = json.loads(arguments_json)
    except ValueError:
        return bool(RAW_FLAGS.intersection(arguments_json.replace('"', " ").split()))
    if isinstance(arguments, dict):
        # A command's own `--full` (systemctl status --full) is no word to us.
        arguments = {key: value for key, value in arguments.items() if key not in ("command", "cmd")}
    return _holds_flag(arguments)


def _holds_flag(value: object, depth: int = 0) -> bool:
    if depth > 8:
        return False
    if isinstance(value, str):
        return bool(RAW_FLAGS.intersection(value.split()))
    if isinstance(value, dict):
        return any(
            _holds_flag(key, depth + 1) or _holds_flag(entry, depth + 1) for key, entry in value.items()
        )
    if isinstance(value, list):
        return any(_holds_flag(entry, depth + 1) for entry in value)
    return False


def _is_retrieval(output: ToolOutput) -> bool:
    name = (output.tool or "").lower().replace("-", "_")
    # Hosts prefix MCP tools: mcp__tokenjuice__tokenjuice_retrieve, server.tokenjuice_retrieve.
    if name.endswith(RETRIEVAL_TOOLS):
        return True
    words = list(output.argv or ()) or (output.command or "").split(maxsplit=MOST_WORDS)
    # Anywhere near the start: `cd x && tj retrieve ...`, `uvx tj retrieve ...`, `env A=b tj ...`.
    return any(
        _program(word) in OWN_PROGRAMS and any(verb in RETRIEVAL_VERBS for verb in words[at + 1 : at + 4])
        for at, word in enumerate(words[:MOST_WORDS])
    )


def _program(word: str) -> str:
    return word.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")


def _carries_known_token(text: str, store: Store | None) -> bool:
    if store is None or not marker.may_stand_in(text):
        return False
    return any(store.contains(token) for token in marker.tokens_in(text))
