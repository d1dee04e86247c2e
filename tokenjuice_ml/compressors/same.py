"""Lines that stand many times in a text are looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

# Fewer lines are not worth the look; so many tell whether they repeat, at most this share being different.
FEWEST, SAMPLE, SHARE = 400, 4_000, 0.5


def different(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[int] | None]:
    """Returns the different lines and for each line its place among them; all lines and None where most differ.

    >>> some, places = different(["a", "b", "a", "a"] * 200)
    >>> some, list(places)[:4]
    (['a', 'b'], [0, 1, 0, 0])
    """
    seen = lines[:SAMPLE]
    if len(lines) < FEWEST or len(set(seen)) > SHARE * len(seen):
        return lines, None
    some = list(dict.fromkeys(lines))
    number = dict(zip(some, range(len(some)), strict=True))
    return some, list(map(number.__getitem__, lines))


def spread(found: Sequence[int], places: Sequence[int] | None) -> Sequence[int]:
    """Returns the numbers of all lines that stand at the `found` places, ascending.

    >>> spread([1], [0, 1, 0, 1])
    [1, 3]
    """
    if places is None or not found:
        return found
    wanted = bytearray(max(places) + 1)
    for place in found:
        wanted[place] = 1
    return list(compress(range(len(places)), map(wanted.__getitem__, places)))
