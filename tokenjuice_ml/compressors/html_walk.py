"""Writes a web page as compact text: headings, lists, table rows, code, links once, fields, alt texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tokenjuice_ml.compressors.html_lines import MOST_OPTIONS, Page, Row, Table
from tokenjuice_ml.compressors.html_tree import FRAME, UNSEEN, Frames, is_frame_name, is_hidden

BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "nav",
        "aside",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "table",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "form",
        "fieldset",
        "legend",
        "figure",
        "figcaption",
        "blockquote",
        "address",
        "details",
        "summary",
        "center",
        "hr",
        "body",
        "html",
        "hgroup",
        "menu",
        "search",
    ]
)
INLINE = frozenset(
    (
        "a abbr acronym audio b bdi bdo big br button canvas cite code data del dfn em embed font i img input ins kbd label "
        "link map mark meta meter nobr object output picture pre progress q rb rp rt ruby s samp select slot small source "
        "span strike strong sub sup svg textarea time track tt u var video wbr"
    ).split()
)
HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_WHOLE = frozenset(["pre", "svg", "img", "input", "textarea", "select", "br"])
# Attributes that may hide an element, or name it as a frame.
_HIDING, _NAMING = frozenset(["style", "hidden", "aria-hidden"]), frozenset(["role", "class", "id"])
# Elements and attributes that are looked at.
_NEVER_PLAIN, _TELLING = FRAME | UNSEEN, _HIDING | _NAMING
LONG_URL, LONG_ALT = 300, 200
FRAME_LINKS = 6
# Links to a place on the same page that say nothing.
_NO_TARGETS = ("#", "javascript:", "data:", "mailto:", "tel:", "blob:")
PERMALINKS, SKIPS = frozenset(("§", "¶", "#", "🔗", "^", "↑", "↩")), ("skip to", "jump to", "back to top")


def read_page(body: Any, keep_frames: bool = False) -> Page:
    """Returns the text of `body`.

    Args:
        body: the element to read.
        keep_frames: also show navigation, footers and side bars in full.
    """
    page, frames = Page(), Frames(body)
    buffer, append = page.buffer, page.buffer.append
    start_of, end_of = _STARTS.get, _ENDS.get
    # The elements that are open, each with its siblings to come: `etree.iterwalk` takes twice the time.
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
            # Most elements are plain: they are neither hidden nor around the content.
            looked = tag in _NEVER_PLAIN or (names and not _TELLING.isdisjoint(names))
            if not (looked and _left_out(page, element, names, frames, keep_frames)):
                if tag == "a" and not len(element):
                    _read_link(page, element)
                    continue
                start = start_of(tag)
                if start is not None:
                    start(page, tag, element)
                if not (tag in _WHOLE and _read_whole(page, tag, element)):
                    piece = element.text
                    # Blanks at the start of a line are nothing.
                    if piece and (buffer or not piece.isspace()):
                        append(piece)
                    if len(element):
                        opened.append((element, inner))
                        inner = iter(element)
                        continue
        close = end_of(element.tag)
        if close is not None:
            close(page, element)
        elif not element.tail and element.tag not in INLINE:
            append(" ")  # elements that HTML does not know hold values of their own
        piece = element.tail if element is not body else None
        if piece and (buffer or not piece.isspace()):
            append(piece)
    page.flush()
    return page


def _left_out(page: Page, element: Any, names: list[str], frames: Frames, keep_frames: bool) -> bool:
    tag = element.tag
    if tag in UNSEEN:
        if tag in ("script", "style", "iframe", "noscript"):
            page.left_out[tag] += 1
        return True
    if names and not _HIDING.isdisjoint(names) and is_hidden(element):
        page.left_out["hidden"] += 1
        return True
    if keep_frames or (tag not in FRAME and (_NAMING.isdisjoint(names) or _is_known(element, names))):
        return False
    if frames.is_frame(element):
        page.flush()
        _note_frame(page, element)
        return True
    return False


def _is_known(element: Any, names: list[str]) -> bool:
    """Says whether an element has a class alone, one that names no frame."""
    return names == ["class"] and not is_frame_name(element.get("class"))


def _note_frame(page: Page, element: Any) -> None:
    """Writes a frame as one line of ours: how many links it has, and what the first ones say."""
    page.framed = True
    texts = [" ".join("".join(link.itertext()).split()) for link in element.iter("a")]
    texts = [text for text in texts if text]
    name = element.tag if element.tag in ("nav", "footer", "aside", "header") else "side block"
    if len(texts) < 3:
        page.left_out[name] += 1
        return
    first = ", ".join(text[:30] for text in texts[:FRAME_LINKS])
    more = ", …" if len(texts) > FRAME_LINKS else ""
    page.lines.append(f"[… {name} with {len(texts)} links: {first}{more}]")


def _start_heading(page: Page, tag: str, element: Any) -> None:
    page.flush()
    pending = page.prefix if page.prefix.lstrip()[:1] in ("-", *"123456789") else ""
    page.prefix = pending + HEADINGS[tag]


def _start_list(page: Page, tag: str, element: Any) -> None:
    page.flush()
    page.lists.append(1 if tag == "ol" else 0)


def _start_table(page: Page, tag: str, element: Any) -> None:
    page.flush()
    page.tables.append(Table(_is_layout(element, page)))


def _start_link(page: Page, tag: str, element: Any) -> None:
    page.anchors.append((element.get("href") or "", len(page.buffer), len(page.lines)))


def _start_quote(page: Page, tag: str, element: Any) -> None:
    page.flush()
    page.quotes += 1


def _start_block(page: Page, tag: str, element: Any) -> None:
    if page.buffer:
        page.flush()


def _start_item(page: Page, tag: str, element: Any) -> None:
    if page.buffer:
        page.flush()
    depth = "  " * (len(page.lists) - 1)
    if tag == "dt":
        page.prefix = ""
    elif tag == "dd":
        page.prefix = ": "
    elif page.lists and page.lists[-1]:
        value = element.get("value")
        number = int(value) if value and value.isdecimal() and len(value) < 9 else page.lists[-1]
        page.prefix = f"{depth}{number}. "
        page.lists[-1] = number + 1
    else:
        page.prefix = f"{depth}- "


def _start_cell(page: Page, tag: str, element: Any) -> None:
    if not page.tables or page.tables[-1].layout:
        page.flush()
    else:
        page.tables[-1].cell_start = len(page.buffer)


def _is_layout(element: Any, page: Page) -> bool:
    """A table that holds tables, or stands in a cell, or has one cell a row, is layout."""
    if page.in_cell():
        return True
    inner = element.iter("table", "pre", "h1", "h2", "h3", "form", "ul")
    first = next(inner, None)
    return (next(inner, None) if first is element else first) is not None


def _read_whole(page: Page, tag: str, element: Any) -> bool:
    if tag == "br":
        if page.tables and page.in_cell():
            page.buffer.append(" ")
        else:
            keep = page.prefix
            page.flush()
            page.prefix = page.prefix or ("" if keep.startswith("#") else page.prefix)
    elif tag == "pre":
        return _read_code(page, element)
    elif tag == "img":
        _read_image(page, element)
    elif tag == "svg":
        titles = (part.text for part in element.iter("title", "{*}title") if part.text)
        page.buffer.append(next(titles, None) or element.get("aria-label") or "")
        page.left_out["svg"] += 1
        return True
    else:
        _read_field(page, tag, element)
        return tag in ("select", "textarea")
    return False


def _read_code(page: Page, element: Any) -> bool:
    page.flush()
    if next(element.iter("table"), None) is not None:
        return _read_code_table(page, element)
    page.left_out["line number"] += _drop_line_numbers(element)
    text = "".join(element.itertext()).replace("\xa0", " ").strip("\r\n").rstrip()
    if text.strip():
        page.lines.append(f"```\n{text}\n```" if "\n" in text else f"`{text.strip()}`")
    return True


def _drop_line_numbers(element: Any) -> int:
    """Empties the numbers that stand before each line of code as links or spans; returns how many."""
    count = 0
    for part in element.iter("a", "span", "td"):
        text = part.text or ""
        if text.strip().isdigit() and (
            (part.tag == "a" and (part.get("href") or "").startswith("#"))
            or "line" in (part.get("class") or "")
        ):
            part.text = ""
            count += 1
    return count


def _read_code_table(page: Page, element: Any) -> bool:
    """Code beside its line numbers: columns of equal height become rows, plain numbering goes."""
    columns = [
        [line.replace("\xa0", " ").rstrip() for line in "".join(cell.itertext()).strip("\n").split("\n")]
        for cell in element.iter("td")
    ]
    columns = [column for column in columns if column != [str(i + 1) for i in range(len(column))]]
    if not columns or len({len(column) for column in columns}) > 1 or len(columns) > 6:
        page.lines.append("```\n" + "".join(element.itertext()).strip("\n") + "\n```")
        return True
    rows = [
        "  ".join(part for part in parts if part.strip()).rstrip() for parts in zip(*columns, strict=True)
    ]
    page.lines.append("```\n" + "\n".join(rows) + "\n```")
    return True


def _read_image(page: Page, element: Any) -> None:
    alt = " ".join((element.get("alt") or element.get("title") or "").split())
    if len(alt) > 2:
        page.buffer.append(f"![{alt[:LONG_ALT]}]")
    else:
        page.left_out["image without text"] += 1


def _read_field(page: Page, tag: str, element: Any) -> None:
    kind = element.get("type") or ("text" if tag == "input" else tag)
    if kind == "hidden":
        page.left_out["hidden field"] += 1
        return
    name = element.get("name") or element.get("id") or element.get("aria-label") or ""
    if kind in ("submit", "button", "reset", "image"):
        label = element.get("value") or element.get("alt") or name
        page.buffer.append(f" [{label}] " if label else "")
        return
    parts = [kind if tag == "input" else tag, name]
    if tag == "select":
        parts.append(_options(element))
    elif tag == "textarea":
        parts.append("".join(element.itertext()).strip())
    else:
        value = element.get("value")
        parts.append(f"={value}" if value else "")
        parts.append("checked" if "checked" in element.attrib else "")
    holder = element.get("placeholder")
    parts.append(f'"{holder}"' if holder else "")
    page.buffer.append(" [" + " ".join(part for part in parts if part) + "] ")


def _options(element: Any) -> str:
    options = list(element.iter("option"))
    shown = []
    for option in options[:MOST_OPTIONS]:
        text = " ".join("".join(option.itertext()).split())
        shown.append(f"{text}*" if "selected" in option.attrib else text)
    more = f" … {len(options) - MOST_OPTIONS} more" if len(options) > MOST_OPTIONS else ""
    return ": " + " | ".join(shown) + more


def _end_block(page: Page, element: Any) -> None:
    if page.buffer:
        page.flush()


def _end_item(page: Page, element: Any) -> None:
    page.flush()
    page.prefix = ""


def _end_list(page: Page, element: Any) -> None:
    page.flush()
    if page.lists:
        page.lists.pop()
    page.prefix = ""


def _end_quote(page: Page, element: Any) -> None:
    page.flush()
    page.quotes = max(0, page.quotes - 1)


def _read_link(page: Page, element: Any) -> None:
    """Reads a link that holds nothing but text, and what follows it."""
    href, text, buffer = (element.get("href") or "").strip(), element.text, page.buffer
    inner = " ".join(text.split()) if text else ""
    if not inner:
        if text and buffer:
            buffer.append(text)
        page.left_out["link without text"] += bool(href)
    elif not _is_permalink(page, href, inner):
        buffer.append(_linked(text, href, inner, text) if _shown(page, href, inner) else text)
    tail = element.tail
    if tail and (buffer or not tail.isspace()):
        buffer.append(tail)


def _end_link(page: Page, element: Any) -> None:
    if not page.anchors:
        return
    href, start, line = page.anchors.pop()
    href, buffer = href.strip(), page.buffer
    pieces = buffer[start:]
    inner = " ".join((pieces[0] if len(pieces) == 1 else "".join(pieces)).split())
    if line < len(page.lines) and not inner:
        _link_lines(page, href, line)
        return
    if not inner:
        page.left_out["link without text"] += bool(href)
        return
    if _is_permalink(page, href, inner):
        del buffer[start:]
        return
    if line < len(page.lines) or not _shown(page, href, inner):
        return
    buffer[start:] = [_linked(pieces[0], href, inner, pieces[-1])]


def _is_permalink(page: Page, href: str, inner: str) -> bool:
    if not href.startswith("#") or not (inner in PERMALINKS or inner.lower().startswith(SKIPS)):
        return False
    page.left_out["link on the page"] += 1
    return True


def _linked(first: str, href: str, inner: str, last: str) -> str:
    """Returns a link with a blank where its first or its last piece of text has one."""
    lead = " " if first[:1].isspace() else ""
    tail = " " if last[-1:].isspace() else ""
    return f"{lead}[{inner}]({href}){tail}"


def _link_lines(page: Page, href: str, line: int) -> None:
    """A link around whole blocks: its target stands behind the first of its lines."""
    first = page.lines[line]
    if isinstance(first, str) and _shown(page, href, first):
        page.lines[line] = f"{first} ({href})"


def _shown(page: Page, href: str, text: str) -> bool:
    """True when a link's target is worth its tokens: new, short, and no place on the same page."""
    if not href or href.startswith(_NO_TARGETS):
        return False
    if len(href) > LONG_URL:
        page.left_out["very long URL"] += 1
        return False
    if href in page.urls:
        return False
    page.urls.add(href)
    return href.rstrip("/") != text.rstrip("/")


