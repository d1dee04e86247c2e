"""Recognises diffs, HTML and XML documents, and markdown."""

from __future__ import annotations

from tokenjuice_ml.detection.sample import Sample
from tokenjuice_ml.detection.words import marks

_DIFF_STARTS = ("diff --git ", "diff --cc ", "diff --combined ", "Index: ", "diff -", "@@ -", "@@@ -")
_DIFF_LINES = ("diff --git ", "diff --cc ", "diff --combined ", "@@ -", "@@@ -", "+++ ", "Binary files ")
_BODY = ("+", "-", " ", "@@", "diff ", "index ", "\\ ", "new file", "deleted file", "similarity", "rename ")
_MORE_BODY = ("old mode", "new mode", "Binary files", "copy ", "Index: ", "====")
_ROOTS = {"rss": "rss", "feed": "rss", "rdf:rdf": "rss", "svg": "svg", "html": "html"}
_TAGS = marks("<div|<p>|<p |<a |<span|<li|<td|<tr|<table|<br|<h1|<h2|<script|<ul")


def diff(text: str, sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of a diff; a lone ``@@`` is none."""
    lines = sample.full
    if not any(line.startswith(_DIFF_LINES) for line in lines) and not _far_diff(text, lines[0]):
        return None
    starts = _starts_as_diff(lines)
    body = sum(line.startswith(_BODY) or line.startswith(_MORE_BODY) for line in lines)
    signed = sum(line[0] in "+-" for line in lines)
    hunks = sum(line.startswith(("@@ -", "@@@ -")) for line in lines)
    if starts and (starts in ("patch", "commit") or body >= 0.5 * len(lines)):
        return _diff_format(lines, starts), f"begins as a diff, {body} of {len(lines)} lines fit"
    headers = hunks or any(line.startswith("diff --git ") for line in lines)
    if headers and signed >= 2 and body >= 0.85 * len(lines):
        return _diff_format(lines, "hunks"), f"{body} of {len(lines)} lines fit a diff"
    return None


def _far_diff(text: str, first: str) -> bool:
    """Says whether a commit with a long message has a diff further down."""
    return first.startswith(("commit ", "From ", "From: ")) and text.find("\ndiff --", 0, 100_000) >= 0


def _diff_format(lines: list[str], starts: str) -> str:
    if any(line.startswith(("diff --cc ", "diff --combined ", "@@@ ")) for line in lines):
        return "combined"
    return "patch" if starts == "patch" else "unified"


def _starts_as_diff(lines: list[str]) -> str:
    first = lines[0]
    if first.startswith(_DIFF_STARTS):
        return "diff"
    if first.startswith("--- ") and len(lines) > 1 and lines[1].startswith("+++ "):
        return "diff"
    if first.startswith("From: ") and any(line.startswith("Subject: ") for line in lines[:12]):
        return "patch"
    words = first.split()
    if len(words) < 2 or not _is_sha(words[1]):
        return ""
    if words[0] == "From" and any(line.startswith("Subject: ") for line in lines[:12]):
        return "patch"
    if words[0] == "commit":
        return "commit"
    return ""


def _is_sha(word: str) -> bool:
    return 7 <= len(word) <= 64 and not word.strip("0123456789abcdef")


def html(text: str, sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of an HTML or XML document."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if not head.startswith("<") or len(head) < 5:
        return None
    low = head.lower()
    if low.startswith(("<!doctype html", "<html")):
        return "html", "begins as an HTML document"
    if low.startswith(("<?xml", "<!doctype", "<!--")):
        root = _root(low)
        return (_ROOTS.get(root, "xml"), f"XML with root {root}") if root else None
    root = _root(low[:200])
    last = text[-200:].rstrip()[-1:]
    tagged = sum("<" in line and ">" in line for line in sample.full)
    if not root or last != ">" or tagged < 0.4 * len(sample.full) or _is_component(sample):
        return None
    return _ROOTS.get(root, "html" if f"<{root}".startswith(_TAGS) else "xml"), f"begins with <{root}>"


def _root(low: str) -> str:
    """Returns the name of the first element in lower-case `low`, "" where there is none."""
    position = low.find("<")
    while position >= 0:
        char = low[position + 1 : position + 2]
        if char.isalpha():
            end = position + 1
            while end < len(low) and (low[end].isalnum() or low[end] in ":-_."):
                end += 1
            return low[position + 1 : end] if low[end : end + 1] in (">", " ", "\n", "\t", "\r", "/") else ""
        closer = "-->" if low.startswith("<!--", position) else ">"
        end = low.find(closer, position)
        if char not in ("!", "?") or end < 0:
            return ""
        position = low.find("<", end)
    return ""


def _is_component(sample: Sample) -> bool:
    """Says whether this is a source file in tags (a Vue or Svelte component)."""
    first = sample.full[0]
    return first.startswith(("<template", "<script")) and any(
        line.lstrip().startswith(("import ", "export ", "const ")) for line in sample.full
    )


def fragment(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of HTML without a document around it."""
    lines = sample.full
    tagged = 0
    for line in lines:
        low = line.lower()
        tagged += "</" in low and any(tag in low for tag in _TAGS)
    if tagged >= 2 and tagged >= 0.4 * len(lines):
        return "html", f"{tagged} of {len(lines)} lines carry tags"
    return None


def document(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of a markdown file that begins as one and has code in fences or links."""
    if not sample.full[0].startswith(("# ", "<h1", "[![", "---")):
        return None
    heads = _headings(sample.lines)
    fences = sum(line.lstrip().startswith("```") for line in sample.full)
    links = sum("](" in line for line in sample.full)
    if heads >= 1 and (fences >= 2 or links >= 2):
        return "markdown", f"{heads} headings, {fences} fences, {links} links"
    return None


def _headings(lines: list[str]) -> int:
    """Counts headings: a line of a comment is followed by its next line, a heading by a blank one."""
    heads = 0
    for index, line in enumerate(lines):
        if line.startswith("#") and line.lstrip("#").startswith(" "):
            after = lines[index + 1] if index + 1 < len(lines) else ""
            before = lines[index - 1] if index else ""
            heads += (not after or not before) and not after.startswith("#")
    return heads


def markdown(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of markdown."""
    heads = _headings(sample.lines)
    items = sum(
        line.lstrip().startswith(("- ", "* ", "1. ", "2. ", "> ", "```", "| ")) for line in sample.full
    )
    links = sum("](" in line or "**" in line or "`" in line for line in sample.full)
    comments = sum(line.lstrip().startswith(("* @", "*/", "/*", "//", "#!")) for line in sample.full)
    if comments > 0.1 * len(sample.full):
        return None
    if heads and (heads + items + links >= 4 or sample.full[0].startswith("#")):
        return "markdown", f"{heads} headings, {items} list items"
    if items + links >= 0.4 * len(sample.full) and items >= 3 and links >= 2:
        return "markdown", f"{items} list items, {links} marked lines"
    return None
