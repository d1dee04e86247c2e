"""Web pages, feeds, drawings and XML: what a reader would see, and what was left out of it.

An article is cut to its text; any other page keeps its structure: headings, lists, table rows,
code, fields, and each link's target once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.html_feed import is_feed, read_feed
from tokenjuice_ml.compressors.html_lines import Page, Table
from tokenjuice_ml.compressors.html_tree import is_article, local, measure, parse_html, parse_xml
from tokenjuice_ml.compressors.html_walk import BLOCKS, HEADINGS, INLINE, read_page
from tokenjuice_ml.compressors.html_xml import read_svg, read_xml
from tokenjuice_ml.compressors.table import cut_rows, query_words
from tokenjuice_ml.types import Context, Omission, Reduction

CHARSET = re.compile(rb"""charset=["']?([A-Za-z0-9_.:-]{2,40})""")
LEAST_ARTICLE, LEAST_PAGE, SCRIPTED = 250, 200, 2_000
BAD_SAMPLE, MOST_BAD = 20_000, 0.3
REPEATED, REPEATED_CHARS = 6, 40
LONG_TABLE, MOST_CHARS, MOST_ANSWERS = 60, 60_000, 40
LONG_RUN = re.compile(r">[^<>]{90}")
LINK = re.compile(r"\[([^\[\]()\n]{1,14})\]\(([^\s()]{1,300})\)")
SCRIPT = re.compile(r"<(script|style)\b", re.I)
SCRIPT_ENDS = {name: re.compile(rf"</{name}\s{{0,9}}>", re.I) for name in ("script", "style")}
ACTIONS = 8
# Of a longer page both ends are read: of what is read at most `MOST_CHARS` are shown.
MOST_READ, READ_HEAD = 2_000_000, 1_600_000
ROOT = re.compile(r"<([A-Za-z_][\w.:-]{0,99})(?=[\s/>])")
HTML_NAMES = BLOCKS.union(
    INLINE,
    HEADINGS,
    "area base col colgroup datalist dialog frame frameset head iframe li math noframes noscript optgroup option param".split(),
    "script style td template th title".split(),
)
XML_ENDINGS = frozenset(
    ["xml", "rss", "atom", "svg", "rdf", "pom", "xsd", "wsdl", "plist", "csproj", "xliff"]
)


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the page as text, None when it has none."""
    text = _redecoded(text, context.output.raw)
    head = text[:2000].lstrip("\ufeff \t\r\n")
    if _is_xml(head, context.output.extension) or _is_bare_xml(head, text, context.output.mime):
        root = parse_xml(text)
        if root is not None:
            return _reduce_xml(root, text, context)
    return _reduce_html(text, context)


def _redecoded(text: str, raw: bytes | None) -> str:
    """Decodes again by the charset the page names, where UTF-8 fits few of its letters."""
    if raw is None or text.isascii():
        return text
    letters = len(text) - len(text.encode("ascii", "ignore"))
    bad = text.count("\ufffd") + sum("\udc80" <= char <= "\udcff" for char in text[:BAD_SAMPLE])
    if bad < MOST_BAD * min(letters, BAD_SAMPLE):
        return text
    named = CHARSET.search(raw[:2048])
    try:
        return raw.decode(named[1].decode("ascii") if named else "cp1252", "replace")
    except LookupError:
        return text


def _is_xml(head: str, extension: str | None) -> bool:
    low = head[:600].lower()
    if "<html" in low or "<!doctype html" in low:
        return False
    return (
        head.startswith("<?xml")
        or low.startswith(("<rss", "<feed", "<svg", "<rdf"))
        or ((extension or "").lower() in XML_ENDINGS and head.startswith("<"))
    )


def _is_bare_xml(head: str, text: str, mime: str | None) -> bool:
    """Tells XML without a prolog: its first element is none of HTML's, and closes at the end."""
    opening = ROOT.match(head)
    if opening is None or opening[1].lower() in HTML_NAMES:
        return False
    name = opening[1]
    says = "xml" in (mime or "").lower() and "html" not in (mime or "").lower()
    known = "-" not in name or "xmlns" in head[:600]
    return says or (known and text.rstrip().endswith(f"</{name}>"))


