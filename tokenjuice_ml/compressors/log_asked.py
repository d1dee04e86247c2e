"""Which lines of a log of records a question names, however often they came."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.compressors.asked import lines_asked

# Terms looked for; those that say something by their signs or digits.
MOST_TERMS, FEWEST_CHARS = 5, 3
_TELLING = re.compile(r"[\d=_/:.-]|[a-z][A-Z]|[A-Z]{2}")
_TRIM = "\"'`?!,;.()[]{}<>:"


def records_asked(lines: Sequence[str], query: str | None) -> dict[int, str]:
    """Returns the numbers of all lines with a term of the query, with the term; terms in most lines name none.

    Args:
        lines: the log.
        query: what the caller looks for.

    >>> records_asked(["a status=200"] * 40 + ["a status=500"], "where is status=500")
    {40: 'status=500'}
    """
    if not query:
        return {}
    found = dict.fromkeys(lines_asked(lines, query), "")
    words = dict.fromkeys(word.strip(_TRIM) for word in query[:2000].split())
    for term in [word for word in words if len(word) >= FEWEST_CHARS and _TELLING.search(word)][:MOST_TERMS]:
        whole = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)")
        hits = [number for number, line in enumerate(lines) if term in line and whole.search(line)]
        if len(hits) * 2 <= len(lines):
            found.update(dict.fromkeys(hits, term))
    return dict(sorted(found.items()))
