"""The text of an article, by trafilatura, without what stands around it."""

from __future__ import annotations

import logging
from typing import Any

# How a paragraph starts that only leads to other articles; it is dropped when it is all link.
TEASERS = (
    "related",
    "read more",
    "read also",
    "also read",
    "see also",
    "more:",
    "watch:",
    "read next",
    "recommended",
)
# Short lines at the ends of an article that are the site's, not the author's.
SITE_LINES = (
    "click here",
    "sign up",
    "subscribe",
    "follow us",
    "share this",
    "share on",
    "tell us what you think",
    "leave a comment",
    "post a comment",
    "comments",
    "copyright ©",
    "© ",
    "all rights reserved",
    "advertisement",
    "get the app",
    "download our app",
    "read more",
    "related",
    "print this",
    "email this",
)
# Without a handler of its own the extractor's complaints would go to standard error.
QUIET = logging.NullHandler()
SHORT_LINE, TEASER_CHARS = 140, 220
_START = max(map(len, TEASERS))
ENDS = 4
LEAST_FOLLOWING, SEVERAL = 40, 2


def article_text(tree: Any, title: str) -> str:
    """Returns the article on a page, "" when none is found.

    Args:
        tree: the page as elements of `lxml.html`; it is changed.
        title: its headline, which the first line need not repeat.
    """
    import trafilatura

    from tokenjuice_ml.compressors.html_asked import quicken

    quicken()
    logging.getLogger("trafilatura").addHandler(QUIET)
    _drop_teasers(tree)
    heads, places = _headings(tree)
    try:
        body = trafilatura.extract(tree, fast=True, include_comments=False, deduplicate=False)
    except Exception:  # whatever an odd tree does to the extractor, the page is read another way
        return ""
    lines = _trim((body or "").split("\n"), title)
    return "\n".join(_with_headings(lines, heads, places))


def _headings(tree: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the signs of the headings by their words, and the words by the text that follows."""
    signs: dict[str, str] = {}
    places: dict[str, str] = {}
    for element in tree.iter("h2", "h3", "h4"):
        text = " ".join("".join(element.itertext()).split())
        signs[text] = "#" * int(element.tag[1]) + " "
        after = element.getnext()
        if after is not None and after.tag in ("p", "ul", "ol", "pre") and 0 < len(text) < SHORT_LINE:
            words = " ".join("".join(after.itertext()).split())
            if len(words) >= LEAST_FOLLOWING:
                places.setdefault(words[:LEAST_FOLLOWING], text)
    return signs, places


def _with_headings(lines: list[str], signs: dict[str, str], places: dict[str, str]) -> list[str]:
    """Marks the headings, and puts several back where the extractor took them for decoration."""
    there = set(lines)
    lost = []
    for index, line in enumerate(lines[1:], 1):
        heading = places.get(" ".join(line.split()).removeprefix("- ")[:LEAST_FOLLOWING])
        if heading and heading not in there:
            lost.append((index, heading))
            there.add(heading)
    marked = [signs.get(line, "") + line for line in lines]
    if len(lost) >= SEVERAL:
        for index, heading in reversed(lost):
            marked.insert(index, signs[heading] + heading)
    return marked


def _drop_teasers(tree: Any) -> None:
    for element in list(tree.iter("p", "div", "h2", "h3", "h4", "li")):
        if len(element) > 4:
            continue
        # Most begin with text of their own.
        start = (element.text or "").lstrip()[:_START]
        text = "" if len(start) == _START and not start.lower().startswith(TEASERS) else _teaser(element)
        if not text:
            continue
        linked = sum(len("".join(link.itertext()).strip()) for link in element.iter("a"))
        if linked > 0 and linked + 24 >= len(text):
            element.drop_tree()


def _teaser(element: Any) -> str:
    """Returns an element's text where it is short and starts as a teaser does, else ""."""
    text = ""
    for piece in element.itertext():
        if piece.isspace():
            text += piece if text else ""
            continue
        text = text + piece if text else piece.lstrip()
        if len(text) >= _START and not text[:_START].lower().startswith(TEASERS):
            return ""
        if len(text) >= TEASER_CHARS and len(text.rstrip()) >= TEASER_CHARS:
            return ""
    text = text.rstrip()
    return text if text.lower().startswith(TEASERS) else ""


def _trim(lines: list[str], title: str) -> list[str]:
    """Drops the repeated headline and the site's own short lines at both ends."""
    while lines and not lines[0].strip():
        lines.pop(0)
    if lines and title and _same(lines[0], title):
        lines = lines[1:]
    for _ in range(ENDS):
        if lines and _is_site_line(lines[-1]):
            lines.pop()
    while lines and _is_site_line(lines[0]):
        lines.pop(0)
    return [line for line in lines if not (line.isupper() and _is_site_line(line))]


def _is_site_line(line: str) -> bool:
    return len(line) < SHORT_LINE and line.lower().lstrip("-*|> ").startswith(SITE_LINES)


def _same(line: str, title: str) -> bool:
    """True for a headline that the title repeats, with or without the name of the site."""
    one, other = " ".join(line.split()).lower(), " ".join(title.split()).lower()
    if not one or (len(one) <= 20 and not other.startswith(one)):
        return False
    rest = other[len(one) :].strip() if other.startswith(one) else "|"
    return one == other or ((one in other or other in one) and rest[:1] in "|-–—:·•«»")
