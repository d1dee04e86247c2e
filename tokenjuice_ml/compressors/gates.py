"""What a regular expression cannot match without, so that most lines need not be asked.

`needed` reads an expression and says, for each of its alternatives at the top, which strings a
matching line holds; `Gates` looks all of them up in a whole text in one pass. Both are meant for
`folded` lower-case text. What the reader does not understand counts as "anything".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tokenjuice_ml.compressors.needles import Needles, encoded, lowered
from tokenjuice_ml.compressors.same import different, spread

# More strings than this are not told apart.
MOST_STRINGS = 64
# Words that need two strings at once get bits from here on.
_FIRST_PAIR = 1 << 48
_COMMON = frozenset(" 01")
_SPACES = "\t\r\v\f\x1c\x1d\x1e\x1f"
_WIDE_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# The same as bytes: those of one block, which are many, and the others.
_WIDE_BLOCK = re.compile(b"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]")
_WIDE_OTHERS = tuple(space for space in map(str.encode, _WIDE_SPACES) if not _WIDE_BLOCK.match(space))
_FOLD = str.maketrans("123456789" + _SPACES, "111111111" + " " * len(_SPACES))
_FOLD_BYTES = bytes.maketrans(("123456789" + _SPACES).encode(), b"111111111" + b" " * len(_SPACES))
_ZERO_WIDTH = "bBAZ^$"


def folded(text: str) -> bytes:
    """Returns the bytes of `text` with a 1 for each digit but 0, a blank for all that parts words in a line."""
    return _folded(encoded(text), text.isascii())


def folded_low(text: str) -> bytes:
    """Returns the same of the text in lower case of ASCII letters."""
    return _folded(lowered(text), text.isascii())


def _folded(data: bytes, ascii_only: bool) -> bytes:
    if not ascii_only:
        if b"\xe2\x80" in data:
            data = _WIDE_BLOCK.sub(b" ", data)
        for space in _WIDE_OTHERS:
            if space in data:
                data = data.replace(space, b" ")
    return data.translate(_FOLD_BYTES)


class _Part(NamedTuple):
    """A piece of an expression: all strings it stands for (None: unknown), and what its matches hold."""

    exact: tuple[str, ...] | None
    sets: tuple[tuple[str, ...], ...] = ()


_ANYTHING = _Part(None)
_NOTHING = _Part(("",))


def needed(source: str) -> list[tuple[tuple[str, ...], ...]]:
    r"""Returns for each alternative up to two sets of strings; a match holds one of each set.

    An alternative of which nothing is known has no set.

    >>> needed(r"exit(?:ed|ing)? [1-9]|core\s+dumped")
    [(('exit 1', 'exited 1', 'exiting 1'),), ((' dumped',), ('core ',))]
    """
    return [_best_two(part) for part in _Reader(source).alternatives()]


def alternatives(source: str) -> list[str]:
    """Returns the parts of an expression between the bars outside of brackets.

    >>> alternatives(r"a|(?:b|c)|[|]")
    ['a', '(?:b|c)', '[|]']
    """
    reader, parts, start = _Reader(source), [], 0
    for _ in reader.branches():
        parts.append(source[start : reader.at])
        start = reader.at + 1
    return parts


def _best_two(part: _Part) -> tuple[tuple[str, ...], ...]:
    sets = (part.exact,) if part.exact and all(part.exact) else part.sets
    # A blank or a digit is in nearly every line.
    telling = [_shortest(one) for one in sets if not _COMMON.intersection(one)]
    best = sorted(telling, key=_worth, reverse=True)
    # Of the others one that says more than the best, and no single sign, which is in too many lines.
    others = [one for one in best[1:] if _worth(one)[0] > 1 and not _implied(one, best[0])]
    return (*best[:1], *others[:1])


def _implied(strings: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tells whether each of the `others` holds one of the strings."""
    return all(any(one in other for one in strings) for other in others)


def _shortest(strings: tuple[str, ...]) -> tuple[str, ...]:
    """Leaves out strings that hold another of the set."""
    return tuple(one for one in strings if not any(other != one and other in one for other in strings))


def _worth(strings: tuple[str, ...]) -> tuple[int, int]:
    return min(map(len, strings)), -len(strings)


