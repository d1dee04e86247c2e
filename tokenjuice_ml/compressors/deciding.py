"""Words that make a line of a list worth a look, and what the words of a question stand for.

A word counts where few lines hold it: in a list of packages called `token-…` it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tokenjuice_ml.compressors.needles import Needles, lowered

# A word that more lines hold than this share of them, or than this many, is how the list is.
SHARE, FEWEST, MOST = 0.02, 3, 8
# What each kind of word adds to a line's score.
GRAVE, TELLING, ASKED = 60, 35, 100
_GRAVE = (
    "password passwd passphrase secret credential private_key private-key privatekey id_rsa id_dsa id_ecdsa"
    " id_ed25519 .pem .p12 .pfx .jks .kdbx .keystore .htpasswd .netrc .pgpass .npmrc .pypirc .env. api_key apikey"
    " access_key insecure skipverify skip_verify skip-verify no-verify reject_unauthorized unauthorized"
    " security vulnerab cve- breaking malicious backdoor compromised pinning 0.0.0.0/0 nopasswd"
    " allow_url_ disable_ssl verify=false ssl_verify no_ssl do_not_ship"
).split()
_GRAVE += ["breaking change", "private key", "must not ship", "do not ship", "do not merge", "/.env", "inc-"]
_TELLING = (
    "deprecat fixme hotfix revert rollback disable bypass unsafe staging proxy= proxy: proxyjump ld_preload debug=true"
    " debug=1 token= token: _token obsolete temporar workaround"
    " incident expired corrupt quarantin untrusted plaintext root@ .bak .orig .dump .sqlite core.dump .spool"
    " read-only unmerged rejected .internal +internal"
).split()
# What somebody may mean who asks for one of the first words.
_SYNONYMS = (
    (
        "secret credential password passwd key token login leak",
        "secret credential password passwd .env id_rsa id_dsa id_ecdsa id_ed25519 .pem .p12 .pfx .jks .kdbx"
        " .htpasswd .netrc .pgpass .npmrc api_key apikey token private_key service-account service_account",
    ),
    (
        "security secure vulnerability vulnerable unsafe risk exploit",
        "security insecure skipverify skip_verify unauthorized vulnerab cve- unsafe disable injection xss csrf",
    ),
    ("certificate tls ssl https", "certificate tls ssl https .pem .crt .cer pinning verify"),
    ("disk space size large largest biggest full", "total"),
    ("author who wrote blame", "author"),
    ("backup dump", "backup .bak .dump .sql .gz .tar .zip .tgz"),
    ("proxy network", "proxy"),
    ("database db", "database db_ postgres mysql mongodb redis sqlite jdbc .sql"),
    ("production prod environment staging", "production staging .env prod"),
    ("breaking incompatible upgrade migration", "breaking incompatible migrat deprecat remove"),
    ("incident outage hotfix", "incident inc- outage hotfix revert rollback"),
    ("deprecated outdated old", "deprecat outdated obsolete legacy"),
)
_STOP = frozenset(
    "there where which what when does have with from that this these those about into find show list print files"
    " file line lines many much please their they them your were been being could would should anything".split()
)
_WORD = re.compile(r"[\w.+-]{3,60}")
_ENDINGS = ("ies", "ing", "es", "ed", "s", "y")
MOST_WORDS = 24


def scores(lines: Sequence[str], query: str | None = None) -> dict[int, int]:
    """Returns how much the lines tell that hold a deciding word or one the question means.

    Args:
        lines: the lines, none with a line break.
        query: what was asked, if known.
    """
    data = lowered("\n" + "\n".join(lines))
    found: dict[int, int] = {}
    limit = max(FEWEST, min(MOST, int(SHARE * len(lines))))
    for place, at in enumerate(_known().places(data, -1)):
        if 0 < len(at) <= limit:
            weight = GRAVE if place < len(_GRAVE) else TELLING
            _add(found, at, weight - min(9, len(at)))
    asked = tuple(meant(query))
    if asked:
        _add_asked(found, Needles(asked).places(data, -1), 2 * limit)
    return found


def _add_asked(found: dict[int, int], places: Sequence[Sequence[int]], limit: int) -> None:
    for at in places:
        if 0 < len(at) <= limit:
            _add(found, at, ASKED)


def _add(found: dict[int, int], lines: Sequence[int], weight: int) -> None:
    """A line counts by its best word, and a little more for each other one."""
    for at in lines:
        before = found.get(at, 0)
        found[at] = max(before, weight) + (4 if before else 0)


def meant(query: str | None) -> list[str]:
    """Returns the stems of the question's words in lower case, and what they may stand for.

    >>> meant("any secrets checked in?")[:3]
    ['secret', 'check', 'credential']
    """
    if not query:
        return []
    asked = [word for word in _WORD.findall(query.lower()[:1000]) if word not in _STOP]
    stems = [stem(word) for word in asked if len(word) >= 4]
    more: list[str] = []
    for names, stand_for in _SYNONYMS:
        if not {stem(name) for name in names.split()}.isdisjoint([*stems, *asked]):
            more += stand_for.split()
    return list(dict.fromkeys([*stems, *more]))[:MOST_WORDS]


def stem(word: str) -> str:
    """Returns a word without the ending of its form, at least four letters of it.

    >>> stem("credentials"), stem("disabled"), stem("proxies"), stem("keys")
    ('credential', 'disabl', 'prox', 'keys')
    """
    word = word.strip(".-+_")
    for ending in _ENDINGS:
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=1)
def _known() -> Needles:
    return Needles((*_GRAVE, *_TELLING))
