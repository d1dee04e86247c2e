"""Certificates as text: who, by whom, from when to when, how strong; bytes of keys are counted.

Few certificates keep their lines, dumps of bytes aside. Of many each becomes one line of its own
values: weak and surely expired ones first, then by the end of their time. Today's date is not known
here: expired is what ended before another of the same text began.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenjuice_ml.compressors.base import OMISSION_PREFIX, assemble, line_count, omission_line, utf8_len
from tokenjuice_ml.compressors.table_rows import query_words
from tokenjuice_ml.record import Mutable, Record, field
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

LABEL = "certificates"
_HEX_CHARS = "0123456789abcdefABCDEF: \t\r"
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DATE = re.compile(
    r"([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})|(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d:\d\d)"
)
_BITS = re.compile(r"Public-Key: \((\d{1,6}) bit")
# The value of these extensions stands on the line below their name.
_EXTENSIONS = {
    "X509v3 Basic Constraints": "basic",
    "X509v3 Key Usage": "usage",
    "X509v3 Extended Key Usage": "purpose",
    "X509v3 Subject Alternative Name": "names",
}
_NAMED = {
    "Issuer:": "issuer",
    "Subject:": "subject",
    "Not Before": "start",
    "Not After": "stop",
    "Serial Number:": "serial",
    "Signature Algorithm:": "signature",
    "Public Key Algorithm:": "algorithm",
    "ASN1 OID:": "curve",
}
# What other options of the tool print at the margin, in front of a certificate or behind it.
_FACT = re.compile(r"(?:[\w-]{2,12} [Ff]ingerprint|subject|issuer|serial|notBefore|notAfter|\w{1,10}hash) ?=")
# Told once where they are the same in all.
_SHARED = ("algorithm", "bits", "curve", "signature", "basic", "usage", "purpose")
FEWEST_BYTES, MOST_LABELS, RESERVE = 8, 3, 60
# Numbers and fingerprints may take this much more than the budget, since others ask by them.
WITH_SERIALS = 1.5
STRONG_BITS, STRONG_CURVE = 2048, 224


class Certificate(Mutable):
    """What one certificate says: its lines, the lines in front that name it, its values as written."""

    first: int
    last: int
    labels: list[str]
    values: dict[str, str] = field(factory=dict)


class _Dated(Record):
    certificate: Certificate
    weak: str
    order: tuple[int, str]


def compress(text: str, context: Context) -> Reduction | None:
    """Returns certificates without the bytes of keys and signatures; None where it has none."""
    lines = text.split("\n")
    dumps = dump_lines(lines)
    if 1 not in dumps:
        return None
    whole = assemble(lines, [not flag for flag in dumps], lambda start, end: _bytes_of(lines, start, end))
    budget = context.budget_tokens or context.settings.max_inline_tokens
    found = list(certificates(lines, dumps))
    if estimate(whole.text) <= budget:
        body = "\n".join([*_warned(found), whole.text])
        return Reduction(body, bool(whole.omissions), LABEL, whole.omissions)
    if len(found) < 2:
        return None
    return _table(lines, found, dumps, budget - RESERVE, query_words(context.output.query))


def _warned(found: Sequence[Certificate]) -> list[str]:
    """Returns a line that names weak certificates among those shown whole; none where none is."""
    newest = _newest(found)
    weak = [f"L{one.first}: {why}" for one in found if (why := weakness(one.values, newest))]
    return [f"{OMISSION_PREFIX} weak or expired: {'; '.join(weak)}]"] if weak else []


def _newest(found: Sequence[Certificate]) -> str:
    return max((_date(one.values.get("start", "")) for one in found), default="")


def dump_lines(lines: Sequence[str]) -> bytearray:
    """Returns a flag for each line that is one of a dump of bytes with colons, or inside a PEM block."""
    flags = bytearray(len(lines))
    pem = False
    for at, line in enumerate(lines):
        if line.startswith("-----") and "-----" in line[5:]:
            pem = line.startswith("-----BEGIN")
            flags[at] = 0 if "PRIVATE" in line else 1
        elif pem:
            flags[at] = 1
        elif not line.strip(_HEX_CHARS) and (":" in line or (at and flags[at - 1])):
            # A line of a dump ends with a colon, save the last: a list of fingerprints is none.
            goes_on = line.rstrip().endswith(":") and line.count(":") >= FEWEST_BYTES
            begun = at and flags[at - 1] and lines[at - 1].rstrip().endswith(":")
            flags[at] = goes_on or bool(begun and line.strip())
    _spare_single(lines, flags)
    return flags


def _spare_single(lines: Sequence[str], flags: bytearray) -> None:
    """A serial number or an identifier is a dump of one line: it stays."""
    at = flags.find(1)
    while at >= 0:
        end = flags.find(0, at)
        end = len(flags) if end < 0 else end
        if end - at == 1 and len(lines[at]) < 160:
            flags[at] = 0
        at = flags.find(1, end)


def _bytes_of(lines: Sequence[str], start: int, end: int) -> str:
    count = sum(
        line.count(":") + (not line.rstrip().endswith(":")) for line in lines[start:end] if ":" in line
    )
    return f"{count:,} bytes in hex" if count else "base64"


def certificates(lines: Sequence[str], dumps: Sequence[int]) -> Iterator[Certificate]:
    """Yields the certificates of a text, each with the lines in front that start at the margin."""
    current: Certificate | None = None
    labels: list[str] = []
    wanted = ""
    behind = _told_behind(lines)
    for at, line in enumerate(lines):
        if line.startswith("Certificate:"):
            if current is not None:
                yield current
            current, labels, wanted = Certificate(at + 1, at + 1, labels), [], ""
        elif not line.strip() or dumps[at]:
            continue
        elif line[0] not in " \t":
            if behind and current is not None and _FACT.match(line):
                current.last = at + 1
                if "ingerprint=" in line[:40]:
                    current.values.setdefault("fingerprint", line)
            else:
                labels.append(line)
        elif current is not None:
            current.last = at + 1
            wanted = _read(current.values, line.strip(), wanted)
    if current is not None:
        current.labels = [*current.labels, *labels]
        yield current


def _told_behind(lines: Sequence[str]) -> bool:
    """True where fingerprints and the like follow the certificate that they are of."""
    first = next((line for line in lines if line.startswith("Certificate:") or _FACT.match(line)), "")
    return first.startswith("Certificate:")


def _read(values: dict[str, str], line: str, wanted: str) -> str:
    """Takes one line into the values; returns the name of the value on the next line, "" for none."""
    if wanted:
        values.setdefault(wanted, line)
        return ""
    if bits := _BITS.search(line[:200]):
        values.setdefault("bits", f"({bits[1]} bit)")
        return ""
    for sign, name in _NAMED.items():
        if line.startswith(sign):
            if line.rstrip().endswith(":") and name == "serial":
                return name
            value = line if name in ("start", "stop") else line.partition(":")[2].strip()
            values.setdefault(name, value)
            return ""
    return _EXTENSIONS.get(line.partition(":")[0], "")


def _table(
    lines: Sequence[str], found: list[Certificate], dumps: bytearray, budget: int, words: tuple[str, ...]
) -> Reduction | None:
    """Returns one line a certificate: those asked for, the weak, then by the end of their time."""
    shared = {
        name: found[0].values.get(name, "")
        for name in _SHARED
        if len({one.values.get(name, "") for one in found}) == 1
    }
    newest = _newest(found)
    dated = [_Dated(one, weak := weakness(one.values, newest), _order(one, weak, words)) for one in found]
    dated.sort(key=lambda one: one.order)
    out: list[str] = []
    serials = True
    for serials in (True, False):
        out, shown = _rows(dated, shared, serials, int(budget * (WITH_SERIALS if serials else 1)))
        if shown == len(found):
            break
    head = _head(lines, dated, shared, dumps, serials)
    if shown < len(found):
        rest = f"{OMISSION_PREFIX} {len(found) - shown:,} more certificates, ending {_stop(dated[shown])} to {_stop(dated[-1])}]"
        out.append(rest)
    size = sum(utf8_len(line) + 1 for line in lines)
    body = "\n".join([head, *out])
    what = "bytes of keys and signatures, other lines of each certificate"
    return Reduction(
        body, True, LABEL, (Omission(1, len(lines), len(lines) - shown, size - utf8_len(body), what),)
    )


def _rows(dated: list[_Dated], shared: dict[str, str], serials: bool, budget: int) -> tuple[list[str], int]:
    out: list[str] = []
    for shown, one in enumerate(dated):
        rows = _row(one, shared, serials)
        budget -= estimate("\n".join(rows)) + 1
        if budget < 0 and shown:
            return out, shown
        out.extend(rows)
    return out, len(dated)


def _row(one: _Dated, shared: dict[str, str], serials: bool) -> list[str]:
    values, certificate = one.certificate.values, one.certificate
    subject, issuer = values.get("subject", ""), values.get("issuer", "")
    parts = (
        [f"Subject and Issuer: {subject}"]
        if subject == issuer
        else [f"Subject: {subject}", f"Issuer: {issuer}"]
    )
    parts += [values.get("start", ""), values.get("stop", "")]
    parts += [values.get(name, "") for name in _SHARED if name not in shared]
    parts.append(_names(values.get("names", "")))
    if serials:
        parts += [f"Serial Number: {values['serial']}"] if "serial" in values else []
        parts.append(values.get("fingerprint", ""))
    place = f"{OMISSION_PREFIX} L{certificate.first}-L{certificate.last}{': ' if one.weak else ''}{one.weak}]"
    return [*certificate.labels[:MOST_LABELS], f"{place} {' | '.join(part for part in parts if part)}"]


def _names(names: str) -> str:
    """Returns the alternative names, of a long list its beginning."""
    if len(names) <= 400:
        return names
    kept = names[:400].rpartition(",")[0] or names[:400]
    return f"{kept}, {OMISSION_PREFIX} {names.count(',') - kept.count(','):,} more names]"


def _head(
    lines: Sequence[str], dated: list[_Dated], shared: dict[str, str], dumps: bytearray, serials: bool
) -> str:
    weak = sum(1 for one in dated if one.weak)
    facts = [f"{weak:,} weak or expired first" if weak else "no short key, no old hash", "then by Not After"]
    facts.append(f"{sum(dumps):,} lines of bytes in hex left out")
    if not serials:
        facts.append("serial numbers and fingerprints left out")
    same = [value for value in shared.values() if value]
    if same:
        facts.append(f"in all: {' | '.join(same)}")
    total = line_count(lines)
    return omission_line(total, 1, total, f"{len(dated):,} certificates; {'; '.join(facts)}")


def _order(one: Certificate, weak: str, words: tuple[str, ...]) -> tuple[int, str]:
    told = " ".join([*one.labels, one.values.get("subject", ""), one.values.get("names", "")]).lower()
    asked = any(word in told for word in words)
    return (0 if asked else 1 if weak else 2), _date(one.values.get("stop", ""))


def weakness(values: dict[str, str], newest: str = "") -> str:
    """Says what is wrong with a certificate, "" for nothing.

    Args:
        values: what it says.
        newest: the latest start among its neighbours; what ended before is expired.

    >>> weakness({"algorithm": "rsaEncryption", "bits": "(1024 bit)", "signature": "sha1WithRSAEncryption"})
    'key of 1024 bit, sha1WithRSAEncryption'
    """
    signature, bits = values.get("signature", ""), values.get("bits", "(9999 bit)")
    least = STRONG_CURVE if "ec" in values.get("algorithm", "").lower() else STRONG_BITS
    least = 0 if values.get("algorithm", "").upper().startswith(("ED", "X")) else least
    stop = _date(values.get("stop", ""))
    wrong = [f"key of {bits.strip('()')}"] if int(bits[1:-5]) < least else []
    wrong += [signature] if any(name in signature.lower() for name in ("md2", "md5", "sha1")) else []
    wrong += ["expired"] if stop and newest and stop < newest else []
    return ", ".join(wrong)


def _stop(one: _Dated) -> str:
    return one.certificate.values.get("stop", "").partition(":")[2].strip()


def _date(text: str) -> str:
    """Returns a date that sorts, "" for none."""
    found = _DATE.search(text[:200])
    if not found:
        return ""
    if found[5]:
        return f"{found[5]}{found[6]}{found[7]} {found[8]}"
    month = _MONTHS.index(found[1]) + 1 if found[1] in _MONTHS else 0
    return f"{found[4]}{month:02d}{int(found[2]):02d} {found[3]}"