class _Reader:
    """Walks over an expression once."""

    def __init__(self, source: str) -> None:
        self.source, self.at = source, 0

    def alternatives(self) -> list[_Part]:
        """Reads branches up to a closing bracket or the end."""
        return list(self.branches())

    def branches(self) -> Iterator[_Part]:
        """Reads one branch after the other."""
        yield self._branch()
        while self.source[self.at : self.at + 1] == "|":
            self.at += 1
            yield self._branch()

    def _branch(self) -> _Part:
        current: tuple[str, ...] = ("",)
        sets: list[tuple[str, ...]] = []
        whole = True
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            part = self._atom()
            least, most = self._quantifier()
            joined = _joined(current, part, least, most)
            if joined is not None:
                current = joined
                continue
            whole = False
            # The first of a repetition stands right behind what was before it.
            first = _joined(current, part, 1, 1) if least else None
            if first is not None and all(first):
                sets.append(first)
            elif all(current):
                sets.append(current)
            current = ("",)
            if least:
                sets.extend(part.sets)
                if part.exact is not None and all(part.exact):
                    # The end of a repetition: what follows stands right behind it.
                    sets.append(part.exact)
                    current = part.exact if len(part.exact) * 4 <= MOST_STRINGS else ("",)
        if whole:
            return _Part(current)
        return _Part(None, (*sets, current) if all(current) else tuple(sets))

    def _atom(self) -> _Part:
        char = self.source[self.at]
        self.at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._char_class()
        if char == "(":
            return self._group()
        if char in "^$":
            return _NOTHING
        return _ANYTHING if char == "." else _Part((char.translate(_FOLD),))

    def _escape(self) -> _Part:
        char = self.source[self.at]
        self.at += 1
        if char in "dst":
            return _Part(("0", "1") if char == "d" else (" ",))
        if char in _ZERO_WIDTH:
            return _NOTHING
        return _ANYTHING if char.isalnum() else _Part((char,))

    def _char_class(self) -> _Part:
        start = self.at
        self.at += 1 if self.source.startswith("^", self.at) else 0
        self.at += 1 if self.source.startswith("]", self.at) else 0
        while self.source[self.at] != "]":
            self.at += 2 if self.source[self.at] == "\\" else 1
        inner = self.source[start : self.at].replace("0-9", "01").replace("1-9", "1")
        self.at += 1
        if inner.startswith("^") or "\\" in inner or "-" in inner[1:-1] or len(inner) > 12:
            return _ANYTHING
        return _Part(tuple(dict.fromkeys(inner.translate(_FOLD))))

    def _group(self) -> _Part:
        looks = False
        if self.source.startswith("?", self.at):
            looks = not self.source.startswith("?:", self.at)
            self.at += 3 if self.source.startswith(("?<=", "?<!"), self.at) else 2
        parts = self.alternatives()
        self.at += 1
        return _NOTHING if looks else _merged(parts)

    def _quantifier(self) -> tuple[int, int]:
        """Reads a quantifier: the least and the most repetitions (2 for any number above 1)."""
        char = self.source[self.at : self.at + 1]
        if not char or char not in "*+?{":
            return 1, 1
        self.at += 1
        least, most = {"*": (0, 2), "+": (1, 2), "?": (0, 1)}.get(char, (0, 2))
        if char == "{":
            end = self.source.index("}", self.at)
            low = self.source[self.at : end].partition(",")[0]
            least, self.at = min(1, int(low or 0)), end + 1
        if self.source[self.at : self.at + 1] in ("?", "+") and self.at < len(self.source):
            self.at += 1
        return least, most


def _joined(current: tuple[str, ...], part: _Part, least: int, most: int) -> tuple[str, ...] | None:
    """Returns all strings of what was read so far with `part` behind it, None where that is not known."""
    if part.exact is None or most > 1:
        return None
    tails = part.exact if least else ("", *part.exact)
    if len(current) * len(tails) > MOST_STRINGS:
        return None
    return tuple(dict.fromkeys(head + tail for head in current for tail in tails))


def _merged(parts: Sequence[_Part]) -> _Part:
    """Returns what holds for a choice of parts."""
    exact = [text for part in parts if part.exact is not None for text in part.exact]
    if all(part.exact is not None for part in parts) and len(exact) <= MOST_STRINGS:
        return _Part(tuple(dict.fromkeys(exact)))
    best = [_best_two(part)[:1] for part in parts]
    if not all(best):
        return _ANYTHING
    return _Part(None, (_shortest(tuple(dict.fromkeys(text for one in best for text in one[0]))),))


class Gates:
    """Tells for each line of a text which of several expressions may match it.

    Args:
        sources: expressions by the bit that stands for them; several parts may share a bit.
        words: strings by bit, one of which a line must hold.
    """

    def __init__(
        self, sources: Sequence[tuple[int, str]], words: Sequence[tuple[int, Sequence[str]]] = ()
    ) -> None:
        self.always = 0
        self._bits: dict[str, int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._next = _FIRST_PAIR
        for bit, source in sources:
            for sets in needed(source):
                self._add(bit, sets)
        for bit, strings in words:
            self._need(bit, strings)
        # Line ends are found with the words, so that nobody need count them.
        self._needles = Needles((*self._bits, "\n"))
        self._words = Needles(tuple(self._bits))
        self._of_word = (*self._bits.values(), 0)

    def _add(self, bit: int, sets: tuple[tuple[str, ...], ...]) -> None:
        if not sets:
            self.always |= bit
        elif len(sets) == 1:
            self._need(bit, sets[0])
        else:
            one, two = self._next, self._next << 1
            self._next <<= 2
            self._need(one, sets[0])
            self._need(two, sets[1])
            self._pairs.append((one | two, bit))

    def _need(self, bit: int, strings: Sequence[str]) -> None:
        for text in map(str.lower, strings):
            self._bits[text] = self._bits.get(text, 0) | bit

    def candidates(self, lines: Sequence[str]) -> Sequence[int]:
        """Returns the lines that may match an expression of ASCII letters, in any case; cheaper than masks."""
        if self.always:
            return range(len(lines))
        some, places = different(lines)
        return spread(self._words.lines(folded_low(_as_text(some))), places)

    def masks(self, text: str, lines: int) -> list[int]:
        """Returns the bits of each line of a lower-case text."""
        masks = [self.always] * lines
        of_word, line_end = self._of_word, len(self._bits)
        number = 0
        for index, _, _ in self._needles.found(folded(text)):
            if index == line_end:
                number += 1
            else:
                masks[number] |= of_word[index]
        solved = {mask: self._solved(mask) if mask >= _FIRST_PAIR else mask for mask in set(masks)}
        return [solved[mask] for mask in masks]

    def _solved(self, mask: int) -> int:
        for both, bit in self._pairs:
            if mask & both == both:
                mask |= bit
        return mask & (_FIRST_PAIR - 1)


def _as_text(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    if text.count("\n") >= max(1, len(lines)):
        text = "\n".join([line.replace("\n", " ") for line in lines])
    return text


@lru_cache(maxsize=32)
def gate(source: str) -> Gates:
    """Returns the gate of one expression; its bit is 1."""
    return Gates([(1, source)])
