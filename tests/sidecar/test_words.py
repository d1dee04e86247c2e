"""From tokens to words and back, and windows that cover everything."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sidecar.runtime import keep_columns, manifest_entries  # noqa: E402
from sidecar.words import Aligned, blend_weights, clean, windows  # noqa: E402


@given(st.integers(0, 3000), st.integers(2, 300), st.integers(0, 100))
def test_windows_cover_every_token_and_none_is_longer(count, size, overlap):
    seen = bytearray(count)
    last = -1
    for start, end in windows(count, size, overlap):
        assert 0 <= start <= end <= count
        assert end - start <= size
        assert start > last
        last = start
        seen[start:end] = b"\1" * (end - start)
    assert all(seen)


@given(st.integers(1, 600), st.integers(0, 200))
def test_blend_weights_are_never_zero_and_fall_towards_the_edges(size, overlap):
    weights = blend_weights(size, overlap)
    assert len(weights) == size
    assert (weights > 0).all()
    assert weights[0] == weights[-1] == weights.min()
    assert weights[size // 2] == weights.max()


def aligned() -> Aligned:
    # words: "ab", "cde", "東", "京"; one token covers both characters, one is only space
    text = "ab cde 東京"
    return Aligned(text, [5, 6, 7, 8, 9], [(0, 2), (2, 4), (4, 6), (6, 7), (7, 9)])


@pytest.mark.parametrize(
    ("how", "expected"),
    [("mean", [0.1, 0.3, 0.9, 0.9]), ("first", [0.1, 0.2, 0.9, 0.9]), ("max", [0.1, 0.4, 0.9, 0.9])],
)
def test_word_scores(how, expected):
    scores = aligned().word_scores(np.asarray([0.1, 0.2, 0.4, 0.7, 0.9], dtype=np.float32), how)
    assert scores.tolist() == pytest.approx(expected)


def test_words_of_tokens():
    assert aligned().word_of_token().tolist() == [0, 1, 1, -1, 2]


def test_a_word_without_a_token_is_neutral():
    scores = Aligned("a b", [1], [(0, 1)]).word_scores(np.asarray([0.9], dtype=np.float32))
    assert scores.tolist() == pytest.approx([0.9, 0.5])


def test_clean_keeps_the_length():
    assert clean("a\udc80b") == "a\ufffdb"
    assert clean("plain") == "plain"


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("drop", "keep", "core"), [1, 2]),
        (("drop", "keep"), [1]),
        (("LABEL_0", "LABEL_1"), [1]),
        (("PRESERVE", "DISCARD"), [0]),
        (("not_keep", "keep"), [1]),
        (("O", "REMOVE"), [0]),
        (("B-CORE", "O", "delete"), [0]),
    ],
)
def test_keep_columns_go_by_name(labels, columns):
    assert keep_columns(dict(enumerate(labels))) == columns


DIGEST = "a" * 64


@pytest.mark.parametrize(
    "manifest",
    [
        {"files": {"x": DIGEST}},
        {"files": {"x": {"sha256": DIGEST, "bytes": 3}}},
        {"files": [{"path": "x", "sha256": DIGEST}]},
        {"files": [{"name": "x", "sha256": DIGEST}]},
        {"x": f"sha256:{DIGEST}", "version": "1"},
    ],
)
def test_manifests(manifest):
    assert manifest_entries(manifest) == {"x": DIGEST}
