"""Addresses on the web in text that is left out: where a packed script talks to."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"(?:https?|wss?|ftp)://([A-Za-z0-9][\w.:-]{2,100})(?:/[\w./?=&%:~+-]{0,80})?")
# Names of formats and licences, which nobody calls, and pages about the code.
_NAMES = (
    "w3.org",
    "github.com",
    "opensource.org",
    "apache.org",
    "mozilla.org",
    "example.com",
    "json-schema.org",
)
MOST, MOST_CHARS = 6, 4_000_000


def addresses_in(text: str) -> list[str]:
    """Returns the first address of each of the first hosts, names of formats and licences aside.

    >>> addresses_in('x("https://a.example/c?d="),y("https://a.example/e"),z("http://www.w3.org/2000/svg")')
    ['https://a.example/c?d=']
    """
    found: dict[str, str] = {}
    for match in _ADDRESS.finditer(text, 0, MOST_CHARS):
        host = match[1].lower()
        if host.endswith(_NAMES):
            continue
        found.setdefault(host, match[0])
        if len(found) == MOST:
            break
    return list(found.values())
