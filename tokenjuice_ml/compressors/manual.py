"""Manuals and long help texts: an outline of their parts and of all options, first line each.

A manual is a document: words such as error or failed in it are no trouble. Whole stay the name, the
synopsis and what the query names; the first line of each option and warnings and notes follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tokenjuice_ml.compressors.base import line_count, omission_line, utf8_len
from tokenjuice_ml.compressors.gates import folded_low
from tokenjuice_ml.compressors.needles import Needles
from tokenjuice_ml.compressors.table_rows import query_words
from tokenjuice_ml.record import Mutable, Record
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

LABEL = "manual"
# An outline with parts missing misleads: of a long manual it may take this share, up to a bound.
SHARE, HALF, MOST_TOKENS, RESERVE = 0.2, 0.5, 12_000, 60
# A line costs no less, its end included.
FEWEST_TOKENS = 3
# Names of options that are told where their lines have no room, chars.
NAMES_CHARS = 1500
_OVERSTRUCK = re.compile(r".\x08")
_OPTION = re.compile(r"-{1,2}[A-Za-z0-9?#@]")
_NOTE = re.compile(
    r"(?<![\w-])(?:warning|caution|deprecated|danger|obsolete|insecure)\b|\bnote:|^notes?\b|\bnote that\b",
    re.I,
)
# What each match of it holds.
_NOTING = Needles(("warning", "caution", "deprecated", "danger", "obsolete", "insecure", "note"))
_WHOLE = frozenset("name synopsis usage bezeichnung übersicht nom nombre nome sinopsis aufruf".split())
# A part's own first lines; lines of a note; most lines of a part that stays whole; columns up to which options begin.
LEAD, NOTE_LINES, MOST_WHOLE, DEEPEST = 2, 2, 24, 14
# A line this long is no line of a manual.
LONG_LINE = 2000
# What an omission line at the end of a part takes.
_PART_TOKENS = 14
# What parts a term from what is said of it on the same line.
_GAP = re.compile(r"\S(?: {2,60}|\t{1,9})\S")
_ITEM, _OPTION_ITEM = 1, 2


class _Page(Record):
    """The lines of a manual: indents in columns (-1 for blank ones), what begins an item, its parts.

    Attributes:
        lines: without overstruck letters.
        indents: of each line, in columns.
        kinds: 1 where a line begins an item, 2 where it begins an option.
        parts: 0-based lines of the headings, with 0 in front.
    """

    lines: list[str]
    indents: list[int]
    kinds: bytearray
    parts: list[int]


class _Shown(Mutable):
    """What has been chosen so far, and what is left to spend."""

    lines: bytearray
    left: float


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the outline of a manual; None where it fits the budget or has no parts to speak of."""
    budget = context.budget_tokens or context.settings.max_inline_tokens
    if len(text) < 8 * budget and estimate(text) <= budget:
        return None
    page = _page(_plain(text))
    if len(page.parts) < 2 and page.kinds.count(_OPTION_ITEM) < 5:
        return None
    if _PART_TOKENS * len(page.parts) > budget:
        return None  # so many headings are none
    whole = estimate(text)
    budget = max(budget, min(MOST_TOKENS, int(max(SHARE * whole, min(HALF * whole, 2 * budget)))))
    shown = _Shown(bytearray(len(page.lines)), budget - RESERVE - _PART_TOKENS * len(page.parts))
    for numbers in _wishes(page, query_words(context.output.query)):
        _take(page, shown, numbers)
    return _built(page, shown.lines)


def _plain(text: str) -> str:
    """Returns a text without colours and letters struck over."""
    if "\x1b" in text:
        from tokenjuice_ml.rules.view import strip_ansi

        text = strip_ansi(text)
    return _OVERSTRUCK.sub("", text) if "\b" in text else text


def _page(text: str) -> _Page:
    lines = text.split("\n")
    indents = [_indent(line) for line in lines]
    headings = [at for at, line in enumerate(lines) if indents[at] == 0 and _is_heading(lines, indents, at)]
    parts = [0, *(at for at in headings if at)]
    kinds = bytearray(len(lines))
    options = [
        at for at, line in enumerate(lines) if 0 < indents[at] <= DEEPEST and _OPTION.match(line.lstrip())
    ]
    least = min((indents[at] for at in options), default=0)
    for at in options:
        if indents[at] <= least + 4 and _begins(indents, kinds, at):
            kinds[at] = _OPTION_ITEM
    for first, end in zip(parts, [*parts[1:], len(lines)], strict=True):
        _mark_items(lines, indents, kinds, first + 1, end)
    return _Page(lines, indents, kinds, parts)


