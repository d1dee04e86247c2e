"""``tj reduce-json``: one request on standard input, one answer on standard output.

Speaks the envelope that tokenjuice hosts send (camelCase input fields, given directly or as
``{"input": ..., "options": ...}``) and takes our own hints and settings beside them.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.api import HINTS
from tokenjuice_ml.cli import common
from tokenjuice_ml.cli.reduce import read
from tokenjuice_ml.errors import RequestError
from tokenjuice_ml.settings import ALIASES, FIELDS

if TYPE_CHECKING:
    from tokenjuice_ml.types import Compressed

# Their name -> ours. What only labels a call is taken and not used.
_INPUT = {"toolName": "tool", "exitCode": "exit_code", "argumentsJson": "arguments_json"}
_TEXTS = ("combinedText", "stdout", "stderr", "text")
_IGNORED = frozenset(
    [
        "toolCallId",
        "runId",
        "args",
        "partial",
        "startedAt",
        "finishedAt",
        "durationMs",
        "metadata",
        "host",
        "profile",
    ]
)
_OPTIONS_IGNORED = frozenset(["store", "storeDir", "cwd", "trace", "recordStats", "noOmit", "classifier"])
CHARS_PER_TOKEN = 4


def run(argv: list[str]) -> int:
    """Answers one request."""
    parser = common.parser("reduce-json", "One JSON request on stdin, one JSON answer on stdout.")
    parser.add_argument("file", nargs="?", default="-", help="file with the request; nothing: standard input")
    args = parser.parse_args(argv)
    hints, options, text = parse_request(read(args.file))
    juice = common.one_shot(common.load_settings(hints.get("cwd")), "reduce-json", hints.get("cwd"))
    result = juice.compress(text, options=options, **hints)
    json.dump(answer(result, text), sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0


def parse_request(data: bytes) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Returns hints, settings and text of a request.

    Raises:
        RequestError: not JSON, not an object, or a field of the wrong type; names the field.
    """
    try:
        request = json.loads(data)
    except ValueError as error:
        raise RequestError(f"the request is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise RequestError("the request must be a JSON object")
    given = request.get("input", request)
    options = request.get("options", {}) if "input" in request else {}
    if not isinstance(given, dict) or not isinstance(options, dict):
        raise RequestError("'input' and 'options' must be JSON objects")
    hints: dict[str, Any] = {}
    for key, value in given.items():
        name = _INPUT.get(key, key)
        if name in HINTS:
            hints[name] = value
        elif key not in _TEXTS and key not in _IGNORED and key != "options":
            raise RequestError(f"unknown field '{key}' in the input")
    settings = _settings(options)
    if options.get("raw"):
        hints["bypass"] = True
    return hints, settings, _text(given)


def _text(given: dict[str, Any]) -> str:
    for key in _TEXTS:
        if not isinstance(given.get(key, ""), str | None):
            raise RequestError(f"'{key}' must be a string")
    if given.get("combinedText"):
        return str(given["combinedText"])
    if given.get("text"):
        return str(given["text"])
    return "\n".join(str(given[key]) for key in ("stdout", "stderr") if given.get(key))


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    settings = {}
    for key, value in options.items():
        if key == "maxInlineChars":
            if not isinstance(value, int) or value <= 0:
                raise RequestError("'maxInlineChars' must be a positive whole number")
            settings["max_inline_tokens"] = max(50, value // CHARS_PER_TOKEN)
        elif key in FIELDS or key in ALIASES:
            settings[key] = value
        elif key not in _OPTIONS_IGNORED and key != "raw":
            raise RequestError(f"unknown option '{key}'")
    return settings


def answer(result: Compressed, text: str) -> dict[str, Any]:
    """Returns the answer: their fields, and ours under ``tokenjuice``."""
    mine = result.to_json()
    shown = mine.pop("text")
    raw, reduced = len(text), len(shown)
    return {
        "inlineText": shown,
        "compaction": {
            "authoritative": not result.lossy,
            "kinds": [result.compressor] if result.compressor != "none" else [],
        },
        "stats": {"rawChars": raw, "reducedChars": reduced, "ratio": round(reduced / raw, 4) if raw else 1},
        "classification": {
            "family": result.rule.split("/")[0] if result.rule else result.kind.value,
            "confidence": 0.9 if result.rule else 0.2,
            **({"matchedReducer": result.rule} if result.rule else {}),
        },
        **({"rawRef": {"id": result.token, "storage": "ccr"}} if result.token else {}),
        "tokenjuice": mine,
    }