def _mark_struck(root: Any) -> None:
    """Marks deleted words as Markdown does: read as plain text they would be taken for valid."""
    for element in root.iter("del", "s", "strike"):
        if not "".join(element.itertext()).strip() or any(up.tag == "pre" for up in element.iterancestors()):
            continue
        element.text = f"~~{element.text or ''}"
        last = element[-1] if len(element) else None
        if last is None:
            element.text += "~~"
        else:
            last.tail = f"{last.tail or ''}~~"


def _reduce_xml(root: Any, text: str, context: Context) -> Reduction:
    if is_feed(root):
        body, gaps = read_feed(root, query_words(context.output.query))
        said = f"the start of each item's content is shown; {len(gaps)} cut" if gaps else ""
    elif local(root.tag) == "svg":
        body, shapes = read_svg(root)
        gaps, said = [], f"{shapes:,} {_noun('shape', shapes)}" if shapes else ""
    else:
        body, gaps, comments = read_xml(root, context)
        said = f"{comments:,} {_noun('comment', comments)}" if comments else ""
    return _finish(body, gaps, "XML markup" + (f", {said}" if said else ""), text, context)


def _reduce_html(text: str, context: Context) -> Reduction | None:
    if len(text) <= MOST_READ or context.output.query:
        return _read_html(text, text, context)
    part, unread = _ends(text)
    reduction = _read_html(part, text, context)
    return _with_unread(reduction, unread) if reduction is not None and unread else reduction


def _read_html(part: str, text: str, context: Context) -> Reduction | None:
    """Reads `part`, which is the page `text` or its ends."""
    long_run = LONG_RUN.search(part) is not None
    root, deep = parse_html(part, rich=long_run)
    if root is None:
        return None
    if deep:
        return _plain(text, context)
    _mark_struck(root)
    # The elements of `lxml.html` are dear to make, and made again at each look unless they are held.
    held = list(root.iter()) if long_run else []
    title = _title(root)
    if long_run and is_article(root, measure(_body(root))):
        reduction = _article(text, root, title, context)
        if reduction is not None:
            return reduction
        root, _ = parse_html(part)
        _mark_struck(root)
    del held
    return _page(root, title, text, context)


def _ends(text: str) -> tuple[str, int]:
    """Returns both ends of a very long page without scripts and styles, and the chars not read.

    A tree of all of it would take twenty times its size.
    """
    bare = _without_scripts(text)
    if len(bare) <= MOST_READ:
        return bare, 0
    head = bare.rfind(">", 0, READ_HEAD) + 1 or READ_HEAD
    tail = max(bare.find("<", len(bare) - MOST_READ + READ_HEAD), head)
    return f"{bare[:head]}\n{bare[tail:]}", tail - head


def _without_scripts(text: str) -> str:
    parts: list[str] = []
    position = 0
    while (opening := SCRIPT.search(text, position)) is not None:
        closing = SCRIPT_ENDS[opening[1].lower()].search(text, opening.end())
        if closing is None:
            break
        parts.append(text[position : opening.start()])
        position = closing.end()
    return "".join(parts) + text[position:]


def _with_unread(reduction: Reduction, unread: int) -> Reduction:
    before, mark, after = reduction.text.rpartition("[… left out: ")
    said = f"{before}{mark}{unread:,} chars of source in the middle of the page, {after}"
    return replace(reduction, text=said) if mark else reduction


def _body(root: Any) -> Any:
    body = root.find("body")
    return root if body is None else body


def _title(root: Any) -> str:
    """Returns the page's title, or its first headline where it has none."""
    for element in root.iter("title", "h1"):
        text = " ".join("".join(element.itertext()).split())
        if text:
            return text
    return ""


