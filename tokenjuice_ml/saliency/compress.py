"""Plain text's compressor: scores from the sidecar where it answers, the native way where not."""

from __future__ import annotations

from tokenjuice_ml.saliency import client, native, select
from tokenjuice_ml.saliency.value import blend
from tokenjuice_ml.types import Context, Omission, Reason, Reduction

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n" + bytes(range(128, 256))


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the shorter text with the path it took, or None when nothing can be left out."""
    if not is_prose(text):
        return None
    settings = context.settings
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
    """Says whether `text` reads like sentences: letters and spaces for the most part.

    >>> is_prose("A sentence is made of words, and words of letters."), is_prose("-rw-r--r-- 1 4096 12:31")
    (True, False)
    """
    data = text.encode("utf-8", "surrogatepass")
    if not data:
        return False
    rest = len(data.translate(None, _LETTERS))
    return rest <= 0.2 * len(data)
