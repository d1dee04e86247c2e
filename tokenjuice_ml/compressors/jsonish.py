"""JSON in all its forms: minified, as tables, or cut to what tells most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.jsonish_fit import lossless, show
from tokenjuice_ml.compressors.jsonish_page import Page
from tokenjuice_ml.compressors.jsonish_parse import Documents, encode, read
from tokenjuice_ml.types import Context, Omission, Reduction

# Share of the original that stays where no budget is given, and its bounds, tokens.
SHARE, LEAST, MOST = 0.08, 900, 1800
# Chars a token of minified JSON has on average; tables in words have more.
CHARS_PER_TOKEN = 3.6
# What people and models said to each other is worth more.
LEAST_CHAT = 1500
_ROUNDS = 3


def compress(text: str, context: Context) -> Reduction | None:
    """Returns JSON shorter: reversibly where that is enough, else inside the budget."""
    least = LEAST_CHAT if '"role"' in text and '"content"' in text else LEAST
    budget = context.budget_tokens or min(MOST, max(least, int(SHARE * len(text) / CHARS_PER_TOKEN)))
    light = context.settings.profile == "light"
    # Minifying takes at most two thirds; far over that, no layout alone can be enough.
    small = light or len(text) <= budget * CHARS_PER_TOKEN * 5
    documents = read(text, whole=small)
    if documents is None:
        return None
    if small:
        body = _lossless(documents, _whole(documents))
        if light or _tokens(body) <= budget * 1.15:
            return Reduction(body, False, "json", detail="reversible: only the layout is new")
    return _cut(text, documents, budget, context)


def _tokens(text: str) -> int:
    from tokenjuice_ml.tokens import estimate

    return estimate(text)


def _value(documents: Documents) -> Any:
    return documents.values if documents.many else documents.values[0]


def _whole(documents: Documents) -> str:
    """Returns the documents minified: one, or one a line."""
    if documents.many:
        return "\n".join([encode(value) for value in documents.values])
    return encode(documents.values[0])


def _lossless(documents: Documents, whole: str) -> str:
    page = Page()
    value = _value(documents)
    body = lossless(value, whole, page, "") if isinstance(value, (dict, list)) else whole
    tabled = _joined(body, page, documents)
    plain = whole if not documents.cut else f"{whole}\n{_cut_note(documents)}"
    return tabled if _tokens(tabled) < _tokens(plain) else plain


def _joined(body: str, page: Page, documents: Documents) -> str:
    """Returns the tree and its tables; a tree that is a table alone needs no reference."""
    blocks = page.blocks
    if body == "[… table 1]" and len(blocks) == 1:
        text = blocks[0].replace("[… table 1, ", "[… table, ", 1)
        if documents.many:
            text = text.replace(" rows", " JSON lines", 1)
    else:
        text = "\n".join([body, *blocks])
    return text if not documents.cut else f"{text}\n{_cut_note(documents)}"


def _cut_note(documents: Documents) -> str:
    rest = documents.cut
    if rest == "…":
        return "[… the JSON breaks off here]"
    return f"[… the JSON breaks off; its last part:]\n{rest}"


def _cut(text: str, documents: Documents, budget: int, context: Context) -> Reduction | None:
    """Returns the lossy view, at most a little over `budget` tokens."""
    words = _query_words(context.output.query)
    chars = budget * _chars_per_token(text)
    documents = _clipped_rest(documents)
    shared: dict[Any, Any] = {}
    best: tuple[int, str, Page] | None = None
    for _ in range(_ROUNDS):
        page = Page(words, shared=shared, by_columns=documents.by_columns)
        tree = show(_value(documents), chars, page, big=True)
        body = _joined(tree, page, documents)
        used = _tokens(body)
        if best is None or _is_better(used, best[0], budget):
            best = (used, body, page)
        if 0.8 * budget <= used <= 1.08 * budget or not page.lossy:
            break
        # The text itself says how many chars its tokens have.
        chars = min(chars * 1.6, max(chars * 0.3, chars * 0.97 * budget / used))
    assert best is not None
    _, body, page = best
    return Reduction(body, page.lossy, "json", _omissions(text, body, page, documents))


def _chars_per_token(text: str) -> float:
    """Returns the chars a token has in the middle of the text, blanks left aside."""
    start = max(0, len(text) // 2 - 3000)
    sample = " ".join(text[start : start + 6000].split())
    return max(1.5, min(4.5, len(sample) / max(1, _tokens(sample))))


def _is_better(used: int, other: int, budget: int) -> bool:
    """Says whether a body of `used` tokens fits the budget better: inside it, then as full as can be."""
    most = 1.08 * budget
    if (used <= most) != (other <= most):
        return used <= most
    return used > other if used <= most else used < other


def _clipped_rest(documents: Documents) -> Documents:
    rest = documents.cut
    if len(rest) <= 400:
        return documents
    return replace(documents, cut=f"{rest[:200]}…{rest[-150:]}")


def _query_words(query: str | None) -> list[str]:
    words = (query or "").lower().replace("?", " ").replace(",", " ").split()
    return [word for word in words if len(word) >= 4][:12]


def _omissions(text: str, body: str, page: Page, documents: Documents) -> tuple[Omission, ...]:
    """Returns a gap for each run of JSON lines, or one for the document: parts of a tree have no lines."""
    if not page.lossy:
        return ()
    lines = text.count("\n") + (not text.endswith("\n"))
    left = max(0, utf8_len(text) - utf8_len(body))
    own = [(start, end) for path, start, end in page.gaps if not path]
    if documents.many and own and len(documents.values) == lines:
        share = left // sum(end - start for start, end in own)
        return tuple(
            Omission(start + 1, end, end - start, share * (end - start), "JSON lines") for start, end in own
        )
    what = "; ".join(dict.fromkeys(phrase for phrase, _ in page.lost[:6])) or "cells clipped"
    if len(page.lost) > 6:
        what += f"; +{len(page.lost) - 6}"
    gone = page.alike if documents.many else 0
    return (Omission(1, lines, gone or max(0, lines - body.count("\n") - 1), left, what),)
