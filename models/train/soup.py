"""Averages the weights of two students, the second of which was trained on from the first.

    python -m models.train.soup FIRST SECOND --name NAME

Both lie in one valley of the loss, and between them it is a little deeper: what the first knew and the second
forgot is half kept (model soups, Wortsman et al. 2022). Layers that only the second has add half of what they added.
"""

from __future__ import annotations

import argparse

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from models.train.settings import start, write_json
from models.train.student import Student, build, special


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.soup")
    parser.add_argument("first", help="the one the second was started from")
    parser.add_argument("second")
    parser.add_argument("--name", required=True, help="name of the mean")
    run, args = start("soup", parser)
    first, second = (
        load_file(run.work / name / "best" / "model.safetensors") for name in (args.first, args.second)
    )
    tokenizer = Tokenizer.from_file(str(run.work / "tokenizer.json"))
    model = build(run.config["student"], tokenizer, special(tokenizer))
    model.load_state_dict(mean(first, second))
    found = Student(run, args).measured(args.name, model.eval())
    model.save_pretrained(run.work / args.name / "best")
    write_json(run.work / args.name / "val.json", {"after": f"{args.first} + {args.second}", **found})


def mean(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Returns the mean of two sets of weights; a layer that the first lacks counts there as one that adds nothing."""
    out = {}
    for name, weight in second.items():
        if name in first:
            out[name] = (first[name] + weight) / 2
        else:
            out[name] = weight / 2 if ".Wo." in name else weight
    return out


if __name__ == "__main__":
    main()
