"""Cross-validation over sources: how a student does on sources of which it never saw a graded word.

Single languages have few passages in val and test_open; here every graded passage is scored by a student that was
trained without its source. The teachers saw the grades of train, so nothing of theirs is used: each of these
students learns from e5's word vectors, the marked passages and the other folds' grades alone, with a tenth of the
released one's computing. What is found is a lower bound of the recipe, not a measure of the released weights.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from models.train import attention, embeddings
from models.train.data import LANGUAGE_GROUPS, Passage, graded
from models.train.evaluate import by_encoder
from models.train.learner import GRADERS, MARKERS, Learner
from models.train.metrics import Scored, bootstrap, by_group, measure
from models.train.scoring import torch_forward
from models.train.settings import Run, start
from models.train.student import build, special
from models.train.training import Example, Plan, Trainer, graded_examples

SPLITS = ("train", "val", "test_open")
_PART = re.compile(r"(#.*| \(?[a-z]{2}(-[a-z]{2})?\)?)$")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.crossval")
    parser.add_argument("--fold", type=int, help="train without this fold and score it")
    parser.add_argument("--minutes", type=float, help="wall time of that training")
    run, args = start("crossval", parser)
    passages = [p for split in SPLITS for p in graded(run.data, split)]
    folds = assign(passages, run.config["crossval"]["folds"])
    folder = run.work / "crossval"
    folder.mkdir(exist_ok=True)
    if args.fold is not None:
        attention.install_for_training()
        score_fold(run, passages, folds == args.fold, folder / f"{args.fold}.npz", args.minutes)
    report(run, passages, folds, folder)


def assign(passages: Sequence[Passage], folds: int) -> np.ndarray:
    """Gives every source to one fold, within each group of languages the largest first to the smallest fold.

    Returns:
        The fold of each passage, ``(passages,)``.
    """
    groups: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for p in passages:
        groups[LANGUAGE_GROUPS[p.lang]][stem(p.source)] += 1
    of = {}
    for sources in groups.values():
        filled = [0] * folds
        for source, count in sorted(sources.items(), key=lambda s: (-s[1], s[0])):
            of.setdefault(source, int(np.argmin(filled)))
            filled[of[source]] += count
    return np.array([of[stem(p.source)] for p in passages])


def stem(source: str) -> str:
    """A source without the part of it or the language that a passage is from.

    >>> stem("github.com/OWASP/Top10 zh-tw"), stem("Debian apache2-doc (fr)"), stem("github.com/curl/curl#docs")
    ('github.com/OWASP/Top10', 'Debian apache2-doc', 'github.com/curl/curl')
    """
    return _PART.sub("", source)


def score_fold(run: Run, passages: list[Passage], held: np.ndarray, out: Path, minutes: float | None) -> None:
    """Trains a student without the held passages and stores its scores of them, word by word."""
    c = run.config["student"] | run.config["crossval"]
    tokenizer = Tokenizer.from_file(str(run.work / "tokenizer.json"))
    ids = special(tokenizer)

    def cut(some: Sequence[Passage], taste: int) -> list[Example]:
        found = []
        for p in some:
            copies = c["repeat_other"] if taste == GRADERS and p.lang != "en" else 1
            found += copies * graded_examples(tokenizer, p, c["window"], ids, taste)
        return found

    known = [p for p, h in zip(passages, held, strict=True) if not h]
    sources = {stem(p.source) for p, h in zip(passages, held, strict=True) if h}
    marked = [p for p in graded(run.data, "marked") if stem(p.source) not in sources]
    items = c["repeat"]["train"] * cut(known, GRADERS) + cut(marked, MARKERS)
    model = build(c, tokenizer, ids)
    embeddings.from_e5(model, tokenizer, run.work / "e5")
    averaged = model

    def on_epoch(_: int, core: torch.nn.Module) -> None:
        nonlocal averaged
        averaged = core

    plan = Plan(
        c["epochs"], c["learning_rate"], c["weight_decay"], c["warmup"], c["batch_tokens"], c["ema"],
        run.seed, minutes,
    )  # fmt: skip
    Trainer(Learner(model), plan, ids.pad, run.log, out.with_suffix(".ckpt")).fit(items, on_epoch)
    unseen = [p for p, h in zip(passages, held, strict=True) if h]
    rows = by_encoder(torch_forward(averaged), tokenizer, unseen, c, ids)
    np.savez(out, **{p.id: row.score for p, row in zip(unseen, rows, strict=True)})


def report(run: Run, passages: list[Passage], folds: np.ndarray, folder: Path) -> None:
    """Logs what the folds that are there found, by language; the interval is of passages drawn anew."""
    rows: dict[str, list[Scored]] = defaultdict(list)
    for fold in np.unique(folds):
        path = folder / f"{fold}.npz"
        if not path.exists():
            run.log.info("fold %d: not yet", fold)
            continue
        with np.load(path) as stored:
            scored_here = [
                Scored(np.array(p.grade), stored[p.id], p.lang, p.genre)
                for p, f in zip(passages, folds, strict=True)
                if f == fold
            ]
        for group, members in by_group(scored_here, lambda s: LANGUAGE_GROUPS[s.lang]).items():
            rows[group] += members
        rows["all"] += scored_here
    for group, members in rows.items():
        found, interval = measure(members), bootstrap(members)["auc_keep"]
        run.log.info(
            "%s n=%d auc_keep %.3f (%.3f-%.3f) auc_core %.3f",
            group, len(members), found["auc_keep"], *interval, found["auc_core"],
        )  # fmt: skip


if __name__ == "__main__":
    main()
