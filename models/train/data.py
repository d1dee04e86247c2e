"""Reads labelled and unlabelled prose and cuts text into words.

A word is a run of non-blank characters; a CJK character (Han, kana, full-width
punctuation) is a word of its own. Korean is written with blanks, so Hangul is not split.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef"
# Blanks are excluded from the CJK class because U+3000 is a blank as well.
_WORD = re.compile(rf"(?:(?!\s)[{_CJK}])|[^\s{_CJK}]+")

CJK_CLASS = f"[{_CJK}]"
LANGUAGE_GROUPS: dict[str, str] = {
    "en": "en", "de": "european", "es": "european", "fr": "european", "ru": "european",
    "zh": "zh/ja", "zh-tw": "zh/ja", "ja": "zh/ja", "ko": "ko",
}  # fmt: skip


@dataclass(frozen=True)
class Passage:
    """One labelled passage.

    Attributes:
        spans: (start, end) character offsets of each word, ``(words, 2)``.
        grade: 0 drop, 1 keep, 2 core, one per word.
    """

    id: str
    text: str
    spans: list[tuple[int, int]]
    grade: list[int]
    lang: str
    genre: str
    source: str


@dataclass(frozen=True)
class Prose:
    """One unlabelled passage."""

    text: str
    lang: str
    source: str
    licence: str


MARKED = Path(__file__).with_name("marked.jsonl.xz")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Finds the words of a text as character offsets.

    >>> word_spans("a bc 漢字x")
    [(0, 1), (2, 4), (5, 6), (6, 7), (7, 8)]
    """
    return [m.span() for m in _WORD.finditer(text)]


def read_passages(path: Path) -> list[Passage]:
    """Reads labelled passages and checks that our words are the labelled words."""
    rows = []
    for line in path.read_text("utf8").splitlines():
        row = json.loads(line)
        spans = word_spans(row["text"])
        if [row["text"][a:b] for a, b in spans] != row["words"]:
            raise ValueError(f"{path.name}: words of {row['id']} do not match its text")
        rows.append(
            Passage(row["id"], row["text"], spans, row["grade"], row["lang"], row["genre"], row["source"])
        )
    return rows


def read_prose(path: Path) -> Iterator[Prose]:
    """Yields the unlabelled passages in file order."""
    with lzma.open(path, "rt", encoding="utf8") as stream:
        for line in stream:
            row = json.loads(line)
            yield Prose(row["text"], row["lang"], row["source"], row["licence"])


def graded(data: Path, name: str) -> list[Passage]:
    """Returns the graded passages of ``train``, or those of the prose that were ``marked`` for this project.

    Args:
        data: folder of the data.
        name: ``train``, ``val``, ``test_open`` or ``marked``.
    """
    if name == "marked":
        return read_marked(list(read_prose(data / "prose_unlabelled.jsonl.xz")))
    return read_passages(data / f"{name}.jsonl")


def read_marked(prose: Sequence[Prose]) -> list[Passage]:
    """Returns the passages of the unlabelled prose that were graded for this project.

    ``marked.jsonl.xz`` holds no text: of each passage it says where in the prose it stands (``row``, ``at`` and
    ``chars``) and the grade of each word, one digit a word (``marking.md`` tells how they came about).

    Args:
        prose: all of the unlabelled prose, in file order.

    Raises:
        ValueError: the words are not as many as the grades: the prose is another.
    """
    out = []
    with lzma.open(MARKED, "rt", encoding="utf8") as stream:
        for line in stream:
            row = json.loads(line)
            source = prose[row["row"]]
            text = source.text[row["at"] : row["at"] + row["chars"]]
            spans, grade = word_spans(text), [int(digit) for digit in row["grade"]]
            if len(spans) != len(grade):
                raise ValueError(
                    f"{MARKED.name}: {len(grade)} grades for {len(spans)} words of row {row['row']}"
                )
            name = f"marked{row['row']}"
            out.append(Passage(name, text, spans, grade, source.lang, "", source.source))
    return out
