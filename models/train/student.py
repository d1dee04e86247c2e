"""Trains the ModernBERT student on what the teachers say of the prose, with the graded passages among it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertForTokenClassification, ModernBertConfig, ModernBertForTokenClassification

from models.train import attention, convert, embeddings, minilm, states
from models.train.align import encode
from models.train.data import LANGUAGE_GROUPS, graded, read_passages, word_spans
from models.train.learner import GRADERS, TASTES, Learner
from models.train.metrics import by_group, measure
from models.train.scoring import CLASSES, Special, scored, torch_forward
from models.train.settings import Run, start, write_json
from models.train.soft_labels import clipped, read, selected_prose, shards
from models.train.tokenizer import BOS, EOS, PAD
from models.train.training import Example, Plan, Trainer, examples, grades_to_targets

# The conversion fits a few hundred numbers a feature: some ten thousand words do.
CALIBRATION_TEXTS = 260
LABELS = {0: "drop", 1: "keep", 2: "core"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.student")
    parser.add_argument("--name", default="student", help="name of the checkpoint, for ablations")
    parser.add_argument("--minutes", type=float, help="wall time for the soft phase; the schedule adapts")
    parser.add_argument("--minutes-true", type=float, help="the same for the phase on graded passages")
    parser.add_argument("--init", choices=("e5", "minilm", "random"), default="e5")
    parser.add_argument(
        "--warm-start", help="name of a finished student whose best weights this one starts from"
    )
    parser.add_argument("--no-soft", action="store_true", help="train on the graded passages alone")
    parser.add_argument("--most-shards", type=int, default=10**9)
    run, args = start("student", parser)
    attention.install_for_training()
    Student(run, args).train()


class Student:
    """The two training phases of one student and its selection on val."""

    def __init__(self, run: Run, args: argparse.Namespace) -> None:
        self.run, self.args, self.config = run, args, run.config["student"]
        self.folder = run.work / args.name
        self.folder.mkdir(exist_ok=True)
        self.tokenizer = Tokenizer.from_file(str(run.work / "tokenizer.json"))
        self.special = special(self.tokenizer)
        self.val = read_passages(run.data / "val.jsonl")
        self.val_encoded = [encode(self.tokenizer, p.text, p.spans) for p in self.val]
        self.best = 0.0

    def train(self) -> None:
        """Runs both phases; each resumes from its own checkpoint."""
        c = self.config
        model = build(c, self.tokenizer, self.special)
        resumed = (self.folder / "soft.ckpt").exists()
        if self.args.warm_start and not resumed:
            weights = self.run.work / self.args.warm_start / "best" / "model.safetensors"
            warm_start(model, load_file(weights))
        elif self.args.init == "e5" and not resumed:
            embeddings.from_e5(model, self.tokenizer, self.run.work / "e5")
        elif self.args.init == "minilm" and not resumed:
            self._from_minilm(model)
        self.run.log.info(
            "%s: %.2f M parameters", self.args.name, sum(p.numel() for p in model.parameters()) / 1e6
        )
        true = self._true_examples()
        if not self.args.no_soft:
            soft = self._soft_examples()
            self.run.log.info("%d soft windows, %d true ones", len(soft), len(true))
            self._fit(model, soft + true, "soft", c["epochs_soft"], c["learning_rate"], self.args.minutes)
        if c["epochs_true"]:
            self._fit(model, true, "true", c["epochs_true"], c["learning_rate_true"], self.args.minutes_true)

    def _from_minilm(self, model: Any) -> None:
        folder = minilm.tuned(self.run)
        bert = BertForTokenClassification.from_pretrained(folder, attn_implementation="eager").eval()
        pieces = Tokenizer.from_file(str(folder / "tokenizer.json"))
        english = [p.text for p in read_passages(self.run.data / "train.jsonl") if p.lang == "en"]
        texts = [pieces.encode(text).ids[: self.config["window"]] for text in english[:CALIBRATION_TEXTS]]
        convert.convert(model, bert, texts, self.config["from_layers"])
        embeddings.from_minilm(model, self.tokenizer, bert, pieces, self.run.work / "e5")

    def _fit(
        self,
        model: Any,
        items: Sequence[Example],
        phase: str,
        epochs: int,
        rate: float,
        minutes: float | None,
    ) -> None:
        c = self.config
        plan = Plan(
            epochs, rate, c["weight_decay"], c["warmup"], c["batch_tokens"], c["ema"], self.run.seed, minutes
        )
        checkpoint = self.folder / f"{phase}.ckpt"

        def on_epoch(epoch: int, averaged: Any) -> None:
            self._keep_if_best(f"{phase} {epoch}", averaged)
            torch.save(averaged.state_dict(), self.folder / f"{phase}.averaged.pt")

        learner = Learner(model, states.WIDTH, tuple(c["states_weight"]))
        Trainer(learner, plan, self.special.pad, self.run.log, checkpoint).fit(items, on_epoch)
        # The next phase goes on from the averaged weights, which score better than the last step's.
        model.load_state_dict(torch.load(self.folder / f"{phase}.averaged.pt", weights_only=True))

    def _keep_if_best(self, name: str, averaged: Any) -> None:
        found = self.measured(name, averaged)
        if found["auc_keep"] + found["auc_core"] > self.best:
            self.best = found["auc_keep"] + found["auc_core"]
            averaged.save_pretrained(self.folder / "best")
            write_json(self.folder / "val.json", {"after": name, **found})

    def measured(self, name: str, averaged: Any) -> dict[str, float]:
        """Measures a model on val and logs it, by language group as well."""
        rows = scored(
            torch_forward(averaged),
            self.val,
            self.val_encoded,
            self.config["window"],
            self.config["overlap"],
            self.special,
        )
        found = measure(rows)
        self.run.log.info(
            "%s %s val %s", self.args.name, name, " ".join(f"{k} {v:.4f}" for k, v in found.items())
        )
        for group, members in by_group(rows, lambda s: LANGUAGE_GROUPS[s.lang]).items():
            self.run.log.info("  %s n=%d keep %.4f core %.4f", group, len(members),
                              measure(members)["auc_keep"], measure(members)["auc_core"])  # fmt: skip
        return found

    def _true_examples(self) -> list[Example]:
        """Graded passages; the teachers' view is mixed in: they know where a grade was a matter of taste."""
        out: list[Example] = []
        for name, copies in self.config["repeat"].items():
            taste = TASTES[name]
            path, views = self.run.work / f"soft_{name}.npz", {}
            if path.exists() and not self.args.no_soft:
                views = dict(zip(*read(path), strict=True))
            for p in graded(self.run.data, name):
                targets, seen = grades_to_targets(p.grade), None
                if p.id in views:
                    seen = views[p.id].states
                    # Of the markers' taste the teachers say nothing: theirs is the graders'.
                    if taste == GRADERS:
                        share = self.config["soft_share"]
                        targets = (1 - share) * targets + share * views[p.id].probabilities
                out += self._windows(p.text, p.spans, targets, taste, seen) * (copies * self._copies(p.lang))
        return out

    def _soft_examples(self) -> list[Example]:
        prose, _ = selected_prose(self.run)
        out: list[Example] = []
        for number, (which, views) in enumerate(shards(self.run)):
            if number >= self.args.most_shards:
                break
            for i, view in zip(which, views, strict=True):
                text = clipped(prose[i].text)
                cut = self._windows(text, word_spans(text), view.probabilities, GRADERS, view.states)
                out += cut * self._copies(prose[i].lang)
        return out

    def _copies(self, lang: str) -> int:
        return 1 if lang == "en" else int(self.config["repeat_other"])

    def _windows(
        self,
        text: str,
        spans: list[tuple[int, int]],
        targets: np.ndarray,
        taste: int,
        seen: np.ndarray | None,
    ) -> list[Example]:
        encoded = encode(self.tokenizer, text, spans)
        return examples(encoded, targets, self.config["window"], self.special, taste, seen)


