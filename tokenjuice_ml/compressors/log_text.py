"""A log as lines fit to be shown: no colours, no overwritten progress, original numbering kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.signals import WARNING, judge_all, lines_with, triggers
from tokenjuice_ml.record import Record
from tokenjuice_ml.types import Omission

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b)|$)"  # OSC and other strings
    r"|\x1b[ -/]*[0-~]?"
)
_TO_ZERO = bytes(0x30 if 0x31 <= byte <= 0x39 else byte for byte in range(256))
_KEY_CHARS = 160
_ZEROS = re.compile(rb"00+")
_FEW_RETURNS = 400
# Up to so many of them numbers are replaced one by one.
_FEW_NUMBERS = 40_000
# Texts are worked on in pieces of so many chars or lines: bounds the memory of large ones.
PIECE, PIECE_LINES = 1_000_000, 20_000
# A time at the start of a line, as build services put it before what the tools print.
_STAMPED = re.compile(
    r"(?:[\w ./()-]{1,80}\t[\w ./()-]{1,80}\t)?\ufeff?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?"
    r"(?: \d\d[OE][+ ]?)?(?: |$)|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?: |$)"
)


class LogText(Record):
    """A cleaned log.

    Attributes:
        lines: what may be shown, one entry for each original line.
        progress: overwritten progress that was dropped, one omission a run of lines.
        changed: True when colours, carriage returns or progress were removed.
    """

    lines: list[str]
    progress: tuple[Omission, ...]
    changed: bool


def clean(text: str) -> LogText:
    r"""Removes colours and carriage returns; of an overwritten line the last state stays.

    States that carry a signal stay too. What else was overwritten is counted in `progress`.

    >>> clean("a\r\n10%\r20%\rdone\n").lines
    ['a', 'done', '']
    """
    lines: list[str] = []
    dropped: list[tuple[int, int]] = []
    for piece in _pieces(text):
        plain = _plain(piece)
        part = plain.split("\n")
        if "\r" in plain:
            dropped += [(len(lines) + number, lost) for number, lost in _resolve(part)]
        lines += part
    changed = bool(dropped) or any(sign in text for sign in "\x1b\b\r")
    return LogText(lines, _runs(dropped), changed)


def _pieces(text: str) -> Iterator[str]:
    """Yields the text cut at line ends, so that large texts are not held several times over."""
    start = 0
    while len(text) - start > PIECE:
        end = text.find("\n", start + PIECE)
        if end < 0:
            break
        yield text[start:end]
        start = end + 1
    yield text[start:] if start else text


def _plain(text: str) -> str:
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\b" in text:
        text = text.replace("\b", "")
    # A few are as well taken for lines that were overwritten with nothing.
    return text.replace("\r\n", "\n") if text.count("\r\n") > _FEW_RETURNS else text


class Untimed(Record):
    """Lines without the time in front of each.

    Attributes:
        lines: the lines.
        first: the first line's time with all that stood before the line, "" where nothing was cut.
        last: the last one's.
        size: bytes cut.
    """

    lines: list[str]
    first: str = ""
    last: str = ""
    size: int = 0


def untimed(lines: list[str]) -> Untimed:
    """Cuts the time from the start of each line where nearly all lines have one."""
    sample = [line for line in lines[:: max(1, len(lines) // 200)] if line]
    if not sample or sum(1 for line in sample if _STAMPED.match(line)) < 0.95 * len(sample):
        return Untimed(lines)
    heads = [match.end() if (match := _STAMPED.match(line)) else 0 for line in lines]
    cut = [line[end:] for line, end in zip(lines, heads, strict=True)]
    timed = [line[:end].strip() for line, end in zip(lines, heads, strict=True) if end]
    return Untimed(cut, timed[0], timed[-1], sum(heads))


def _resolve(lines: list[str]) -> list[tuple[int, int]]:
    """Puts the last state in place of each overwritten line; returns (line index, bytes dropped)."""
    numbers = [number for number, line in enumerate(lines) if "\r" in line]
    states_of = [
        [state for state in lines[number].split("\r") if state and not state.isspace()] for number in numbers
    ]
    telling = _telling({state for states in states_of for state in states[:-1]})
    dropped: list[tuple[int, int]] = []
    for number, states in zip(numbers, states_of, strict=True):
        kept = [state for state in states[:-1] if state in telling] + states[-1:]
        lines[number] = " ".join(dict.fromkeys(kept))
        lost = _bytes_of(states) - _bytes_of(kept)
        if lost:
            dropped.append((number, lost))
    return dropped


def _bytes_of(texts: Sequence[str]) -> int:
    return utf8_len("".join(texts))


def _telling(states: Collection[str]) -> set[str]:
    """Returns the states that carry a signal."""
    some = list(states)
    likely = [some[at] for at in lines_with([state.lower() for state in some], triggers())]
    return {state for state, (level, _) in zip(likely, judge_all(likely), strict=True) if level >= WARNING}


def _runs(dropped: list[tuple[int, int]]) -> tuple[Omission, ...]:
    runs: list[list[int]] = []
    for number, lost in dropped:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
            runs[-1][2] += lost
        else:
            runs.append([number, number, lost])
    return tuple(Omission(first + 1, last + 1, 0, lost, "overwritten progress") for first, last, lost in runs)


def template_keys(lines: Sequence[str]) -> list[str]:
    """Returns a key for each line that is equal for lines differing in digits only.

    >>> template_keys(["took 17 ms", "took 8 ms"])
    ['took 0 ms', 'took 0 ms']
    """
    names: list[bytes] = []
    for first in range(0, len(lines), PIECE_LINES):
        part = lines[first : first + PIECE_LINES]
        if len(max(part, key=len)) > _KEY_CHARS:
            part = [line if len(line) <= _KEY_CHARS else line[:_KEY_CHARS] for line in part]
        names += "\n".join(part).encode("utf-8", "surrogatepass").translate(_TO_ZERO).split(b"\n")
    # Lines alike but for their digits are many: numbers of one length have one name already.
    some = list(dict.fromkeys(names))
    keys: list[str] = []
    for first in range(0, len(some), PIECE_LINES):
        keys += _folded(some[first : first + PIECE_LINES])
    return list(map(dict(zip(some, keys, strict=True)).__getitem__, names))


def _folded(names: Sequence[bytes]) -> list[str]:
    """Returns the texts with one 0 for each number."""
    text = b"\n".join(names)
    if text.count(b"00") < _FEW_NUMBERS:
        text = _ZEROS.sub(b"0", text)
    else:
        for run in (b"0000", b"00"):
            text = text.replace(run, b"0")
        while b"00" in text:
            text = text.replace(b"00", b"0")
    return text.decode("utf-8", "surrogatepass").split("\n")


# What a note takes: so few chars are not left out.
SLACK = 20


def clip(line: str, most: int, around: int = -1) -> str:
    """Shortens a line to about `most` chars, with the chars left out counted where they stood.

    Args:
        line: the line.
        most: chars to keep.
        around: a place that must be visible, or -1 for the start and the end.

    >>> clip("a" * 30 + "error" + "b" * 30, 20, 30)
    'aaaaa[… 20 chars …]aaaaaerrorbbbbb[… 25 chars …]'
    """
    if len(line) <= most + SLACK:
        return line
    if around < 0:
        head = most * 2 // 3
        spans = [(0, head), (len(line) - (most - head), len(line))]
    else:
        quarter = most // 4
        spans = [(0, quarter), (max(quarter, around - quarter), min(len(line), around + most - 2 * quarter))]
    out, position = [], 0
    for start, end in spans:
        if start > position:
            out.append(f"[… {start - position:,} chars …]")
        out.append(line[start:end])
        position = max(position, end)
    if position < len(line):
        out.append(f"[… {len(line) - position:,} chars …]")
    return "".join(out)