def _plain(text: str, context: Context) -> Reduction:
    """Reads a page that nests too deeply for the tree walk."""
    from resiliparse.extract.html2text import extract_plain_text

    body = extract_plain_text(text, preserve_formatting=True, links=True, form_fields=True)
    return _finish(body.strip(), [], "markup, nested too deeply to be shown as a page", text, context)


def _article(text: str, root: Any, title: str, context: Context) -> Reduction | None:
    from tokenjuice_ml.compressors.html_article import article_text

    headline = _meta(root, "og:title") or title
    counts = _counts(root)
    body = article_text(root, headline)
    if len(body) < LEAST_ARTICLE:
        return None
    about = [part for part in (_meta(root, "author"), _meta(root, "article:published_time")[:10]) if part]
    first = f'[… article "{headline}"' + "".join(f", {part}" for part in about) + "]" if headline else ""
    said = "page around the article" + (f": {counts}" if counts else "")
    return _finish(f"{first}\n{body}" if first else body, [], said, text, context)


def _meta(root: Any, name: str) -> str:
    for element in root.iter("meta"):
        if element.get("property") == name or element.get("name") == name:
            return " ".join((element.get("content") or "").split())
    return ""


def _counts(root: Any) -> str:
    tags = (("script", "script"), ("style", "style"), ("a", "link"), ("img", "image"), ("form", "form"))
    found = ((sum(1 for _ in root.iter(tag)), noun) for tag, noun in tags)
    return ", ".join(f"{count:,} {_noun(noun, count)}" for count, noun in found if count)


def _page(root: Any, title: str, text: str, context: Context) -> Reduction | None:
    body = _body(root)
    page = read_page(body)
    lines, gaps = _lines(page, context)
    if page.framed and sum(map(len, lines)) < LEAST_PAGE:
        page = read_page(body, keep_frames=True)
        lines, gaps = _lines(page, context)
    lines = _without_actions(_without_repeats(lines, page), page)
    if title and not any(title == line.lstrip("# ") for line in lines[:6]):
        lines.insert(0, f"# {title}")
    if sum(map(len, lines)) < LEAST_PAGE:
        lines += _hints_of_scripts(root) + _embedded(root, context)
    if not lines:
        return None
    return _finish("\n".join(lines), gaps, _said(page), text, context)


def _hints_of_scripts(root: Any) -> list[str]:
    """Says what a page that its scripts fill is about, and that its words are not here."""
    lines = [part for part in (_meta(root, "description"), _meta(root, "og:description")) if part][:1]
    size = sum(len(script.text or "") for script in root.iter("script"))
    outside = sum(1 for script in root.iter("script") if script.get("src"))
    if size > SCRIPTED or outside > 1:
        lines.append(
            f"[… the page is filled by scripts: {size:,} chars of script here, {outside} files elsewhere]"
        )
    return lines


def _embedded(root: Any, context: Context) -> list[str]:
    """Returns what a page without words has for readers without scripts, and its data, both cut."""
    from tokenjuice_ml.compressors import jsonish

    texts = (" ".join("".join(element.itertext()).split()) for element in root.iter("noscript"))
    lines = [text for text in texts if text and "<" not in text]
    for script in root.iter("script"):
        kind, data = (script.get("type") or "").lower(), (script.text or "").strip()
        if "json" not in kind or not data.startswith(("{", "[")):
            continue
        reduction = jsonish.compress(data, context)
        lines.append(reduction.text if reduction is not None else data)
    return lines


def _lines(page: Page, context: Context) -> tuple[list[str], list[Omission]]:
    """Returns the page's lines with its tables written, long ones cut."""
    lines: list[str] = []
    gaps: list[Omission] = []
    for item in page.lines:
        if isinstance(item, Table):
            _write_table(item, context, lines, gaps)
        else:
            lines.append(item)
    return lines, gaps


