"""Texts known by their shape, whatever printed them: certificates, manuals, long listings.

A rule is chosen by the command; the same text comes out of a loop, a pipe, another machine or with
no command at all. What is looked at is a sample, so that each other text pays next to nothing.
"""

from __future__ import annotations

import re
from importlib import import_module

from tokenjuice_ml.types import Context, Reduction

HEAD, WINDOW = 3000, 1500
# Letters and stops of a man page's first line: its name and section at both ends.
_PAGE_LINE = re.compile(r"\s{0,40}(?P<name>[\w.:+@-]{1,80}\(\d\w{0,4}\))\s.{0,200}?\s(?P=name)\s*$")
_NAME_PART = re.compile(r"^(?:NAME|BEZEICHNUNG|NOM|NOMBRE|NOME)\n[ \t]{2,12}\S", re.M)
_NEXT_PART = re.compile(
    r"^(?:SYNOPSIS|DESCRIPTION|USAGE|OPTIONS|ÜBERSICHT|UEBERSICHT|BESCHREIBUNG|SINOPSIS|DESCRIPCIÓN)\n", re.M
)
_OPTION = re.compile(r"^[ \t]{1,12}-{1,2}[A-Za-z?#@][^\n]*", re.M)
_USAGE = re.compile(r"(?:^|\n) {0,4}(?:usage|aufruf|uso|utilisation)\b", re.I)
_MODE = re.compile(
    r"(?: {0,12}\d{1,20} {1,12}(?:[\d.]{1,12}[KMGT]? {1,12})?)?[-bcdlpsDP][-rwxsS]{2}[-rwxsStT]{7}[.+@]? {1,12}\S"
)
_HEX_LINE = re.compile(r"^[ \t]{0,60}(?:[0-9A-Fa-f]{2}:){10,}\r?$", re.M)
_HEX = frozenset("0123456789abcdefABCDEF")
FEWEST_OPTIONS, FEWEST_ROWS, MOST_ROWS_SEEN = 10, 12, 80


def of(text: str, asks_help: bool = False, failed: bool = False) -> str:
    """Returns the compressor of the text's shape: certificates, manual, listing, hexdump, mailbox, or "" for none.

    Args:
        text: the whole output.
        asks_help: its command asked for help.
        failed: its exit code says that something went wrong.
    """
    head = text[:HEAD]
    if _is_listing(text, head):
        return "listing"
    if _is_certificate(text, head):
        return "certificates"
    if head.startswith("From ") and _is_mailbox(head):
        return "mailbox"
    if _is_dump(head):
        return "hexdump"
    if is_page(head) or ((asks_help or not failed) and _is_help(text, head)):
        return "manual"
    return ""


def compress(name: str, text: str, context: Context) -> Reduction | None:
    """Returns what the compressor of a shape makes of the text."""
    reduction: Reduction | None = import_module(f"tokenjuice_ml.compressors.{name}").compress(text, context)
    return reduction


def _is_mailbox(head: str) -> bool:
    from tokenjuice_ml.compressors import mailbox

    return mailbox.is_mailbox(head)


def _is_dump(head: str) -> bool:
    if not head[:6].isalnum() or not set(head[:6]) <= _HEX:
        return False
    from tokenjuice_ml.compressors import hexdump

    return hexdump.is_dump(head)


def is_page(head: str) -> bool:
    """Tells whether a text begins as a page of a manual does."""
    if "\b" in head or "\x1b" in head:
        head = re.sub(r".\x08|\x1b\[[\d;]{0,20}m", "", head)
    first = head.lstrip("\n").partition("\n")[0]
    if len(first) < 400 and _PAGE_LINE.match(first.expandtabs()):
        return True
    return bool(_NAME_PART.search(head) and _NEXT_PART.search(head))


def _is_help(text: str, head: str) -> bool:
    if not _USAGE.search(head[:WINDOW]):
        return False
    return len(_OPTION.findall(text, 0, 40_000)) >= FEWEST_OPTIONS


def _is_listing(text: str, head: str) -> bool:
    """Most of the first lines, and one in the middle, begin with the mode of a file."""
    if "-" not in head or "r" not in head:
        return False
    if not (is_row(head) or any(map(is_row, head.split("\n", 5)[:5]))):
        return False
    sample = [line for line in text[:12_000].split("\n")[:MOST_ROWS_SEEN] if line.strip()]
    rows = sum(map(is_row, sample))
    return rows >= FEWEST_ROWS and rows >= 0.6 * len(sample)


def is_row(line: str) -> bool:
    """Tells whether a line begins as one of a long listing."""
    return _MODE.match(line[:120]) is not None


def _is_certificate(text: str, head: str) -> bool:
    """Certificates as text, or dumps of bytes with colons in the head, the middle and the end."""
    at = text.find("Certificate:\n    Data:\n", 0, 200_000)
    if at >= 0:
        return at < HEAD or text.count("Certificate:\n    Data:\n") * 1500 > len(text) // 4
    middle = len(text) // 2
    parts = (head, text[middle : middle + WINDOW], text[-WINDOW:])
    return sum(len(_HEX_LINE.findall(part)) for part in parts) >= 8
