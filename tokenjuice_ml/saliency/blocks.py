"""What goes beside the chosen words: leads and headings that come along, notes for blocks left out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.choose import HEADING_SHARE
from tokenjuice_ml.saliency.render import Piece
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.spans import Units, runs
from tokenjuice_ml.saliency.units import WHOLE, Kind, Segment, is_wide

NOTE_CHARS = 36
"""A block that is no longer than its note would be is shown instead."""
NAMES = {Kind.FENCE: "code", Kind.TABLE: "table", Kind.LIST: "list"}
"""What the note about a block that is left out calls it."""
_ENDS = ".!?:;。！？；："
FEWEST_ROWS, ROW_CHARS = 8, 100
"""Of tables of more rows the note shows one that is unlike the others, at most so many chars of it."""


def _leads(text: str, sections: Sections) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Returns (segment, segment it needs): what must come along, and what does where enough is kept.

    Items need their lead, what opens a paragraph its label, a denial what it points back to, and text a heading
    that denies it; any other heading is shown above a full section. An exception comes along with what it is one to.
    """
    heading, label, sentence, segments = Kind.HEADING, Kind.LABEL, Kind.SENTENCE, sections.segments
    denying: dict[int, bool] = {}
    leads: list[tuple[int, int]] = []
    headings: list[tuple[int, int]] = []
    for index, (_, _, kind_of, first, needs, _) in enumerate(segments):
        for needed in needs:
            start, end, kind, *_ = segments[needed]
            if kind is heading:
                headings.append((index, needed))
                if needed not in denying:
                    denying[needed] = bool(protect.governed(text, start, end))
                if denying[needed]:
                    leads.append((index, needed))
            elif kind is not label or needed == index - 1:
                leads.append((index, needed))
        if index and not first and kind_of is sentence:
            leads += _tied(text, sections, index)
    return leads, headings


def _tied(text: str, sections: Sections, index: int) -> list[tuple[int, int]]:
    """Returns what binds a sentence to the one before it in its paragraph."""
    start, end = sections.segments[index][:2]
    if _EXCEPTS.search(text, start, min(end, start + _NEAR_START)):
        return [(index, index - 1), (index - 1, index)]
    if index in sections.governing and (_POINTS.match(text, start) or _ELLIPSIS.search(text, start, end)):
        return [(index, index - 1)]
    return []


