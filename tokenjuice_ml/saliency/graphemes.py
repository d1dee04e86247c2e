"""Where a visible character continues, so that no cut falls inside one."""

from __future__ import annotations

import re
import unicodedata

_JOINER = "\u200d"
_MARKS = ("Mn", "Me", "Mc")


def extends(text: str, at: int) -> bool:
    r"""Says whether the char at `at` belongs to the same visible character as the one before it.

    >>> extends("e\u0301", 1), extends("ab", 1)
    (True, False)
    """
    char = text[at]
    if char < "\u0300":
        return char == "\n" and text[at - 1] == "\r"
    if text[at - 1] == _JOINER or char == _JOINER:
        return True
    if (
        "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0020" <= char <= "\U000e01ef"
    ):
        return True
    if "\u1100" <= char <= "\u11ff" or "\U0001f1e6" <= char <= "\U0001f1ff":
        return not text[at - 1].isspace()
    return unicodedata.category(char) in _MARKS


def joints(text: str) -> list[int]:
    r"""Returns the places where a visible character goes on, in order; see `extends`.

    >>> joints("a\u0301b"), joints("abc")
    ([1], [])
    """
    if text.isascii():
        return []
    rare = "".join(char for char in sorted(set(text)) if char >= "\u0300" and _may_extend(char))
    if not rare:
        return []
    found = re.compile(f"[{re.escape(rare)}]|(?<={_JOINER}).", re.DOTALL).finditer(text)
    return [match.start() for match in found if match.start() and extends(text, match.start())]


def _may_extend(char: str) -> bool:
    return char == _JOINER or extends(f"a{char}", 1)
