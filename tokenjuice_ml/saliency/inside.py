"""Prose inside other kinds: the text of an article, the long strings of a JSON document.

Only where the model is switched on, and only when it answers: without it the kind's own compressor does
what it always does. What is left out is said where it stood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.jsonish_parse import STRING
from tokenjuice_ml.saliency import client, select
from tokenjuice_ml.saliency.compress import is_prose
from tokenjuice_ml.saliency.protect import has_wide
from tokenjuice_ml.saliency.units import word_spans
from tokenjuice_ml.saliency.value import blend
from tokenjuice_ml.types import Context, Kind, Omission, Reason, Reduction

ARTICLE_CHARS, STRING_CHARS = 2_000, 800
"""Chars from which an article, or a string, is worth the model's time."""
_MOST_STRINGS = 200
_ARTICLE = "[… left out: page around the article"
_STRING = re.compile(STRING, re.DOTALL)
_WORD_CHARS = 16

Run = Callable[[str, Context], Reduction | None]


class _Cut(NamedTuple):
    """Shorter texts, in the order they were given; the same text where nothing was left out."""

    texts: list[str]
    why: str


def compress(run: Run, text: str, context: Context) -> Reduction | None:
    """Returns what `run` makes of a text, its prose cut by the model.

    Args:
        run: the compressor of the kind.
        text: the text.
        context: its hints; the model is switched on.
    """
    if context.detection.kind is Kind.JSON:
        return _json(run, text, context)
    reduction = run(text, context)
    if reduction is None or context.detection.kind is not Kind.HTML:
        return reduction
    return _article(reduction, text, context)


def _article(reduction: Reduction, text: str, context: Context) -> Reduction:
    """Cuts the text of an article; the lines that are ours stay."""
    head, mark, tail = reduction.text.rpartition(f"\n{_ARTICLE}")
    first, end, body = head.partition("\n") if head.startswith("[…") else ("", "", head)
    if not mark or len(body) < ARTICLE_CHARS or not is_prose(body):
        return reduction
    cut = _cut([body], context)
    shown = cut.texts[0]
    if shown == body:
        return replace(reduction, detail=cut.why)
    gone = utf8_len(body) - utf8_len(shown)
    said = f"[… {len(body) - len(shown):,} of {len(body):,} chars of this article, by the saliency model]"
    whole = Omission(1, text.count("\n") + 1, 0, gone, "text of the article")
    return replace(
        reduction,
        text=f"{first}{end}{shown}\n{said}{mark}{tail}",
        omissions=(*reduction.omissions, whole),
        reason=Reason.SALIENCY,
        detail=cut.why,
    )


def _json(run: Run, text: str, context: Context) -> Reduction | None:
    """Cuts long strings where they stand in the source, so that its lines keep their numbers."""
    found = _long_strings(text)
    if not found:
        return run(text, context)
    cut = _cut([body for _, _, body in found], context)
    parts: list[str] = []
    gaps: list[Omission] = []
    at = 0
    for (start, end, body), shown in zip(found, cut.texts, strict=True):
        if shown == body:
            continue
        line = text.count("\n", 0, start) + 1
        gaps.append(Omission(line, line, 0, utf8_len(body) - utf8_len(shown), "prose in a string"))
        noted = f"{shown.rstrip()}\n[… {len(body) - len(shown):,} of {len(body):,} chars]"
        parts += (text[at:start], json.dumps(noted, ensure_ascii=False))
        at = end
    if not gaps:
        reduction = run(text, context)
        return replace(reduction, detail=cut.why) if reduction is not None else None
    shorter = "".join([*parts, text[at:]])
    reduction = run(shorter, context) or Reduction(shorter, True, "json")
    omissions = sorted((*reduction.omissions, *gaps), key=lambda gap: (gap.first_line, gap.last_line))
    return replace(reduction, lossy=True, omissions=tuple(omissions), reason=Reason.SALIENCY, detail=cut.why)


def _long_strings(text: str) -> list[tuple[int, int, str]]:
    """Returns (start, end, value) of the strings of a JSON source that are long and prose."""
    found: list[tuple[int, int, str]] = []
    for match in _STRING.finditer(text):
        start, end = match.span()
        # Names of fields are no prose: two of them could become one.
        if end - start < STRING_CHARS or text[end : end + 20].lstrip().startswith(":"):
            continue
        try:
            body = json.loads(match.group())
        except ValueError:
            continue
        if len(found) < _MOST_STRINGS and _is_text(body):
            found.append((start, end, body))
    return found


def _is_text(body: str) -> bool:
    """Says whether a string is written in words: one long run of letters may be anything."""
    return is_prose(body) and (body.count(" ") * _WORD_CHARS >= len(body) or has_wide(body[:200]))


def _cut(bodies: list[str], context: Context) -> _Cut:
    """Cuts texts to the asked share; all are scored in one request."""
    settings = context.settings
    joined = "\n\n".join(bodies)
    if len(joined) > settings.ml_max_input_chars:
        why = f"prose inside not cut: longer than ml_max_input_chars ({settings.ml_max_input_chars:,})"
        return _Cut(bodies, why)
    answer = client.scores(joined, settings, context.output.query)
    counts = [len(word_spans(body)) for body in bodies]
    if answer.scores is None or len(answer.scores) != sum(counts):
        return _Cut(bodies, f"prose inside not cut: {answer.why}")
    scores = blend(answer.scores, answer.core, settings.ml_target_ratio)
    texts: list[str] = []
    at = 0
    for body, count in zip(bodies, counts, strict=True):
        chosen = select.select(
            body,
            scores[at : at + count],
            settings.ml_target_ratio,
            settings.ml_granularity,
            context.output.query,
            answer.asked and answer.asked[at : at + count],
        )
        at += count
        texts.append(chosen.text if chosen.text.strip() and len(chosen.text) < 0.95 * len(body) else body)
    return _Cut(texts, f"prose inside: {answer.why}")
