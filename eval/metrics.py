"""What is measured on one answer. Each function takes a case and an output; shares are 0-1.

The traps that the field fell into are gates here: an inverted negation, a split atom, a fused
line or a word that was never in the source is counted, not averaged away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eval import text as texts
from eval.datasets import Case

# Classes of words that carry facts; whole words, edges stripped of punctuation.
CLASSES = {
    "numbers": re.compile(r"^[^\w\s]?[+-]?\d[\d.,:/%-]*\w{0,4}[^\w\s]?$"),
    "identifiers": re.compile(
        r"^\W?(?:\w+_\w[\w.]*|[a-z]+[A-Z]\w*|\w+\.\w+\(?\)?|[A-Z][A-Z\d_]{2,}|0x[\da-f]+|--?[a-z][\w-]+)\W?$"
    ),
    "paths": re.compile(r"^\W?(?:[~.]{0,2}/[\w.@-]+(?:/[\w.@-]*)*|[a-z]+://\S+|\w:\\\S+)\W?$"),
}
NEGATIONS = re.compile(
    r"(?i)\b(?:not|never|no|none|nor|without|cannot|can't|don't|doesn't|didn't|won't|isn't|aren't|wasn't|weren't|"
    r"shouldn't|mustn't|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|aucun\w*|sans|nunca|sin|ningun\w*|не|нет|никогда|без)\b"
    r"|[不没沒无無未非勿]|ない|ません|없|않"
)


@dataclass(frozen=True)
class Measure:
    """All figures of one answer; None where the case has nothing to judge it by."""

    tokens_before: int
    tokens_after: int
    survive: float | None = None
    attributable: float | None = None
    must: float | None = None
    signals: float | None = None
    whole_cause: float | None = None
    ge80: float | None = None
    core_recall: float | None = None
    keep_f1: float | None = None
    auc_keep: float | None = None
    auc_core: float | None = None
    words_kept: float | None = None
    article_f1: float | None = None
    numbers: float | None = None
    identifiers: float | None = None
    paths: float | None = None
    negations: float | None = None
    run_length: float | None = None
    inverted: int = 0
    split: int = 0
    fused: int = 0
    invented: int = 0

    @property
    def kept(self) -> float:
        """Tokens kept by tokens given."""
        return self.tokens_after / max(1, self.tokens_before)


CURVES = (
    "survive", "attributable", "must", "signals", "whole_cause", "ge80", "core_recall", "keep_f1", "article_f1",
)  # fmt: skip
"""Shares that are drawn against kept tokens and have an area."""
GATES = ("inverted", "split", "fused", "invented")
SHARES = (
    "survive", "attributable", "must", "signals", "whole_cause", "ge80", "core_recall", "keep_f1", "auc_keep", "auc_core",
    "article_f1", "numbers", "identifiers", "paths", "negations",
)  # fmt: skip


def measure(case: Case, answer: str, prose: bool) -> Measure:
    """Returns all figures of `answer`.

    Args:
        case: what was given and what is judged.
        answer: what came out, footer included.
        prose: True where the gates on words and lines apply (texts whose layout must stay).
    """
    shown = texts.body(answer)
    figures: dict[str, float | int | None] = {**_survival(case, answer), **_cause(case, answer)}
    if case.article:
        figures["article_f1"] = article_f1(case.article, shown)
    if prose:
        figures.update(_prose(case, shown))
    return Measure(texts.tokens(case.text), texts.tokens(answer), **figures)  # type: ignore[arg-type]


def _survival(case: Case, answer: str) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    flat = texts.squashed(answer)
    if case.questions:
        has = [texts.squashed(item.answer) in flat for item in case.questions]
        full = [
            ok and all(texts.squashed(need) in flat for need in item.needs)
            for ok, item in zip(has, case.questions, strict=True)
        ]
        figures["survive"] = sum(has) / len(has)
        figures["attributable"] = sum(full) / len(full)
    if case.must:
        figures["must"] = sum(texts.squashed(item) in flat for item in case.must) / len(case.must)
    if case.signals:
        plain = texts.normal(answer.replace("\\|", "|").replace("\\\\", "\\"))
        got = sum(item.weight for item in case.signals if any(word in plain for word in item.any))
        figures["signals"] = got / sum(item.weight for item in case.signals)
    return figures


def _cause(case: Case, answer: str) -> dict[str, float | None]:
    if not case.chunk:
        return {}
    have = "\n".join(texts.normal(line) for line in answer.split("\n"))
    share = sum(line in have for line in case.chunk) / len(case.chunk)
    return {"whole_cause": float(share > 0.999), "ge80": float(share >= 0.8)}


def article_f1(gold: str, shown: str) -> float:
    """Returns the F1 of 4-word shingles, Markdown signs ignored."""
    want = texts.shingles(gold)
    have = texts.shingles(re.sub(r"\]\(\S+\)|[#*_`>\[\]|]", " ", shown))
    hit = sum((want & have).values())
    return 2 * hit / max(1, sum(want.values()) + sum(have.values()))


def _prose(case: Case, shown: str) -> dict[str, float | int | None]:
    source = list(case.words) or texts.words(case.text)
    out = texts.words(shown)
    mask = texts.aligned(source, out)
    figures: dict[str, float | int | None] = {
        "invented": len(out) - sum(mask) - out.count("…"),
        "run_length": _run_length(mask),
        "split": split_atoms(source, out),
        "fused": fused_lines(case.text, shown),
        "inverted": inverted_negations(source, mask),
        "words_kept": sum(mask) / max(1, len(mask)),
    }
    for name, pattern in CLASSES.items():
        members = [at for at, word in enumerate(source) if pattern.match(word)]
        if members:
            figures[name] = sum(mask[at] for at in members) / len(members)
    members = [at for at, word in enumerate(source) if NEGATIONS.search(word)]
    if members:
        figures["negations"] = sum(mask[at] for at in members) / len(members)
    if case.grades:
        figures.update(_graded(case.grades, mask))
    return figures


def _graded(grades: Sequence[int], mask: Sequence[bool]) -> dict[str, float | None]:
    core = [kept for grade, kept in zip(grades, mask, strict=True) if grade == 2]
    hits = sum(kept and grade > 0 for grade, kept in zip(grades, mask, strict=True))
    wanted, kept = sum(grade > 0 for grade in grades), sum(mask)
    return {
        "core_recall": sum(core) / len(core) if core else None,
        "keep_f1": 2 * hits / max(1, wanted + kept),
    }


def graded_auc(case: Case, columns: Sequence[Sequence[float]] | None) -> dict[str, float]:
    """Returns how well scores rank the words of one passage: kept before dropped, core before the rest.

    Args:
        case: with grades.
        columns: a score a word to be kept and, where the system tells it, to be core; others are not looked at.
    """
    if not columns or not case.grades or any(len(column) != len(case.grades) for column in columns):
        return {}
    keep = auc(columns[0], [grade > 0 for grade in case.grades])
    core = auc(columns[:2][-1], [grade == 2 for grade in case.grades])
    return {
        name: value for name, value in (("auc_keep", keep), ("auc_core", core)) if value is not None
    }  # fmt: skip


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Returns the share of pairs that the scores put in the right order, ties half; None without pairs.

    >>> auc([0.9, 0.2, 0.5], [True, False, False])
    1.0
    """
    wanted = sum(labels)
    pairs = wanted * (len(labels) - wanted)
    if not pairs:
        return None
    order = sorted(range(len(scores)), key=scores.__getitem__)
    total, at = 0.0, 0
    while at < len(order):
        end = at
        while end < len(order) and scores[order[end]] == scores[order[at]]:
            end += 1
        total += sum(labels[index] for index in order[at:end]) * (at + 1 + end) / 2
        at = end
    return (total - wanted * (wanted + 1) / 2) / pairs


