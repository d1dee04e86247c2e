"""Feeds: one entry an item, with title, link, date and the start of its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenjuice_ml.compressors.html_tree import local, parse_html
from tokenjuice_ml.types import Omission

ITEMS = ("item", "entry")
DATES = ("published", "pubdate", "date", "updated", "issued", "lastbuilddate")
CONTENTS = ("summary", "description", "content", "encoded", "subtitle")
SUMMARY_CHARS, QUERY_CHARS, MANY_ITEMS = 240, 1200, 60


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a feed."""

    title: str
    link: str
    date: str
    tags: str
    content: str
    line: int


def is_feed(root: Any) -> bool:
    """True for RSS, Atom and RDF feeds."""
    return local(root.tag) in ("rss", "feed", "rdf")


def read_feed(root: Any, words: tuple[str, ...]) -> tuple[str, list[Omission]]:
    """Returns the feed as text, and what was cut from its items.

    Args:
        root: the parsed feed.
        words: words of the query; items that hold one show more of their content.
    """
    channel = next((child for child in root if local(child.tag) == "channel"), root)
    head = _item(channel)
    lines = [f"# {head.title}" if head.title else "# feed"]
    lines += [part for part in (head.link, _short(head.content, SUMMARY_CHARS)[0]) if part]
    gaps: list[Omission] = []
    elements = [element for element in root.iter() if local(element.tag) in ITEMS]
    many = len(elements) > MANY_ITEMS
    for element in elements:
        item = _item(element)
        asked = any(word in f"{item.title} {item.content}".lower() for word in words)
        lines.append("- " + (item.title or item.link or "(no title)"))
        facts = [part for part in (item.link if item.title else "", item.date, item.tags) if part]
        if facts:
            lines.append("  " + " · ".join(facts))
        size = QUERY_CHARS if asked else 0 if many else SUMMARY_CHARS
        text, lost = _short(item.content, size)
        if text:
            lines.append(f"  {text}")
        if lost:
            gaps.append(Omission(item.line, item.line, 0, lost, "content of an item"))
    return "\n".join(lines), gaps


def _item(element: Any) -> Item:
    title = link = date = content = ""
    tags: list[str] = []
    for child in element:
        name = local(child.tag)
        text = " ".join("".join(child.itertext()).split()) if name not in CONTENTS else ""
        if name == "title" and not title:
            title = plain(text)
        elif name == "link" and (not link or child.get("rel") == "alternate"):
            link = child.get("href") or text or link
        elif name in DATES and not date:
            date = text
        elif name == "category":
            tags.append(text or child.get("term") or "")
        elif name in CONTENTS and len(content) < 40:
            content = plain("".join(child.itertext())) or content
    return Item(
        title, link, date, ", ".join(tag for tag in tags[:4] if tag), content, element.sourceline or 1
    )


def plain(text: str) -> str:
    """Returns the text of an HTML fragment on one line."""
    if "<" not in text and "&" not in text:
        return " ".join(text.split())
    root, _ = parse_html(f"<div>{text}</div>")
    for element in root.iter("script", "style"):
        element.text = None
    return " ".join(" ".join(root.itertext()).split())


def _short(text: str, most: int) -> tuple[str, int]:
    """Returns the start of `text` up to a sentence or word end, and the bytes left out."""
    if len(text) <= most * 1.25:
        return text, 0
    if most == 0:
        return "", len(text.encode("utf-8", "replace"))
    cut = text.rfind(". ", most // 2, most) + 1 or text.rfind(" ", most // 2, most)
    cut = cut if cut > 0 else most
    return f"{text[:cut]} [… {len(text) - cut:,} chars]", len(text[cut:].encode("utf-8", "replace"))
