"""Fields named for trouble that hold none: `error:` with nothing behind it, above the next field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# A heading has its text below it, deeper; so many headings of one text are fields.
MANY, MOST_CHARS = 3, 400


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns what matches a field without a value, and any field; compiled when it is first needed."""
    name = r"(\s*)(?:- )?[\"']?[\w.-]{1,60}[\"']?\s?[:=]"
    return re.compile(rf"{name}\s*$"), re.compile(rf"{name}(?:\s|$)")


def empty_fields(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Returns those of the numbered lines that are fields without a value.

    Args:
        lines: the text.
        numbers: 0-based numbers of lines with a word of trouble, ascending.

    >>> empty_fields(["job: 1", "  error: ", "  retries: 0", "  error: disk full", "Errors:", "  bad zip"], [1, 3, 4])
    [1]
    """
    ends = [number for number in numbers if lines[number].rstrip()[-1:] in (":", "=")]
    empty = [number for number in ends if _is_empty(lines, number)]
    return [number for number in empty if len(empty) >= MANY or lines[number][:1].isspace()]


def _is_empty(lines: Sequence[str], number: int) -> bool:
    """Tells whether a name without a value is followed by another field, no deeper than itself, or by nothing."""
    without, field = _patterns()
    one = without.match(lines[number][:MOST_CHARS])
    below = lines[number + 1][:MOST_CHARS] if number + 1 < len(lines) else ""
    if one is None or not below.strip():
        return one is not None
    other = field.match(below)
    return other is not None and len(other[1]) <= len(one[1])
