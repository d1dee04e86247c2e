"""Which lines the caller's question names: they stay, whatever else is cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Identifiers, paths, numbers; words in quotes.
_NAME = re.compile(r"[\w./-]{4,100}|(?<=[\"'`])[^\"'`]{2,80}(?=[\"'`])")
# So many names are looked for, and so many lines shown of each, the last ones.
MOST_NAMES, LINES_A_NAME = 5, 6
# A plain word counts where it has this many letters and names at most so many lines: then it is rare.
LONG_WORD = 5


def lines_asked(lines: Sequence[str], query: str | None) -> list[int]:
    """Returns the 0-based lines that name what the query names, the last first.

    >>> lines_asked(["a", "test_login ran", "b", "login is slow"], "why does test_login fail")
    [1]
    >>> lines_asked(["a", "the lease expired"], "lease")
    [1]
    """
    if not query:
        return []
    found: set[int] = set()
    words = _NAME.findall(query)
    for name in [word for word in words if not _plain(word)][:MOST_NAMES]:
        found.update([number for number, line in enumerate(lines) if name in line][-LINES_A_NAME:])
    for word in [word for word in words if _plain(word) and len(word) >= LONG_WORD][:MOST_NAMES]:
        hits = [number for number, line in enumerate(lines) if word in line.lower()]
        if len(hits) <= LINES_A_NAME:
            found.update(hits)
    return sorted(found, reverse=True)


def _plain(word: str) -> bool:
    return word.isalpha() and word == word.lower()
