"""Trains the student's byte-level BPE tokenizer.

No text is unknown to it, case is kept, and a CJK character never shares a token with its
neighbour, so each CJK word has tokens of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.train.data import CJK_CLASS, read_passages, read_prose
from models.train.settings import Run, start

BOS, EOS, PAD = "[BOS]", "[EOS]", "[PAD]"


def main() -> None:
    run, _ = start("tokenizer")
    tokenizer = train(run)
    path = run.work / "tokenizer.json"
    tokenizer.save(str(path))
    for lang, text in _samples(run).items():
        n = len(tokenizer.encode(text, add_special_tokens=False).ids)
        run.log.info("%s: %.2f characters per token", lang, len(text) / n)


def train(run: Run) -> Tokenizer:
    """Trains on the labelled training texts and a language-balanced sample of the prose."""
    c = run.config["tokenizer"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CJK_CLASS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=c["vocab_size"],
        special_tokens=[PAD, BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(run, c["max_chars"]), trainer)
    return tokenizer


def _texts(run: Run, max_chars: dict[str, int]) -> Iterator[str]:
    """Yields texts up to each language's limit; a small language is repeated to reach it."""
    yield from (p.text for p in read_passages(run.data / "train.jsonl"))
    by_lang: dict[str, list[str]] = defaultdict(list)
    taken: dict[str, int] = defaultdict(int)
    for p in read_prose(run.data / "prose_unlabelled.jsonl.xz"):
        # Sources stand in blocks: taking every fifth English passage sees all of them.
        taken[p.lang] += 1
        if p.lang != "en" or taken[p.lang] % 5 == 0:
            by_lang[p.lang].append(p.text)
    for lang, texts in by_lang.items():
        yield from _fill(texts, max_chars.get(lang, max_chars["other"]))


def _fill(texts: list[str], limit: int, most_copies: int = 4) -> Iterator[str]:
    done = 0
    for _ in range(most_copies):
        for text in texts:
            if done >= limit:
                return
            done += len(text)
            yield text


def _samples(run: Run) -> dict[str, str]:
    out: dict[str, Any] = defaultdict(str)
    for p in read_passages(run.data / "train.jsonl"):
        out[p.lang] += p.text
    return out


if __name__ == "__main__":
    main()
