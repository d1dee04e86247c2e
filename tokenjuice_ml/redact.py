"""Masks what has the shape of a secret, before anything is shown or stored (``redact_secrets``).

Shapes of the vendors' own documents, found by their literal beginnings. The detect-secrets package
was tried: 1.5 s for 100 KB of log and a false alarm in most lines (addresses, long ids), where this
takes 1 ms; its list of vendors is covered.

A mask is ``[redacted:<kind>]``. It stands in the stored original too: there is no way back to it.
Every repetition is bounded, and where it is long the pattern starts at the left border of a run, so
that no text makes the search slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tokenjuice_ml.compressors.needles import Needles, encoded
from tokenjuice_ml.record import replace

if TYPE_CHECKING:
    from tokenjuice_ml.types import ToolOutput

# kind, literals of which one must be in the text, pattern (group 1: what is masked; without a group
# all of it, and then no word may go on to the left of it).
_SHAPES = (
    ("aws-access-key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github-token", "ghp_ gho_ ghs_ ghu_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    ("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gitlab-token", "glpat- gldt- glrt- glptt-", r"gl(?:pat|dt|rt|ptt)-[\w-]{20,255}"),
    ("slack-token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    ("slack-webhook", "hooks.slack.com/services/", r"hooks\.slack\.com/services/(T[\w/]{20,255})"),
    ("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{5,20}/([\w-]{20,255})"),
    ("api-key", "sk-", r"(?<![\w-])sk-(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{20,255}"),
    ("stripe-key", "k_live_ k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,255}"),
    ("google-api-key", "AIza", r"AIza[\w-]{35}(?![\w-])"),
    ("google-token", "ya29.", r"ya29\.[\w-]{20,2048}"),
    ("google-secret", "GOCSPX-", r"GOCSPX-[\w-]{20,64}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{50,1024}"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,255}"),
    ("sendgrid-key", "SG.", r"SG\.[\w-]{16,64}\.[\w-]{16,64}"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailchimp-key", "-us", r"(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32}"),
    ("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,64}"),
    ("vault-token", "hvs. hvb.", r"hv[sb]\.[\w-]{24,255}"),
    ("docker-token", "dckr_pat_", r"dckr_pat_[\w-]{20,64}"),
    ("telegram-token", ":AA", r"(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("terraform-token", ".atlasv1.", r"(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("azure-key", "AccountKey= SharedAccessKey=", r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/=]{40,128})"),
    ("jwt", "eyJ", r"(?<![\w-])eyJ[\w-]{8,4096}\.eyJ[\w-]{8,65536}(?:\.[\w-]{0,4096})?"),
    ("url-password", "://", r"://[^\s/:@\"'<>]{0,128}:([^\s/\"'<>]{1,256})@"),
)  # fmt: skip
# The shape of each literal.
_OWNERS = [number for number, (_, literals, _) in enumerate(_SHAPES) for _ in literals.split()]
# What a name must hold for its value to be masked, in lower case.
_NAMES = (
    "password", "passwd", "secret", "api_key", "apikey", "api-key", "access_key", "auth_token", "access_token",
    "refresh_token", "_token", "private_key", "authorization",
)  # fmt: skip
_NAMED = re.compile(
    r"[\w-]{0,24}[\"']?[ \t]{0,4}(?P<sign>[:=])[ \t]{0,4}(?P<quote>[\"'])?"
    r"(?P<scheme>(?i:bearer|basic|token)[ \t]{1,4})?(?P<value>[^\s\"'<>,;&(){}\[\]]{6,512})"
)
# Values that only point to a secret or say that there is none.
_NO_VALUES = frozenset("none null true false undefined required optional string masked redacted".split())
_LONGEST_KEY = 1 << 16
_BEGIN, _END = "-----BEGIN ", "-----END "
_KEY_LINES = re.compile(r"[A-Za-z0-9+/=\\\r\n]{0,65536}")
_BLOCK = 1 << 20


class Masked(NamedTuple):
    """A text without its secrets, and how many there were."""

    text: str
    masks: int


def redact(text: str) -> Masked:
    """Returns `text` with every known shape masked; the same object where there is none.

    >>> redact("clone https://me:hunter22@example.org/x").text
    'clone https://me:[redacted:url-password]@example.org/x'
    """
    text, count = _mask_keys(text)
    # Masks hold no literal, so the shapes of the whole text are all there are.
    for number in sorted(_shapes_in(text)):
        kind, pattern = _shapes()[number]
        text, found = _mask_shape(text, kind, pattern)
        count += found
    text, found = _mask_named(text)
    return Masked(text, count + found)


def redact_output(output: ToolOutput) -> tuple[ToolOutput, int]:
    """Returns `output` with its text and its bytes masked, and how many secrets there were."""
    text, count = redact(output.text)
    if not count:
        return output, 0
    return replace(output, text=text, raw=_masked_bytes(output.raw)), count


def redact_file(path: Path, target: Path) -> int:
    """Writes a masked copy of a file, read in pieces; returns how many secrets there were."""
    count = 0
    with open(path, "rb") as source, open(target, "xb") as sink:
        target.chmod(0o600)
        for piece in _pieces(source.read):
            text, found = redact(piece.decode("utf-8", "surrogateescape"))
            count += found
            sink.write(text.encode("utf-8", "surrogateescape"))
    return count


def _shapes_in(text: str) -> set[int]:
    """Returns the numbers of the shapes that have a literal in `text`."""
    needles = _needles()
    if len(text) > _BLOCK:  # not a tuple for each URL of a huge text
        return {owner for owner, word in zip(_OWNERS, needles.words, strict=True) if word in text}
    return {_OWNERS[index] for index, _, _ in needles.found(encoded(text))}


@lru_cache(maxsize=1)
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.A)) for kind, _, pattern in _SHAPES)


@lru_cache(maxsize=1)
def _needles() -> Needles:
    return Needles([literal for _, literals, _ in _SHAPES for literal in literals.split()])


@lru_cache(maxsize=1)
def _name_needles() -> Needles:
    return Needles(_NAMES)


def _mask_shape(text: str, kind: str, pattern: re.Pattern[str]) -> tuple[str, int]:
    count = 0

    def mask(found: re.Match[str]) -> str:
        nonlocal count
        part = 1 if pattern.groups else 0
        if _is_reference(found[part]) if part else _goes_on(text, found.start()):
            return found[0]
        count += 1
        before, after = text[found.start() : found.start(part)], text[found.end(part) : found.end()]
        return f"{before}[redacted:{kind}]{after}"

    masked = pattern.sub(mask, text)
    return (masked, count) if count else (text, 0)


def _goes_on(text: str, start: int) -> bool:
    left = text[start - 1 : start]
    return left.isalnum() or left == "_"


def _mask_named(text: str) -> tuple[str, int]:
    """Masks the values of names such as ``DB_PASSWORD=`` or ``"client_secret": ``."""
    lower = text.lower()
    if len(lower) != len(text):  # a sign whose lower case is longer: places would not match
        lower = "".join(sign.lower() if sign.isascii() else sign for sign in text)
    if text.isascii():
        places = sorted({end for _, _, end in _name_needles().found(encoded(lower))})
    else:
        places = sorted({place + len(name) for name in _NAMES for place in _all(lower, name)})
    parts: list[str] = []
    done = shown = 0
    for place in places:
        if place < done:
            continue
        found = _NAMED.match(text, place)
        if found is None:
            continue
        if _looks_secret(found, env=text[place - 3 : place].isupper() and found["sign"] == "="):
            parts += (text[shown : found.start("value")], "[redacted:secret]")
            shown = found.end("value")
        done = found.end("value")  # a value is looked at once, or a chain of names would be slow
    return ("".join((*parts, text[shown:])), len(parts) // 2) if parts else (text, 0)


def _all(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def _looks_secret(found: re.Match[str], *, env: bool) -> bool:
    """Tells a secret from code, prose and references; a quoted or an environment's value needs less."""
    value = found["value"]
    if _is_reference(value) or value.lower() in _NO_VALUES:
        return False
    if found["quote"] or env:
        return True
    digits, letters = any(sign.isdigit() for sign in value), any(sign.isalpha() for sign in value)
    mixed = value != value.lower() and value != value.upper()
    return len(value) >= 8 and letters and (digits or (bool(found["scheme"]) and mixed))


