"""Words, lines and strings as the metrics see them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]")
ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]|\r")


def words(text: str) -> list[str]:
    """Returns whitespace words; CJK characters stand alone.

    >>> words("go to 北京 now")
    ['go', 'to', '北', '京', 'now']
    """
    found: list[str] = []
    for word in text.split():
        if not CJK.search(word):
            found.append(word)
            continue
        start = 0
        for match in CJK.finditer(word):
            if match.start() > start:
                found.append(word[start : match.start()])
            found.append(match[0])
            start = match.end()
        if start < len(word):
            found.append(word[start:])
    return found


def body(text: str) -> str:
    """Returns an answer without the lines that are the product's own."""
    return "\n".join(
        line for line in text.split("\n") if not line.lstrip().startswith("[…") and "⟦tj:" not in line
    )


def squashed(text: str) -> str:
    """Returns `text` without whitespace, lower case: layout does not matter for survival."""
    return "".join(text.split()).lower()


def normal(text: str) -> str:
    """Returns `text` without colour codes, runs of whitespace as one blank."""
    return " ".join(ANSI.sub("", text).split())


def aligned(source: list[str], kept: list[str]) -> list[bool]:
    """Returns which source words stand in the output, in order (longest common subsequence).

    Hunt-Szymanski on the positions of each word keeps long, mostly deleted texts fast.
    """
    places: dict[str, list[int]] = {}
    for at, word in enumerate(source):
        places.setdefault(word, []).append(at)
    tails: list[int] = []
    links: list[tuple[int, object]] = []
    from bisect import bisect_left

    for word in kept:
        for at in reversed(places.get(word, ())):
            slot = bisect_left(tails, at)
            link = (at, links[slot - 1] if slot else None)
            if slot == len(tails):
                tails.append(at)
                links.append(link)
            else:
                tails[slot] = at
                links[slot] = link
    mask = [False] * len(source)
    node: object = links[-1] if links else None
    while isinstance(node, tuple):
        mask[node[0]] = True
        node = node[1]
    return mask


def shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    """Returns the word n-grams of a text with their counts."""
    found = re.findall(r"\w+", text or "")
    if not found:
        return Counter()
    return Counter(
        tuple(found[max(0, at - size + 1) : at + 1]) for at in range(size - 1, max(size, len(found)))
    )


@lru_cache(maxsize=1)
def _encoder() -> object:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


@lru_cache(maxsize=2048)
def tokens(text: str) -> int:
    """Returns the exact o200k tokens of `text`."""
    encode = _encoder().encode_ordinary  # type: ignore[attr-defined]
    safe = text.encode("utf-8", "replace").decode("utf-8")
    return sum(len(encode(safe[start : start + 100_000])) for start in range(0, len(safe), 100_000))