def _indent(line: str) -> int:
    """Returns the columns in front of the first sign, -1 for a blank line."""
    bare = line.lstrip()
    if not bare:
        return -1
    blank = line[: len(line) - len(bare)]
    return len(blank.expandtabs()) if "\t" in blank else len(blank)


def _is_heading(lines: Sequence[str], indents: Sequence[int], at: int) -> bool:
    """A line at the margin with deeper ones below it, in capitals or with a colon at its end."""
    line = lines[at].rstrip()
    below = next(
        (indents[next_] for next_ in range(at + 1, min(at + 4, len(lines))) if indents[next_] >= 0), 0
    )
    return below > 0 and len(line) <= 80 and (line.isupper() or line.endswith(":"))


def _begins(indents: Sequence[int], kinds: Sequence[int], at: int) -> bool:
    """Not so where the option is a word of a wrapped line; long ones without a short one stand deeper."""
    above = indents[at - 1] if at else -1
    return above != indents[at] or bool(kinds[at - 1])


def _mark_items(lines: Sequence[str], indents: Sequence[int], kinds: bytearray, first: int, end: int) -> None:
    """Marks terms that are no options: exit codes, variables, commands, files."""
    base = min((indents[at] for at in range(first, end) if indents[at] > 0), default=0)
    for at in range(first, end):
        if kinds[at] or indents[at] != base or (at > first and indents[at - 1] == base and not kinds[at - 1]):
            continue
        hangs = at + 1 < end and indents[at + 1] > base and len(lines[at]) <= 70
        word, _, rest = lines[at].strip()[:200].partition("  ")
        apart = bool(rest) and " " not in word and len(word) <= 24 and rest[:1] in " \t"
        tabbed = "\t" in lines[at].strip()[:24] and " " not in lines[at].strip().partition("\t")[0]
        kinds[at] = _ITEM if hangs or apart or tabbed else 0


def _wishes(page: _Page, words: tuple[str, ...]) -> Iterable[list[int]]:
    """Yields groups of lines, the most wanted first."""
    lines, total = page.lines, len(page.lines)
    ends = [*page.parts[1:], total]
    yield [at for at in page.parts if lines[at].strip()] + _edges(page)
    yield [at for first, end in zip(page.parts, ends, strict=True) for at in _whole_part(page, first, end)]
    yield _asked(page, words)
    options = [at for at in range(total) if page.kinds[at] == _OPTION_ITEM]
    yield options
    yield [below for at in options for below in _first_below(page, at)]
    yield _notes(page)
    yield [at for first, end in zip(page.parts, ends, strict=True) for at in _lead(page, first, end)]
    items = [at for at in range(total) if page.kinds[at] == _ITEM]
    yield items
    yield [below for at in items for below in _first_below(page, at)]


def _edges(page: _Page) -> list[int]:
    """Lines at the margin that are no headings, where they are few: usage, a last word."""
    margin = [at for at, indent in enumerate(page.indents) if indent == 0]
    return margin if len(margin) <= 80 + len(page.parts) else margin[:40] + margin[-10:]


def _whole_part(page: _Page, first: int, end: int) -> list[int]:
    """The lines of a part whose every line counts: name, synopsis, usage; of the very first its start."""
    name = page.lines[first].strip().lower().partition(":")[0]
    if name not in _WHOLE and not (first == 0 and not name.startswith("options")):
        return []
    most = MOST_WHOLE if name in _WHOLE else MOST_WHOLE // 2
    return [at for at in range(first, end) if page.indents[at] >= 0][:most]


def _lead(page: _Page, first: int, end: int) -> list[int]:
    """The first lines of a part, up to its first item."""
    lead = [at for at in range(first + 1, min(end, first + 12)) if page.indents[at] > 0]
    return [at for at in lead[:LEAD] if not page.kinds[at]]


def _first_below(page: _Page, at: int) -> list[int]:
    """The first line of what is said of an item, where its own line says nothing."""
    if _GAP.search(page.lines[at].strip()[:200]):
        return []
    for below in range(at + 1, min(at + 4, len(page.lines))):
        if page.kinds[below]:
            return []
        if page.indents[below] > page.indents[at]:
            return [below]
    return []


def _block(page: _Page, at: int) -> range:
    """The lines of an item: up to the next one, or the next part."""
    end = at + 1
    while (
        end < len(page.lines)
        and not page.kinds[end]
        and (page.indents[end] < 0 or page.indents[end] > page.indents[at])
    ):
        end += 1
    return range(at, end)