def _is_reference(value: str) -> bool:
    return value.startswith(("$", "{", "%", "[redacted:", "process.", "os.")) or not value.strip("*xX.-")


def _mask_keys(text: str) -> tuple[str, int]:
    """Masks the inside of PEM and PGP private keys, also of one that breaks off."""
    parts: list[str] = []
    done, place, end = 0, text.find(_BEGIN), 0
    while place >= 0:
        head = text.find("-----", place + len(_BEGIN), place + 80)
        if head < 0 or "PRIVATE KEY" not in text[place:head]:
            place = text.find(_BEGIN, place + len(_BEGIN))
            continue
        start = head + 5
        if 0 <= end < start:
            end = text.find(_END, start)
        stop = end if 0 <= end <= start + _LONGEST_KEY else _key_end(text, start)
        lead = "\n" if text[start : start + 1] in ("\n", "\r") else ""
        parts += (text[done:start], f"{lead}[redacted:private-key]{lead}")
        done = stop
        place = text.find(_BEGIN, stop)
    return ("".join((*parts, text[done:])), len(parts) // 2) if parts else (text, 0)


def _key_end(text: str, start: int) -> int:
    found = _KEY_LINES.match(text, start)
    return found.end() if found else start


def _masked_bytes(raw: bytes | None) -> bytes | None:
    """Masks bytes near UTF-8 and keeps what is invalid; others are stored as the masked text."""
    if raw is None or raw.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return None
    return redact(raw.decode("utf-8", "surrogateescape")).text.encode("utf-8", "surrogateescape")


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yields a file in pieces that end with a line, a private key never cut in two."""
    rest = b""
    while block := read(_BLOCK):
        data = rest + block
        cut = data.rfind(b"\n") + 1 or (data.rfind(b" ") + 1) or len(data)
        key = data.rfind(_BEGIN.encode(), max(0, cut - _LONGEST_KEY), cut)
        if key > 0 and data.find(_END.encode(), key, cut) < 0:
            cut = key
        rest = data[cut:]
        yield data[:cut]
    if rest:
        yield rest
