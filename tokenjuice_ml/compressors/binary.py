"""Bytes that are no text: what they are, how many, and the words inside."""

from __future__ import annotations

import re

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.types import Context, Omission, Reduction

SAMPLE = 8192
# Share of characters that no text has; logs with a few broken bytes stay logs.
BINARY_SHARE = 0.10
HEAD_BYTES = 16
WORDS_SHOWN = 12
_SIGNS = (
    (b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"%PDF", "PDF"),
    (b"PK\x03\x04", "ZIP archive"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x7fELF", "ELF program"), (b"MZ", "Windows program"), (b"SQLite format 3", "SQLite database"), (b"\xca\xfe\xba\xbe", "class file"),
    (b"OggS", "Ogg"), (b"RIFF", "RIFF (WAV, WebP, AVI)"), (b"ID3", "MP3"), (b"\x00asm", "WebAssembly"),
)  # fmt: skip
_WORD = re.compile(r"[\x20-\x7e]{6,80}")
_NO_TEXT = bytes([code for code in range(32) if code not in b"\t\n\r\f\x1b\b"] + [0x7F])


def is_binary(text: str) -> bool:
    r"""Returns True when the start, the middle or the end of `text` is no text.

    >>> is_binary("plain text" * 100), is_binary("\x00\x01" * 500)
    (False, True)
    """
    middle = len(text) // 2
    for sample in (text[:SAMPLE], text[middle : middle + SAMPLE], text[-SAMPLE:]):
        data = sample.encode("utf-8", "surrogatepass")
        odd = len(data) - len(data.translate(None, _NO_TEXT)) + sample.count("\ufffd")
        if odd > BINARY_SHARE * len(sample):
            return True
    return False


def compress(text: str, context: Context) -> Reduction | None:
    """Returns a note: the kind by its first bytes, the size, and the longest printable words."""
    raw = context.output.raw
    data = raw if raw is not None else text.encode("utf-8", "surrogatepass")
    kind = next((name for sign, name in _SIGNS if data.startswith(sign)), "binary data")
    words = list(dict.fromkeys(match[0].strip() for match in _WORD.finditer(text[: 1 << 20])))
    shown = [word for word in words if any(char.isalpha() for char in word)][:WORDS_SHOWN]
    head = data[:HEAD_BYTES].hex(" ")
    lines = text.count("\n") + 1
    note = f"[… {kind}, {len(data):,} bytes, starts {head}]"
    body = "\n".join([note, *shown])
    gap = Omission(1, lines, lines, max(0, len(data) - utf8_len("\n".join(shown))), kind)
    return Reduction(body, True, "binary", (gap,))
