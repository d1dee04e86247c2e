"""Line patterns that are found through their literals first.

A pattern is searched in single lines. Where it cannot match without one of a few literal strings,
those are looked up in the whole text at C speed and only the lines that hold one are tested; a
`^` in front of a literal becomes a line break in the lookup. Patterns from outside run with a
time limit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from tokenjuice_ml.compressors.gates import alternatives, needed
from tokenjuice_ml.compressors.needles import Needles, encoded
from tokenjuice_ml.compressors.same import different, spread
from tokenjuice_ml.errors import RuleError
from tokenjuice_ml.rules.literals import required_literals
from tokenjuice_ml.rules.view import Lines, LineView, key, zeroed

MAX_PATTERN_CHARS = 2000
LINE_TIMEOUT_S = 0.05
PATTERN_TIMEOUT_S = 0.25
# Numbered or named groups would get other numbers in a union.
_BACK_REFERENCE = re.compile(r"\\\d|\(\?P[=<]|\(\?\(")
# Groups that the gates do not read: with names, flags or conditions.
_ODD_GROUP = re.compile(r"\(\?[^:=!<]|\(\?<[^=!]")
_ESCAPE = re.compile(r"\\([^\w\s])")
# So many words are looked for in one line after the other.
_FEW_WORDS = 4
# Lines for which it pays to look for words that tell more, which have so many letters.
_MANY_LINES, _TELLING = 2_000, 3
# What finds blank lines.
_BLANK = frozenset((r"^\s*$", r"^\s+$|^$", r"^$|^\s+$"))
_ASCII_BLANKS = " \t\n\r\f\v"
_REPEAT = re.compile(r"\{(\d*),?(\d*)\}")
_ALL_DIGITS = re.compile(r"(\[[^\]]*)0-9")


class Pattern:
    """One pattern of a rule, compiled when first needed.

    Attributes:
        source: the expression as written.
        ignore_case: case does not count.
        guarded: it came from outside, so it runs with a time limit.
        given_up: it ran into its limit and is not used any more.
    """

    __slots__ = (
        "_any_digit",
        "_keys",
        "_literals",
        "_marks",
        "_search",
        "given_up",
        "guarded",
        "ignore_case",
        "source",
    )

    def __init__(self, source: str, ignore_case: bool = False, guarded: bool = False) -> None:
        self.source = source
        self.ignore_case = ignore_case
        self.guarded = guarded
        self.given_up = False
        self._search: Callable[[str], Any] | None = None
        self._literals: tuple[str, ...] | None = None
        self._any_digit: bool | None = None
        self._keys: dict[tuple[bool, bool], tuple[str, ...]] = {}
        self._marks: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Pattern({self.source!r}{', ignore_case=True' if self.ignore_case else ''})"

    def check(self) -> None:
        """Compiles the pattern.

        Raises:
            RuleError: it does not compile, or is of a size nobody needs.
        """
        if len(self.source) > MAX_PATTERN_CHARS:
            raise RuleError(f"pattern is longer than {MAX_PATTERN_CHARS} characters")
        counts = [int(n) for pair in _REPEAT.findall(self.source) for n in pair if n]
        if any(n > 1000 for n in counts) or (len(counts) > 1 and _product(counts) > 100_000):
            raise RuleError(f"pattern repeats too often: {self.source!r}")
        try:
            self._compile()
        except (re.error, RecursionError, OverflowError) as error:
            raise RuleError(f"pattern does not compile: {self.source!r}: {error}") from None

    def _compile(self) -> Callable[[str], Any]:
        if self._search is None:
            self._search = self._guard() if self.guarded else self._plain()
        return self._search

    def _plain(self) -> Callable[[str], Any]:
        flags = re.ASCII | (re.IGNORECASE if self.ignore_case else 0)
        compiled = re.compile(self.source, flags)
        only_start = self.source.startswith("^") and not _top_level_bar(self.source)
        return compiled.match if only_start else compiled.search

    def _guard(self) -> Callable[[str], Any]:
        import regex

        flags = regex.V0 | regex.ASCII | (regex.IGNORECASE if self.ignore_case else 0)
        try:
            compiled = regex.compile(self.source, flags)
        except regex.error as error:
            raise re.error(str(error)) from None

        def search(line: str) -> Any:
            if self.given_up:
                return None
            try:
                return compiled.search(line, timeout=LINE_TIMEOUT_S)
            except TimeoutError:
                self.given_up = True
                return None

        return search

    def literals(self) -> tuple[str, ...]:
        """Returns strings one of which every match holds; a leading line break means line start."""
        if self._literals is None:
            self._literals = required_literals(self.source, self.ignore_case)
        return self._literals

    def keys(self, folded: bool, many: bool = False) -> tuple[str, ...]:
        """Returns the literals as they are looked up in lines.

        Args:
            folded: the digits of the lines are folded.
            many: the lines are so many that a closer look at the pattern, for words that tell more, pays.
        """
        keys = self._keys.get((folded, many))
        if keys is None:
            words = self.literals()
            if many and _shorts(words):
                telling = self._telling()
                words = telling if telling and (not words or _shorts(telling) < _shorts(words)) else words
            keys = self._keys[folded, many] = tuple(dict.fromkeys(key(word, folded) for word in words))
        return keys

    def _pieces(self) -> tuple[str, ...]:
        """Returns of each of the words the longest part without blanks and digits."""
        parts = [max(re.split("[ 01]+", word), key=len) for word in self.words()]
        return tuple(dict.fromkeys(parts))

    def _telling(self) -> tuple[str, ...]:
        """Returns for each alternative the words that say more; () where one has none of some length."""
        if self.guarded or _ODD_GROUP.search(self.source):
            return ()
        found: list[str] = []
        for source in alternatives(self.source):
            part = Pattern(source, self.ignore_case)
            best = max(part.literals(), part._pieces(), key=_least)
            if _least(best) < 2:
                return ()
            found += best
        return tuple(found)

    def _signs(self) -> tuple[str, ...]:
        """Returns a few signs, no letters, one of which each match holds; () where there are none."""
        if self._marks is None:
            parts = self._pieces()
            plain = len(parts) <= 2 and not any(map(str.isalpha, "".join(parts)))
            self._marks = parts if plain and all(parts) else ()
        return self._marks

    def is_literal(self) -> bool:
        """Returns True when holding the literal is all there is to the pattern."""
        literals = self.literals()
        if len(literals) != 1 or self.ignore_case:
            return False
        return _ESCAPE.sub(r"\1", self.source.replace("^", "\n", 1)) == literals[0]

    def any_digit(self) -> bool:
        """Returns True when every digit is as good as another: lines of one shape match alike."""
        if self._any_digit is None:
            rest = _ALL_DIGITS.sub(r"\1", _REPEAT.sub("", self.source))
            self._any_digit = zeroed(rest) == rest and "0" not in rest and "(?P=" not in rest
        return self._any_digit

    def is_plain_scan(self) -> bool:
        """Returns True for a built-in `^…` pattern without a literal: it can be joined with others."""
        return not (
            self.guarded
            or self.ignore_case
            or self.literals()
            or not self.source.startswith("^")
            or _BACK_REFERENCE.search(self.source)
            or _top_level_bar(self.source)
        )

    def test(self, line: str) -> bool:
        """Returns True when the pattern is found in `line`."""
        if self.given_up:
            return False
        try:
            return self._compile()(line) is not None
        except re.error:
            self.given_up = True
            return False

    def words(self) -> tuple[str, ...]:
        """Returns words one of which each match holds in a `folded_low` text; () where that is not known."""
        if self.guarded or _ODD_GROUP.search(self.source):
            return ()
        found = needed(self.source)
        words = [word for sets in found for word in sets[0]] if all(found) else []
        if self.ignore_case and not all(map(str.isascii, words)):
            return ()
        return tuple(key(word, False) for word in words)

    def among(self, rows: Sequence[str]) -> Sequence[int]:
        """Returns the numbers of the lines that match; each alternative is looked for in its own way."""
        parts = (self,) if self.guarded else _parts(self.source, self.ignore_case)
        # A few words are found sooner one by one than all at once.
        few = sum(len(part.literals()) for part in parts if part.literals()) <= _FEW_WORDS
        lines, places = different(rows)
        base = Lines(list(lines), folded=False)
        if not few:
            base.look_up([word for part in parts for word in part.keys(False, _are_many(base))])
        found: set[int] = set()
        for part in parts:
            found.update(part._among(base, range(len(lines)) if few else part._candidates(base)))
        return spread(sorted(found), places)

    def group(self, line: str) -> str:
        """Returns the first group of a match in `line`, the whole match where it has none, "" without one."""
        found = None if self.given_up else self._compile()(line)
        if found is None:
            return ""
        return (found.group(1) if found.re.groups else found.group()) or ""

    def hits(self, view: LineView) -> list[int]:
        """Returns the 0-based numbers of the lines that match, in order."""
        key = (self.source, self.ignore_case)
        found = view.found.get(key)
        if found is None:
            found = [] if self.given_up else self._find(view)
            view.found[key] = found
        return found

    def _find(self, view: LineView) -> list[int]:
        shapes = view.shapes
        if shapes is None:
            return self._among(view, self._candidates(view))
        if self.any_digit() and not self.guarded:
            found = self._among(shapes, self._candidates(shapes))
            return shapes.lines_of(found) if found else []
        if not self.keys(shapes.folded, _are_many(shapes)):
            return self._among(view, range(len(view.matched)))
        rough = self._candidates(shapes)
        return self._among(view, shapes.lines_of(rough)) if rough else []

    def _candidates(self, lines: Lines) -> Sequence[int]:
        """Returns the lines that may match: those that hold a literal, all where there is none."""
        keys = self.keys(lines.folded, _are_many(lines))
        return lines.holding(keys) if keys else range(len(lines.matched))

    def _among(self, lines: Lines, candidates: Sequence[int]) -> list[int]:
        """Returns those of `candidates` that match."""
        if not candidates:
            return []
        matched = lines.matched
        if self.guarded:
            return self._timed(matched, candidates)
        if self.is_literal():
            literal = self.literals()[0]
            if literal[0] == "\n":
                return [at for at in candidates if matched[at].startswith(literal[1:])]
            return [at for at in candidates if literal in matched[at]]
        if self.source in _BLANK:
            return [at for at in candidates if not matched[at].strip(_ASCII_BLANKS)]
        if len(candidates) > _MANY_LINES and not self.keys(lines.folded, True):
            candidates = _with_signs(matched, candidates, self._signs())
        search = self._search_or_none()
        return [] if search is None else [at for at in candidates if search(matched[at])]

    def _search_or_none(self) -> Callable[[str], Any] | None:
        try:
            return self._compile()
        except re.error:
            self.given_up = True
            return None

    def _timed(self, matched: Sequence[str], candidates: Iterable[int]) -> list[int]:
        """Like a plain scan, but stops for good when the pattern takes too long in all."""
        search = self._search_or_none()
        found: list[int] = []
        if search is None:
            return found
        deadline = time.perf_counter() + PATTERN_TIMEOUT_S + 2e-6 * len(matched)
        for at in candidates:
            if search(matched[at]):
                found.append(at)
            if self.given_up or time.perf_counter() > deadline:
                self.given_up = True
                break
        return found


def _are_many(lines: Lines) -> bool:
    return len(lines.matched) > _MANY_LINES


def _least(words: Sequence[str]) -> int:
    """Returns the bytes of the shortest word; the start of a line says as much as two more."""
    return min([len(encoded(word)) + (word[:1] == "\n") for word in words], default=0)


def _shorts(words: Sequence[str]) -> int:
    """Returns how many of the words are so short that many lines hold them, 1 for no words at all."""
    return sum(_least([word]) < _TELLING for word in words) if words else 1


def _with_signs(matched: Sequence[str], candidates: Sequence[int], signs: Sequence[str]) -> Sequence[int]:
    """Returns those of the lines that hold one of the signs, all where there are no signs."""
    if not signs:
        return candidates
    one, other = signs[0], signs[-1]
    return [at for at in candidates if one in matched[at] or other in matched[at]]


@lru_cache(maxsize=64)
def _parts(source: str, ignore_case: bool) -> tuple[Pattern, ...]:
    """Returns the alternatives of a pattern, those that are bound to the start of a line as one."""
    if _ODD_GROUP.search(source) or _BACK_REFERENCE.search(source):
        return (Pattern(source, ignore_case),)
    parts = alternatives(source)
    starts = [part[1:] for part in parts if part.startswith("^")]
    joined = [f"^(?:{'|'.join(starts)})"] if starts else []
    return tuple(Pattern(part, ignore_case) for part in (*joined, *(p for p in parts if p[:1] != "^")))


def look_up(patterns: Iterable[Pattern], view: LineView, more: Sequence[Needles] = ()) -> None:
    """Finds the lines of all literals of the patterns in one pass, before they are asked one by one.

    Args:
        patterns: the patterns.
        view: the lines.
        more: other words that will be asked for.
    """
    base = view.base
    many = _are_many(base)
    words = [key for pattern in patterns for key in pattern.keys(base.folded, many)]
    base.look_up([*words, *(word for needles in more for word in needles.words)])


def hits_of(patterns: Sequence[Pattern], view: LineView) -> list[int]:
    """Returns the lines that any of `patterns` matches, in order."""
    if len(patterns) == 1:
        return patterns[0].hits(view)
    found: set[int] = set()
    scans: list[Pattern] = []
    for pattern in patterns:
        if pattern.is_plain_scan():
            scans.append(pattern)
        else:
            found.update(pattern.hits(view))
    if len(scans) > 1:
        found.update(_hits_of_union(scans, view))
    elif scans:
        found.update(scans[0].hits(view))
    return sorted(found)


def _hits_of_union(scans: Sequence[Pattern], view: LineView) -> list[int]:
    match = _union(tuple(pattern.source[1:] for pattern in scans))
    shapes = view.shapes if all(pattern.any_digit() for pattern in scans) else None
    if shapes is None:
        return [at for at, line in enumerate(view.matched) if match(line)]
    return shapes.lines_of([at for at, line in enumerate(shapes.matched) if match(line)])


@lru_cache(maxsize=256)
def _union(sources: tuple[str, ...]) -> Callable[[str], Any]:
    """Returns one matcher at the start of a line for several sources without their `^`."""
    return re.compile("|".join(f"(?:{source})" for source in sources), re.ASCII).match


def _product(numbers: Sequence[int]) -> int:
    result = 1
    for number in numbers:
        result = min(result * max(number, 1), 1 << 40)
    return result


def _top_level_bar(source: str) -> bool:
    depth, at, in_class = 0, 0, False
    while at < len(source):
        char = source[at]
        if char == "\\":
            at += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            at += 1 if source[at + 1 : at + 2] in ("]", "^") else 0
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "|" and depth == 0:
            return True
        at += 1
    return False
