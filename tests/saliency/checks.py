"""What must hold for any shortened text, whatever the scores were."""

from __future__ import annotations

from tokenjuice_ml.saliency.select import Selection, select
from tokenjuice_ml.saliency.units import WORD

GRANULARITIES = ("sentence", "span")


def own_line(line: str) -> bool:
    return line.lstrip().startswith("[…")


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in part)


def words_of(line: str) -> list[str]:
    """Returns the words of a line; a lone `…` may be ours, so it is not counted."""
    return [word for word in WORD.findall(line) if word != "…"]


def check_promises(original: str, shown: str) -> None:
    """Asserts: words in order, and each line of the result out of one line of the original."""
    lines = [words_of(line) for line in original.split("\n")]
    at = 0
    for line in shown.split("\n"):
        if own_line(line):
            continue
        words = words_of(line)
        if not words:
            continue
        while at < len(lines) and not is_subsequence(words, lines[at]):
            at += 1
        assert at < len(lines), f"not one line of the original: {line!r}"
        lines[at] = after(lines[at], words)


def after(whole: list[str], part: list[str]) -> list[str]:
    at = 0
    for word in part:
        at = whole.index(word, at) + 1
    return whole[at:]


def selections(text: str, scores: list[float], ratios=(0.3, 0.5, 0.8)) -> list[Selection]:
    return [select(text, scores, ratio, kind) for ratio in ratios for kind in GRANULARITIES]
