"""Cuts a text into the pieces that stay or go as one: sentences, headings, items, code blocks, tables.

Everything here is positions into the text; nothing is copied or changed. One pass over the lines,
then one over each paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import accumulate, repeat
from operator import add, sub
from typing import NamedTuple

from tokenjuice_ml.saliency.graphemes import extends
from tokenjuice_ml.saliency.words import WORD as WORD
from tokenjuice_ml.saliency.words import is_wide as is_wide
from tokenjuice_ml.saliency.words import split as split
from tokenjuice_ml.saliency.words import word_spans as word_spans

LONGEST = 360
"""Chars above which a sentence is divided at its clauses."""
LONGEST_CJK = 110
HARD_LIMIT = 700
SHORT_ITEM, SHORT_LIST = 80, 360
"""Chars of an item, and of a list of them, that stays or goes as one."""

# Patterns start with the set of their first chars: only then does the search skip what cannot begin a match.
_END = re.compile(r"[.!?…。！？।؟۔][.!?…。！？।؟۔]*[\"'”’»)\]」』）》】]*")
# Where no sentence ends with a wide mark: a blank must follow, and then no small letter. It begins with the
# first of several marks, or a long run of them would be read from each of its chars.
_PLAIN_END = re.compile(
    r"[.!?…।؟۔](?<![.!?…।؟۔].)[.!?…।؟۔]*[\"'”’»)\]」』）》】]*(\s+)(?![\sa-z])", re.DOTALL
)
_CLAUSE = re.compile(
    r"[;:—–,；：，](?:(?<=[；：，])|(?<=[;:—–])[ \n]+"
    r"|(?<=,) (?=(?:and|but|so|which|because|while|although|whereas|then|or|um|uh|und|aber|weil|oder|"
    r"et|mais|car|y|pero|porque|и|но|а|потому) ))"
)
_SOFT = re.compile(r"[\s、，](?:(?<=[、，])|\s*)")
_ITEM = re.compile(r"(?:[-*+•‣▪◦–·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_LABEL = re.compile(r"(?:\[[^\]\n]{1,40}\] ?)?[A-Z\u0400-\u042f][\w.'’()-]*(?: [\w.'’()-]+){0,4}: ")
_REPLY = re.compile(
    r"(?:no|not|never|none|nope|nein|nicht|nie|keineswegs|non|pas|jamais|nunca|jamás|tampoco|нет|не|никогда)(?!\w)"
    r"|[不没沒否]|いいえ|いや|ちがいます|違います|아니|없",
    re.IGNORECASE,
)
_ABBREVIATIONS = frozenset(
    (
        "mr mrs dr prof st vs etc eg ie e.g i.e cf fig no nr vol pp approx dept inc ltd co jr sr al ca "
        "z.b d.h bzw usw u.a ggf evtl sog p.ex ej ee.uu sra т.е т.к т.д др г ул руб"
    ).split()
)
_ENDINGS = frozenset(word[-2:] for word in (*_ABBREVIATIONS, "ms"))


class Kind(IntEnum):
    """What a segment is."""

    SENTENCE = 0
    HEADING = 1
    LABEL = 2
    ITEM = 3
    FENCE = 4
    TABLE = 5
    LIST = 6


WHOLE = (Kind.FENCE, Kind.TABLE)


class Segment(NamedTuple):
    """A piece of text that is kept or dropped as one.

    Attributes:
        start: first char.
        end: one past the last char.
        kind: what it is.
        first: True when it opens its paragraph.
        needs: indices of the segments without which it would be misread.
        paragraph: running number of its paragraph.
    """

    start: int
    end: int
    kind: Kind
    first: bool
    needs: tuple[int, ...]
    paragraph: int


_NEW = tuple.__new__  # a named tuple's own constructor takes three times as long


def outline(text: str, atomic: Callable[[int, int], list[tuple[int, int]]] | None = None) -> list[Segment]:
    """Returns the segments of `text`, in order; what lies between them is white space.

    Args:
        text: the text.
        atomic: given a char range, says which ranges inside may not be divided.
    """
    return _Outliner(text, atomic).run()


class _Outliner:
    """Walks over the lines once. Lines are kept as three lists: start, end, first char that is not space."""

    def __init__(self, text: str, atomic: Callable[[int, int], list[tuple[int, int]]] | None) -> None:
        self.text = text
        self.atomic = atomic
        self.out: list[Segment] = []
        self.heading: tuple[int, ...] = ()
        self.intro: tuple[int, ...] = ()
        self.paragraph = 0
        self.starts, self.leads, self.ends = _lines(text)
        self.tabs = "\t" in text
        self.divide = _sentences if any(map(text.__contains__, "。！？")) else _plain_sentences

    def run(self) -> list[Segment]:
        at, leads, ends = 0, self.leads, self.ends
        total = len(leads)
        while at < total:
            if leads[at] >= ends[at]:
                self.paragraph += 1
                at += 1
            else:
                at = self._block(at)
        return self.out

    def _block(self, at: int) -> int:
        """Adds the block that starts at line `at`; returns the line after it."""
        text, lead, end = self.text, self.leads[at], self.ends[at]
        mark = text[lead]
        plain = mark.isalpha() and text[lead + 1 : lead + 2] not in (".", ")")
        if not plain:
            after = self._fence(at) if mark in "`~" else 0
            if after:
                return after
        after = (
            self._table(at)
            if mark == "|" or text.find("  ", lead, end) > 0 or (self.tabs and "\t" in text[lead:end])
            else 0
        )
        if after:
            return after
        if not plain and _ITEM.match(text, lead, end):
            return self._item(at)
        if end - lead <= 80 and self._is_heading(at):
            self._add(lead, end, Kind.HEADING, True, ())
            return at + 1
        return self._prose(at)

    def _add(self, start: int, end: int, kind: Kind, first: bool, needs: tuple[int, ...]) -> None:
        if kind is Kind.HEADING:
            self.heading, self.intro = (len(self.out),), ()
        elif self.heading:
            needs = self.heading + needs
        self.out.append(_NEW(Segment, (start, end, kind, first, needs, self.paragraph)))

    def _fence(self, at: int) -> int:
        text, lead = self.text, self.leads[at]
        mark = text[lead : lead + 3]
        if mark not in ("```", "~~~"):
            return 0
        end, total = at + 1, len(self.leads)
        while end < total and not text.startswith(mark, self.leads[end]):
            end += 1
        if end == total:
            return 0  # never closed: not a block, or a cut one
        self._add(self.starts[at], self.ends[end], Kind.FENCE, True, self.intro)
        return end + 1

    def _table(self, at: int) -> int:
        end, total = at, len(self.leads)
        while end < total and _columns(self.text, self.leads[end], self.ends[end]) >= 2:
            end += 1
        if end - at < 3:
            end = self._pairs(at)
        if end - at < 3:
            return 0
        self._add(self.starts[at], self.ends[end - 1], Kind.TABLE, True, self.intro)
        return end

    def _pairs(self, at: int) -> int:
        """Returns the line after the names and values in two columns that start at line `at`."""
        column, end = self._second_column(at), at + 1
        if column > 0 and not _ITEM.match(self.text, self.leads[at], self.ends[at]):
            while end < len(self.leads) and self._second_column(end) == column:
                end += 1
        return end

    def _second_column(self, at: int) -> int:
        """Returns where in its line the text behind a wide gap begins, 0 where there is none."""
        gap = self.text.find("  ", self.leads[at], self.ends[at])
        # Two blanks behind the end of a sentence are an old custom.
        if gap < 0 or self.text[gap - 1] in ".!?":
            return 0
        while self.text[gap] == " ":
            gap += 1
        return gap - self.starts[at]

    def _item(self, at: int) -> int:
        """Adds a list item with the lines that continue it."""
        end = self._run_on(at, indented=True)
        start, last = self.leads[at], self.ends[end - 1]
        if last - start <= SHORT_ITEM and self._joins(at, last):
            self.out[-1] = self.out[-1]._replace(end=last, kind=Kind.LIST)
        elif last - start <= LONGEST:
            self._add(start, last, Kind.ITEM, True, self.intro)
        else:
            self._sentences(start, last, Kind.ITEM, self.intro)
        return end

    def _joins(self, at: int, last: int) -> bool:
        """Says whether a short item goes on with the short list before it."""
        before = self.out[-1] if self.out else None
        if before is None or before.kind not in (Kind.ITEM, Kind.LIST):
            return False
        if before.kind is Kind.ITEM and before.end - before.start > SHORT_ITEM:
            return False
        return last - before.start <= SHORT_LIST and at > 0 and before.end == self.ends[at - 1]

    def _is_heading(self, at: int) -> bool:
        lead, end, text = self.leads[at], self.ends[at], self.text
        mark = text[lead]
        if mark == "#":
            return text[lead:end].lstrip("#")[:1] == " "
        if at + 1 >= len(self.leads) or (at and self.leads[at - 1] < self.ends[at - 1]):
            return False
        if text[end - 1] in ".,;:!?。，；：！？…\"'”" or not (
            mark.isupper() or mark.isdigit() or mark > "\u2e80"
        ):
            return False
        following, stop = self.leads[at + 1], self.ends[at + 1]
        if following < stop and stop - following < min(end - lead, 40):
            return text[following] in "=-~^" or bool(_ITEM.match(text, following, stop))
        return text.count(" ", lead, end) < 12

    def _prose(self, at: int) -> int:
        text, start = self.text, self.leads[at]
        end = self._run_on(at, indented=False)
        last = self.ends[end - 1]
        needs: tuple[int, ...] = ()
        colon = text.find(": ", start, min(self.ends[at], start + 60))
        if colon > 0 and _LABEL.match(text, start, colon + 2):
            needs = (len(self.out),)
            self._add(start, colon + 1, Kind.LABEL, True, ())
            start = colon + 2
            while start < last and text[start].isspace():
                start += 1
        self.intro = ()
        self._sentences(start, last, Kind.SENTENCE, needs)
        if text[last - 1] in ":：" and self.out:
            self.intro = (len(self.out) - 1,)
        return end

    def _run_on(self, at: int, indented: bool) -> int:
        """Returns the line after the hard-wrapped run of lines that starts at `at`."""
        end, total = at + 1, len(self.leads)
        while end < total and self.leads[end] < self.ends[end] and self._continues(end - 1, end, indented):
            end += 1
        return end

    def _continues(self, at: int, following: int, indented: bool) -> bool:
        """Says whether the line break between two lines is only a wrap."""
        text, end, lead, stop = self.text, self.ends[at], self.leads[following], self.ends[following]
        size = end - self.starts[at]
        if size < 30 or size > 150:
            return False
        head = text[lead]
        deeper = lead - self.starts[following] - (self.leads[at] - self.starts[at])
        if head in "#|`~>" or (indented and deeper <= 0 and not head.islower()):
            return False
        if _ITEM.match(text, lead, stop):
            return False
        if head.islower() and text[end - 1] not in ".!?:。":
            return True
        if _LABEL.match(text, lead, min(stop, lead + 60)):
            return False
        return size >= 55 and (indented or deeper <= 2)

    def _sentences(self, start: int, end: int, kind: Kind, needs: tuple[int, ...]) -> None:
        text, out, first, opened = self.text, self.out, True, len(self.out)
        heading, paragraph = self.heading, self.paragraph
        for a, b in self.divide(text, start, end):
            size = b - a
            if size < 30 and not first and _REPLY.match(text, a, b):
                out[-1] = out[-1]._replace(end=b)  # "No." belongs to its question
                continue
            more: Sequence[tuple[int, int]] = ()
            if size > LONGEST_CJK:
                limit = LONGEST_CJK if _mostly_cjk(text, a, b) else LONGEST
                if size > limit:
                    (a, b), *more = _clauses(text, a, b, limit, self.atomic)
            out.append(_NEW(Segment, (a, b, kind, first, heading + needs, paragraph)))
            if first and kind is Kind.ITEM:
                needs = (*needs, opened)
                kind = Kind.SENTENCE
            first = False
            for s, e in more:
                out.append(_NEW(Segment, (s, e, kind, False, heading + needs, paragraph)))


def _lines(text: str) -> tuple[list[int], list[int], list[int]]:
    """Returns of each line where it starts, where its first visible char is, where the last one ends."""
    lines = text.split("\n")
    sizes = list(map(len, lines))
    starts = list(accumulate(map(add, sizes, repeat(1)), initial=0))[:-1]
    led = list(map(str.lstrip, lines))
    rest = list(map(len, led))
    leads = list(map(add, starts, map(sub, sizes, rest)))
    return starts, leads, list(map(add, leads, map(len, map(str.rstrip, led))))


def _columns(text: str, lead: int, end: int) -> int:
    """Returns how many column gaps a line has: cells of a table, or wide runs of space."""
    body = text[lead:end]
    if not body:
        return 0
    if body[0] == "|":
        return max(2, body.count("|"))
    if "\t" in body:
        return body.count("\t") + body.count("  ")
    if "   " not in body and body.count("  ") < 2:
        return 0
    return sum(1 for cell in body.split("  ") if cell.strip()) - 1


def _mostly_cjk(text: str, start: int, end: int) -> bool:
    return text[(start + end) // 2] > "\u2e80"


def _plain_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields what `_sentences` does where `text` has none of ``。！？``."""
    begin = start
    for match in _PLAIN_END.finditer(text, start, end):
        stop, following = match.span(1)
        first = text[following]
        if first > "z" and first.islower():
            continue
        at = match.start()
        if text[at] == "." and _may_abbreviate(text, at) and _abbreviates(text, begin, at):
            continue
        if stop - begin < 4 and begin == start:
            continue  # "1." and the like
        yield begin, stop
        begin = following
    if begin < end:
        yield begin, end


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the sentences of a paragraph, without the space around them."""
    begin = start
    for match in _END.finditer(text, start, end):
        at, stop = match.span()
        if stop >= end:
            break
        mark = text[at]
        while stop > at + 1 and not (text[stop].isspace() or is_wide(text[stop]) or is_wide(text[stop - 1])):
            stop -= 1  # a quote that opens the next word
        if text[stop].isspace():
            following = stop + 1
            first = text[following]
            while first.isspace():
                following += 1
                first = text[following]
            if first.islower() or (
                mark == "." and _may_abbreviate(text, at) and _abbreviates(text, begin, at)
            ):
                continue
        elif mark in "。！？":
            following = stop
        else:
            continue
        if stop - begin < 4 and begin == start:
            continue  # "1." and the like
        yield begin, stop
        begin = following
    if begin < end:
        yield begin, end


def _may_abbreviate(text: str, dot: int) -> bool:
    """Says whether `_abbreviates` has to be asked: quickly, from the two chars before the dot."""
    tail = text[dot - 2 : dot] if dot > 1 else ""
    return not tail or tail[1].isupper() or tail.lower() in _ENDINGS or tail[1] == "г"


def _abbreviates(text: str, begin: int, dot: int) -> bool:
    near = text[max(begin, dot - 8) : dot]
    space = max(near.rfind(" "), near.rfind("\n"))
    if space < 0 and dot > 7:
        return False
    word = near[space + 1 :].lstrip("(\"'“")
    if word.lower() in _ABBREVIATIONS or word == "Ms":
        return True
    return len(word) == 1 and word.isupper() and word not in "IЯ"


def _clauses(
    text: str,
    start: int,
    end: int,
    limit: int,
    atomic: Callable[[int, int], list[tuple[int, int]]] | None,
) -> list[tuple[int, int]]:
    """Divides a long sentence at its clauses, never inside an atomic range."""
    closed = atomic(start, end) if atomic else []
    pieces = _divide(text, start, end, limit // 4, _CLAUSE, closed)
    out: list[tuple[int, int]] = []
    hard = HARD_LIMIT if limit == LONGEST else HARD_LIMIT // 3
    for a, b in pieces:
        out.extend([(a, b)] if b - a <= hard else _divide(text, a, b, limit, _SOFT, closed))
    if limit == LONGEST_CJK:
        out = [part for a, b in out for part in _by_character(text, a, b, hard)]
    return out


def _by_character(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Divides a run of Chinese or Japanese that has no other place to be divided at."""
    while end - start > most:
        cut = start + most
        while cut < end and (extends(text, cut) or not (is_wide(text[cut]) and is_wide(text[cut - 1]))):
            cut += 1
        if cut >= end:
            break
        yield start, cut
        start = cut
    yield start, end


def _divide(
    text: str, start: int, end: int, least: int, where: re.Pattern[str], closed: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    begin, at = start, 0
    while True:
        match = where.search(text, begin + least, end)
        while match and match.end() < end:
            cut = match.end()
            while at < len(closed) and closed[at][1] <= cut:
                at += 1
            if at < len(closed) and closed[at][0] < cut:
                match = where.search(text, closed[at][1], end)
                continue
            break
        if not match or match.end() >= end - least // 2:
            out.append((begin, end))
            return out
        out.append((begin, match.end()))
        begin = match.end()
