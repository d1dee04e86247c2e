"""Lets the teacher score the unlabelled prose, word by word.

The prose is taken in one fixed random order that mixes languages, so that any number of
finished shards is a fair sample and the stage can be stopped and resumed.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from transformers import BertForTokenClassification

from models.train import minilm
from models.train.align import encode
from models.train.data import Passage, Prose, read_marked, read_passages, read_prose, word_spans
from models.train.export import onnx_forward, quantize, to_onnx
from models.train.scoring import Forward, Special, score_texts
from models.train.settings import Run, start
from models.train.teacher import SPECIAL

MOST_CHARS = 2400


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.soft_labels")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after this wall time")
    parser.add_argument("--labelled", action="store_true", help="score the graded passages instead")
    run, args = start("soft_labels", parser)
    if args.labelled:
        _label_graded(run, args.threads)
        return
    forward, tokenizer = teacher_forward(run, args.threads)
    out = run.work / "soft"
    out.mkdir(exist_ok=True)
    prose, order = selected_prose(run)
    size = run.config["soft_labels"]["shard_passages"]
    began, words = time.time(), 0
    for shard, at in enumerate(range(0, len(order), size)):
        path = out / f"{shard:04d}.npz"
        if path.exists():
            continue
        if time.time() - began > 60 * args.minutes:
            break
        words += _label_shard(run, forward, tokenizer, prose, order[at : at + size], path)
        run.log.info("shard %d of %d, %.0f words/s", shard, len(order) // size, words / (time.time() - began))


def teacher_forward(run: Run, threads: int = 1) -> tuple[Forward, Tokenizer]:
    """Exports the teacher to int8 once and loads it."""
    return _int8(run.work / "teacher", threads), Tokenizer.from_file(str(run.work / "e5" / "tokenizer.json"))


def minilm_forward(run: Run, threads: int = 1) -> tuple[Forward, Tokenizer]:
    """The same for the fine-tuned MiniLM."""
    folder = minilm.tuned(run)
    return _int8(folder, threads), Tokenizer.from_file(str(folder / "tokenizer.json"))


def _int8(folder: Path, threads: int) -> Forward:
    path = folder / "model.int8.onnx"
    if not path.exists():
        model = BertForTokenClassification.from_pretrained(folder, attn_implementation="eager")
        to_onnx(model, folder / "model.onnx")
        quantize(folder / "model.onnx", path, embeddings=False)
        (folder / "model.onnx").unlink()
    return onnx_forward(path, threads)


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


def shards(run: Run) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yields finished shards: passage numbers, and word probabilities ``(words, 3)`` for each."""
    for path in sorted((run.work / "soft").glob("*.npz")):
        with np.load(path) as stored:
            cuts = np.cumsum(stored["words"])[:-1]
            yield stored["passages"], np.split(stored["probabilities"].astype(np.float32), cuts)


def clipped(text: str) -> str:
    """The part of an unlabelled passage that is used: its first characters, cut at a blank."""
    if len(text) <= MOST_CHARS:
        return text
    cut = text.rfind(" ", MOST_CHARS // 2, MOST_CHARS)
    return text[: cut if cut > 0 else MOST_CHARS]


def _label_shard(
    run: Run, forward: Forward, tokenizer: Tokenizer, prose: list[Prose], which: np.ndarray, path: Path
) -> int:
    texts = [clipped(prose[i].text) for i in which]
    encoded = [encode(tokenizer, t, word_spans(t)) for t in texts]
    scores = score_texts(forward, encoded, run.config["soft_labels"]["window"], 0, SPECIAL, 1024)
    partial = path.with_suffix(".part")
    with partial.open("wb") as stream:
        np.savez_compressed(
            stream,
            passages=which,
            words=np.array([len(s) for s in scores]),
            probabilities=np.concatenate(scores).astype(np.float16),
        )
    partial.replace(path)
    return sum(map(len, scores))


def _label_graded(run: Run, threads: int) -> None:
    """Stores what the teachers say of the graded passages: e5 of all, MiniLM of the English ones, the mean of both.

    Passages that are stored already are not scored again.
    """
    e5, small = teacher_forward(run, threads), minilm_forward(run, threads)
    for name in ("train", "marked"):
        path = run.work / f"soft_{name}.npz"
        views = dict(np.load(path)) if path.exists() else {}
        passages = [p for p in graded(run, name) if p.id not in views]
        english = [p for p in passages if p.lang == "en"]
        views |= zip((p.id for p in passages), _views(run, *e5, SPECIAL, passages), strict=True)
        for p, view in zip(english, _views(run, *small, minilm.SPECIAL, english), strict=True):
            views[p.id] = (views[p.id] + view) / 2
        np.savez_compressed(path, **{key: view.astype(np.float16) for key, view in views.items()})  # type: ignore[arg-type]
        run.log.info("%s: %d passages", name, len(passages))


def _views(
    run: Run, forward: Forward, tokenizer: Tokenizer, ids: Special, passages: Sequence[Passage]
) -> list[np.ndarray]:
    """Word probabilities ``(words, 3)`` of each passage."""
    c = run.config["teacher"]
    encoded = [encode(tokenizer, p.text, p.spans) for p in passages]
    return score_texts(forward, encoded, c["window"], c["overlap"], ids, 1024)


def graded(run: Run, name: str) -> list[Passage]:
    """Returns the graded passages of ``train``, or those of the prose that were ``marked`` for this project."""
    if name == "marked":
        return read_marked(list(read_prose(run.data / "prose_unlabelled.jsonl.xz")))
    return read_passages(run.data / f"{name}.jsonl")


if __name__ == "__main__":
    main()