_NEAR_START = 160
_POINTS = re.compile(
    r"(?:This|That|These|Those|Dies\w*|Das|Jene\w*|Cela|Cette|Ceci|Ce|Ces|Esto|Eso|Est[aeo]s?|Es[ae]s?|Это|Эт[аи])(?!\w)"
)
_ELLIPSIS = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could|will|would|should|must|may|has|have)(?:n['’]t| not)(?=[,.;:!?])"
)
_EXCEPTS = re.compile(
    r"\b(?:do|does|shall|will)(?: not|n['’]t) apply\b|\bgilt nicht\b|\bgelten nicht\b|ne s['’]applique(?:nt)? pas|\bno se aplican?\b"
    r"|не (?:применя|распространя)|不适用|不適用|適用されない|適用されません|적용되지"
)


class Company:
    """Says for a choice what has to come along with it."""

    def __init__(self, text: str, sections: Sections, units: Units) -> None:
        self._ranges = list(pairwise([*units.opening, len(units.starts)]))
        self._leads, self._headings = _leads(text, sections)
        self._spent = list(accumulate(units.cost, initial=0.0))

    def bring(self, kept: bytearray) -> None:
        """Keeps the lead of everything that is kept and needs one, and the headings of full sections."""
        ranges, spent, find = self._ranges, self._spent, kept.find
        for index, lead in self._leads:
            if find(1, *ranges[index]) >= 0:
                _keep(kept, *ranges[lead])
        below: dict[int, float] = {}
        for index, lead in self._headings:
            a, b = ranges[index]
            if find(1, a, b) >= 0:
                below[lead] = below.get(lead, 0.0) + spent[b] - spent[a]
        for lead, cost in below.items():
            a, b = ranges[lead]
            if cost >= HEADING_SHARE * (spent[b] - spent[a]):
                _keep(kept, a, b)


def _keep(kept: bytearray, first: int, last: int) -> None:
    kept[first:last] = b"\1" * (last - first)


def pieces(
    text: str, segments: Sequence[Segment], units: Units, kept: bytearray
) -> tuple[list[Piece], frozenset[int]]:
    """Returns the kept runs as pieces, notes for dropped blocks, and where a `…` has to stand."""
    out: list[Piece] = []
    cuts: set[int] = set()
    last = before = 0
    whole = True  # the run before ends with its sentence
    for a, b in runs(kept):
        start, end, opens = units.starts[a], units.ends[b - 1], units.opens[a]
        apart = not out or "\n" in text[last:start]
        if apart or units.opens.find(1, before, a + 1) >= 0:
            # A small letter at the beginning tells as much, and no full stop at a line's end.
            if (not whole and not apart) or not (opens or text[start].islower()):
                cuts.add(start)
        elif _fuses(text, last, start):
            cuts.add(start)
        out.append(Piece(start, end))
        last, before = end, b
        whole = bool(units.closes[b - 1]) or text[end - 1] in _ENDS
    return _with_notes(text, segments, out), frozenset(cuts)


def _fuses(text: str, last: int, start: int) -> bool:
    """Says whether two fragments of a sentence would read as one.

    No punctuation parts them, and a name follows, which would get another's verb, or what is written without spaces.
    """
    if not text[last - 1].isalnum():
        return False
    return text[start].isupper() or (is_wide(text[start]) and text[start].isalnum())


def _with_notes(text: str, segments: Sequence[Segment], shown: list[Piece]) -> list[Piece]:
    """Returns the pieces with a note for each block that is left out."""
    starts = [piece.start for piece in shown]
    out: list[Piece] = []
    at = 0
    for number, segment in enumerate(segments):
        if segment.kind not in NAMES:
            continue
        here = bisect_left(starts, segment.start)
        if here < len(shown) and shown[here].start < segment.end:
            continue
        if here and shown[here - 1].end > segment.start:
            continue
        if segment.kind is Kind.LIST and not _lead_shown(segments, number, shown, starts):
            continue
        out += shown[at:here]
        add_note(text, out, segment, follows_gap=at == here)
        at = here
    return out + shown[at:]


def _lead_shown(
    segments: Sequence[Segment], index: int, shown: Sequence[Piece], starts: Sequence[int]
) -> bool:
    """Says whether a reader sees that something is to follow: the list's lead, or an item before it."""
    sentence, items = Kind.SENTENCE, (Kind.ITEM, Kind.LIST)
    leads = [needed for needed in segments[index].needs if segments[needed].kind is sentence]
    if index and segments[index - 1].kind in items:
        leads.append(index - 1)
    for lead in map(segments.__getitem__, leads):
        here = bisect_left(starts, lead.end) - 1
        if here >= 0 and shown[here].end > lead.start and not shown[here].note:
            return True
    return False


def add_note(text: str, shown: list[Piece], segment: Segment, follows_gap: bool) -> None:
    """Adds the note for a block that is left out; one note for blocks with nothing kept between them.

    A block that is no longer than its note would be is shown instead.
    """
    what = NAMES[segment.kind]
    if segment.kind is Kind.TABLE:
        what += _odd_row(text[segment.start : segment.end])
    before = shown[-1] if shown else None
    if before and before.note and follows_gap:
        what = before.note if what in before.note else f"{before.note}, {what}"
        shown[-1] = Piece(before.start, segment.end, what)
    elif segment.end - segment.start <= NOTE_CHARS:
        shown.append(Piece(segment.start, segment.end))
    else:
        shown.append(Piece(segment.start, segment.end, what))


def _odd_row(table: str) -> str:
    """Returns the row of a table that is least like the others, in words of a note; "" where none stands out."""
    if table.count("\n") < FEWEST_ROWS:
        return ""
    from tokenjuice_ml.compressors.table_odd import odd_in
    from tokenjuice_ml.compressors.table_parse import parse

    grid = parse(table.split("\n"))
    odd = odd_in(grid.columns, grid.short, {}, grid.whole) if grid else []
    return f", with the odd row {' | '.join(grid.row(odd[0]))[:ROW_CHARS]}" if grid and odd else ""


def has_lead(segments: Sequence[Segment], segment: Segment, kept: bytearray) -> bool:
    """Says whether a list is left out whose lead is kept, with one flag a segment."""
    if segment.kind is not Kind.LIST:
        return False
    return any(kept[n] and segments[n].kind is Kind.SENTENCE for n in segment.needs)


UNDIVIDED = bytes(kind in WHOLE or kind in (Kind.LIST, Kind.LABEL, Kind.HEADING) for kind in Kind)
"""By kind: 1 where a segment stays or goes as one."""
