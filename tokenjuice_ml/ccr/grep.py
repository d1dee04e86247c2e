"""Finds lines of an original by text or pattern."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

# A pattern is the model's own: it may run away, so it has this long.
TIME_LIMIT_S = 2.0
# Of a longer line only the surroundings of the match are shown.
LONG_ROW, AROUND = 2000, 300
_META = frozenset("\\.[]()*+?|^${}")


@dataclass(frozen=True, slots=True)
class Hits:
    """Matching lines with their surroundings.

    Attributes:
        text: rows ``L<n>: line``, with a line that says so where lines lie between them.
        first_line: number of the first line shown.
        last_line: number of the last line shown.
        complete: False when there was more than a page.
    """

    text: str
    first_line: int = 0
    last_line: int = 0
    complete: bool = True


def grep(text: str, words: str, context: int, most_lines: int, most_bytes: int) -> Hits:
    """Returns the lines of `text` that hold `words` or match it as a pattern, case ignored.

    Args:
        text: where to look.
        words: literal text, or a regular expression (literal matches count too).
        context: lines on each side of a match.
        most_lines: most rows; 0 means no limit.
        most_bytes: most characters; 0 means no limit.
    """
    starts = _line_starts(text)
    hits, note = _find(text, words, starts)
    if not hits:
        return Hits(f"[… no line of {len(starts):,} holds {words!r}{note}]")
    rows: list[str] = []
    size, last, first = 0, -1, max(0, next(iter(hits)) - context)
    complete = True
    made = _Rows(text, starts)
    for count, hit in enumerate(hits):
        begin, end = max(last + 1, hit - context), min(len(starts), hit + context + 1)
        fresh = [f"[… L{last + 2}-L{begin}]"] if 0 <= last < begin - 1 else []
        fresh += [made.row(at, hits.get(at, -1)) for at in range(begin, end)]
        size += sum(map(len, fresh))
        full = (most_lines and len(rows) + len(fresh) > most_lines) or (most_bytes and size > most_bytes)
        if full and rows:
            rows.append(f"[… {len(hits) - count:,} more matching lines, from L{hit + 1}]")
            complete = False
            break
        rows += fresh
        last = max(last, end - 1)
    if note:
        rows.append(f"[…{note}]")
    return Hits("\n".join(rows), first + 1, last + 1, complete)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    place = text.find("\n")
    while place >= 0:
        starts.append(place + 1)
        place = text.find("\n", place + 1)
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()
    return starts


def _find(text: str, words: str, starts: list[int]) -> tuple[dict[int, int], str]:
    """Returns the place of the first match in each line by index, and what is to be said."""
    hits: dict[int, int] = {}
    note = ""
    if _META.intersection(words):
        note = _collect(hits, _pattern_places(text, words, starts), starts)
    lower, wanted = text.lower(), words.lower()
    if len(lower) != len(text):  # a sign whose lower case is longer: places would not match
        lower, wanted = text, words
    _collect(hits, _literal_places(lower, wanted, starts), starts)
    return dict(sorted(hits.items())), note


def _collect(hits: dict[int, int], places: Iterator[int | str], starts: list[int]) -> str:
    for place in places:
        if isinstance(place, str):
            return place
        hits.setdefault(bisect_right(starts, place) - 1, place)
    return ""


def _literal_places(text: str, words: str, starts: list[int]) -> Iterator[int]:
    place = text.find(words) if words else -1
    while place >= 0:
        yield place
        following = bisect_right(starts, place)
        place = text.find(words, starts[following]) if following < len(starts) else -1


def _pattern_places(text: str, words: str, starts: list[int]) -> Iterator[int | str]:
    import regex

    try:
        # The end of a line is before its CR, too.
        ending = words.endswith("$") and not words.endswith("\\$")
        pattern = regex.compile(f"{words[:-1]}\\r?$" if ending else words, regex.IGNORECASE | regex.MULTILINE)
    except regex.error as error:
        yield f" ({words!r} is no pattern: {error}; looked for as text)"
        return
    until, following = monotonic() + TIME_LIMIT_S, 0
    try:
        while following < len(starts):
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError
            found = pattern.search(text, starts[following], timeout=left)
            if found is None:
                return
            yield found.start()
            following = max(following + 1, bisect_right(starts, found.start()))
    except TimeoutError:
        yield f" (the pattern took longer than {TIME_LIMIT_S:g} s; lines after L{following + 1} were searched for it as text)"


class _Rows:
    """Makes rows in the order of the text; counts bytes on the way."""

    def __init__(self, text: str, starts: list[int]) -> None:
        self._text, self._starts = text, starts
        self._seen = self._bytes = 0

    def row(self, at: int, place: int) -> str:
        """Returns a line with its number; of a long one what stands around `place`."""
        text, start = self._text, self._starts[at]
        end = self._starts[at + 1] - 1 if at + 1 < len(self._starts) else len(text.removesuffix("\n"))
        if end - start <= LONG_ROW:
            return f"L{at + 1}: {text[start:end].removesuffix(chr(13))}"
        middle = place if start <= place < end else start
        low, high = max(start, middle - AROUND), min(end, middle + AROUND)
        return f"L{at + 1}, from byte {self._byte(low)}: …{text[low:high]}…"

    def _byte(self, place: int) -> int:
        self._bytes += len(self._text[self._seen : place].encode("utf-8", "replace"))
        self._seen = place
        return self._bytes
