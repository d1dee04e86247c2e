"""What in a folded body differs from the bodies that are made like it: handlers, mappers, tests.

Where many bodies of a file do the same with other things, the reader takes them all for alike; the
one that swallows an error, waits, or leaves a check out is what he would miss. Words that few bodies
have stand for one another, so that lines are compared by what the bodies have in common.

Rows are 0-based indexes into the lines of the file.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from tokenjuice_ml.compressors.code_sheet import BODY, Body, Sheet
from tokenjuice_ml.record import Record

# A family has so many bodies; a body may belong to one where this share of its lines stands in others.
FEWEST, ALIKE = 6, 0.25
# A line or a value is odd where at most so many bodies have it, in a body that is known for this share.
SELDOM, KNOWN = 2, 0.6
# Of plain members this share of the lines is known; without enough of them there is no family.
PLAIN = 0.8
# A line is missing, or a value another one, where this share of the alike bodies agree.
AGREED, SAME_VALUE = 0.85, 0.7
SHORT_LINE, LONG_LINE = 6, 160
# Smaller and larger bodies and larger files are not compared.
LEAST_ROWS, MOST_ROWS_A_BODY, MOST_ROWS = 4, 120, 30_000
# What is shown: bodies, lines of one, lines of all as a share of the file, and its bounds.
MOST_BODIES, LINES_EACH, MOST_MISSING, SHARE, LEAST_SHOWN, MOST_SHOWN = 12, 4, 2, 40, 8, 40
NOTE_CHARS, MOST_HEAD, MOST_VARIED = 60, 3, 3
_WORD = re.compile(r"([A-Za-z_]\w*|\d[\w.]*)")
_PARTS = re.compile(r"[a-z]{3,}|[A-Z]{3,}(?![a-z])|[A-Z][a-z]{2,}")
_NUMBER = re.compile(r"(?<![A-Za-z_0-9])\d[\w.]*")
_OWN, _OTHER = "\x01", "\x02"

# Of a line: its row, what it says with its values, and without them.
_Line = tuple[int, str, str]


class _Member(Record):
    """A body of a family, and its lines."""

    body: Body
    lines: tuple[_Line, ...]
    forms: frozenset[str]


class _Find(Record):
    """What is odd about a body: its rows, and lines of the others that it has not."""

    body: Body
    rows: tuple[int, ...]
    missing: tuple[str, ...]
    others: int


def keep_odd(sheet: Sheet, bodies: Sequence[Body]) -> None:
    """Shows rows of folded bodies that are rare among alike bodies, and says which lines one lacks."""
    family = _family(sheet, bodies)
    if len(family) < FEWEST:
        return
    finds = _Family(sheet, family).finds()
    # What is unlike the others in little says most: bodies of their own are unlike in all.
    finds.sort(key=lambda find: (len(find.rows) + len(find.missing), find.body.first))
    left = min(MOST_SHOWN, max(LEAST_SHOWN, len(sheet.lines) // SHARE))
    for find in finds[:MOST_BODIES]:
        left -= len(find.rows) + len(find.missing)
        if left < 0:
            return
        _show(sheet, find)


def _show(sheet: Sheet, find: _Find) -> None:
    if find.missing:
        first = next(row for row in range(find.body.first, find.body.last + 1) if sheet.flags[row] == BODY)
        lines = ", ".join(f'"{line}"' for line in find.missing)
        sheet.notes[first] = f"no {lines} here, which {find.others} alike have"
    for row in find.rows:
        sheet.show(row, row)


def _family(sheet: Sheet, bodies: Sequence[Body]) -> list[tuple[Body, list[int]]]:
    """Returns the folded bodies that share lines with several others, each with its rows."""
    if len(bodies) < FEWEST or len(sheet.lines) > MOST_ROWS:
        return []
    found = [pair for pair in _folded(sheet, bodies) if LEAST_ROWS <= len(pair[1]) <= MOST_ROWS_A_BODY]
    lines = sheet.lines
    counts: Counter[str] = Counter()
    for _, rows in found:
        counts.update({lines[row].strip() for row in rows})
    often = {line for line, count in counts.items() if count >= FEWEST - 1 and len(line) >= SHORT_LINE}
    return [
        (body, rows)
        for body, rows in found
        if sum(lines[row].strip() in often for row in rows) >= max(1, ALIKE * len(rows))
    ]


def _folded(sheet: Sheet, bodies: Sequence[Body]) -> Iterator[tuple[Body, list[int]]]:
    """Yields each body with its folded rows; rows of a named body inside it are that one's."""
    flags, lines = sheet.flags, sheet.lines
    covered = -1
    ordered = [body for body in bodies if body.named or body.first > covered]
    for index, body in enumerate(ordered):
        if not body.named and body.first <= covered:
            continue
        covered = max(covered, body.last)
        inner = [other for other in _inside(ordered, index) if other.named]
        rows = [
            row
            for row in range(body.first, body.last + 1)
            if flags[row] == BODY and len(lines[row].strip()) > 2
        ]
        for other in inner:
            rows = [row for row in rows if not other.signature <= row <= other.last]
        yield body, rows


