"""Exports the calibrated student, checks it against torch and writes the release folder."""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from models.train.align import encode
from models.train.data import MARKED, read_passages
from models.train.export import onnx_forward, quantize, to_onnx
from models.train.metrics import measure
from models.train.scoring import score_texts, scored, torch_forward
from models.train.settings import Run, start, write_json
from models.train.student import load, special

MOST_BYTES = 25_000_000
LEAST_AGREEMENT = 0.99
PACKAGES = ("torch", "transformers", "tokenizers", "optimum", "optimum-onnx", "onnx", "onnxruntime", "numpy")
CANONICAL = (
    "The deploy failed at 14:32 because the database password had expired; please rotate it before Friday.",
    "Well, you know, I think that it is, sort of, basically the same thing as what we said before.",
    "Der Server darf nicht neu gestartet werden, bevor die Sicherung abgeschlossen ist.",
    "北京时间周三上午,公司宣布将在三个月内关闭两座工厂。",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.release")
    parser.add_argument("--name", default="student")
    run, args = start("release", parser)
    source, out = run.work / args.name, run.release
    out.mkdir(parents=True, exist_ok=True)
    (out / "asked.json").unlink(missing_ok=True)  # a direction in the states of the model before
    tokenizer = Tokenizer.from_file(str(run.work / "tokenizer.json"))
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    model = load(source / "calibrated", attention="eager")
    to_onnx(model, source / "model.onnx")
    quantize(source / "model.onnx", out / "model.onnx", kept=run.config["release"]["float32"])
    _write_config(run, model, tokenizer, out)
    found = check(run, source, out, tokenizer)
    found["canonical"] = canonical(run, out)
    write_json(out / "MANIFEST.json", manifest(run, source, out, found))
    run.log.info("released %s: %s", out.name, {k: v for k, v in found.items() if k != "canonical"})


def check(run: Run, source: Path, out: Path, tokenizer: Tokenizer) -> dict[str, Any]:
    """Compares int8 with torch on val and measures quality and speed of the int8 file.

    Raises:
        ValueError: decisions agree too rarely, or the folder is too large.
    """
    c, ids = run.config["student"], special(tokenizer)
    val = read_passages(run.data / "val.jsonl")
    encoded = [encode(tokenizer, p.text, p.spans) for p in val]
    model = torch_forward(load(source / "calibrated").float(), half=False)
    onnx = onnx_forward(out / "model.onnx")
    ours = np.concatenate(score_texts(onnx, encoded, c["window"], c["overlap"], ids))
    reference = np.concatenate(score_texts(model, encoded, c["window"], c["overlap"], ids))
    agreement = float(((ours[:, 1:].sum(1) > 0.5) == (reference[:, 1:].sum(1) > 0.5)).mean())
    size = sum(f.stat().st_size for f in out.iterdir())
    if agreement < LEAST_AGREEMENT or size > MOST_BYTES:
        raise ValueError(f"agreement {agreement:.4f}, {size} bytes")
    rows = scored(onnx, val, encoded, c["window"], c["overlap"], ids)
    return {
        "int8_agreement": round(agreement, 4),
        "int8_mean_difference": round(float(np.abs(ours - reference).mean()), 5),
        "val": {k: round(v, 4) for k, v in measure(rows).items()},
        "tokens_per_cpu_second": round(_speed(onnx, c["window"])),
    }


def canonical(run: Run, folder: Path) -> list[dict[str, Any]]:
    """Logits of a few fixed sentences, which a test and a loader can reproduce."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    forward, ids, out = onnx_forward(folder / "model.onnx"), special(tokenizer), []
    for text in CANONICAL:
        tokens = [ids.bos, *tokenizer.encode(text, add_special_tokens=False).ids, ids.eos]
        logits = forward(np.array([tokens]), np.ones((1, len(tokens)), np.int64))[0]
        out.append({"text": text, "tokens": len(tokens), "logits": np.round(logits, 3).tolist()})
    return out


def manifest(run: Run, source: Path, out: Path, found: dict[str, Any]) -> dict[str, Any]:
    """Describes where the files came from and what they are."""
    files = sorted(f for f in out.iterdir() if f.name != "MANIFEST.json")
    data = ("train.jsonl", "val.jsonl", "prose_unlabelled.jsonl.xz")
    return {
        "version": run.config["version"],
        "files": {f.name: {"sha256": sha256(f), "bytes": f.stat().st_size} for f in files},
        "data": {name: sha256(run.data / name) for name in data} | {MARKED.name: sha256(MARKED)},
        "git_commit": _commit(),
        "seed": run.seed,
        "config": run.config,
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "selection": json.loads((source / "val.json").read_text("utf8")),
        "calibration": json.loads((source / "calibration.json").read_text("utf8")),
        "checks": found,
    }


def sha256(path: Path) -> str:
    """Digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write_config(run: Run, model: Any, tokenizer: Tokenizer, out: Path) -> None:
    c, ids = run.config["student"], special(tokenizer)
    config = model.config.to_dict()
    config["saliency"] = {
        "window": c["window"], "overlap": c["overlap"], "word_score": "mean",
        "bos_token_id": ids.bos, "eos_token_id": ids.eos, "pad_token_id": ids.pad,
        # A word's ranking score is this mix of its class probabilities.
        "rank": [0.0, 0.6, 1.0],
    }  # fmt: skip
    config.pop("_name_or_path", None)  # where it was trained is nobody's business
    write_json(out / "config.json", config)


def _speed(forward: Any, window: int) -> float:
    ids = np.random.default_rng(0).integers(300, 16_000, (4, window))
    mask = np.ones_like(ids)
    forward(ids, mask)
    began = time.process_time()
    for _ in range(10):
        forward(ids, mask)
    return 10 * ids.size / (time.process_time() - began)


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
