"""Lists of YAML: the lines in which an item differs stay with its name, the others are named."""

from __future__ import annotations

import re

import pytest

import tokenjuice_ml
from tests.compressors.markup_context import best_seconds, context
from tokenjuice_ml.compressors.code_config import compress_config
from tokenjuice_ml.types import Kind

ITEM = """- apiVersion: example.org/v1
  kind: Kiosk
  metadata:
    name: kiosk{n}
    serial: "{serial}"
  spec:
    image: depot.example.org/kiosks/kiosk{n}:4.{tag}.1
    copies: 2
    limits:
      memory: 256Mi
    probe:
      http:
        path: /alive
        port: 9090
      every: 15
  status:
    ready: 2
    reason: EnoughOfThem
"""


def kiosks(count: int, edits: dict[int, tuple[str, str]]) -> str:
    parts = ["apiVersion: v1\nitems:\n"]
    for n in range(count):
        item = ITEM.format(n=chr(97 + n % 26) * (3 + n // 26), serial=100_003 * (n + 7), tag=n * 7 % 40)
        old, new = edits.get(n, ("", ""))
        parts.append(item.replace(old, new) if old else item)
    return "".join([*parts, "kind: List\n"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("port: 9090", "port: 9009"),
        ("ready: 2", "ready: 0"),
        ("reason: EnoughOfThem", "reason: TooFewOfThem"),
        ("memory: 256Mi", "memory: 256m"),
        (":4.", ":latest-"),
        ("    copies: 2\n", "    copies: 2\n    paused: true\n"),
    ],
)
@pytest.mark.parametrize("command", ["kubectl get kiosks -o yaml", "cat kiosks.yaml", None])
def test_the_line_in_which_an_item_differs_stays_with_its_name(old: str, new: str, command: str | None):
    text = kiosks(40, {17: (old, new)})
    done = tokenjuice_ml.compress(text, command=command, exit_code=0, kind="code", extension="yaml")
    body = done.text
    odd = next(line for line in text.split("\n") if new.strip().split("\n")[-1].strip() in line)
    assert odd in body.split("\n")
    assert "    name: kiosk" + "r" * 3 in body.split("\n")
    assert body.index("name: kioskrrr") < body.index(odd)
    assert done.tokens_after < done.tokens_before / 2


def test_the_items_that_are_alike_are_counted_and_named():
    text = kiosks(40, {17: ("port: 9090", "port: 9009")})
    done = compress_config(text, "yaml", context(text, Kind.CODE, "yaml"))
    assert done is not None
    counts = [int(count) for count in re.findall(r": (\d+) items: kiosk", done.text)]
    shown = len(re.findall(r"^    name: ", done.text, re.M))
    assert sum(counts) + shown == 40
    left_out = sum(gap.lines for gap in done.omissions)
    assert left_out + sum("[…" not in line for line in done.text.split("\n")) == len(text.split("\n"))


def test_items_that_all_differ_have_none_that_stands_out():
    text = "".join(f"- name: n{i * 7919}\n  value: {i * 104729}\n  note: words {i * 31}\n" for i in range(90))
    done = compress_config(text, "yaml", context(text, Kind.CODE, "yaml"))
    assert done is not None
    assert len(done.text) < len(text) / 4


@pytest.mark.parametrize(
    "unit", ["- a: 1\n  b: 2\n", "- x\n", "- - a: 1\n    b: 2\n", "- name:\n", "- : :\n", "-  - - a:\n"]
)
def test_time_grows_with_the_size_only(unit: str):
    def cost(count: int) -> float:
        text = unit * count
        return best_seconds(lambda: compress_config(text, "yaml", context(text, Kind.CODE, "yaml")))

    assert cost(16_000) < 9 * cost(4_000) + 0.05


def test_equal_names_are_said_once():
    text = "- name: twin\n  value: 1\n  note: words\n" * 3_000
    done = compress_config(text, "yaml", context(text, Kind.CODE, "yaml"))
    assert done is not None
    assert re.search(r"items: twin ×[\d,]+", done.text)
    assert done.text.count("twin") < 20
