"""Where a visible character continues, so that no cut falls inside one."""

from __future__ import annotations

import re
import unicodedata

_JOINER = "\u200d"
_MARKS = ("Mn", "Me", "Mc")
# All but blocks in which nothing goes on from the char before, so that most texts are done by one search.
MAYBE = re.compile(
    "[^\0-\u02ff\u0370-\u0482\u048a-\u0590\u1e00-\u200c\u200e-\u20cf\u2100-\u2cee\u2e00-\u3029\u3030-\u3098"
    "\u309b-\ua66e\uac00-\ud7ff\uf900-\ufb1d\uff00-\uffff]"
)


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
    rare = "".join([char for char in sorted(set(MAYBE.findall(text))) if _may_extend(char)])
    if not rare:
        return []
    found = re.compile(f"[{re.escape(rare)}]|(?<={_JOINER}).", re.DOTALL).finditer(text)
    return [match.start() for match in found if match.start() and extends(text, match.start())]


def _may_extend(char: str) -> bool:
    return char == _JOINER or extends(f"a{char}", 1)
