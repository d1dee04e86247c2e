"""Learns which names were renamed all over a diff, and finds the lines that say no more than that."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile

from tokenjuice_ml.compressors.diff_parse import FileDiff, Source
from tokenjuice_ml.compressors.diff_runs import COMMENTS

# Pairs of lines that have to replace one name by the same other one before that is a rename.
LEAST = 8
# What a changed line is known to be, 0 is anything: a rename, or one in a string or of a name that also stays.
RENAME, DOUBTFUL = 1, 2
# Longer lines are no renames, chars.
_LONGEST = 600
# Added lines that are tried for a removed one where a run has more of one sign.
_AHEAD = 6
_Pair = tuple[str, str]
_PAIR = re.compile(r"(-+)(\++)")
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_WORD = re.compile(r"(\W+)")
# Parts of a name: snake_case and camelCase.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|_+|[^A-Za-z\d_]+")
# One of these on either side is another meaning, however often it is seen.
_LOGIC = frozenset(
    "true false none null nil undefined not and or xor is in if else elif elsif unless while until for do switch "
    "case default return break continue pass raise throw throws try catch except finally yield await async goto "
    "static const let var final public private protected internal unsafe mut volatile assert delete".split()
)
# Both from here too.
_FLIPS = frozenset(
    "min max lt gt le ge eq ne add sub inc dec plus minus all any some every get set put post patch head options "
    "enable disable enabled disabled on off yes no allow deny allowed denied accept reject open close lock unlock "
    "push pop shift unshift insert remove append prepend read write encode decode encrypt decrypt first last start "
    "end begin stop left right top bottom up down before after next prev previous asc desc int float double long "
    "short byte char bool str string bytes signed unsigned list tuple dict info debug warn warning error fatal "
    "floor ceil round abs equal equals strict lower upper include exclude with without show hide new old a b x y "
    "and or http https ascii utf md sha is has can should must may expect refute reduce filter map find "
    "success failure ok err pass fail prod dev test staging local remote sync async".split()
)
# Before a name these make its opposite.
_NEGATES = frozenset("in un dis non im ir not no in_ un_ non_ not_ no_".split())


@dataclass(slots=True)
class Renamed:
    """One name that became another.

    Attributes:
        old: what it was.
        new: what it is.
        lines: pairs of lines that say so.
        files: files they are in.
    """

    old: str
    new: str
    lines: int = 0
    files: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Renames:
    """What was renamed in a diff.

    Attributes:
        flags: `RENAME` or `DOUBTFUL` for each line that is that alone, 0 for others.
        names: the renamed names of those lines, the most frequent first.
    """

    flags: bytearray
    names: list[Renamed]


def renames_of(source: Source, files: Sequence[FileDiff], keep: Sequence[int] | None = None) -> Renames:
    """Returns what is renamed all over a diff; lines that change anything else are no part of it.

    Args:
        source: the diff.
        files: its files.
        keep: a flag a line, 0 for those that are left out already: all lines without it.
    """
    return _Search(source, list(_edits(source, files, keep))).found()


def _edits(
    source: Source, files: Sequence[FileDiff], keep: Sequence[int] | None
) -> Iterator[tuple[int, int, int, int]]:
    """Yields file, first removed, first added line and end of each run of removed, then added lines."""
    for number, one in enumerate(files):
        for hunk in one.hunks:
            if hunk.signs == 1 and hunk.added and hunk.removed:
                for pair in _PAIR.finditer(source.marks, hunk.start + 1, hunk.end):
                    if keep is None or keep[pair.start()]:
                        yield number, pair.start(), pair.start(2), pair.end()


class _Search:
    """The search for renames through the edits of one diff."""

    def __init__(self, source: Source, edits: list[tuple[int, int, int, int]]) -> None:
        self.source, self.edits = source, edits
        # What differs between a removed line and its partner, where they have as many words.
        self.pairs: dict[int, list[_Pair]] = {}
        # The names that a word between blanks changes where another stands for it, None where it is more than names.
        self.changes: dict[_Pair, tuple[_Pair, ...] | None] = {}
        # What differs between two names, None where that is no rename.
        self.cores: dict[_Pair, _Pair | None] = {}
        self.spelled: dict[_Pair, _Pair] = {}
        self.known: dict[_Pair, Renamed] = {}
        # The words between blanks that differ in known names alone.
        self.same: set[_Pair] = set()

    def found(self) -> Renames:
        flags = bytearray(len(self.source.lines))
        self._read()
        self._learn()
        if self.known:
            for number, first, middle, end in self.edits:
                for old, new, pairs in self._matched(first, middle, end):
                    flags[old] = flags[new] = self._told(number, old, new, pairs)
        names = sorted((one for one in self.known.values() if one.lines), key=lambda one: -one.lines)
        return Renames(flags, names)

    def _read(self) -> None:
        """Lays the words of the lines of each sign side by side."""
        for _, first, middle, end in self.edits:
            lines = self.source.lines[first:end]
            for place, (old, new) in enumerate(zip(lines, lines[middle - first :], strict=False), first):
                if place < middle:
                    before, after = _words(old), _words(new)
                    if len(before) == len(after):
                        self.pairs[place] = [
                            pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]
                        ]

    def _learn(self) -> None:
        """Counts what replaces what, and knows what does so often."""
        seen = Counter(chain.from_iterable(self.pairs.values()))
        counts: Counter[_Pair] = Counter()
        for pair, count in seen.items():
            self.changes[pair] = names = self._names(pair)
            for name in names or ():
                counts[name] += count
        for name, count in counts.items():
            if count >= LEAST and 4 * counts[name[1], name[0]] < count:
                self.known[name] = Renamed(*self.spelled[name])
        self.same = {pair for pair, names in self.changes.items() if names and self.known.keys() >= {*names}}

    def _matched(self, first: int, middle: int, end: int) -> list[tuple[int, int, list[_Pair]]]:
        """Returns the removed lines of a run, the added ones that rename them in order, and what differs."""
        size = middle - first
        found = [
            (old, old + size, pairs)
            for old in range(first, min(middle, end - size))
            if (pairs := self.pairs.get(old)) and self.same.issuperset(pairs)
        ]
        return found if len(found) == size == end - middle else self._aligned(first, middle, end)

    def _aligned(self, first: int, middle: int, end: int) -> list[tuple[int, int, list[_Pair]]]:
        """Looks a few lines ahead for the partner of each removed line."""
        found: list[tuple[int, int, list[_Pair]]] = []
        at = middle
        words = list(map(_words, self.source.lines[first:end]))
        for old in range(first, middle):
            for new in range(at, min(end, at + _AHEAD)):
                pairs = self._renamed(words[old - first], words[new - first])
                if pairs:
                    found.append((old, new, pairs))
                    at = new + 1
                    break
            else:
                # With as many lines of each sign, the next one's partner is the next one.
                at += middle - first == end - middle and at < end
        return found

    def _renamed(self, before: list[str], after: list[str]) -> list[_Pair]:
        """Returns what differs between two lines where that is known names alone."""
        pairs: list[_Pair] = []
        if len(before) == len(after):
            for pair in zip(before, after, strict=True):
                if pair[0] != pair[1]:
                    if pair not in self.same and not self._is_known(pair):
                        return []
                    pairs.append(pair)
        return pairs

    def _is_known(self, pair: _Pair) -> bool:
        if pair in self.changes:
            return False
        self.changes[pair] = names = self._names(pair)
        if names and self.known.keys() >= {*names}:
            self.same.add(pair)
        return pair in self.same

    def _names(self, pair: _Pair) -> tuple[_Pair, ...] | None:
        """Returns the names that differ between two words without blanks; None where more than names does."""
        before, after = _WORD.split(pair[0]), _WORD.split(pair[1])
        if len(before) != len(after) or before[1::2] != after[1::2]:
            return None
        found = []
        for names in zip(before[::2], after[::2], strict=True):
            if names[0] != names[1]:
                if names not in self.cores:
                    self.cores[names] = self._spelled(_core(*names))
                core = self.cores[names]
                if core is None:
                    return None
                found.append(core)
        return tuple(dict.fromkeys(found))

    def _spelled(self, core: _Pair | None) -> _Pair | None:
        """Returns a pair of names in lower case, and keeps how it was first written."""
        if core is None:
            return None
        low = core[0].lower(), core[1].lower()
        self.spelled.setdefault(low, core)
        return low

    def _told(self, number: int, old: int, new: int, pairs: list[_Pair]) -> int:
        """Counts a pair of lines for the names that it renames; says what it is."""
        names = {name for pair in pairs for name in self.changes[pair] or ()}
        for name in names:
            one = self.known[name]
            one.lines += 1
            one.files.add(number)
        return _kind(self.source.lines[old], self.source.lines[new], names)


def _kind(old: str, new: str, names: set[_Pair]) -> int:
    """Says what a pair of lines is that differs in known names alone."""
    low = new.lower()
    partly = any(name in low and name in _WORD.split(low) for name, _ in names)
    if not partly and '"' not in old and "'" not in old:
        return RENAME
    if old[1:].lstrip().startswith(COMMENTS):
        return RENAME
    return DOUBTFUL if partly or _quoted(old) != _quoted(new) else RENAME


def _words(line: str) -> list[str]:
    """Returns what stands between the blanks of a line, without its sign; nothing of a long one."""
    return line[1:].split(" ") if len(line) < _LONGEST else []


def _quoted(line: str) -> list[str]:
    """Returns what stands between quotes in a line; text in three quotes is a comment."""
    line = line.replace('"""', "").replace("'''", "")
    return [*line.split('"')[1::2], *line.split("'")[1::2]]


