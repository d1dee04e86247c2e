"""The words of a text: where they stand, and what they tell.

A word is a run of anything that is not space; a Chinese or Japanese character is one by itself. Whole texts
are gone through by few calls of C code each: there is no loop over words here.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, compress, repeat
from operator import add
from sys import byteorder

from tokenjuice_ml.saliency.lexicon import tell

CJK = "\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
WORD = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
"""One word: a CJK character alone, or a run of anything else that is not space."""
WIDE_CHAR = re.compile(rf"[{CJK}]")
_SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_OTHER_SPACE = re.compile(f"[{_SPACES.replace(' ', '')}]")
_ASCII_SPACE = {ord(char): " " for char in "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"}
# Of a char's two bytes the high one tells what it is, once these are replaced and a blank is what it is not.
_MISLEADING = re.compile("[\ue000-\ue0ff\ufff0-\uffff\U00010000-\U0010ffff]")
_ANY_SPACE = re.compile(f"[{_SPACES}]")
_BLANK = "\ue000"
_SET = re.compile(rb"\x01+")
_IS_WIDE = bytes(high == 0x30 or 0x34 <= high <= 0x9F or high in (0xF9, 0xFA, 0xFF) for high in range(256))
_IS_OTHER = bytes(not wide and high != 0xE0 for high, wide in enumerate(_IS_WIDE))


def is_wide(char: str) -> bool:
    """Says whether a char is a word by itself, as Chinese and Japanese characters are."""
    return char > "\u3000" and bool(WIDE_CHAR.match(char))


def lower_case(text: str) -> str:
    """Returns `text` in lower case, of the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def split(text: str) -> tuple[list[int], list[str]]:
    """Returns where each word starts, and the words; see `WORD`."""
    if not text.isascii() and WIDE_CHAR.search(text):
        return _wide(text)
    return _at_space(text)


def _at_space(text: str) -> tuple[list[int], list[str]]:
    plain = text.translate(_ASCII_SPACE) if text.isascii() else _OTHER_SPACE.sub(" ", text)
    parts = plain.split(" ")
    starts = accumulate(map(add, map(len, parts), repeat(1)), initial=0)
    return list(compress(starts, parts)), list(filter(None, parts))


def _wide(text: str) -> tuple[list[int], list[str]]:
    """Splits a text with wide characters: flags of all chars are made by great numbers, a byte a char."""
    size = len(text)
    units = _ANY_SPACE.sub(_BLANK, _MISLEADING.sub("x", text)).encode("utf-16-le", "surrogatepass")
    classes = units[1::2]
    others = classes.translate(_IS_OTHER)
    other, wide = int.from_bytes(others, "big"), int.from_bytes(classes.translate(_IS_WIDE), "big")
    flags = (wide | other & ~(other >> 8)).to_bytes(size, "big")
    starts = list(compress(range(size), flags))
    codes = array("H", units)
    if byteorder == "big":
        codes.byteswap()
    # One object for each different character: all of them would take ten times the memory of the text.
    words = list(map(_characters().__getitem__, compress(codes, flags)))
    index = at = 0
    for match in _SET.finditer(others):
        start, end = match.span()
        index += flags.count(1, at, start)
        words[index] = text[start:end]
        at = start
    return starts, words


@lru_cache(maxsize=1)
def _characters() -> list[str]:
    """Returns by code all characters that are words by themselves; what else there is stands for nothing."""
    code_points = map(chr, range(0x3000, 0xA000)), map(chr, range(0xF900, 0x10000))
    return [*[""] * 0x3000, *code_points[0], *[""] * (0xF900 - 0xA000), *code_points[1]]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Returns the char range of each word; see `WORD`.

    >>> word_spans("ab 東京 c")
    [(0, 2), (3, 4), (4, 5), (6, 7)]
    """
    starts, words = split(text)
    return list(zip(starts, map(add, starts, map(len, words)), strict=True))


class Words:
    """The words of a text, where they stand and what they tell.

    Attributes:
        low: the text in lower case.
        starts: first char of each word.
        texts: the words, in lower case.
        counts: how often each different one is said.
        marks: what those tell that tell something, by index, in order; see `lexicon`.
    """

    def __init__(self, text: str) -> None:
        self.low = lower_case(text)
        self.starts, self.texts = split(self.low)
        self.counts = Counter(self.texts)
        bits = {word: bits for word, bits in tell(self.counts).items() if bits}
        told = compress(range(len(self.texts)), map(bits.__contains__, self.texts))
        self.marks = {index: bits[self.texts[index]] for index in told}

    def span(self, index: int) -> tuple[int, int]:
        """Returns the char range of a word."""
        start = self.starts[index]
        return start, start + len(self.texts[index])

    def telling(self, bits: int) -> list[int]:
        """Returns the indices of the words that tell one of `bits`."""
        return [index for index, mark in self.marks.items() if mark & bits]

    def firsts(self, places: Sequence[int]) -> list[int]:
        """Returns of each place, in order, the first word that starts there or later."""
        starts, out = self.starts, []
        at, before, count = 0, 0, len(self.starts)
        for place in places:
            # No more words than chars lie between: the search is a short one.
            at = bisect_left(starts, place, at, min(count, at + max(0, place - before)))
            before = place
            out.append(at)
        return out
