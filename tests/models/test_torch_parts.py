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


def windows_of(taste: int, seen: bool) -> list[Any]:
    import numpy as np

    from models.train.training import Example

    rng = np.random.default_rng(3)
    ids, word = rng.integers(3, 50, 12), np.repeat(np.arange(6), 2)
    states = rng.integers(-127, 128, (6, 4)).astype(np.int8) if seen else None
    targets = np.eye(3, dtype=np.float32)[rng.integers(0, 3, 12)]
    return [Example(ids, targets, np.full(12, 0.5, np.float32), taste, word if seen else None, states)]


def gradients(taste: int, seen: bool) -> dict[str, float]:
    """How far each part of a learner would move, by the names of its parts."""
    from models.train.learner import Learner
    from models.train.training import collate

    torch.manual_seed(4)
    whole = Learner(built(), 4, (1.0, 0.5))
    whole(collate(windows_of(taste, seen), 0, 4), 0.0).backward()
    parts = {
        "graders": whole.core.classifier,
        "markers": whole.markers,
        "reader": whole.reader,
        "body": whole.core.model,
    }
    return {name: sum(float(p.grad.abs().sum()) for p in part.parameters()) for name, part in parts.items()}


def test_each_taste_teaches_its_own_matrix_and_both_teach_the_body() -> None:
    from models.train.learner import GRADERS, MARKERS

    graders, markers = gradients(GRADERS, False), gradients(MARKERS, False)
    assert graders["graders"] > 0 == graders["markers"]
    assert markers["markers"] > 0 == markers["graders"]
    assert min(graders["body"], markers["body"]) > 0


def test_states_teach_where_they_are_known() -> None:
    from models.train.learner import GRADERS

    assert gradients(GRADERS, True)["reader"] > 0 == gradients(GRADERS, False)["reader"]


def test_states_are_stored_in_eight_bits_and_come_back() -> None:
    import numpy as np

    from models.train.states import stored
    from models.train.training import STATE_UNIT, collate

    window = windows_of(0, True)[0]
    assert (stored(window.states * STATE_UNIT) == window.states).all()
    assert abs(int(stored(np.array([99.0]))[0])) == 127, "what is too large is cut, not turned round"
    back = collate([window], 0, 4).states[0].numpy()
    assert np.allclose(back, window.states[window.word] * STATE_UNIT)