def _inside(bodies: Sequence[Body], index: int) -> Iterator[Body]:
    """Yields the outermost bodies inside bodies[index]; they stand behind it."""
    last, covered = bodies[index].last, -1
    for other in bodies[index + 1 :]:
        if other.first > last:
            return
        if other.first > covered:
            covered = other.last
            yield other


class _Family:
    """The bodies that are compared with each other."""

    def __init__(self, sheet: Sheet, family: Sequence[tuple[Body, list[int]]]) -> None:
        self._texts = sheet.lines
        self._seldom = SELDOM if len(family) >= 2 * FEWEST else 1
        self.members = _members(sheet.lines, family)
        self.forms = Counter(form for member in self.members for form in member.forms)
        self.valued: Counter[str] = Counter()
        self.values: dict[str, Counter[str]] = {}
        for member in self.members:
            for valued, form in {(valued, form) for _, valued, form in member.lines}:
                self.valued[valued] += 1
                self.values.setdefault(form, Counter())[valued] += 1
        self._shared: dict[str, dict[str, int]] = {}

    def finds(self) -> list[_Find]:
        """Returns what is odd, by body."""
        known = [sum(self.forms[form] >= FEWEST - 1 for form in member.forms) for member in self.members]
        plain = sum(
            count >= PLAIN * len(member.forms) for count, member in zip(known, self.members, strict=True)
        )
        if plain < FEWEST:
            return []
        return [find for member in self.members if (find := self._look(member)) is not None]

    def _look(self, member: _Member) -> _Find | None:
        often = [form for form in member.forms if self.forms[form] >= FEWEST - 1]
        if len(often) < KNOWN * len(member.forms) and len(member.forms) - len(often) > 2:
            return None
        rows = tuple(dict.fromkeys(row for row, valued, form in member.lines if self._is_odd(valued, form)))
        shared = self._alike(often)
        missing = [form for form in shared if form not in member.forms]
        most = min(LINES_EACH, max(1, len(member.lines) // 3))
        if not (rows or missing) or max(len(rows), len(missing)) > most:
            return None
        told = sorted(missing, key=lambda form: (-len(form), form))[:MOST_MISSING]
        others = min([shared[form] for form in told], default=0)
        return _Find(member.body, rows, tuple(map(self._example, told)), others)

    def _is_odd(self, valued: str, form: str) -> bool:
        if self.forms[form] <= self._seldom:
            return True
        if self.valued[valued] > self._seldom or self.forms[form] < FEWEST:
            return False
        return self.values[form].most_common(1)[0][1] >= SAME_VALUE * self.forms[form]

    def _alike(self, often: Iterable[str]) -> dict[str, int]:
        """Returns which lines nearly all bodies have that have the rarest of these, with their counts."""
        mark = min(often, key=lambda form: (self.forms[form], form), default="")
        known = self._shared.get(mark)
        if known is None:
            alike = [member for member in self.members if mark in member.forms]
            counts = Counter(form for member in alike for form in member.forms)
            agreed = max(FEWEST - 1, AGREED * len(alike))
            known = {form: count for form, count in counts.items() if agreed <= count < len(alike)}
            self._shared[mark] = known
        return known

    def _example(self, form: str) -> str:
        """Returns the first line of this form as it stands."""
        lines = (line for member in self.members for line in member.lines)
        text = next(self._texts[row] for row, _, own in lines if own == form).strip()
        return text if len(text) <= NOTE_CHARS else f"{text[:NOTE_CHARS]}…"


def _members(texts: Sequence[str], family: Sequence[tuple[Body, list[int]]]) -> list[_Member]:
    """Returns the bodies with their lines in a form that can be compared."""
    raw = [[texts[row].strip()[:LONG_LINE] for row in rows] for _, rows in family]
    bare = _without_numbers(raw)
    words_of = {line: frozenset(_WORD.split(line)[1::2]) for line in set(itertools.chain.from_iterable(bare))}
    known: Counter[str] = Counter()
    for lines in bare:
        known.update(frozenset().union(*map(words_of.__getitem__, set(lines))))
    common = {word for word, count in known.items() if count > SELDOM + 1}
    # A line all of whose words are common stands for itself: most do.
    plain = {
        line for line, words in words_of.items() if all(word in common or word[0].isdigit() for word in words)
    }
    stems = [_stems(body, texts) for body, _ in family]
    hidden = [
        [
            None if form in plain else _hidden(_WORD.split(line), common, own)
            for line, form in zip(lines, forms, strict=True)
        ]
        for lines, forms, own in zip(raw, bare, stems, strict=True)
    ]
    formed = [
        [form if words is None else _form(words) for form, words in zip(forms, each, strict=True)]
        for forms, each in zip(bare, hidden, strict=True)
    ]
    counts = Counter(itertools.chain.from_iterable(map(set, formed)))
    members = []
    for (body, rows), lines, each, forms, own in zip(family, raw, hidden, formed, stems, strict=True):
        made = [
            _line(row, line, words, form, own, counts)
            for row, line, words, form in zip(rows, lines, each, forms, strict=True)
        ]
        members.append(_Member(body, tuple(made), frozenset(form for _, _, form in made)))
    return members


def _without_numbers(bodies: Sequence[Sequence[str]]) -> list[list[str]]:
    """Returns the lines of all bodies without their numbers."""
    flat = _NUMBER.sub("0", "\n".join(itertools.chain.from_iterable(bodies))).split("\n")
    ends = list(itertools.accumulate(map(len, bodies)))
    return [flat[end - len(body) : end] for end, body in zip(ends, bodies, strict=True)]


def _line(
    row: int, line: str, words: list[str] | None, form: str, own: tuple[str, ...], counts: Counter[str]
) -> _Line:
    """Returns a line as it is compared: a seldom one with its body's own name hidden where others are so."""
    if counts[form] > SELDOM:
        return row, line if words is None else "".join(words), form
    if words is None:
        words = _WORD.split(line)
    other = next((varied for varied in _variants(words, own) if counts[_form(varied)] > SELDOM), words)
    return row, "".join(other), _form(other)


def _stems(body: Body, texts: Sequence[str]) -> tuple[str, ...]:
    """Returns the beginnings of the words in the body's head, lower case."""
    head = " ".join(
        texts[body.signature : min(max(body.first, body.signature + 1), body.signature + MOST_HEAD)]
    )
    parts = dict.fromkeys(part.lower() for part in _PARTS.findall(head))
    return tuple(part[: max(3, len(part) - 2)] for part in parts)


def _hidden(words: list[str], common: Collection[str], own: tuple[str, ...]) -> list[str]:
    """Returns a split line with a sign for its rare words: one for the body's own name, one for others."""
    out = list(words)
    for at in range(1, len(out), 2):
        word = out[at]
        if word not in common and not word[0].isdigit():
            out[at] = _OWN if _is_own(word, own) else _OTHER
    return out


def _is_own(word: str, own: tuple[str, ...]) -> bool:
    low = word.lower()
    return any(stem in low for stem in own)


def _variants(words: list[str], own: tuple[str, ...]) -> Iterator[list[str]]:
    """Yields the line with words of the body's own name hidden that others use as well, and some not."""
    places = [at for at in range(1, len(words), 2) if words[at].isidentifier() and _is_own(words[at], own)]
    for chosen in itertools.product((True, False), repeat=min(len(places), MOST_VARIED)):
        out = list(words)
        for at, hide in zip(places, chosen, strict=False):
            if hide:
                out[at] = _OWN
        yield out


def _form(words: list[str]) -> str:
    """Returns a split line without its numbers."""
    return _NUMBER.sub("0", "".join(words))
