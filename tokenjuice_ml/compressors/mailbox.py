"""A mailbox in one file: the mails that are asked for or stand out as a whole, of the others their subjects.

Routing and signatures of servers are for machines; a mail says its thing in sender, date, subject and text.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.compressors import deciding
from tokenjuice_ml.compressors.base import assemble
from tokenjuice_ml.compressors.needles import lowered
from tokenjuice_ml.record import Record
from tokenjuice_ml.rules.choose import cost
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

LABEL = "mailbox"
FEWEST, GAP_TOKENS, WHOLE_SHARE = 4, 16, 0.5
# Mails that are shown as a whole, lines of such a one, chars of a mail in which words are sought.
MOST_WHOLE, MOST_LINES, SEEN_CHARS = 3, 80, 20_000
_HEADERS = ("from:", "to:", "cc:", "date:", "subject:", "reply-to:")
# Lines of a mail's head that say something, for one that is not shown as a whole.
_SHORT = ("from:", "subject:")


class _Mail(Record):
    """A mail: its first line, the blank line behind its head, the line behind its last (0-based)."""

    first: int
    head: int
    end: int


def is_mailbox(head: str) -> bool:
    r"""Tells whether a text begins as a mailbox does: the envelope, then a head with a subject.

    >>> is_mailbox("From a@b.example Mon Nov  1 10:00:00 2026\nFrom: A <a@b.example>\nSubject: x\n\nHi")
    True
    """
    return head.startswith("From ") and "\n\n" in head and "\nsubject:" in head.partition("\n\n")[0].lower()


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the mailbox cut, None where it fits the budget or holds few mails."""
    budget = context.budget_tokens or context.settings.max_inline_tokens
    if len(text) < 8 * budget and estimate(text) <= budget:
        return None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    mails = _mails(lines)
    if len(mails) < FEWEST:
        return None
    keep = [False] * len(lines)
    left = budget
    for mail in _chosen(lines, mails, context.output.query):
        rows = _whole(lines, mail)
        price = sum(cost(lines[row]) for row in rows) + 2 * GAP_TOKENS
        if price > left - budget * (1 - WHOLE_SHARE):
            continue
        left -= price
        _set(keep, rows)
    for mail in reversed(mails):
        rows = [row for row in range(mail.first, mail.head) if lines[row].lower().startswith(_SHORT)]
        left -= sum(cost(lines[row]) + GAP_TOKENS for row in rows if not keep[row])
        if left < 0:
            break
        _set(keep, rows)
    done = assemble(lines, keep, lambda start, end: _what(mails, start, end))
    return Reduction(f"[… {len(mails):,} mails]\n{done.text}", True, LABEL, done.omissions)


def _set(keep: list[bool], rows: Sequence[int]) -> None:
    for row in rows:
        keep[row] = True


def _mails(lines: Sequence[str]) -> list[_Mail]:
    """Returns the mails: each begins with its envelope, after a blank line, before a line of its head."""
    starts = [
        at
        for at, line in enumerate(lines[:-1])
        if line.startswith("From ") and (at == 0 or not lines[at - 1]) and ":" in lines[at + 1][:80]
    ]
    found = []
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        head = next((row for row in range(first, end) if not lines[row]), end)
        found.append(_Mail(first, head, end))
    return found


def _chosen(lines: Sequence[str], mails: Sequence[_Mail], query: str | None) -> list[_Mail]:
    """Returns the mails to show as a whole: what the question names, then deciding words, else the last."""
    texts = [_said(lines, mail) for mail in mails]
    scores = deciding.scores(texts, query)
    asked = [word for word in deciding.meant(query) if len(word) > 3]
    for word in asked:
        at = [index for index, text in enumerate(texts) if word in text]
        for index in at:
            scores[index] = scores.get(index, 0) + 60 // len(at)
    best = sorted(scores, key=lambda index: (-scores[index], index))[:MOST_WHOLE]
    return [mails[index] for index in best] or [mails[-1]]


def _said(lines: Sequence[str], mail: _Mail) -> str:
    """Returns subject and text of a mail in lower case on one line."""
    subject = [line for line in lines[mail.first : mail.head] if line.lower().startswith("subject:")]
    text = " ".join([*subject, *lines[mail.head : mail.end]])[:SEEN_CHARS]
    return lowered(text.replace("\n", " ")).decode("utf-8", "surrogatepass")


def _whole(lines: Sequence[str], mail: _Mail) -> list[int]:
    """Returns the lines of a mail that people wrote and read."""
    head = [row for row in range(mail.first, mail.head) if lines[row].lower().startswith(_HEADERS)]
    return [*head, *range(mail.head, min(mail.end, mail.head + MOST_LINES))]


def _what(mails: Sequence[_Mail], start: int, end: int) -> str:
    """Says how many whole mails a gap holds, where it does."""
    inside = sum(start <= mail.first and mail.end <= end for mail in mails) if len(mails) < 2000 else 0
    return f"{inside:,} mails" if inside > 1 else ""
