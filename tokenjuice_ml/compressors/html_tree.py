"""Parses HTML and XML safely, and measures what kind of page it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

# Elements that show nothing to a reader.
UNSEEN = frozenset(
    ["script", "style", "noscript", "template", "iframe", "object", "embed", "canvas", "head", "link", "meta"]
)
# Elements around the content of a page.
FRAME = frozenset(["nav", "footer", "aside"])
FRAME_ROLES = frozenset(["navigation", "contentinfo", "complementary", "banner", "menu", "menubar", "dialog"])
# Class names and ids of frames: whole words, and how such a word begins or ends.
FRAME_WORDS = frozenset(
    [
        "nav",
        "navbar",
        "navigation",
        "menu",
        "sidebar",
        "breadcrumb",
        "breadcrumbs",
        "footer",
        "site-footer",
        "site-header",
        "masthead",
        "toolbar",
        "newsletter",
        "cookies",
        "toctree",
        "globaltoc",
        "localtoc",
        "sharing",
    ]
)
FRAME_STARTS = (
    "nav-",
    "navbar-",
    "menu-",
    "sidebar-",
    "breadcrumb-",
    "footer-",
    "cookie-",
    "social-",
    "share-",
)
FRAME_ENDS = (
    "-nav",
    "-navbar",
    "-menu",
    "-sidebar",
    "-footer",
    "-breadcrumb",
    "-breadcrumbs",
    "-cookies",
    "-social",
)
BLOCKS = frozenset(
    [
        "p",
        "div",
        "li",
        "td",
        "th",
        "section",
        "article",
        "main",
        "body",
        "ul",
        "ol",
        "table",
        "tr",
        "blockquote",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "dd",
        "dt",
        "dl",
        "form",
        "figure",
        "figcaption",
        "center",
    ]
)
LONG_PARAGRAPH = 100
POST_WORDS = frozenset(["post", "reply", "answer", "message", "comment", "question", "topic-post", "comtr"])
_COUNTED = frozenset(["a", "li", "input", "select", "textarea", "button", "td", "th"])
# Counts of an open element: its own text, of that in links, prose close by, prose below, flags.
SIZE, LINKED, NEAR, PROSE, IN_LINK, POST = range(6)
MOST_DOUBTS, MOST_FRAME = 24, 0.4
DEEP_CHARS = 2_000
LEAST_PROSE, ENOUGH_PROSE, MOST_CELLS = 120, 500, 200


@dataclass(slots=True)
class Shape:
    """What a page is made of, in characters of text.

    Attributes:
        total: all visible text.
        linked: text inside links.
        prose: text of long paragraphs with few links.
        paragraphs: how many of those there are.
        posts: forum posts, answers or comments with prose.
        together: prose under one element or its children, at most.
        code: text in ``pre``.
        cells: text in tables with several columns.
        links: links with text.
        items: list items.
        fields: form fields.
        frames: elements of navigation, footers and the like.
    """

    total: int = 0
    linked: int = 0
    prose: int = 0
    paragraphs: int = 0
    posts: int = 0
    together: int = 0
    code: int = 0
    cells: int = 0
    links: int = 0
    items: int = 0
    fields: int = 0
    frames: list[Any] = field(default_factory=list)


def parse_html(text: str, rich: bool = False) -> tuple[Any, bool]:
    """Returns the root element and whether the parser gave up on too deep nesting.

    Args:
        text: the page.
        rich: make elements of `lxml.html`, which the article extractor needs.
    """
    from lxml import etree, html

    options: dict[str, Any] = {"encoding": "utf-8", "huge_tree": True, "remove_comments": True}
    parser = etree.HTMLParser(remove_pis=True, collect_ids=False, **options)
    if rich:
        # As `html.HTMLParser`, forms and fields apart: its lookup by tag is Python code at each step.
        parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=html.HtmlElement))
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    deep = any("depth" in entry.message for entry in parser.error_log) if len(text) > DEEP_CHARS else False
    return root, deep


def parse_xml(text: str) -> Any:
    """Returns the root element of XML, entities unresolved, or None."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        huge_tree=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
    )
    try:
        return etree.fromstring(text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return None


def local(tag: Any) -> str:
    """Returns an element's name without its namespace, lower case; "" for comments and the like."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def is_hidden(element: Any) -> bool:
    """True for elements a reader does not see."""
    names = element.keys()
    if not names:
        return False
    if "style" in names:
        style = element.get("style")
        if "none" in style and "display:none" in style.replace(" ", "").lower():
            return True
    if "hidden" in names:
        return True
    return (
        "aria-hidden" in names
        and element.get("aria-hidden") == "true"
        and element.tag not in ("body", "html", "main")
    )


class Frames:
    """Tells navigation, footers, side bars and the like from the content of one page."""

    def __init__(self, body: Any) -> None:
        self.body = body
        self.found: list[Any] = []
        self.doubts = MOST_DOUBTS
        self.whole = -1

    def is_frame(self, element: Any) -> bool:
        """True when an element is around the content; wrappers of the content itself are not."""
        if not _named_frame(element) or self._holds_content(element):
            return False
        self.found.append(element)
        return True

    def _holds_content(self, element: Any) -> bool:
        if self.doubts <= 0:
            return True
        if self.whole < 0:
            self.whole = _text_size(self.body)
        inside = next(element.iter("h1", "main"), None)
        if inside is None and _text_size(element) < MOST_FRAME * self.whole:
            return False
        self.doubts -= 1
        return True


def _text_size(element: Any) -> int:
    """Returns the characters of text that stand outside scripts and links."""
    return sum(
        len(part.text.strip())
        for part in element.iter("p", "li", "td", "span", "div", "h2", "h3")
        if part.text
    )


def _named_frame(element: Any) -> bool:
    tag, names = element.tag, element.keys()
    if tag in FRAME:
        return True
    if not names or tag in ("body", "html", "main", "article"):
        return False
    if "role" in names and element.get("role") in FRAME_ROLES:
        return True
    return ("class" in names and is_frame_name(element.get("class"))) or (
        "id" in names and is_frame_name(element.get("id"))
    )


@lru_cache(maxsize=4096)
def is_frame_name(named: str) -> bool:
    """Says whether a class or an id is such as frames have."""
    return any(
        word in FRAME_WORDS or word.startswith(FRAME_STARTS) or word.endswith(FRAME_ENDS)
        for word in named[:500].lower().split()
    )


def measure(body: Any) -> Shape:
    """Returns the shape of a page, its frames left out."""
    shape, frames = Shape(), Frames(body)
    stack: list[list[int]] = [[0] * 6, [0] * 6]
    opened: list[tuple[Any, Iterator[Any]]] = []
    inner: Iterator[Any] = iter((body,))
    while True:
        element = next(inner, None)
        if element is None:
            if not opened:
                break
            element, inner = opened.pop()
        else:
            tag, names = element.tag, element.keys()
            post = "class" in names and not POST_WORDS.isdisjoint(element.get("class").lower().split())
            stack.append([0, 0, 0, 0, stack[-1][IN_LINK] or tag == "a", post])
            if _is_left_out(element, tag, names, frames):
                pass
            elif tag == "pre":
                shape.code += sum(len(part) for part in element.itertext())
            else:
                if tag in _COUNTED:
                    _count(shape, tag)
                if element.text:
                    _text(shape, stack[-1], len(element.text.strip()))
                if len(element):
                    opened.append((element, inner))
                    inner = iter(element)
                    continue
        _leave(shape, stack, element.tag)
        if element.tail:
            _text(shape, stack[-1], len(element.tail.strip()))
    shape.frames = frames.found
    shape.total += shape.code
    return shape


def _is_left_out(element: Any, tag: str, names: list[str], frames: Frames) -> bool:
    if tag in UNSEEN:
        return True
    if not names and tag not in FRAME:
        return False
    return is_hidden(element) or frames.is_frame(element)


def _text(shape: Shape, own: list[int], size: int) -> None:
    shape.total += size
    own[SIZE] += size
    if own[IN_LINK]:
        shape.linked += size
        own[LINKED] += size


def _leave(shape: Shape, stack: list[list[int]], tag: str) -> None:
    """Closes an element: inline text counts for the parent, long paragraphs for two ancestors."""
    own = stack.pop()
    parent = stack[-1]
    if own[NEAR] > shape.together:
        shape.together = own[NEAR]
    if tag not in BLOCKS:
        for count in (SIZE, LINKED, NEAR):
            parent[count] += own[count]
    elif own[SIZE] >= LONG_PARAGRAPH and own[LINKED] < 0.4 * own[SIZE]:
        shape.prose += own[SIZE]
        shape.paragraphs += 1
        own[PROSE] += own[SIZE]
        parent[NEAR] += own[SIZE]
        stack[-2][NEAR] += own[SIZE]
    parent[PROSE] += own[PROSE]
    shape.posts += own[POST] and own[PROSE] > 0


def _count(shape: Shape, tag: str) -> None:
    if tag == "a":
        shape.links += 1
    elif tag == "li":
        shape.items += 1
    elif tag in ("input", "select", "textarea", "button"):
        shape.fields += 1
    elif tag in ("td", "th"):
        shape.cells += 1


def says_article(root: Any) -> bool | None:
    """Returns what the page's own metadata call it: an article, something else, or nothing (None)."""
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or ""
        if name == "article:published_time" or (name == "og:type" and meta.get("content") == "article"):
            return True
    for script in root.iter("script"):
        if script.get("type") == "application/ld+json" and script.text:
            head = script.text[:20000]
            if any(word in head for word in ('"QAPage"', '"DiscussionForumPosting"', '"ItemList"')):
                return False
            if any(word in head for word in ('Article"', '"BlogPosting"')):
                return True
    articles = root.iter("article")
    return True if next(articles, None) is not None and next(articles, None) is None else None


def is_article(root: Any, shape: Shape) -> bool:
    """Tells an article (one long text) from other pages (lists, forums, references, dashboards)."""
    if shape.code > 0.12 * shape.total or shape.prose < LEAST_PROSE:
        return False
    said = says_article(root)
    if said is not None:
        listing = shape.linked > 0.6 * shape.total and shape.prose < 0.12 * shape.total
        return said and not listing
    if shape.prose < ENOUGH_PROSE or shape.cells > MOST_CELLS or shape.posts > 1:
        return False
    return shape.prose >= 0.25 * shape.total and shape.together >= 0.45 * shape.prose
