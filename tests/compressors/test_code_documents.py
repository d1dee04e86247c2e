"""YAML streams: alike documents are counted and named, what is unlike in one stays with its kind and name."""

from __future__ import annotations

import re

import pytest

import tokenjuice_ml
from tests.compressors.markup_context import NAMES, best_seconds, context
from tokenjuice_ml.compressors.code_config import compress_config
from tokenjuice_ml.types import Kind, Reduction

STALL = """apiVersion: example.org/v1
kind: Stall
metadata:
  name: {name}
  labels:
    app: {name}
spec:
  copies: 2
  image: depot.example.org/{name}:1.{n}.0
  probe:
    path: /alive
    port: 9090
status:
  phase: Running
  ready: 2
"""
ROUTE = """apiVersion: example.org/v1
kind: Route
metadata:
  name: {name}
spec:
  to: {name}
  port: 80
"""
LONE = "apiVersion: example.org/v1\nkind: Settings\nmetadata:\n  name: harbour\ndata:\n  debug: true\n"


def stream(name: str = "", old: str = "", new: str = "", opened: bool = False) -> str:
    documents = []
    for n, one in enumerate(NAMES):
        stall, route = STALL.format(name=one, n=n), ROUTE.format(name=one)
        documents += [stall.replace(old, new) if one == name else stall, route]
    documents.insert(21, LONE)
    return ("---\n" if opened else "") + "---\n".join(documents)


def reduce(text: str) -> Reduction:
    reduction = compress_config(text, "yaml", context(text, Kind.CODE, "yaml"))
    assert reduction is not None
    return reduction


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ready: 2", "ready: 0"),
        ("port: 9090", "port: 9009"),
        ("phase: Running", "phase: CrashLoop"),
        ("  copies: 2\n", "  copies: 2\n  paused: true\n"),
        ("  probe:\n    path: /alive\n    port: 9090\n", "  command: sleep\n"),
    ],
)
@pytest.mark.parametrize(
    "command", ["kubectl get stalls,routes -o yaml", "helm template .", "cat all.yaml", None]
)
def test_what_is_unlike_in_a_document_stays_with_its_kind_and_name(
    old: str, new: str, command: str | None
) -> None:
    text = stream("rope", old, new)
    done = tokenjuice_ml.compress(text, command=command, tool="exec" if command else None, exit_code=0)
    odd = next(line for line in new.split("\n") if line.strip() and line not in old.split("\n"))
    body = done.text
    assert odd in body
    assert (
        body.rindex("kind: Stall", 0, body.index(odd))
        < body.rindex("  name: rope", 0, body.index(odd))
        < body.index(odd)
    )
    assert done.tokens_after < done.tokens_before / 3


@pytest.mark.parametrize("opened", [False, True])
def test_each_document_is_shown_or_counted_and_named(opened: bool) -> None:
    text = stream("rope", "ready: 2", "ready: 0", opened)
    reduction = reduce(text)
    counts = [int(count) for count in re.findall(r": (\d+) documents?: ", reduction.text)]
    shown = len(re.findall(r"^kind: ", reduction.text, re.M))
    assert sum(counts) + shown == 2 * len(NAMES) + 1
    assert all(name in reduction.text for name in NAMES[:9])
    left_out = sum(gap.lines for gap in reduction.omissions)
    assert left_out + sum("[…" not in line for line in reduction.text.split("\n")) == len(text.split("\n"))


def test_the_lone_document_stays_whole() -> None:
    assert LONE in reduce(stream()).text


def test_something_that_is_not_well_stays_though_it_is_everywhere() -> None:
    text = stream().replace("phase: Running", "phase: Failed")
    assert reduce(text).text.count("phase: Failed") > 5


def test_two_documents_are_no_stream() -> None:
    text = f"{LONE}---\n{LONE}"
    assert compress_config(text, "yaml", context(text, Kind.CODE, "yaml")) is None


@pytest.mark.parametrize(
    "unit", ["---\n", "---\na: 1\n", "--- x\n", "---\nkind: A\nname: b\nc: d\n", "---\n---\n"]
)
def test_time_grows_with_the_size_only(unit: str) -> None:
    def cost(count: int) -> float:
        text = unit * count
        return best_seconds(lambda: compress_config(text, "yaml", context(text, Kind.CODE, "yaml")))

    assert cost(4_000) < 9 * cost(1_000) + 0.05
