"""Counts tokens: a fast estimate everywhere, exact o200k counts where `[tokens]` is installed.

The estimate is linear in counts of character classes and of pairs of them, each made by C code
over the whole text: about 2 ms for 100 KB. Being linear and seeing each line from its line end
on, it adds up line by line: the estimate of a text is the sum of its lines' estimates, rounding
apart. The weights were fitted against o200k by ridge regression on the relative error (equal
weight for each corpus) over logs, code, JSON, HTML, diffs, tables, listings and prose in nine
languages; `tests/test_tokens.py` holds them to exact counts.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

# The ranks file carries o200k_base, as published with OpenAI's tiktoken (MIT).
_RANKS = Path(__file__).resolve().parent / "_ranks" / "o200k_base.tiktoken.gz"
_RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
# tiktoken is quadratic in one unbroken run; pieces keep a hostile text from stalling a call.
_PIECE = 50_000
# Texts longer than this are weighed once: so many weights stay known, by length and hash.
_LONG, _MOST_WEIGHTS = 2_000, 16
_weights: dict[tuple[int, int], float] = {}


def _class_of(byte: int) -> str:
    """The class letter of a byte: continuation bytes are deleted before, so one a character."""
    if byte >= 0x80:
        ranges = (
            (0xC4, "l"), (0xD0, "m"), (0xD2, "c"), (0xE0, "m"), (0xE2, "o"), (0xE3, "s"),
            (0xE4, "j"), (0xEA, "h"), (0xEE, "k"), (0xEF, "o"), (0xF0, "s"),
        )  # fmt: skip
        return next((name for end, name in ranges if byte < end), "e")
    char = chr(byte)
    if char.isalpha():
        return "a" if char.islower() else "A"
    if char in "\n\t ":
        return char
    return "0" if char.isdigit() else "x" if byte < 32 and char != "\r" else "r" if char == "\r" else "."


_TABLE = "".join(_class_of(byte) for byte in range(256)).encode("latin-1")
_CONTINUATION = bytes(range(0x80, 0xC0))
# (pattern of class letters, tokens each occurrence adds)
_ASCII_WEIGHTS = (
    (b"0", 2.2066), (b"00", -2.2895), (b"000", -2.3004), (b"\t", 0.0622), (b"\n", 1.3778),
    (b"x", 1.8752), (b" a", 0.8236), (b" 0", 0.6604), (b".a", 1.2888), (b"Aa", 1.3012),
    (b"AA", 0.806), (b"..", 0.7866), (b"aaaaaaaa", 0.9024), (b". ", 0.8574), (b"  ", 0.06),
)  # fmt: skip
_WIDE_WEIGHTS = (
    (b"l", 0.9274), (b"m", 0.5), (b"c", 0.2947), (b"cccc", -0.1376), (b"o", 0.6), (b"s", 0.643),
    (b"j", 0.7), (b"h", 0.745), (b"k", 0.6969), (b"e", 1.8),
)  # fmt: skip


def weigh(text: str) -> float:
    r"""Returns the estimated o200k tokens of `text` as a whole line or lines, unrounded.

    Each line counts with the line end before it, so ``weigh(a + "\n" + b)`` is
    ``weigh(a) + weigh(b)``.
    """
    data = text.encode("utf-8", "surrogatepass")
    wide = not text.isascii()
    classes = b"\n" + (data.translate(_TABLE, _CONTINUATION) if wide else data.translate(_TABLE))
    total = sum(weight * classes.count(pair) for pair, weight in _ASCII_WEIGHTS)
    if wide:
        total += sum(weight * classes.count(pair) for pair, weight in _WIDE_WEIGHTS)
    return total


def estimate(text: str) -> int:
    """Returns the estimated o200k tokens of `text`; 0 for the empty text, at least 1 otherwise.

    >>> estimate("")
    0
    """
    if not text:
        return 0
    # The last line apart: with another footer under it the same body is not weighed again.
    end = text.rfind("\n") if len(text) > _LONG else -1
    total = weigh(text) if end < 0 else _known_weight(text[:end]) + weigh(text[end + 1 :])
    return max(1, round(total))


def forget() -> None:
    """Forgets known weights, so that a bench's second call costs what its first did."""
    _weights.clear()


def _known_weight(text: str) -> float:
    """Returns the weight of a long text, which one call asks for several times."""
    key = len(text), hash(text)
    known = _weights.get(key)
    if known is None:
        known = weigh(text)
        while len(_weights) >= _MOST_WEIGHTS:
            _weights.pop(next(iter(_weights), key), None)
        _weights[key] = known
    return known


_counter: Callable[[str], int] | bool | None = False


def exact(text: str) -> int | None:
    """Returns the o200k tokens of `text`, or None where tiktoken is not installed."""
    global _counter
    if _counter is False:
        _counter = _load_counter()
    return _counter(text) if callable(_counter) else None


def count(text: str) -> tuple[int, bool]:
    """Returns the tokens of `text` and whether they are exact."""
    known = exact(text)
    return (estimate(text), False) if known is None else (known, True)


def _load_counter() -> Callable[[str], int] | None:
    try:
        import tiktoken
    except ImportError:
        return None
    ranks = _read_ranks()
    if ranks is None:
        return None
    encoding = tiktoken.Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})

    def counted(text: str) -> int:
        text = text.encode("utf-8", "replace").decode("utf-8")
        return sum(
            len(encoding.encode_ordinary(text[start : start + _PIECE]))
            for start in range(0, len(text), _PIECE)
        )

    return counted


def _read_ranks() -> dict[bytes, int] | None:
    import base64

    try:
        data = gzip.decompress(_RANKS.read_bytes())
    except (OSError, EOFError):
        return None
    if hashlib.sha256(data).hexdigest() != _RANKS_SHA256:
        return None
    pairs = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
