from __future__ import annotations

import random

import pytest
from lxml import etree, html
from trafilatura import xpaths

from tokenjuice_ml.compressors.html_asked import _LISTS, Asked, asked

RE = {"re": "http://exslt.org/regular-expressions"}
WORDS = (
    *("nav", "share-box", "teaser", "comment-list", "Commentary", "caption", "cookie", "hidden", "x", "main"),
    *("reply-3", "infinite-scroll", "mvp-post-add-box", "footer", "story", "author name", "display:none", ""),
)
EXPRESSIONS = [
    (f"{name}[{place}]", expression)
    for name in _LISTS
    for place, expression in enumerate(getattr(xpaths, name, []))
]


def page(seed: int) -> html.HtmlElement:
    dice = random.Random(seed)
    root = html.Element("body")
    places = [root]
    for _ in range(300):
        names = dice.sample(
            ["id", "class", "style", "role", "data-component", "aria-hidden"], dice.randrange(4)
        )
        tag = dice.choice(["div", "p", "span", "section", "ol", "ul", "h1", "details", "aside"])
        element = etree.SubElement(dice.choice(places), tag, {name: dice.choice(WORDS) for name in names})
        places.append(element)
    return root


@pytest.mark.parametrize(("name", "expression"), EXPRESSIONS, ids=[name for name, _ in EXPRESSIONS])
def test_a_quick_expression_finds_what_the_extractors_own_one_does(name: str, expression: object) -> None:
    plain = etree.XPath(expression.path, namespaces=RE)  # type: ignore[attr-defined]
    quick = asked(plain)
    for seed in range(8):
        tree = page(seed)
        assert quick(tree) == plain(tree)


@pytest.mark.parametrize(
    ("path", "is_quick"),
    [
        (".//*[self::div or self::p][contains(@class, 'x')]", True),
        (".//*[@class='a[1]' or re:test(@id|@class, 'b]')]", True),
        (".//*[contains(@class, 'x')][not(.//h1)]", True),
        (".//*[contains(@class, 'x')][ not(.//h1) or @id]", True),
        (".//*[contains(@class, 'x')][1]", False),
        (".//*[contains(@class, 'x')][not(position() > 1)]", False),
        (".//*[not(@class)]", False),
        (".//*[self::div][1]", False),
        (".//*[text()='x' or @class]", False),
        (".//*[contains(.., 'x') or @id]", False),
        (".//*[position() > 1 and @id]", False),
        ("(.//*[@class='x'])[1]", False),
        (".//header", False),
    ],
)
def test_only_tests_of_attributes_are_remembered(path: str, is_quick: bool) -> None:
    assert isinstance(asked(etree.XPath(path, namespaces=RE)), Asked) is is_quick


def test_of_two_attributes_the_first_counts() -> None:
    plain = etree.XPath(".//*[starts-with(@id|@class, 'x')]")
    tree = html.fromstring(
        "<div><p id='x' class='y'>a</p><p class='y' id='x'>b</p><p class='x' id='y'>c</p></div>"
    )
    assert [element.text for element in asked(plain)(tree)] == [element.text for element in plain(tree)]