def _end_cell(page: Page, element: Any) -> None:
    if not page.tables or page.tables[-1].layout:
        page.flush()
        return
    table = page.tables[-1]
    start = table.cell_start
    if start < 0:
        return
    text = " ".join("".join(page.buffer[start:]).split())
    table.headed = table.headed or element.tag == "th"
    del page.buffer[start:]
    table.cell_start = -1
    row = element.getparent()
    line = row.sourceline or 0 if row is not None else 0
    first = row is None or next(iter(row), None) is element
    if first or not table.rows:
        table.rows.append(Row([], line))
    table.rows[-1].cells.append(text)


def _end_table(page: Page, element: Any) -> None:
    page.flush()
    if not page.tables:
        return
    table = page.tables.pop()
    if table.rows and not table.layout:
        if page.in_cell():
            page.buffer.append("; ".join(" ".join(filter(None, row.cells)) for row in table.rows))
        else:
            page.lines.append(table)


_STARTS: dict[str, Callable[[Page, str, Any], None]] = {
    **dict.fromkeys(BLOCKS, _start_block),
    **dict.fromkeys(HEADINGS, _start_heading),
    **dict.fromkeys(("li", "dt", "dd"), _start_item),
    **dict.fromkeys(("ul", "ol", "menu"), _start_list),
    **dict.fromkeys(("td", "th"), _start_cell),
    "table": _start_table,
    "a": _start_link,
    "blockquote": _start_quote,
}
_ENDS: dict[str, Callable[[Page, Any], None]] = {
    **dict.fromkeys(BLOCKS, _end_block),
    **dict.fromkeys((*HEADINGS, "li", "dt", "dd"), _end_item),
    **dict.fromkeys(("ul", "ol", "menu"), _end_list),
    **dict.fromkeys(("td", "th"), _end_cell),
    "table": _end_table,
    "a": _end_link,
    "blockquote": _end_quote,
}
