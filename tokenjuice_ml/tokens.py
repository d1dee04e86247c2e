"""Counts tokens: a fast estimate everywhere, exact o200k counts where `[tokens]` is installed.

The estimate is linear in counts of character classes and of pairs of them, each made by C code
over the whole text: about 1.5 ms for 100 KB. Being linear and seeing each line from its line end
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
_LONG, _MOST_WEIGHTS = 2_000, 32
# Longer texts are originals: their last line is not weighed apart.
_MOST_BODY = 100_000
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
_LINE_END = 1.3778
# (pattern of class letters, tokens each occurrence adds)
_ASCII_WEIGHTS = (
    (b"0", 2.2066), (b"00", -2.2895), (b"000", -2.3004), (b"\t", 0.0622), (b"\n", _LINE_END), (b"x", 1.8752),
    (b"AA", 0.806), (b"..", 0.7866), (b"aaaaaaaa", 0.9024), (b"  ", 0.06),
)  # fmt: skip
_PAIR_WEIGHTS = ((b" a", 0.8236), (b" 0", 0.6604), (b".a", 1.2888), (b"Aa", 1.3012), (b". ", 0.8574))
_ALL_WEIGHTS = _ASCII_WEIGHTS + _PAIR_WEIGHTS
_WIDE_WEIGHTS = (
    (b"l", 0.9274), (b"m", 0.5), (b"c", 0.2947), (b"o", 0.6), (b"s", 0.643),
    (b"j", 0.7), (b"h", 0.745), (b"k", 0.6969), (b"e", 1.8),
)  # fmt: skip
_CYRILLIC_RUN = -0.1376
# The classes of ASCII.
_NARROW = b"aA0.rx\n\t "
# In a long text pairs are counted as bits of one great number: each class has a bit, placed so that
# a shift brings the first class of a pair onto the bit of the second.
_BIT_OF = {"a": 1, " ": 2, ".": 4, "A": 8, "0": 16}
_BITS = bytes(_BIT_OF.get(chr(letter), 0) for letter in range(256))
_BLOCK = 1 << 15
# Signs behind which a letter stands often, and what such a pair weighs; tries to find one.
_CUTS, _MOST_TRIES = ((" ", 0.8236), ('"', 1.2888), (">", 1.2888)), 40
_AT_BIT = [int.from_bytes(bytes([1 << bit]) * (_BLOCK + 1), "big") for bit in (0, 1, 4)]
# (shift, (where the bit of the second class is, tokens each pair adds))
_SHIFTS = (
    (9, ((_AT_BIT[0], 0.8236), (_AT_BIT[1], 0.8574))),
    (10, ((_AT_BIT[0], 1.2888),)),
    (11, ((_AT_BIT[0], 1.3012),)),
    (5, ((_AT_BIT[2], 0.6604),)),
)


def weigh(text: str) -> float:
    r"""Returns the estimated o200k tokens of `text` as a whole line or lines, unrounded.

    Each line counts with the line end before it, so ``weigh(a + "\n" + b)`` is
    ``weigh(a) + weigh(b)``.
    """
    total, start, size = _LINE_END, 0, len(text)
    # By pieces, so that a text of any size takes little memory.
    while size - start > 2 * _BLOCK:
        end = text.rfind("\n", start, start + 2 * _BLOCK)
        if end >= 0:
            total += _weigh_piece(text[start:end]) + _LINE_END
            start = end + 1
            continue
        end, between = _cut(text, start)
        if end == size:
            break
        total += _weigh_piece(text[start:end]) + between
        start = end
    return total + _weigh_piece(text[start:] if start else text)


def _cut(text: str, start: int) -> tuple[int, float]:
    """Returns where a long line can be cut between two classes of letters, and what that pair weighs."""
    for sign, weight in _CUTS:
        place = start + _BLOCK
        for _ in range(_MOST_TRIES):
            place = text.find(sign, place, start + 2 * _BLOCK) + 1
            if not place:
                break
            if "a" <= text[place : place + 1] <= "z":
                return place, weight
    end = text.find("\n", start)
    return end if end >= 0 else len(text), 0.0


def _weigh_piece(text: str) -> float:
    ascii_only = text.isascii()
    data = text.encode("utf-8", "surrogatepass")
    classes = data.translate(_TABLE) if ascii_only else data.translate(_TABLE, _CONTINUATION)
    count, short = classes.count, len(classes) < _LONG
    total = sum([weight * count(run) for run, weight in (_ALL_WEIGHTS if short else _ASCII_WEIGHTS)])
    if not ascii_only:
        total += _weigh_wide(classes)
    return total if short else total + _weigh_pairs(classes)


def _weigh_wide(classes: bytes) -> float:
    count = classes.translate(None, _NARROW).count
    total = sum([weight * count(letter) for letter, weight in _WIDE_WEIGHTS])
    return total + _CYRILLIC_RUN * classes.count(b"cccc") if b"c" in classes else total


def _weigh_pairs(classes: bytes) -> float:
    total = 0.0
    bits = classes.translate(_BITS)
    for start in range(0, len(bits), _BLOCK):
        # One byte more, which is the first of the next block.
        number = int.from_bytes(bits[start : start + _BLOCK + 1], "big")
        for shift, pairs in _SHIFTS:
            met = number & (number >> shift)
            for places, weight in pairs:
                total += weight * (met & places).bit_count()
    return total


def estimate(text: str) -> int:
    """Returns the estimated o200k tokens of `text`; 0 for the empty text, at least 1 otherwise.

    >>> estimate("")
    0
    """
    if not text:
        return 0
    return max(1, round(weigh(text) if len(text) <= _LONG else _known_weight(text)))


def forget() -> None:
    """Forgets known weights, so that a bench's second call costs what its first did."""
    _weights.clear()


def _known_weight(text: str) -> float:
    """Returns the weight of a long text, which one call asks for several times."""
    key = len(text), hash(text)
    known = _weights.get(key)
    if known is not None:
        return known
    # With another footer under it the same body is not weighed again.
    end = text.rfind("\n", 0, _MOST_BODY) if len(text) <= _MOST_BODY else -1
    if end < 0:
        return _remember(key, weigh(text))
    body = end, hash(text[:end])
    known = _weights.get(body)
    if known is None:
        known = _remember(body, weigh(text[:end]))
    return _remember(key, known + weigh(text[end + 1 :]))


def _remember(key: tuple[int, int], weight: float) -> float:
    while len(_weights) >= _MOST_WEIGHTS:
        _weights.pop(next(iter(_weights), (0, 0)), None)
    _weights[key] = weight
    return weight


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
