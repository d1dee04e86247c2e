"""Which numbers of a log line are values, and which name a thing: by the signs and the word beside them."""

from __future__ import annotations

import re

from tokenjuice_ml.record import Record

# All that is no part of a number to blanks.
TO_NUMBERS = bytes(byte if byte in b"0123456789.-\n" else 0x20 for byte in range(256))
_TOKEN = re.compile(rb"[0-9.\-]+")
_NUMBER = re.compile(rb"-?[0-9]{1,15}(?:\.[0-9]{0,9})?$")
# Signs before a value; a sign of time or of a path, or a letter, makes it a part of a name.
_BEFORE = b" \t=:\"'([{<,|$+~>"
_UNIT = re.compile(rb"(?:%|[A-Za-z\xb5\xc2\xce\xbc]{1,7}(?:/s)?)(?![0-9A-Za-z_])")
_NAME = re.compile(
    rb"(?<![0-9A-Za-z_.%-])([A-Za-z_][A-Za-z0-9_.-]{0,40})[\"']?(?:[=:]| {1,4})[\"' (\[{<]{0,3}$"
)
# What a word says after which a number is a name, a place or a time.
_NAMING = frozenset(
    b"id ids pid tid ppid uid gid port ports ts t time timestamp date day year seq sequence offset line ln thread user"
    b" session key hash index idx version no nr number block height nonce cursor page addr address request req trace"
    b" span order account acct epoch step iteration iter slot code bucket xid lsn".split()
)
_NAMING_ENDS = (b"_id", b"-id", b".id", b"_ts", b"_at", b"_time", b"port", b"_no", b"_seq", b"timestamp")
MOST_COLUMNS = 24


class Column(Record):
    """A place for a number in the lines of one kind.

    Attributes:
        at: which of the numbers of a line it is.
        value: True for a value, False for what may name a thing.
        name: the word before it, "" where there is none or one with digits.
        told: True where the name says what the number is: `name=` or `name:`.
        unit: the letters right behind it.
    """

    at: int
    value: bool
    name: str
    told: bool
    unit: str


def columns_of(line: str) -> list[Column]:
    """Returns the places of a line that hold a number.

    >>> [(column.name, column.unit) for column in columns_of("12:01:07 rack-3 temp=23C id=9") if column.value]
    [('temp', 'C')]
    """
    data = line.encode("utf-8", "surrogatepass")
    found: list[Column] = []
    for at, match in enumerate(_TOKEN.finditer(data)):
        if at == MOST_COLUMNS:
            break
        if _NUMBER.match(match[0]):
            found.append(_column(data, at, match.start(), match.end()))
    return found


def unit_at(line: str, at: int) -> str:
    """Returns the letters right behind a number, by its place in the line."""
    data = line.encode("utf-8", "surrogatepass")
    for place, match in enumerate(_TOKEN.finditer(data)):
        if place == at:
            return _unit(data, match.end())
    return ""


def _unit(data: bytes, end: int) -> str:
    match = _UNIT.match(data, end)
    return match[0].decode("utf-8", "replace") if match else ""


def _column(data: bytes, at: int, start: int, end: int) -> Column:
    before, behind = data[max(0, start - 60) : start], data[end : end + 2]
    named = _NAME.search(before)
    unit = _unit(data, end)
    word = named[1] if named else b""
    value = (
        (not before or before[-1] in _BEFORE)
        and not (before[-1:] == b":" and before[-2:-1].isdigit())
        and not (behind[:1] in (b":", b"/") and behind[1:].isalnum())
        and (bool(unit) or not (behind[:1].isalnum() or behind[:1] in (b"_", b"@")))
        and not (data[start : start + 1] == b"0" and data[start + 1 : start + 2].isdigit())
        and not (word.lower() in _NAMING or word.lower().endswith(_NAMING_ENDS) or word.endswith(b"Id"))
    )
    name = "" if any(48 <= byte <= 57 for byte in word) else word.decode("ascii").rstrip(".-")
    return Column(at, value, name, any(sign in b"=:" for sign in before[-4:]), unit)
