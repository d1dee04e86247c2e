"""The released model is whole, small, runs, and still says what it said when it was released."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

RELEASE = Path(__file__).resolve().parents[2] / "models" / "saliency-modernbert-v1"
NAMES = {"model.onnx", "tokenizer.json", "config.json", "README.md", "MANIFEST.json", "asked.json"}
# int8 kernels differ a little between processors.
TOLERANCE = 0.05


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RELEASE / "MANIFEST.json").read_text("utf8"))
    return found


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RELEASE / "config.json").read_text("utf8"))
    return found


@pytest.fixture(scope="module")
def session() -> Any:
    onnxruntime = pytest.importorskip("onnxruntime")
    return onnxruntime.InferenceSession(str(RELEASE / "model.onnx"), providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(RELEASE / "tokenizer.json"))


def kept(logits: Any) -> Any:
    """P(kept) per token from logits ``(tokens, 3)``."""
    import numpy as np

    e = np.exp(logits - logits.max(-1, keepdims=True))
    return 1 - e[..., 0] / e.sum(-1)


def run(session: Any, ids: list[list[int]], mask: list[list[int]]) -> Any:
    import numpy as np

    feed = {"input_ids": np.array(ids, np.int64), "attention_mask": np.array(mask, np.int64)}
    return session.run(["logits"], feed)[0]


def test_every_file_has_the_digest_of_the_manifest(manifest: dict[str, Any]) -> None:
    assert {f.name for f in RELEASE.iterdir()} == NAMES
    assert set(manifest["files"]) == NAMES - {"MANIFEST.json"}
    for name, entry in manifest["files"].items():
        assert hashlib.sha256((RELEASE / name).read_bytes()).hexdigest() == entry["sha256"], name


def test_folder_is_at_most_25_megabytes() -> None:
    assert sum(f.stat().st_size for f in RELEASE.iterdir()) <= 25_000_000


def test_config_names_what_a_runtime_needs(config: dict[str, Any]) -> None:
    assert config["id2label"] == {"0": "drop", "1": "keep", "2": "core"}
    saliency = config["saliency"]
    assert saliency["window"] > 2 * saliency["overlap"] > 0
    assert saliency["word_score"] == "mean"
    assert len({saliency[f"{name}_token_id"] for name in ("bos", "eos", "pad")}) == 3


def test_release_recorded_int8_agreement(manifest: dict[str, Any]) -> None:
    assert manifest["checks"]["int8_agreement"] >= 0.99


def test_canonical_scores_are_reproduced(
    manifest: dict[str, Any], config: dict[str, Any], session: Any, tokenizer: Any
) -> None:
    np = pytest.importorskip("numpy")
    bos, eos = config["saliency"]["bos_token_id"], config["saliency"]["eos_token_id"]
    for case in manifest["checks"]["canonical"]:
        ids = [bos, *tokenizer.encode(case["text"], add_special_tokens=False).ids, eos]
        assert len(ids) == case["tokens"]
        logits = run(session, [ids], [[1] * len(ids)])
        assert np.abs(kept(logits[0]) - kept(np.array(case["logits"]))).max() < TOLERANCE


def test_padding_changes_nothing(config: dict[str, Any], session: Any, tokenizer: Any) -> None:
    np = pytest.importorskip("numpy")
    pad = config["saliency"]["pad_token_id"]
    ids = tokenizer.encode("Restart the worker only after the queue is empty.", add_special_tokens=False).ids
    n, extra = len(ids), 20
    alone = run(session, [ids], [[1] * n])
    padded = run(session, [ids + [pad] * extra], [[1] * n + [0] * extra])
    assert np.abs(kept(alone[0]) - kept(padded[0, :n])).max() < TOLERANCE


def test_filler_scores_below_facts(config: dict[str, Any], session: Any, tokenizer: Any) -> None:
    text = "Well, you know, basically the migration of the billing database failed at 14:32 with error 1205."
    encoding = tokenizer.encode(text, add_special_tokens=False)
    bos, eos = config["saliency"]["bos_token_id"], config["saliency"]["eos_token_id"]
    score = kept(run(session, [[bos, *encoding.ids, eos]], [[1] * (len(encoding.ids) + 2)])[0])[1:-1]

    def mean_of(part: str) -> float:
        a = text.index(part)
        return float(score[[a <= s < a + len(part) for s, _ in encoding.offsets]].mean())

    assert mean_of("database failed") > mean_of("you know, basically") + 0.2


@pytest.mark.parametrize("text", ["", "\n", "🙂", "\ud7ff", "é" * 300, "漢字かな混じり文", "שלום עולם"])
def test_any_text_is_tokenized_without_loss(tokenizer: Any, text: str) -> None:
    encoding = tokenizer.encode(text, add_special_tokens=False)
    assert tokenizer.decode(encoding.ids) == text


def test_cjk_characters_have_tokens_of_their_own(tokenizer: Any) -> None:
    text = "我们在北京の会議、API v2。"
    for start, end in tokenizer.encode(text, add_special_tokens=False).offsets:
        assert end - start == 1 or text[start:end].strip().isascii()
