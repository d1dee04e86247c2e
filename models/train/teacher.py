"""Fine-tunes the multilingual teacher on the graded passages, and on the marked ones beside them.

Word embeddings stay frozen: 96 of the 118 million parameters sit there, most pieces never
occur in the labelled passages, and training the others would pull languages apart.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import BertForTokenClassification

from models.train import e5
from models.train.align import Encoded, encode
from models.train.data import LANGUAGE_GROUPS, Passage, graded, read_passages
from models.train.learner import TASTES, Learner
from models.train.metrics import by_group, measure
from models.train.scoring import CLASSES, Forward, Special, scored, torch_forward
from models.train.settings import Run, start, write_json
from models.train.training import Example, Plan, Trainer, graded_examples

# Ids in the e5 vocabulary: <s>, </s>, <pad>.
SPECIAL = Special(bos=0, eos=2, pad=1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.teacher")
    parser.add_argument("--minutes", type=float, help="wall time; the learning rate then falls with the time")
    run, args = start("teacher", parser)
    base = run.work / "e5"
    if not (base / "tokenizer.json").exists():
        e5.unpack(base)
    fine_tune(run, base, run.work / "teacher", run.config["teacher"], SPECIAL, args.minutes)


def fine_tune(
    run: Run, base: Path, out: Path, c: dict[str, Any], special: Special, minutes: float | None = None
) -> None:
    """Trains a BERT encoder on the graded passages; the epoch that is best on val stays.

    Args:
        run: where data and log are.
        base: folder with the encoder and its tokenizer.json.
        out: folder for the best weights; the checkpoint lies beside it.
        c: the stage's part of the configuration.
        special: ids of the special tokens of that encoder.
        minutes: wall time after which training ends.
    """
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    model = _model(base, c)
    train = _examples(run, tokenizer, c, special)
    val = read_passages(run.data / "val.jsonl")
    encoded = [encode(tokenizer, p.text, p.spans) for p in val]
    best = {"score": 0.0}

    def on_epoch(epoch: int, averaged: Any) -> None:
        found = report(run, torch_forward(averaged), val, encoded, c, special)
        if found["auc_keep"] + found["auc_core"] > best["score"]:
            best["score"] = found["auc_keep"] + found["auc_core"]
            averaged.save_pretrained(out)
            write_json(out / "val.json", {"epoch": epoch, **found})

    names = ("epochs", "learning_rate", "weight_decay", "warmup", "batch_tokens", "ema")
    plan = Plan(**{name: c[name] for name in names}, seed=run.seed, minutes=minutes)
    Trainer(Learner(model), plan, special.pad, run.log, out.with_suffix(".ckpt")).fit(train, on_epoch)
    tokenizer.save(str(out / "tokenizer.json"))


def _model(base: Path, c: dict[str, Any]) -> BertForTokenClassification:
    # Dropout inside the encoder costs a third of the time on a CPU; averaging the weights does its work.
    model = BertForTokenClassification.from_pretrained(
        base,
        num_labels=CLASSES,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=0.1,
    )
    model.bert.embeddings.requires_grad_(not c["frozen_embeddings"])
    for layer in model.bert.encoder.layer[: c["frozen_layers"]]:
        layer.requires_grad_(False)
    return model


def report(
    run: Run,
    forward: Forward,
    val: list[Passage],
    encoded: list[Encoded],
    c: dict[str, Any],
    special: Special,
) -> dict[str, float]:
    """Measures a model on val, logs it by language group and returns the overall metrics."""
    rows = scored(forward, val, encoded, c["window"], c["overlap"], special)
    found = measure(rows)
    run.log.info("val %s", " ".join(f"{k} {v:.4f}" for k, v in found.items()))
    for group, members in by_group(rows, lambda s: LANGUAGE_GROUPS[s.lang]).items():
        run.log.info("val %s n=%d auc_keep %.4f auc_core %.4f", group, len(members),
                     measure(members)["auc_keep"], measure(members)["auc_core"])  # fmt: skip
    return found


def _examples(run: Run, tokenizer: Tokenizer, c: dict[str, Any], special: Special) -> list[Example]:
    out = []
    for name, copies in c["repeat"].items():
        for p in graded(run.data, name):
            if p.lang == "en" or c["all_languages"]:
                out += copies * graded_examples(tokenizer, p, c["window"], special, TASTES[name])
    return out


if __name__ == "__main__":
    main()
