"""The footer that leads back to the original, and finding its tokens in a text."""

from __future__ import annotations

OPEN, CLOSE = "⟦tj:", "⟧"
# As hosts write it that put a text into JSON with ASCII only.
ESCAPED = ("\\u27e6tj:", "\\u27e7")
RETRIEVE_TOOL = "tokenjuice_retrieve"
# As long as a real token, to size a footer before anything is stored.
SAMPLE_TOKEN = "0" * 27


def footer(token: str, lines: int) -> str:
    """Returns the footer of a partial view.

    Args:
        token: where the original is kept.
        lines: lines of the original.

    >>> footer("abc", 2630)
    '[partial view of 2,630 lines; whole: tokenjuice_retrieve ⟦tj:abc⟧]'
    """
    noun = "line" if lines == 1 else "lines"
    return f"[partial view of {lines:,} {noun}; whole: {RETRIEVE_TOOL} {OPEN}{token}{CLOSE}]"


def mark(body: str, token: str, lines: int) -> str:
    """Returns `body` with the footer on a line of its own."""
    joint = "" if body.endswith("\n") or not body else "\n"
    return f"{body}{joint}{footer(token, lines)}"


def tokens_in(text: str, most: int = 64) -> list[str]:
    """Returns the tokens that stand in `text` as whole markers, at most `most`."""
    found: list[str] = []
    for begin, finish in ((OPEN, CLOSE), ESCAPED):
        position = text.find(begin)
        while position >= 0 and len(found) < most:
            start = position + len(begin)
            end = text.find(finish, start, start + 128)
            if end > start:
                found.append(text[start:end])
            position = text.find(begin, start)
    return found


def may_stand_in(text: str) -> bool:
    """Returns True when the beginning of a marker is in `text`, plain or as JSON escapes it."""
    return OPEN in text or ESCAPED[0] in text
