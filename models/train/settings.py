"""Configuration, folders, seeds and logging shared by all stages."""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Run:
    """One invocation of a stage.

    Attributes:
        config: the parsed ``config.toml``.
        data: folder with train.jsonl, val.jsonl, test_open.jsonl and the unlabelled prose.
        work: folder for checkpoints and intermediate files, outside the repository.
        log: logger that writes to stderr and to ``work/<stage>.log``.
    """

    config: dict[str, Any]
    data: Path
    work: Path
    log: logging.Logger

    @property
    def seed(self) -> int:
        """Seed of every random choice."""
        return int(self.config["seed"])

    @property
    def release(self) -> Path:
        """Folder of the released model, ``models/<version>``."""
        return HERE.parent / str(self.config["version"])


def start(stage: str, parser: argparse.ArgumentParser | None = None) -> tuple[Run, argparse.Namespace]:
    """Parses the command line, sets seeds and threads and opens the log."""
    parser = parser or argparse.ArgumentParser(prog=f"python -m models.train.{stage}")
    parser.add_argument("--config", type=Path, default=HERE / "config.toml")
    parser.add_argument("--data", type=Path, default=os.environ.get("TOKENJUICE_DATA"))
    parser.add_argument("--work", type=Path, default=os.environ.get("TOKENJUICE_TRAIN", "tj-train"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="STAGE.NAME=VALUE",
                        help="change one number of the configuration; the value is written as in it")  # fmt: skip
    args = parser.parse_args()
    if args.data is None:
        parser.error("name the data folder: --data DIR or TOKENJUICE_DATA=DIR")
    config = changed(tomllib.loads(args.config.read_text("utf8")), args.set)
    args.work.mkdir(parents=True, exist_ok=True)
    run = Run(config, Path(args.data), args.work, _logger(stage, args.work))
    _seed_everything(run.seed, args.threads)
    return run, args


def changed(config: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Returns the configuration with some values changed, each given as ``stage.name=value`` in TOML.

    Raises:
        ValueError: there is no such value to change.

    >>> changed({"student": {"repeat": {"train": 2}, "layers": 6}}, ["student.repeat={}"])
    {'student': {'repeat': {}, 'layers': 6}}
    """
    for change in changes:
        for stage, values in tomllib.loads(change).items():
            for name, value in values.items():
                if name not in config.get(stage, {}):
                    raise ValueError(f"{change!r}: the configuration has no {stage}.{name}")
                config = config | {stage: config[stage] | {name: value}}
    return config


def write_json(path: Path, value: object) -> None:
    """Writes JSON through a temporary file, so that a killed run leaves no half file."""
    partial = path.with_suffix(path.suffix + ".part")
    partial.write_text(json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf8")
    partial.replace(path)


def _logger(stage: str, work: Path) -> logging.Logger:
    log = logging.getLogger(f"models.train.{stage}")
    # Of several processes that train together only the first one speaks.
    log.setLevel(logging.INFO if os.environ.get("RANK", "0") == "0" else logging.ERROR)
    layout = logging.Formatter("%(asctime)s %(message)s")
    for handler in (logging.StreamHandler(sys.stderr), logging.FileHandler(work / f"{stage}.log")):
        handler.setFormatter(layout)
        log.addHandler(handler)
    return log


def _seed_everything(seed: int, threads: int) -> None:
    import numpy as np
    import torch

    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
