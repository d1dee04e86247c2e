"""Writes the model card from the reports and seals the release with the digests of all its files."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from models.train.data import read_prose
from models.train.evaluate import tables
from models.train.release import sha256
from models.train.settings import HERE, Run, start, write_json


def main() -> None:
    run, _ = start("card")
    out = run.release
    manifest = json.loads((out / "MANIFEST.json").read_text("utf8"))
    reports = {
        split: json.loads((run.work / f"report.{split}.json").read_text("utf8"))
        for split in ("test_open", "val")
        if (run.work / f"report.{split}.json").exists()
    }
    (out / "README.md").write_text(card(run, manifest, reports), "utf8")
    files = sorted(f for f in out.iterdir() if f.name != "MANIFEST.json")
    manifest["files"] = {f.name: {"sha256": sha256(f), "bytes": f.stat().st_size} for f in files}
    manifest["report"] = {
        split: {name: found["all"] for name, found in r.items()} for split, r in reports.items()
    }
    write_json(out / "MANIFEST.json", manifest)


def card(run: Run, manifest: dict[str, Any], reports: dict[str, Any]) -> str:
    """Fills the template ``card.md``."""
    c, checks, calibration = run.config["student"], manifest["checks"], manifest["calibration"]
    values = {
        "version": manifest["version"],
        "layers": c["layers"], "hidden": c["hidden"], "intermediate": c["intermediate"], "heads": c["heads"],
        "vocab": run.config["tokenizer"]["vocab_size"], "window": c["window"], "overlap": c["overlap"],
        "megabytes": f"{manifest['files']['model.onnx']['bytes'] / 1e6:.1f}",
        "agreement": f"{100 * checks['int8_agreement']:.1f}",
        "speed": f"{checks['tokens_per_cpu_second']:,}",
        "temperature": f"{calibration['temperature']:.2f}",
        "ece_before": f"{calibration['before']['ece_keep']:.3f}",
        "ece_after": f"{calibration['after']['ece_keep']:.3f}",
        "test_tables": tables(reports["test_open"]) if "test_open" in reports else "not measured yet",
        "val_tables": tables(reports["val"]) if "val" in reports else "not measured yet",
        "sources": sources(run),
    }  # fmt: skip
    text = (HERE / "card.md").read_text("utf8")
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", str(value))
    return text


def sources(run: Run) -> str:
    """Lists every source of the training texts under its licence."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in (run.data / "train.jsonl").read_text("utf8").splitlines():
        row = json.loads(line)
        found[row["licence"]].add(row["source"])
    for p in read_prose(run.data / "prose_unlabelled.jsonl.xz"):
        found[p.licence].add(p.source)
    return "\n".join(
        f"- **{licence}**: {'; '.join(sorted(names))}" for licence, names in sorted(found.items())
    )


if __name__ == "__main__":
    main()
