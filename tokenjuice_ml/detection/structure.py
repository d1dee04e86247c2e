"""Says what a text is from its structure alone: the first detector that is sure wins."""

from __future__ import annotations

import re
from collections.abc import Callable

from tokenjuice_ml.detection import code, config, logs, markup, searches, tables
from tokenjuice_ml.detection.jsonshape import json_shape
from tokenjuice_ml.detection.sample import Sample
from tokenjuice_ml.detection.words import words
from tokenjuice_ml.record import Record
from tokenjuice_ml.types import Kind

_STOP = frozenset(
    words(
        "the of and to a in is that for it with as on be are this by an or from you we not can have if "
        "will which le la les des une est dans que pour el los las una por con der die das und ist nicht "
        "ein zu"
    )
)


class Guess(Record):
    """What the structure looks like.

    Attributes:
        kind: the kind.
        format: the finer format.
        evidence: one short phrase.
        strong: True when hardly anything else looks like this.
        tags: True when the text holds tags at all.
    """

    kind: Kind
    format: str
    evidence: str
    strong: bool = False
    tags: bool = False


def look(text: str, sample: Sample) -> Guess:
    """Returns the best guess for `text`, of which `sample` was taken."""
    return unmistakable(text, sample) or _by_lines(text, sample)


def unmistakable(text: str, sample: Sample) -> Guess | None:
    """Returns a guess that hardly anything can overrule: JSON, a diff, an HTML or XML document."""
    if not sample.full:
        return Guess(Kind.PLAIN_TEXT, "", "empty")
    found = json_shape(text, sample)
    if found:
        return _json(found)
    found = markup.diff(text, sample)
    if found:
        return Guess(Kind.DIFF, *found, strong=True)
    found = markup.html(text, sample)
    if found:
        return Guess(Kind.HTML, *found, strong=True, tags=True)
    return None


def _json(found: tuple[str, str]) -> Guess:
    form, evidence = found
    if form == "notebook":
        return Guess(Kind.CODE, form, evidence, strong=True)
    if form == "rg-json":
        return Guess(Kind.SEARCH, form, evidence, strong=True)
    return Guess(Kind.JSON, form, evidence, strong=True)


_MODULE = ('"', "'", "#", "from ", "import ")
_IS_FUTURE = re.compile(r"from __future__ import \w").match
# Detectors by lines; the order settles what could be two things.
_BY_LINES: tuple[tuple[Kind, Callable[[Sample], tuple[str, str] | None]], ...] = (
    (Kind.SEARCH, searches.hits),
    (Kind.LOG, tables.marked),
    (Kind.LOG, logs.sure),
    (Kind.LOG, tables.rows),
    (Kind.PLAIN_TEXT, markup.document),
    (Kind.CODE, config.keys),
    (Kind.CODE, code.language),
    (Kind.SEARCH, searches.paths),
    (Kind.HTML, markup.fragment),
    (Kind.PLAIN_TEXT, markup.markdown),
)


def _by_lines(text: str, sample: Sample) -> Guess:
    if printed := tables.certain(sample):
        return Guess(Kind.LOG, *printed)
    signed = sum(line[-1] in "{};(),:[" for line in sample.full)
    if signed >= 0.5 * len(sample.full) and not searches.hits(sample) and not logs.timed(sample):
        found = None if markup.document(sample) else config.keys(sample) or code.language(sample)
        if found:
            return Guess(Kind.CODE, *found)
    # A module may be a long text in quotes for the most part.
    if sample.full[0].startswith(_MODULE) and any(map(_IS_FUTURE, sample.full)):
        return Guess(Kind.CODE, "python", "imports from __future__")
    for kind, detector in _BY_LINES:
        found = detector(sample)
        if found:
            return Guess(kind, *found, tags=kind is Kind.HTML)
    found = logs.likely(sample)
    if found and prose_share(sample) < 0.2:
        return Guess(Kind.LOG, *found)
    return Guess(Kind.PLAIN_TEXT, "", "no structure seen", tags="</" in text[:20000])


def prose_share(sample: Sample) -> float:
    """Returns the share of words that are articles, prepositions and the like."""
    words = " ".join(sample.full[:80])[:5000].lower().split()
    if not words:
        return 0.0
    return sum(word in _STOP for word in words) / len(words)