def _run_length(mask: Sequence[bool]) -> float:
    runs = sum(kept and (at == 0 or not mask[at - 1]) for at, kept in enumerate(mask))
    return sum(mask) / runs if runs else 0.0


def split_atoms(source: Sequence[str], out: Sequence[str]) -> int:
    """Returns how many output words are no source word but a part of one with a digit or a sign inside."""
    known = set(source)
    atoms = [word for word in known if len(word) > 3 and any(c.isdigit() or c in "_/.-" for c in word[1:-1])]
    joined = "\x00".join(atoms)
    return sum(word not in known and len(word) > 1 and word in joined for word in out)


def fused_lines(text: str, shown: str) -> int:
    """Returns how many output lines hold words of two source lines."""
    lines = [line.split() for line in text.split("\n")]
    fused = at = 0
    for row in shown.split("\n"):
        out = [word for word in row.split() if word != "…"]
        if not out:
            continue
        found = next((number for number in range(at, len(lines)) if _subsequence(out, lines[number])), None)
        if found is None:
            # CJK lines are no blank-separated words: compare the characters.
            flat = "".join(out)
            found = next(
                (number for number in range(at, len(lines)) if _subsequence(flat, "".join(lines[number]))),
                None,
            )
        if found is None:
            fused += 1
        else:
            at = found
    return fused


def _subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    left = iter(whole)
    return all(word in left for word in part)


def inverted_negations(source: Sequence[str], mask: Sequence[bool]) -> int:
    """Returns how many negations were dropped while the words they negate stayed.

    The three words after a negation in its sentence are what it negates; two of them kept without
    it turn the meaning round. Words that stand elsewhere just so ("I've never seen one", "I've seen
    one") are no proof: which of the two was kept cannot be told.
    """
    count = 0
    threes = set(zip(source, source[1:], source[2:], strict=False))
    for at, word in enumerate(source):
        if mask[at] or not NEGATIONS.search(word):
            continue
        near = []
        for after in range(at + 1, min(len(source), at + 4)):
            near.append(mask[after])
            if source[after][-1:] in ".!?。！？;":
                break
        before = at > 0 and mask[at - 1] and source[at - 1][-1:] not in ".!?。！？"
        turned = len(near) > 1 and all(near[:2]) and before
        count += turned and (source[at - 1], source[at + 1], source[at + 2]) not in threes
    return count


def interval(values: Sequence[float], rounds: int = 1000, seed: int = 0) -> tuple[float, float, float]:
    """Returns the mean with the ends of its 95 % bootstrap interval."""
    import numpy as np

    if not values:
        return 0.0, 0.0, 0.0
    size = len(values)
    drawn = np.random.default_rng(seed).integers(0, size, (rounds, size))
    low, high = np.percentile(np.asarray(values, dtype=float)[drawn].mean(axis=1), (2.5, 97.5))
    return sum(values) / size, float(low), float(high)
