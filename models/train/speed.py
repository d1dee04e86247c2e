"""Speed and memory of the shipped model beside other sizes, in one run.

    python -m models.train.speed [--windows N] [--keep DIR]

A base-size ModernBERT and a MiniLM-size BERT with random weights stand for what one would run otherwise:
weights do not change what a network costs. All are int8 ONNX, run as the sidecar runs them: one thread, one
window at a time. Each is measured in a process of its own, in turns, and the best turn counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TOKENS_20_KB = 4_860
"""Tokens of 20,000 chars of English prose in the shipped tokenizer; others differ by less than a tenth."""
WINDOW, STEP = 192, 174
"""Tokens of a window with its specials, and new ones in each: windows share 16."""
TURNS = 3
SIZES = {"ModernBERT base, 22 x 768": "modernbert", "MiniLM size, 6 x 384": "bert"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.train.speed")
    parser.add_argument("--windows", type=int, default=6, help="windows of a turn")
    parser.add_argument("--keep", type=Path, help="folder for the exported networks; reused where they are")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(_measure(args.measure, args.windows)))
        return
    folder = args.keep or Path(tempfile.mkdtemp(prefix="speed"))
    folder.mkdir(parents=True, exist_ok=True)
    shipped = Path(__file__).resolve().parents[1] / "saliency-modernbert-v1" / "model.onnx"
    paths = {"shipped": shipped} | {name: _exported(kind, folder) for name, kind in SIZES.items()}
    best: dict[str, dict[str, float]] = {}
    for _ in range(TURNS):
        for name, path in paths.items():
            got = _in_own_process(path, args.windows)
            best[name] = {key: min(value, best.get(name, got)[key]) for key, value in got.items()}
    print(_table(best, paths))


def _in_own_process(path: Path, windows: int) -> dict[str, float]:
    command = [sys.executable, "-m", "models.train.speed", "--measure", str(path), "--windows", str(windows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _measure(path: Path, windows: int) -> dict[str, float]:
    """Returns CPU seconds to load, CPU seconds of a window, most MB of memory."""
    import numpy as np
    import onnxruntime

    begin = time.process_time()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    loaded = time.process_time() - begin
    names = {node.name for node in session.get_inputs()}
    ids = np.random.default_rng(0).integers(5, 20_000, (1, WINDOW))
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    feed = {name: value for name, value in feed.items() if name in names}
    session.run(None, feed)
    spent: list[float] = []
    for _ in range(windows):
        begin = time.process_time()
        session.run(None, feed)
        spent.append(time.process_time() - begin)
    return {"load_s": loaded, "window_s": min(spent), "rss_mb": _resident_mb()}


def _resident_mb() -> float:
    """Returns the most memory this process held; `getrusage` would count the parent's too."""
    status = Path("/proc/self/status").read_text("ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _exported(kind: str, folder: Path) -> Path:
    """Returns the int8 ONNX file of a network with random weights, made once."""
    path = folder / f"{kind}.int8.onnx"
    if not path.exists():
        from models.train.export import quantize, to_onnx

        plain = folder / f"{kind}.onnx"
        to_onnx(_network(kind), plain)
        quantize(plain, path)
        plain.unlink()
    return path


def _network(kind: str) -> Any:
    import transformers

    if kind == "modernbert":
        config = transformers.ModernBertConfig(num_labels=3, attn_implementation="eager")
        return transformers.ModernBertForTokenClassification(config)
    small = transformers.BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        num_labels=3,
        attn_implementation="eager",
    )
    return transformers.BertForTokenClassification(small)


def _table(best: dict[str, dict[str, float]], paths: dict[str, Path]) -> str:
    rows = [
        "| network, int8 | file, MB | load, CPU-s | tokens per CPU-s | 20 KB, CPU-s | beside shipped | peak RSS, MB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    ours = best["shipped"]["window_s"]
    for name, got in best.items():
        size = paths[name].stat().st_size / 1e6
        whole = got["window_s"] * -(-TOKENS_20_KB // STEP)
        rows.append(
            f"| {name} | {size:.1f} | {got['load_s']:.2f} | {WINDOW / got['window_s']:,.0f} | {whole:.2f} "
            f"| {got['window_s'] / ours:.1f} x | {got['rss_mb']:.0f} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    main()
