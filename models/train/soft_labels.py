"""Lets the teachers score prose, word by word, and keeps the first one's states.

The prose is taken in one fixed random order that mixes languages, so that any number of
finished shards is a fair sample and the stage can be stopped and resumed.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from transformers import BertForTokenClassification

from models.train import minilm, states
from models.train.align import encode
from models.train.data import Prose, graded, read_prose, word_spans
from models.train.scoring import CLASSES, Forward, Special, score_texts, torch_forward
from models.train.settings import Run, start
from models.train.teacher import SPECIAL

MOST_CHARS = 2400
# Passages whose states the components are found from.
COMPONENT_TEXTS = 400
BATCH_TOKENS = 4096
GRADED = ("train", "marked")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.soft_labels")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after this wall time")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"),
                        help="take every N-th shard, from the I-th on, so that N processes share the work")  # fmt: skip
    run, args = start("soft_labels", parser)
    view = Teachers(run)
    out = run.work / "soft"
    out.mkdir(exist_ok=True)
    part, parts = args.part
    for number, name in enumerate(GRADED):
        if number % parts == part and not (run.work / f"soft_{name}.npz").exists():
            passages = graded(run.data, name)
            found = view.texts([(p.text, p.lang) for p in passages])
            save(run.work / f"soft_{name}.npz", {"ids": np.array([p.id for p in passages])}, found)
            run.log.info("%s: %d passages", name, len(passages))
    prose, order = selected_prose(run)
    size = run.config["soft_labels"]["shard_passages"]
    began, words = time.time(), 0
    for shard, at in enumerate(range(0, len(order), size)):
        path = out / f"{shard:04d}.npz"
        if shard % parts != part or path.exists():
            continue
        if time.time() - began > 60 * args.minutes:
            break
        which = order[at : at + size]
        found = view.texts([(clipped(prose[i].text), prose[i].lang) for i in which])
        save(path, {"passages": which}, found)
        words += sum(map(len, found))
        run.log.info("shard %d of %d, %.0f words/s", shard, len(order) // size, words / (time.time() - began))


class Teachers:
    """e5 for all languages, and MiniLM beside it for English."""

    def __init__(self, run: Run) -> None:
        self.window = run.config["soft_labels"]["window"]
        self.tokenizer, model = load_teacher(run)
        path = run.work / "components.npz"
        if not path.exists():
            prose, order = selected_prose(run)
            texts = [clipped(prose[i].text) for i in order[:COMPONENT_TEXTS]]
            encoded = [encode(self.tokenizer, t, word_spans(t)) for t in texts]
            states.fit(model, encoded, self.window, SPECIAL).save(path)
        self.forward = states.forward(model, states.Components.load(path))
        self.small = minilm_forward(run)

    def texts(self, texts: Sequence[tuple[str, str]]) -> list[np.ndarray]:
        """Returns ``(words, 3 + states.WIDTH)`` for each text and its language: probabilities and components."""
        found = self._score(self.forward, self.tokenizer, SPECIAL, [t for t, _ in texts], states.WIDTH)
        english = [i for i, (_, lang) in enumerate(texts) if lang == "en"]
        second = self._score(*self.small, minilm.SPECIAL, [texts[i][0] for i in english])
        for i, view in zip(english, second, strict=True):
            found[i][:, :CLASSES] = (found[i][:, :CLASSES] + view) / 2
        return found

    def _score(
        self, forward: Forward, tokenizer: Tokenizer, special: Special, texts: Sequence[str], width: int = 0
    ) -> list[np.ndarray]:
        encoded = [encode(tokenizer, t, word_spans(t)) for t in texts]
        return score_texts(forward, encoded, self.window, 0, special, BATCH_TOKENS, width)


def load_teacher(run: Run) -> tuple[Tokenizer, Any]:
    """The fine-tuned e5 and its tokenizer."""
    model = BertForTokenClassification.from_pretrained(run.work / "teacher").eval()
    return Tokenizer.from_file(str(run.work / "e5" / "tokenizer.json")), model


def minilm_forward(run: Run) -> tuple[Forward, Tokenizer]:
    """The fine-tuned MiniLM and its tokenizer."""
    folder = minilm.tuned(run)
    model = BertForTokenClassification.from_pretrained(folder)
    return torch_forward(model), Tokenizer.from_file(str(folder / "tokenizer.json"))


def selected_prose(run: Run) -> tuple[list[Prose], np.ndarray]:
    """Returns all prose and the order ``(passages,)`` in which it is labelled."""
    limits = run.config["soft_labels"]["max_passages"]
    prose = list(read_prose(run.data / "prose_unlabelled.jsonl.xz"))
    by_lang: dict[str, list[int]] = defaultdict(list)
    for i, p in enumerate(prose):
        by_lang[p.lang].append(i)
    rng = np.random.default_rng(run.seed)
    chosen = [
        rng.permutation(members)[: limits.get(lang, limits["other"])]
        for lang, members in sorted(by_lang.items())
    ]
    return prose, rng.permutation(np.concatenate(chosen))


@dataclass(frozen=True)
class View:
    """What the teachers say of a text.

    Attributes:
        probabilities: ``(words, 3)``.
        states: components as 8-bit numbers ``(words, states.WIDTH)``.
    """

    probabilities: np.ndarray
    states: np.ndarray


def save(path: Path, names: dict[str, np.ndarray], found: Sequence[np.ndarray]) -> None:
    """Writes the views of some texts, and what the texts are, through a temporary file."""
    words = np.concatenate(found)
    partial = path.with_suffix(".part")
    with partial.open("wb") as stream:
        np.savez(
            stream,
            words=np.array([len(f) for f in found]),
            probabilities=words[:, :CLASSES].astype(np.float16),
            states=states.stored(words[:, CLASSES:]),
            **names,  # type: ignore[arg-type]
        )
    partial.replace(path)


def read(path: Path) -> tuple[np.ndarray, list[View]]:
    """Reads what `save` wrote: what the texts are, and the views."""
    with np.load(path) as stored:
        cuts = np.cumsum(stored["words"])[:-1]
        probabilities = np.split(stored["probabilities"].astype(np.float32), cuts)
        views = [View(p, s) for p, s in zip(probabilities, np.split(stored["states"], cuts), strict=True)]
        return stored["ids" if "ids" in stored.files else "passages"], views


def shards(run: Run) -> Iterator[tuple[np.ndarray, list[View]]]:
    """Yields finished shards: passage numbers and what the teachers say of each."""
    for path in sorted((run.work / "soft").glob("*.npz")):
        yield read(path)


def clipped(text: str) -> str:
    """The part of an unlabelled passage that is used: its first characters, cut at a blank."""
    if len(text) <= MOST_CHARS:
        return text
    cut = text.rfind(" ", MOST_CHARS // 2, MOST_CHARS)
    return text[: cut if cut > 0 else MOST_CHARS]


if __name__ == "__main__":
    main()