def _write_table(table: Table, context: Context, lines: list[str], gaps: list[Omission]) -> None:
    rows = [row for row in table.rows if any(row.cells)]
    if table.headed and len(rows) > LONG_TABLE:
        header, *body = rows
        cut = cut_rows(header.cells, [row.cells for row in body], [row.line for row in body], context)
        lines.extend(cut.text.split("\n"))
        gaps.extend(cut.omissions)
        return
    cells = (row.cells if table.headed else filter(None, row.cells) for row in rows)
    lines.extend(" | ".join(row).rstrip(" |") for row in cells)


def _without_repeats(lines: list[str], page: Page) -> list[str]:
    """Drops short lines from the third time on where they come again and again (Reply, Share)."""
    from collections import Counter

    counts = Counter(line for line in lines if len(line) <= REPEATED_CHARS)
    often = {line for line, count in counts.items() if count >= REPEATED and _is_label(line)}
    if not often:
        return lines
    seen: Counter[str] = Counter()
    kept: list[str] = []
    for line in lines:
        if line in often:
            seen[line] += 1
            if seen[line] > 2:
                page.left_out[f'"{line.lstrip("- ")}" again'] += 1
                continue
        kept.append(line)
    return kept


def _is_label(line: str) -> bool:
    """True for a few plain words such as a button has; headings, rows and facts are none."""
    words = line.removeprefix("- ").split()
    return 0 < len(words) <= 3 and all(word.isalpha() for word in words)


def _without_actions(lines: list[str], page: Page) -> list[str]:
    """Drops the targets of links that all read alike (reply, hide, edit)."""
    from collections import Counter

    counts = Counter([text for text, _ in LINK.findall("\n".join(lines))])
    often = {text for text, count in counts.items() if count >= ACTIONS}
    if not often:
        return lines

    def plain(match: re.Match[str]) -> str:
        if match[1] not in often:
            return match[0]
        page.left_out[f'URL of "{match[1]}"'] += 1
        return match[1]

    return [LINK.sub(plain, line) if "](" in line else line for line in lines]


def _said(page: Page) -> str:
    parts = [f"{count:,} {_noun(name, count)}" for name, count in page.left_out.most_common(12) if count]
    return "markup" + (f", {', '.join(parts)}" if parts else "")


def _noun(name: str, count: int) -> str:
    if count == 1 or '"' in name or name in ("hidden", "svg", "URL again"):
        return name
    first, blank, rest = name.partition(" ")
    return (
        f"{first}s {rest}"
        if blank and first in ("link", "image", "side") and name != "side block"
        else f"{name}s"
    )


def _bounded(body: str, words: tuple[str, ...]) -> str:
    """Keeps both ends of a text that is longer than a reader would ask for, and lines that answer."""
    if len(body) <= MOST_CHARS:
        return body
    head = body.rfind("\n", 0, int(MOST_CHARS * 0.8))
    tail = body.find("\n", len(body) - int(MOST_CHARS * 0.2))
    if head < MOST_CHARS // 2 or tail < 0:
        return f"{body[:MOST_CHARS]}\n[… {len(body) - MOST_CHARS:,} chars of this page]"
    middle = body[head + 1 : tail].split("\n")
    found = (
        [line for line in middle if any(word in line.lower() for word in words)][:MOST_ANSWERS]
        if words
        else []
    )
    gone = len(middle) - len(found)
    kept = "".join(f"{line}\n" for line in found)
    return f"{body[:head]}\n{kept}[… {gone:,} lines of this page's text, {tail - head:,} chars]{body[tail:]}"


def _finish(body: str, gaps: list[Omission], said: str, text: str, context: Context) -> Reduction:
    body = _bounded(body, query_words(context.output.query))
    lines = text.count("\n") + 1
    lost = max(0, utf8_len(text) - utf8_len(body))
    whole = Omission(1, lines, 0, lost, said)
    return Reduction(f"{body}\n[… left out: {said}]", True, "html", (whole, *gaps))
