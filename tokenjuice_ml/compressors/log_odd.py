"""The few lines of a log that are unlike all others: in their shape, or in a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tokenjuice_ml.compressors import log_far
from tokenjuice_ml.compressors.log_census import keys_of

# More lines of a shape of their own than this are no oddity, nor such a share of the lines.
MOST_ALONE, ALONE_SHARE = 30, 20
# The same where names with digits or hashes count as one: more lines are alike, so that fewer are alone.
MOST_FOLDED = 16
# Lines shown for their numbers, among lines that repeat so often.
MOST_FAR = 4
# Shares of lines, one in so many, below which a kind is no habit whose odd numbers tell something.
HABIT = 10


def odd_lines(
    lines: Sequence[str], keys: Sequence[str], counts: Mapping[str, int], most: int = MOST_ALONE
) -> list[int]:
    """Returns the lines of a log that else repeats itself which do not: those of a shape of their own first.

    Args:
        lines: the log.
        keys: template key of each line.
        counts: lines by key.
        most: lines of a shape of their own at most; of more none is an oddity.
    """
    alone = _alone(keys, counts, min(most, len(lines) // ALONE_SHARE))
    folded = keys
    if alone is None:
        folded = keys_of(keys)
        alone = _alone(folded, Counter(folded), min(most, MOST_FOLDED, len(lines) // ALONE_SHARE)) or []
    far = log_far.look(lines, _habits(folded), MOST_FAR).lines
    return list(dict.fromkeys([*alone, *far]))


def _alone(keys: Sequence[str], counts: Mapping[str, int], most: int) -> list[int] | None:
    """Returns the lines whose kind no other line has, None where they are many."""
    lone = {key for key, count in counts.items() if count == 1 and key.strip()}
    if len(lone) > most:
        return None
    return [number for number, key in enumerate(keys) if key in lone]


def _habits(keys: Sequence[str]) -> list[str]:
    """Returns the keys of the kinds that make up much of the log, "" for all others."""
    least = len(keys) // HABIT
    often = {key for key, count in Counter(keys).items() if count >= least}
    return [key if key in often else "" for key in keys]
