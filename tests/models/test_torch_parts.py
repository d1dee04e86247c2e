"""What of the recipe runs in torch: attention written twice, a BERT's weights in a ModernBERT, a deeper student."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
attention = pytest.importorskip("models.train.attention")
convert = pytest.importorskip("models.train.convert")
student = pytest.importorskip("models.train.student")

SIZES = {"layers": 2, "hidden": 32, "intermediate": 64, "heads": 2, "rope_theta": 160000.0}


class Vocabulary:
    """Stands for a tokenizer of 50 tokens."""

    def get_vocab_size(self) -> int:
        return 50


def built(attend: str = "eager", **more: Any) -> Any:
    from models.train.scoring import Special

    torch.manual_seed(1)
    sizes = SIZES | {"global_every": 2, "bias": False} | more
    model = student.build(sizes, Vocabulary(), Special(1, 2, 0)).eval()
    model.config._attn_implementation = attend
    return model


def batch() -> dict[str, Any]:
    torch.manual_seed(2)
    mask = torch.ones(2, 40, dtype=torch.long)
    mask[1, 30:] = 0
    return {"input_ids": torch.randint(3, 50, (2, 40)), "attention_mask": mask}


def test_attention_for_training_gives_what_the_library_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = built()(**batch()).logits
    monkeypatch.setitem(attention.FUNCTIONS, "sdpa", attention.trained)
    found = built("sdpa")(**batch()).logits
    known = batch()["attention_mask"].bool()
    assert torch.allclose(found[known], expected[known], atol=1e-5)


def test_a_deeper_student_begins_where_the_other_ended() -> None:
    shallow, deep = built(), built(layers=4)
    student.warm_start(deep, shallow.state_dict())
    assert torch.allclose(deep(**batch()).logits, shallow(**batch()).logits, atol=1e-6)


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises((ValueError, RuntimeError)):
        student.warm_start(built(), built(bias=True, layers=1).state_dict())


def test_a_converted_bert_says_nearly_the_same() -> None:
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        num_labels=3, max_position_embeddings=256, attn_implementation="eager",
    )  # fmt: skip
    bert = transformers.BertForTokenClassification(config).eval()
    torch.nn.init.zeros_(bert.bert.embeddings.position_embeddings.weight)  # a ModernBERT has none
    model = built(global_every=1, bias=True, rope_theta=1e6)
    texts = torch.randint(3, 50, (40, 60))
    convert.convert(model, bert, texts.tolist(), [0, 1])
    with torch.no_grad():
        offset = convert.token_offset(bert)
        model.get_input_embeddings().weight.copy_(bert.bert.embeddings.word_embeddings.weight + offset)
        wanted = bert(input_ids=texts).logits.flatten(0, 1)
        found = model(input_ids=texts).logits.flatten(0, 1)
    error = ((wanted - found) ** 2).mean(0) / wanted.var(0)
    assert error.max() < 0.2
