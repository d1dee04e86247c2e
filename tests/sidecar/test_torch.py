"""Checkpoints in transformers form: a trained head, a foreign head, a bare encoder, a head without weights."""

from __future__ import annotations

import time

import pytest

torch = pytest.importorskip("torch", reason="needs the package torch: pip install 'tokenjuice-ml[ml,torch]'")
transformers = pytest.importorskip("transformers", reason="needs the package transformers")

import numpy as np  # noqa: E402

from sidecar.runtime import LoadError, OutOfTime, load  # noqa: E402
from sidecar.torch_network import STRIDE, masked_rows  # noqa: E402
from tokenjuice_ml.saliency.units import word_spans  # noqa: E402

TEXT = "The pump did not start at 12:30. 東京 is far away. " * 30


@pytest.fixture(scope="module")
def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"]
    inner = Tokenizer(models.BPE(vocab={piece: i for i, piece in enumerate([*names, *alphabet])}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        unk_token="[UNK]",
    )  # fmt: skip


def config(tokenizer, **more):
    return transformers.ModernBertConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=128, pad_token_id=0, cls_token_id=1, sep_token_id=2,
        attn_implementation="eager", **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory, tokenizer):
    torch.manual_seed(1)
    root = tmp_path_factory.mktemp("hub")
    makers = {
        "classifier": transformers.ModernBertForTokenClassification(
            config(tokenizer, id2label={0: "drop", 1: "keep"}, label2id={"drop": 0, "keep": 1})
        ),
        "masked": transformers.ModernBertForMaskedLM(config(tokenizer)),
        "encoder": transformers.ModernBertModel(config(tokenizer)),
    }
    for name, model in makers.items():
        model.save_pretrained(root / name)
        tokenizer.save_pretrained(root / name)
    return root


def check(scorer) -> list[float]:
    (scores,) = scorer.scores(TEXT)
    assert len(scores) == len(word_spans(TEXT))
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scorer.scores(TEXT) == [scores]
    return scores


def test_a_trained_head_is_used(checkpoints):
    scorer = load(str(checkpoints / "classifier"), "auto")
    assert scorer.network.label == "torch"
    assert scorer.device in ("cpu", "cuda", "mps")
    check(scorer)


def test_a_bare_masked_model_goes_by_surprisal(checkpoints):
    scorer = load(str(checkpoints / "masked"))
    assert scorer.network.label == "surprisal"
    assert len(set(check(scorer))) > 10


def test_a_head_without_weights_is_never_used(checkpoints, tokenizer, tmp_path):
    """A masked model whose config claims a token head: the head would be random."""
    claims = transformers.ModernBertForMaskedLM.from_pretrained(checkpoints / "masked")
    claims.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(path.read_text().replace("ModernBertForMaskedLM", "ModernBertForTokenClassification"))
    assert load(str(tmp_path)).network.label == "surprisal"


def test_an_encoder_without_any_head_is_refused(checkpoints):
    with pytest.raises(LoadError, match="neither a trained token head nor a trained language model head"):
        load(str(checkpoints / "encoder"))


def test_an_unknown_hub_id_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(LoadError, match="hf download someone/some-model"):
        load("someone/some-model")


def test_a_hub_id_in_the_local_cache(checkpoints, monkeypatch, tmp_path):
    snapshot = tmp_path / "models--someone--tiny" / "snapshots" / "0123"
    snapshot.parent.mkdir(parents=True)
    (tmp_path / "models--someone--tiny" / "refs").mkdir()
    (tmp_path / "models--someone--tiny" / "refs" / "main").write_text("0123")
    snapshot.symlink_to(checkpoints / "classifier")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    hub = pytest.importorskip("transformers.utils.hub")
    for name in ("TRANSFORMERS_CACHE", "PYTORCH_TRANSFORMERS_CACHE"):
        if hasattr(hub, name):
            monkeypatch.setattr(hub, name, str(tmp_path))
    check(load("someone/tiny"))


def test_a_deadline_is_kept(checkpoints):
    scorer = load(str(checkpoints / "masked"))
    with pytest.raises(OutOfTime):
        scorer.scores(TEXT * 50, time.monotonic() + 0.05)


def test_every_word_is_masked_exactly_once():
    ids = np.arange(100, 140)
    words = np.repeat(np.arange(10), 4)
    rows, masks = masked_rows(ids, words, 3)
    assert rows.shape == (STRIDE, 40)
    assert (masks.sum(axis=0) == 1).all()
    for row, mask in zip(rows, masks, strict=True):
        assert (row[mask] == 3).all()
        assert (row[~mask] == ids[~mask]).all()
        assert len({int(w) for w in words[mask]} & {int(w) for w in words[~mask]}) == 0
