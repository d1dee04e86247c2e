"""Says of the failing tests that are not shown how many they are, where they are, and what was raised."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tokenjuice_ml.record import Record
from tokenjuice_ml.rules.schema import Failures
from tokenjuice_ml.rules.view import LineView

# Kinds that are named, and modules; names that are written out, and their chars.
KINDS, HOMES = 5, 4
NAMES, NAMES_CHARS = 8, 240
# A kind or a module of more chars is cut, with a sign that it was.
WORD_CHARS = 80
_PARTS = ("::", ".", "/", " › ", " > ")


class _Test(Record):
    """A failing test: the 0-based lines that name it, what it is of, what was raised."""

    lines: list[int]
    home: str
    raised: str


def told(failures: Failures, view: LineView, keep: bytearray) -> str:
    """Returns the words for the header, "" where each failing test is named by a shown line.

    Args:
        failures: how the rule finds failing tests.
        view: the output.
        keep: one flag a line, set for those shown.
    """
    tests = _tests(failures, view)
    lost = [name for name, test in tests.items() if not any(keep[at] for at in test.lines)]
    if not lost:
        return ""
    every = tests.values()
    parts = [_count([test.raised for test in every if test.raised], len(tests), KINDS)]
    parts.append(_where([test.home for test in every if test.home]))
    if len(lost) <= NAMES and sum(map(len, lost)) <= NAMES_CHARS:
        parts.append(f"not shown: {', '.join(lost)}")
    said = "; ".join(filter(None, parts))
    shown = len(tests) - len(lost)
    return f"{len(tests):,} failing tests, {shown:,} of them shown{': ' if said else ''}{said}"


def _tests(failures: Failures, view: LineView) -> dict[str, _Test]:
    """Returns the failing tests by name; one that is named again (in a summary) is the same."""
    starts = failures.test.hits(view)
    if not starts:
        return {}
    raised = failures.raised.hits(view) if failures.raised is not None else []
    at_end = len(view.lines)
    tests: dict[str, _Test] = {}
    for at, following in zip(starts, [*starts[1:], at_end], strict=True):
        line = view.matched[at]
        name = failures.test.group(line).strip()
        if name not in tests:
            tests[name] = _Test([], failures.home.group(line).strip() if failures.home else "", "")
        test = tests[name]
        test.lines.append(at)
        found = _raised_in(failures, raised, at, following)
        if found is not None and not test.raised and failures.raised is not None:
            word = failures.raised.group(view.matched[found]).strip()
            tests[name] = _Test(test.lines, test.home, word)
    return tests


def _raised_in(failures: Failures, raised: Sequence[int], start: int, end: int) -> int | None:
    low, high = bisect_left(raised, start), bisect_right(raised, end - 1)
    if low == high:
        return None
    return raised[high - 1 if failures.last else low]


def _count(words: Iterable[str], total: int, most: int) -> str:
    """Returns how often each word comes, most frequent first, and how many come to none."""
    counts = Counter([_short(word) for word in words])
    if not counts:
        return ""
    said = [f"{count:,} {word}" for word, count in counts.most_common(most)]
    rest = total - sum(count for _, count in counts.most_common(most))
    return ", ".join([*said, f"{rest:,} other{'s' if rest > 1 else ''}"] if rest else said)


def _where(homes: Sequence[str]) -> str:
    """Returns what the tests are of, as near to them as few names allow."""
    for _ in range(8):
        counts = Counter(homes)
        if len(counts) <= HOMES:
            break
        wider = list(map(_wider, homes))
        if wider == list(homes):
            break
        homes = wider
    if not homes:
        return ""
    if len(counts) == 1:
        return f"all in {_short(homes[0])}"
    said = [f"{count:,} in {_short(home)}" for home, count in counts.most_common(HOMES)]
    rest = len(homes) - sum(count for _, count in counts.most_common(HOMES))
    return ", ".join([*said, f"{rest:,} elsewhere"] if rest else said)


def _wider(home: str) -> str:
    """Returns what a class, a module or a file is in; a name without parts as it is.

    >>> _wider("shop.test_cart.Totals"), _wider("tests/cart.py::Totals"), _wider("cart")
    ('shop.test_cart', 'tests/cart.py', 'cart')
    """
    cut: Callable[[str], int] = home.rfind
    if "::" in home:
        return home[: cut("::")]
    if "/" in home:
        return home[: cut("/")] or home
    end = max(map(cut, _PARTS))
    return home[:end] if end > 0 else home


def _short(word: str) -> str:
    return word if len(word) <= WORD_CHARS else f"{word[:WORD_CHARS]}…"
