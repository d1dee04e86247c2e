"""Which literal strings a regular expression cannot match without.

A small, careful reader: whatever it does not understand counts as "anything", so the answer may
be empty but never wrong.
"""

from __future__ import annotations

from functools import lru_cache

MIN_LITERAL = 2
_MAX_ALTERNATIVES = 24
_ZERO_WIDTH = frozenset("bBAZ")
_CLASSES = frozenset("dDwWsS")
_ESCAPED_CHARS = {"t": "\t"}


@lru_cache(maxsize=4096)
def required_literals(source: str, ignore_case: bool = False) -> tuple[str, ...]:
    r"""Returns strings one of which is in every line that `source` matches; () when unknown.

    A leading line break stands for the start of the line. With `ignore_case` they are lower case
    and meant for the lower-cased text.

    >>> required_literals("^Collecting ")
    ('\nCollecting ',)
    >>> required_literals(r"\d+ (passed|failed) in")
    ('passed', 'failed')
    >>> required_literals(r"\d+(?:PASSED|FAILED)\d")
    ('PASSED', 'FAILED')
    >>> required_literals(r"^\s*\d+$")
    ()
    """
    if "(?" in source and any(
        f"(?{flag}" in source for flag in ("a", "i", "L", "m", "s", "u", "x", "(", "-", "#", "P=")
    ):
        return ()
    found = _Reader(source).alternatives(top=True)
    if found is None or not all(map(_tells_enough, found)):
        return ()
    if ignore_case:
        if not all(literal.isascii() for literal in found):
            return ()
        found = tuple(dict.fromkeys(literal.lower() for literal in found))
        # 'k' and 's' have non-ASCII partners under IGNORECASE; re.ASCII rules them out.
    return found


def _tells_enough(literal: str) -> bool:
    """One ASCII character is on too many lines to help; one such as ✗ is not, nor one at a line's start."""
    bare = literal.lstrip("\n")
    start = bare != literal and not bare.isspace()
    return len(bare) >= MIN_LITERAL or (bare != "" and (start or not bare.isascii()))


def _score(literals: tuple[str, ...]) -> tuple[int, int]:
    return min(map(len, literals)), -len(literals)


class _Reader:
    """Walks over a pattern once."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def alternatives(self, top: bool = False) -> tuple[str, ...] | None:
        """Reads branches up to a closing bracket or the end."""
        merged: list[str] | None = []
        while True:
            branch = self.branch(top)
            if branch is None or merged is None:
                merged = None
            else:
                merged.extend(branch)
            if self.at < len(self.source) and self.source[self.at] == "|":
                self.at += 1
                continue
            break
        if merged is None or len(merged) > _MAX_ALTERNATIVES:
            return None
        return tuple(dict.fromkeys(merged))

    def branch(self, top: bool) -> tuple[str, ...] | None:
        best: tuple[str, ...] | None = None
        run = ""

        def close(best: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return better(best, (run,)) if run.strip("\n") else best

        first = True
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            char = self.source[self.at]
            if char == "^":
                best, run = close(best), "\n" if top and first else ""
                self.at += 1
                continue
            piece, group = self.atom(char)
            first = False
            if piece == "" and group is None:
                continue  # zero width
            least, exact = self.quantifier()
            if group is not None:
                best, run = close(best), ""
                if least > 0 and group:
                    best = better(best, group)
            elif piece is None or least == 0:
                best, run = close(best), ""
            else:
                run += piece
                if not exact:
                    best, run = close(best), ""
        return close(best)

    def atom(self, char: str) -> tuple[str | None, tuple[str, ...] | None]:
        """Reads one atom: its literal ("" for zero width, None for anything), or a group's literals."""
        self.at += 1
        if char == "\\":
            return self.escape(), None
        if char == "[":
            return self.char_class(), None
        if char == "(":
            return self.group()
        if char == ".":
            return None, None
        if char == "$":
            return "", None
        return char, None

    def escape(self) -> str | None:
        char = self.source[self.at : self.at + 1]
        self.at += 1
        if char in _ZERO_WIDTH:
            return ""
        if char in _ESCAPED_CHARS:
            return _ESCAPED_CHARS[char]
        if not char or char.isalnum():
            if char in ("x", "u", "U", "N", "p", "P"):
                self.skip_code(char)
            return None
        return char

    def skip_code(self, char: str) -> None:
        if self.source.startswith("{", self.at):
            end = self.source.find("}", self.at)
            self.at = len(self.source) if end < 0 else end + 1
        else:
            self.at += {"x": 2, "u": 4, "U": 8}.get(char, 0)

    def char_class(self) -> str | None:
        start = self.at
        if self.source.startswith("^", self.at):
            self.at += 1
        if self.source.startswith("]", self.at):
            self.at += 1
        while self.at < len(self.source) and self.source[self.at] != "]":
            self.at += 2 if self.source[self.at] == "\\" else 1
        inner = self.source[start : self.at]
        self.at += 1
        return inner if len(inner) == 1 and inner not in "^\\" else None

    def group(self) -> tuple[str | None, tuple[str, ...] | None]:
        lookaround = False
        if self.source.startswith("?", self.at):
            follows = self.source[self.at + 1 : self.at + 2]
            if follows in (":", ">"):
                self.at += 2
            elif follows in ("=", "!"):
                lookaround = True
                self.at += 2
            elif self.source.startswith(("?<=", "?<!"), self.at):
                lookaround = True
                self.at += 3
            else:
                end = self.source.find(">", self.at)
                self.at = len(self.source) if end < 0 else end + 1
        inner = self.alternatives()
        self.at += 1
        if lookaround:
            return None, None
        return None, inner or ()

    def quantifier(self) -> tuple[int, bool]:
        """Reads a quantifier: the least count, and whether it is exactly one."""
        char = self.source[self.at : self.at + 1]
        if char in ("*", "?") and char:
            self.at += 1
            self.skip_lazy()
            return 0, False
        if char == "+":
            self.at += 1
            self.skip_lazy()
            return 1, False
        if char == "{":
            end = self.source.find("}", self.at)
            body = self.source[self.at + 1 : end] if end > 0 else ""
            low = body.split(",")[0]
            if body and all(part.isdigit() or not part for part in body.split(",")):
                self.at = end + 1
                self.skip_lazy()
                return (int(low) if low else 0), False
        return 1, True

    def skip_lazy(self) -> None:
        if self.source[self.at : self.at + 1] in ("?", "+") and self.at < len(self.source):
            self.at += 1


def better(first: tuple[str, ...] | None, second: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the set of literals that says more."""
    if first is None or _score(second) > _score(first):
        return second
    return first
