"""Questions over documents, and what is known of each sentence of these.

`questions.jsonl` holds one document a line: which passages of the unlabelled prose it is made of
(``rows``: the first, and how many), and questions a reader might ask of it, each with the answer as the
document words it, where that stands (``at``, chars) and what it needs beside it (``needs``).
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokenjuice_ml.saliency.answers import NAMES, rows
from tokenjuice_ml.saliency.sections import Sections
from tokenjuice_ml.saliency.units import Segment, outline
from tokenjuice_ml.saliency.value import blend, segment_tokens
from tokenjuice_ml.saliency.words import Words

QUESTIONS = Path(__file__).with_name("questions.jsonl")
_SPACE = re.compile(r"\s+")
Score = Callable[[str], Sequence[Sequence[float]]]


@dataclass(frozen=True)
class Question:
    """A question, its answer in the document's words, where that starts, and what it needs beside it."""

    question: str
    answer: str
    needs: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class Document:
    """A document and what is asked of it."""

    name: str
    text: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Sentences:
    """The sentences of a document.

    Attributes:
        features: ``(sentences, len(NAMES))``.
        tokens: what each costs, about, ``(sentences,)``.
        answers: how many answers start in each, ``(sentences,)``.
        states: mean of what the model holds of its words, less the document's mean, ``(sentences, width)``.
    """

    features: np.ndarray
    tokens: np.ndarray
    answers: np.ndarray
    states: np.ndarray


def read(prose: Path) -> list[Document]:
    """Returns the documents with their questions.

    Args:
        prose: the unlabelled prose, ``prose_unlabelled.jsonl.xz``.

    Raises:
        ValueError: an answer does not stand where it should: the prose is another.
    """
    with lzma.open(prose, "rt", encoding="utf-8") as stream:
        passages = [json.loads(line)["text"].strip("\n") for line in stream]
    out = []
    for line in QUESTIONS.read_text("utf-8").splitlines():
        entry = json.loads(line)
        first, count = entry["rows"]
        text = "\n\n".join(passages[first : first + count])
        asked = tuple(
            Question(q["question"], q["answer"], tuple(q["needs"]), q["at"]) for q in entry["questions"]
        )
        for q in asked:
            if not squashed(text[q.at :]).startswith(squashed(q.answer)):
                raise ValueError(f"{entry['doc']}: the prose does not say {q.answer!r} at {q.at}")
        out.append(Document(entry["doc"], text, asked))
    return out


def squashed(text: str) -> str:
    """Returns a text without white space, in lower case."""
    return _SPACE.sub("", text).lower()


def sentences(document: Document, probabilities: Sequence[Sequence[float]], states: np.ndarray) -> Sentences:
    """Returns what the product knows of each sentence, and the answers it holds.

    Args:
        document: the document.
        probabilities: keep and core, one number a word each, as the scorer gives them.
        states: the model's, ``(words, width)``.
    """
    text = document.text
    words = Words(text)
    sections = Sections(text, outline(text), words)
    scores = blend(probabilities[0], probabilities[1], 0.5)
    features = np.array(rows(text, sections, words, scores), dtype=np.float64).reshape(-1, len(NAMES))
    tokens = np.array(segment_tokens(sections, words))
    has_words = np.diff(sections.firsts) > 0
    firsts = np.array(sections.firsts)
    sums = np.add.reduceat(states.astype(np.float32), firsts[:-1][has_words], axis=0)
    means = sums / np.diff(firsts)[has_words][:, None]
    asked = _answers(document, sections.segments)[has_words]
    return Sentences(features[has_words], tokens[has_words], asked, means - means.mean(0))


def _answers(document: Document, segments: Sequence[Segment]) -> np.ndarray:
    """Returns how many answers start in each segment."""
    ends = np.array([segment.end for segment in segments])
    counts = np.zeros(len(segments))
    for q in document.questions:
        counts[min(len(counts) - 1, int(np.searchsorted(ends, q.at, side="right")))] += 1
    return counts


def folds(documents: Sequence[Document], count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yields the indices of the documents to fit on and those left out."""
    order = np.random.default_rng(0).permutation(len(documents))
    for fold in range(count):
        out = sorted(int(i) for i in order[fold::count])
        yield sorted(set(range(len(documents))) - set(out)), out
