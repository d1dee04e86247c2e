"""Says why nothing was left out of a text, in words that name the setting or the property behind it."""

from __future__ import annotations

from tokenjuice_ml.types import Context, Kind


def why(text: str, context: Context, rule: str | None) -> str:
    """Returns what stood against cutting `text`.

    Args:
        text: what the compressors declined.
        context: its kind and settings.
        rule: the rule that was asked, if one was.
    """
    settings, kind = context.settings, context.detection.kind
    if settings.profile == "light":
        return "profile light: nothing here gets shorter without loss"
    if rule is not None:
        return f"the rule {rule} found nothing to leave out"
    if kind is Kind.PLAIN_TEXT:
        return _plain(text, context)
    return f"the compressor for {kind.value} found nothing to leave out"


def _plain(text: str, context: Context) -> str:
    settings = context.settings
    if not settings.ml_compression_enabled:
        return "plain text stays whole while ml_compression_enabled is off"
    if settings.ml_target_ratio >= 1.0:
        return "ml_target_ratio is 1: all of a plain text is to be kept"
    from tokenjuice_ml.saliency.compress import MOST_OTHER, is_prose

    if not is_prose(text):
        return f"no prose: over {MOST_OTHER:.0%} of it are digits, marks and signs"
    return f"no sentence can be left out at ml_target_ratio {settings.ml_target_ratio:g}"
