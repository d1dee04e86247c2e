"""Word lists written as running text."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Returns the words of `text`."""
    return tuple(text.split())


def marks(text: str) -> tuple[str, ...]:
    """Returns the parts of `text` between bars; blanks and line ends belong to them."""
    return tuple(filter(None, text.split("|")))
