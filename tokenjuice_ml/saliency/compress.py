"""Plain text's compressor: scores from the sidecar where it answers, the native way where not."""

from __future__ import annotations

import re

from tokenjuice_ml.saliency import client, native, select
from tokenjuice_ml.saliency.value import blend
from tokenjuice_ml.types import Context, Omission, Reason, Reduction

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n" + bytes(range(128, 256))
MOST_OTHER = 0.2
"""Share of a text's bytes that may be digits, marks and signs."""
_TURN = re.compile(
    r"^[ \t]{0,8}[\[(]?(?:\d{1,4}[-/.]\d\d?[-/.]\d{1,4},?[ T])?\d\d?:\d\d(?::\d\d)?(?:[.,]\d{1,6})?"
    r"(?: ?[AaPp][Mm])?[\])]?[ \t]{0,4}(?:[-–] )?(<[^<>\n]{1,40}>|[^\n:<>\[\](){}=\"'/\\]{1,40}:)(?=[ \t])",
    re.MULTILINE,
)
"""The time of a line of a conversation, and who says it."""
_LEVELS = frozenset("trace debug info notice warn warning error fatal critical severe".split())


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the shorter text with the path it took, or None when nothing can be left out."""
    settings = context.settings
    if settings.ml_target_ratio >= 1.0 or not is_prose(text):
        return None
    if len(text) > settings.ml_max_input_chars:
        why = f"longer than ml_max_input_chars ({settings.ml_max_input_chars:,})"
        return _native(text, settings.ml_target_ratio, why)
    query = context.output.query
    answer = client.scores(text, settings, query)
    if answer.scores is None:
        return _native(text, settings.ml_target_ratio, answer.why)
    try:
        scores = blend(answer.scores, answer.core, settings.ml_target_ratio)
        chosen = select.select(
            text, scores, settings.ml_target_ratio, settings.ml_granularity, query, answer.asked
        )
    except ValueError as error:
        return _native(text, settings.ml_target_ratio, f"sidecar: {error}")
    detail = f"{answer.why}; {chosen.detail}" if chosen.detail else answer.why
    return _reduction(text, chosen.text, chosen.omissions, "saliency", Reason.SALIENCY, detail)


def _native(text: str, ratio: float, why: str) -> Reduction | None:
    shown = native.shorten(text, ratio)
    return _reduction(text, shown.text, shown.omissions, "native_text", Reason.NATIVE, why)


def _reduction(
    text: str, shown: str, omissions: tuple[Omission, ...], compressor: str, reason: Reason, detail: str
) -> Reduction | None:
    if len(shown) >= len(text) or not shown.strip():
        return None
    return Reduction(shown, True, compressor, omissions, reason=reason, detail=detail)


def is_prose(text: str) -> bool:
    r"""Says whether `text` reads like sentences: letters and spaces for the most part.

    Who said a line of a conversation, and when, is no part of what was said.

    >>> is_prose("A sentence is made of words, and words of letters."), is_prose("-rw-r--r-- 1 4096 12:31")
    (True, False)
    >>> is_prose("[09:13] Mara: deal. who tells sales?\n[09:13] Jon: not me"), is_prose("[09:13] INFO: up")
    (True, False)
    """
    data = text.encode("utf-8", "surrogatepass")
    if not data:
        return False
    if _is_lettered(data):
        return True
    said = _TURN.sub(_unless_a_level, text)
    return len(said) < len(text) and _is_lettered(said.encode("utf-8", "surrogatepass"))


def _is_lettered(data: bytes) -> bool:
    return len(data.translate(None, _LETTERS)) <= MOST_OTHER * len(data)


def _unless_a_level(turn: re.Match[str]) -> str:
    name = turn[1].strip("<>:")
    return turn[0] if name.isupper() or name.lower() in _LEVELS else ""
