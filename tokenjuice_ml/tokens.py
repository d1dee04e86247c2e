"""Counts tokens: a fast estimate everywhere, exact o200k counts where `[tokens]` is installed."""

from __future__ import annotations


def estimate(text: str) -> int:
    """Returns the estimated o200k tokens of `text`; adds up line by line."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4