def special(tokenizer: Tokenizer) -> Special:
    """Looks up the ids of the special tokens."""
    return Special(tokenizer.token_to_id(BOS), tokenizer.token_to_id(EOS), tokenizer.token_to_id(PAD))


def build(c: dict[str, Any], tokenizer: Tokenizer, ids: Special) -> ModernBertForTokenClassification:
    """Makes an untrained student of the configured size."""
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=c["hidden"], intermediate_size=c["intermediate"],
        num_hidden_layers=c["layers"], num_attention_heads=c["heads"], max_position_embeddings=2048,
        global_attn_every_n_layers=c["global_every"], local_attention=128, global_rope_theta=c["rope_theta"],
        attention_bias=c["bias"], mlp_bias=c["bias"], norm_bias=c["bias"], classifier_bias=c["bias"],
        pad_token_id=ids.pad, bos_token_id=ids.bos,
        eos_token_id=ids.eos, cls_token_id=ids.bos, sep_token_id=ids.eos, classifier_dropout=0.1,
        num_labels=CLASSES, id2label=LABELS, label2id={v: k for k, v in LABELS.items()},
        reference_compile=False, attn_implementation="sdpa",
    )  # fmt: skip
    return ModernBertForTokenClassification(config)


@torch.no_grad()
def warm_start(model: Any, weights: dict[str, torch.Tensor]) -> None:
    """Takes over a student's weights; layers it does not have yet begin by adding nothing to its stream.

    Raises:
        ValueError: the weights are those of another shape of student.
    """
    missing, unexpected = model.load_state_dict(weights, strict=False)
    layers = {int(name.split(".")[2]) for name in missing if name.startswith("model.layers.")}
    if unexpected or any(not name.startswith("model.layers.") for name in missing):
        raise ValueError(f"the weights do not fit: {unexpected or missing}")
    for number in layers:
        layer = model.model.layers[number]
        layer.attn.Wo.weight.zero_()
        layer.mlp.Wo.weight.zero_()


def load(folder: Path, attention: str = "sdpa") -> ModernBertForTokenClassification:
    """Loads a trained student for scoring."""
    return ModernBertForTokenClassification.from_pretrained(folder, attn_implementation=attention).eval()


if __name__ == "__main__":
    main()
