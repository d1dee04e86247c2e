"""What was searched for, where it stands in a line, and which lines are definitions."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.types import Context

_MODIFIERS = frozenset(
    (
        "pub",
        "pub(crate)",
        "pub(super)",
        "export",
        "default",
        "async",
        "static",
        "public",
        "private",
        "protected",
        "abstract",
        "final",
        "unsafe",
        "extern",
        '"C"',
        "internal",
        "override",
        "open",
        "sealed",
        "inline",
        "virtual",
        "declare",
        "partial",
        "data",
        "const",
        "suspend",
        "synchronized",
        "mutating",
        "@classmethod",
        "local",
    )
)
_DEFINERS = frozenset(
    (
        "fn",
        "def",
        "class",
        "func",
        "function",
        "struct",
        "enum",
        "trait",
        "impl",
        "interface",
        "type",
        "mod",
        "module",
        "macro_rules!",
        "#define",
        "fun",
        "protocol",
        "extension",
        "namespace",
        "record",
        "union",
        "typedef",
        "service",
        "message",
        "object",
        "defmodule",
        "defp",
        "sub",
        "actor",
        "const",
        "static",
    )
)
_FLAGS_WITH_VALUE = frozenset(
    (
        "-A",
        "-B",
        "-C",
        "-g",
        "-t",
        "-T",
        "-m",
        "-f",
        "--glob",
        "--type",
        "--max-count",
        "--include",
        "--exclude",
        "--context",
    )
)


_FIRST = _MODIFIERS | _DEFINERS


def definitions(texts: Sequence[str]) -> list[int]:
    """Returns which of the lines, without blanks at their ends, define something."""
    firsts = [text.partition(" ")[0] for text in texts]
    telling = {first for first in set(firsts) if first in _FIRST or first.startswith("impl<")}
    if not telling:
        return []
    return [at for at, first in enumerate(firsts) if first in telling and is_definition(texts[at])]


def is_definition(text: str) -> bool:
    """Says whether a source line defines something.

    >>> is_definition("pub async fn retrieve(&self)"), is_definition("let x = fn_call();")
    (True, False)
    """
    first = text.lstrip().partition(" ")[0]
    if first not in _FIRST and not first.startswith("impl<"):
        return False
    words = text.split(None, 6)
    for position, word in enumerate(words[:6]):
        if word in _MODIFIERS:
            # `const LIMIT = 3` and `static A: u8` name a thing themselves; `const fn` does not.
            after = words[position + 1 : position + 2]
            if word in _DEFINERS and after and after[0] not in _FIRST and after[0][:1] not in "=:.,;":
                return True
            continue
        if word in _DEFINERS or word.startswith("impl<"):
            return position + 1 < len(words) and words[position + 1][:1] not in "=:.,;"
        return False
    return False


def wanted(context: Context) -> list[str]:
    """Returns the lower-case words that were searched for, the pattern of the command included."""
    words = (context.output.query or "").lower().split()
    command = context.command
    if command is not None and command.argv:
        pattern = _pattern(command.argv)
        words += [part for part in _split(pattern.lower()) if len(part) > 1]
    return [word for word in dict.fromkeys(words) if len(word) > 1][:12]


def _pattern(argv: Sequence[str]) -> str:
    skip = False
    for word in argv[1:]:
        if skip:
            skip = False
        elif word in _FLAGS_WITH_VALUE:
            skip = True
        elif word in ("-e", "--regexp", "grep") or word.startswith("-"):
            continue
        else:
            return word
    return ""


def _split(pattern: str) -> list[str]:
    """Splits a pattern into the plain words it holds."""
    plain = "".join(char if char.isalnum() or char in "_-/" else " " for char in pattern)
    return [word for word in plain.split() if len(word) > 1]


def clip(text: str, words: Sequence[str], room: int) -> tuple[str, int]:
    """Returns about `room` chars of a line around what was searched for, and the chars left out."""
    text = text.strip()
    if len(text) <= room + 8:
        return text, 0
    low = text.lower() if len(text) < 20_000 else text[:20_000].lower()
    at = min((position for word in words if (position := low.find(word)) >= 0), default=0)
    if at + 20 <= room:
        head = text[:room]
        return f"{head}…+{len(text) - room:,}", len(text) - room
    start = max(0, at - room // 3)
    piece = text[start : start + room]
    after = len(text) - start - len(piece)
    return f"+{start:,}…{piece}" + (f"…+{after:,}" if after else ""), len(text) - len(piece)