def _asked(page: _Page, words: tuple[str, ...]) -> list[int]:
    """Items and parts that the query names: whole; lines of rare words besides."""
    if not words:
        return []
    found: dict[int, None] = {}
    for at, kind in enumerate(page.kinds):
        if kind and _names(page.lines[at], words):
            found.update(dict.fromkeys(_block(page, at)))
    for first, end in zip(page.parts, [*page.parts[1:], len(page.lines)], strict=True):
        if first and _names(page.lines[first], words):
            found.update(dict.fromkeys(range(first, end)))
    for word in words:
        hits = [at for at, line in enumerate(page.lines) if word in line.lower()]
        if len(hits) <= 12:
            found.update(dict.fromkeys(hits))
    return [at for at in found if page.indents[at] >= 0]


def _names(line: str, words: tuple[str, ...]) -> bool:
    term = re.split(r"\s{2,}", line.strip()[:200])[0].lower()
    return any(
        word in re.split(r"[^\w-]+", term) or f"--{word}" in re.split(r"[\s,=\[<]+", term) for word in words
    )


def _notes(page: _Page) -> list[int]:
    """Warnings, notes and what is deprecated, with the lines that go on."""
    found: dict[int, None] = {}
    for at in _NOTING.lines(folded_low("\n" + "\n".join(page.lines)), -1):
        line = page.lines[at]
        if page.indents[at] > 0 and len(line) < LONG_LINE and _NOTE.search(line.strip()):
            for below in range(at, min(at + NOTE_LINES, len(page.lines))):
                if page.indents[below] < 0 or (below > at and page.kinds[below]):
                    break
                found[below] = None
    return list(found)


def _take(page: _Page, shown: _Shown, numbers: Iterable[int]) -> None:
    """Takes lines in their order as far as there is room."""
    for at in numbers:
        if shown.left < FEWEST_TOKENS:
            return
        if shown.lines[at]:
            continue
        line = page.lines[at]
        price = estimate(" ".join(line[:LONG_LINE].split())) + 2
        if price > shown.left or len(line) > LONG_LINE:
            continue
        shown.left -= price
        shown.lines[at] = 1


def _built(page: _Page, shown: bytearray) -> Reduction | None:
    """Returns the outline: each part with its lines, and at its end what of it is gone."""
    out: list[str] = []
    gaps: list[Omission] = []
    ends = [*page.parts[1:], line_count(page.lines)]
    for first, end in zip(page.parts, ends, strict=True):
        out += _part(page, shown, first, end)
        gone = [at for at in range(first, end) if not shown[at] and page.indents[at] >= 0]
        if gone:
            what = _options_of(page, [at for at in gone if page.kinds[at] == _OPTION_ITEM])
            out.append(omission_line(len(gone), gone[0] + 1, gone[-1] + 1, what))
            size = sum(utf8_len(page.lines[at]) + 1 for at in gone)
            gaps.append(Omission(gone[0] + 1, gone[-1] + 1, len(gone), size, what))
    return Reduction("\n".join(out), True, LABEL, tuple(gaps)) if gaps else None


def _options_of(page: _Page, gone: Sequence[int]) -> str:
    """Returns how many options have no line, with their names as far as there is room."""
    if not gone:
        return ""
    names = [re.split(r"[\s=\[]", page.lines[at].strip()[:200].replace(", ", ","))[0] for at in gone]
    told, size = 0, 0
    while told < len(names) and (size := size + len(names[told]) + 1) <= NAMES_CHARS:
        told += 1
    more = f" and {len(names) - told:,} others" if told < len(names) else ""
    return f"{len(gone):,} more options: {' '.join(names[:told])}{more}"


def _narrow(line: str) -> str:
    """Returns an item with two blanks between its term and what is said of it, else one."""
    gap = _GAP.search(line.strip())
    if gap is None:
        return " ".join(line.split())
    term, text = line.strip()[: gap.start() + 1], line.strip()[gap.end() - 1 :]
    return f"{' '.join(term.split())}  {' '.join(text.split())}"


def _part(page: _Page, shown: bytearray, first: int, end: int) -> list[str]:
    """Returns the shown lines of a part: an item and its first line on one, without wide blanks."""
    out: list[str] = []
    joins = False
    for at in range(first, end):
        if not shown[at]:
            joins = joins and page.indents[at] < 0
            continue
        line = _narrow(page.lines[at]) if page.kinds[at] else " ".join(page.lines[at].split())
        if joins and not page.kinds[at]:
            out[-1] = f"{out[-1]}  {line}"
        else:
            out.append(f"{' ' * min(page.indents[at], 2 if page.kinds[at] else 4)}{line}")
        joins = bool(page.kinds[at]) and bool(_first_below(page, at))
    return out
