"""The scan of Python source says what the syntax tree says, or nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tokenjuice_ml.compressors import code_tree
from tokenjuice_ml.compressors.code_python import scan
from tokenjuice_ml.compressors.code_sheet import Sheet

ROOT = Path(__file__).resolve().parent.parent.parent
OWN = sorted((ROOT / "tokenjuice_ml").glob("*/*.py")) + sorted((ROOT / "tests").glob("*/test_*.py"))
EDGES = {
    "comments around a block": "def f():\n    # a\n    x = 1\n    # b\n  # c\n    # d\ny = 2\n",
    "comments below nested blocks": "class A:\n    def f(self):\n        x\n        # f\n    # A\n    def g(self):\n        y\n# end\n",
    "docstrings": '"""Module."""\ndef f():\n    """One."""\n    x\nclass B:\n    r\'\'\'Two\n    rows.\n    \'\'\'\n    def g(self): pass\n    def h(self):\n        "a" "b"\n        y\n',
    "no docstring": 'def f():\n    """%s""" % 1\n    x\ndef g():\n    f"""a{1}"""\n    y\n',
    "headers over several rows": "@dec(\n    1,\n)\nasync def f(\n    a,  # one\n    b=(1,\n       2),\n):  # two\n    x; y\n    z\n",
    "one-line bodies": "def f(): return 1\nclass B: pass\nclass C(\n  B): x = 1\ndef g():\n    return (\n1)\n",
    "an overload over several rows": "def f(\n    a: int,\n) -> int: ...\ndef g():\n    x\n    y\n",
    "strings that hold signs": "def f():\n    a = '#(' + \"'\" + \"\"\" ' ( # \\\"\"\" \"\"\"\n    b = 'it\\'s ['\n    return a # it's (\n",
    "continued by backslash": "def f():\n    assert a == \\\n        b\n    with a as b, \\\n         c as d:\n        pass\n    return 1\n",
    "tabs": "def f():\n\tif x:\n\t\ty\n\t# c\n\treturn 1\n",
    "classes in functions": "def f():\n    class A:\n        def g(self):\n            pass\n    return A\n",
    "a long table": "TABLE = {\n" + "".join(f"    {n}: [{n}],\n" for n in range(50)) + "}\ndef f():\n    a\n    b\n",
    "a long table in a class": "class A:\n    t = [\n" + "        1,\n" * 40 + "    ]\n    def f(self):\n        pass\n",
    "a long docstring": 'def f():\n    """First.\n' + "    more\n" * 40 + '    """\n    x\n    y\n',
}  # fmt: skip


def parts(text: str):
    """What both ways find, in an order of their own; comments only where they are alone on their rows."""
    found = scan(text, code_tree.LONG_DATA)
    assert found is not None
    scanned = code_tree._scanned_parts(found, Sheet(text.split("\n")))
    parsed = code_tree._parsed_parts(text, "python", known=True)
    assert scanned is not None
    assert parsed is not None
    return scanned, parsed


def long(rows):
    return sorted(pair for pair in rows if pair[1] - pair[0] >= code_tree.LONG_DATA)


def assert_same(text: str):
    pytest.importorskip("tree_sitter_python")
    scanned, parsed = parts(text)
    assert sorted(scanned.bodies, key=str) == sorted(parsed.bodies, key=str)
    assert set(scanned.docstrings) | {(0, 0)} == set(parsed.docstrings) | {(0, 0)}
    assert sorted(scanned.types) == sorted(parsed.types)
    assert sorted(scanned.comments) == sorted(parsed.comments)
    # Inside functions a literal folds with the body.
    inside = [(body.first, body.last) for body in parsed.bodies]
    outside = [p for p in parsed.data if not any(a <= p[0] and p[1] <= b for a, b in inside)]
    docstrings = [p for p in parsed.docstrings if p in parsed.data]
    assert set(long([*outside, *docstrings])) <= set(long(scanned.data) + long(parsed.docstrings))


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    assert_same(EDGES[name])


@pytest.mark.parametrize("path", OWN[::9], ids=lambda path: path.name)
def test_own_source(path):
    text = path.read_text("utf-8")
    if scan(text, code_tree.LONG_DATA) is not None:
        assert_same(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" * 20,
        "def f():\n    x = (1\n",
        "def f():\n    x = ']'\n    y = 1]\n",
        "def f():\n    x = 'it\n    y\n",
        "def f():\n        x\n    y\n",
        "def f():\nx = 1\n",
        'def f():\n    """no end\n    x\n',
        "def f():\r    x\r",
        "Don't read this. def is a word (and a bracket.\n" * 5,
        "",
    ],
)
def test_gives_up_on_what_is_not_plain(text):
    assert scan(text, 32) is None


@pytest.mark.parametrize(
    "unit",
    ['x = "\\"a"\n', "# note\n", "\n", "    " * 20 + "x\n", "x = [1, '''a''', (2)]\n", "if x:\n class A:\n  def f(self): pass\n"],
)  # fmt: skip
def test_time_is_linear(unit):
    def spent(size: int) -> float:
        text = "def f():\n    pass\n" + unit * (size // len(unit))
        start = time.process_time()
        scan(text, 32)
        return time.process_time() - start

    small, large = (min(spent(size) for _ in range(3)) for size in (100_000, 800_000))
    # Eight times the text; a quadratic step would take 64 times as long.
    assert large < 24 * max(small, 0.004)
