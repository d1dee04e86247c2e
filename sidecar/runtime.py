"""Loads a model, whichever it is, and scores the words of a text with it."""

from __future__ import annotations

import hashlib
import json
import math
import time
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sidecar.words import NEUTRAL, Aligned, Floats, Ints, blend_weights, clean, windows
from tokenjuice_ml.saliency.paths import model_folder


class LoadError(Exception):
    """The model cannot be used; the text says why and what to do."""


class OutOfTime(Exception):
    """The deadline passed before the text was done; nothing of it is used."""


class Network(Protocol):
    """A loaded network: token ids in, one score a token out."""

    window: int
    overlap: int
    how: str
    label: str
    device: str

    def encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Returns token ids without specials, and their char ranges."""

    def score(self, ids: Ints, word_of_token: Ints) -> Floats:
        """Returns (columns, tokens) for ids that fit one window.

        The first column is the probability that a token is kept, the second, where the model tells it,
        that it is kept even at a hard budget; a third is the higher the likelier the token answers a question.
        """


class Scorer:
    """A model that scores words.

    Attributes:
        name: what the model is called in answers.
        device: where it runs.
        seconds_per_token: measured, for refusing what cannot be done in time.
    """

    def __init__(self, network: Network, name: str) -> None:
        self.network = network
        self.name = name
        self.device = network.device
        self.seconds_per_token = 0.0
        self._smoke()

    def scores(self, text: str, deadline: float | None = None) -> list[list[float]]:
        """Returns one list to three, one number a word: kept and core, 0 to 1, and how likely it is to be asked for.

        Args:
            text: the text.
            deadline: monotonic time by which it must be done.

        Raises:
            OutOfTime: it cannot be, or could not be, done by then.
        """
        ids, offsets = self.network.encode(clean(text))
        aligned = Aligned(text, ids, offsets)
        if not len(aligned.ids):
            return [[NEUTRAL] * aligned.words]
        columns = self._tokens(aligned, deadline)
        by_word = (aligned.word_scores(column, self.network.how) for column in columns)
        return [values.astype(np.float64).round(4).tolist() for values in by_word]

    def _tokens(self, aligned: Aligned, deadline: float | None) -> Floats:
        count = len(aligned.ids)
        begin = time.monotonic()
        if deadline is not None and begin + 0.8 * count * self.seconds_per_token > deadline:
            raise OutOfTime(f"{count:,} tokens need {count * self.seconds_per_token * 1000:.0f} ms")
        size, overlap = self.network.window, self.network.overlap
        words = aligned.word_of_token()
        total: Floats = np.zeros((1, count), dtype=np.float32)
        weight = np.zeros(count, dtype=np.float32)
        for start, end in windows(count, size, overlap):
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime("the deadline passed half way")
            shape = blend_weights(end - start, overlap)
            got = self.network.score(aligned.ids[start:end], words[start:end])
            if len(got) > len(total):
                total = np.zeros((len(got), count), dtype=np.float32)
            total[:, start:end] += shape * got
            weight[start:end] += shape
        self._learn((time.monotonic() - begin) / count)
        return total / weight

    def _learn(self, seconds: float) -> None:
        before = self.seconds_per_token
        self.seconds_per_token = seconds if not before else 0.7 * before + 0.3 * seconds

    def _smoke(self) -> None:
        """Scores two short texts: some operators fail only when they run.

        Raises:
            LoadError: no score, or one that is no probability.
        """
        for text in ("The server did not start.", "東京 is a city. " * 40):
            try:
                got = self.scores(text)
            except Exception as error:
                raise LoadError(f"model fails when run: {type(error).__name__}: {error}") from error
            numbers = all(map(math.isfinite, chain.from_iterable(got)))
            if (
                not got
                or not numbers
                or not all(0.0 <= value <= 1.0 for column in got[:2] for value in column)
            ):
                raise LoadError("model gives scores that are no probabilities")
        self.seconds_per_token = min(self.seconds_per_token, 0.01)


def load(model_id: str, device: str = "cpu") -> Scorer:
    """Returns the scorer for ``bundled``, a folder, or a hub id that is in the local cache.

    Raises:
        LoadError: it is missing, damaged, or not a model of this kind.
    """
    try:
        folder = model_folder(model_id)
    except FileNotFoundError as error:
        raise LoadError(str(error)) from error
    if folder is not None:
        check_manifest(folder)
        if (folder / "model.onnx").is_file():
            from sidecar.onnx_network import OnnxNetwork

            return Scorer(OnnxNetwork(folder, device), folder.name)
    from sidecar.torch_network import load_network

    network = load_network(str(folder) if folder is not None else model_id, device)
    return Scorer(network, folder.name if folder is not None else model_id)


def check_manifest(folder: Path) -> None:
    """Compares the files of a model with its manifest, where it has one.

    Raises:
        LoadError: a file is missing or is not what it was.
    """
    path = folder / "MANIFEST.json"
    if not path.is_file():
        return
    for name, digest in manifest_entries(read_json(path)).items():
        if name.endswith(".md"):
            continue  # prose about the model; it may be edited
        file = folder / name
        if not file.is_file():
            raise LoadError(f"model file missing: {file}")
        with file.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != digest:
                raise LoadError(f"model file corrupt: {file} does not have the sha256 of its manifest")


def manifest_entries(manifest: Any) -> dict[str, str]:
    """Returns file name to sha256, whichever of the usual shapes the manifest has."""
    files = manifest.get("files", manifest) if isinstance(manifest, dict) else {}
    if isinstance(files, list):
        return {str(entry.get("path") or entry["name"]): str(entry["sha256"]) for entry in files}
    out: dict[str, str] = {}
    for name, value in files.items():
        digest = value.get("sha256") if isinstance(value, dict) else value
        if isinstance(digest, str) and len(digest.removeprefix("sha256:")) == 64:
            out[name] = digest.removeprefix("sha256:")
    return out


def read_json(path: Path) -> dict[str, Any]:
    """Returns a JSON object from a file.

    Raises:
        LoadError: it is missing or is no object.
    """
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot read {path}: {error}") from error
    if not isinstance(value, dict):
        raise LoadError(f"{path} is no JSON object")
    return value


def keep_columns(labels: dict[int, str]) -> list[int]:
    """Returns the output columns that mean "kept", from the names of the labels.

    >>> keep_columns({0: "drop", 1: "keep", 2: "core"})
    [1, 2]
    >>> keep_columns({0: "preserve", 1: "discard"})
    [0]
    >>> keep_columns({0: "LABEL_0", 1: "LABEL_1"})
    [1]
    """
    keep = [i for i, name in labels.items() if _says(name, ("keep", "preserv", "core", "retain", "kept"))]
    if keep:
        return sorted(keep)
    drop = [i for i, name in labels.items() if _says(name, ("drop", "discard", "delet", "remov"))]
    if drop:
        return sorted(set(labels) - set(drop))
    return [1] if len(labels) == 2 else sorted(labels)[1:]


def core_columns(labels: dict[int, str]) -> list[int]:
    """Returns the output columns that mean "kept even at a hard budget", or none.

    >>> core_columns({0: "drop", 1: "keep", 2: "core"})
    [2]
    """
    return sorted(i for i, name in labels.items() if "core" in name.lower())


def _says(name: str, stems: tuple[str, ...]) -> bool:
    low = name.lower()
    return any(stem in low for stem in stems) and not low.startswith(("not", "no_", "un"))