def _core(old: str, new: str) -> tuple[str, str] | None:
    """Returns what two names do not share; None where that is no rename.

    >>> _core("parse_headers", "parse_header_map"), _core("UserStore", "AccountStore"), _core("is_a", "a")
    (('headers', 'header_map'), ('User', 'Account'), None)
    """
    before, after = _PART.findall(old), _PART.findall(new)
    ahead = _shared(before, after)
    behind = _shared(before[ahead:][::-1], after[ahead:][::-1])
    before, after = before[ahead : len(before) - behind], after[ahead : len(after) - behind]
    if not _LOGIC.isdisjoint(map(str.lower, (*before, *after))):
        return None
    core = "".join(before), "".join(after)
    if not (_is_name(core[0]) and _is_name(core[1])):
        core = old, new
    return core if _is_renaming(core[0].lower(), core[1].lower()) else None


def _is_renaming(old: str, new: str) -> bool:
    """Says whether two names may mean one thing: no opposites, no other number, no other case."""
    if not (old.isidentifier() and new.isidentifier() and max(len(old), len(new)) > 1):
        return False
    if old in _FLIPS and new in _FLIPS:
        return False
    short, long = sorted((old, new), key=len)
    opposite = long.endswith(short) and long[: len(long) - len(short)] in _NEGATES
    return not opposite and _letters(old) != _letters(new)


def _shared(before: list[str], after: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _is_name(word: str) -> bool:
    return len(word) > 1 and word.isidentifier()


def _letters(word: str) -> str:
    """Returns a name without its digits: other digits are another number, not another name."""
    return word.translate(_NO_DIGITS)
