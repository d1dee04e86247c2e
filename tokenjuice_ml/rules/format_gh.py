"""GitHub's command line tool: JSON goes to the JSON compressor, run logs to the log compressor.

Its tables, checks and comments are plain lines that the rule's own patterns deal with.
"""

from __future__ import annotations

from tokenjuice_ml.rules.view import strip_ansi
from tokenjuice_ml.types import Context, Reduction

_LOG_FLAGS = ("--log", "--log-failed")


def format_gh(text: str, context: Context) -> Reduction | None:
    """Returns the output of `gh` shorter, or None to leave it to the rule."""
    if strip_ansi(text[:4000]).lstrip()[:1] in ("{", "["):
        from tokenjuice_ml.compressors import jsonish

        return jsonish.compress(text, context)
    command = context.command
    if command is not None and any(flag in command.flags for flag in _LOG_FLAGS):
        from tokenjuice_ml.compressors import log

        return log.compress(text, context)
    return None
