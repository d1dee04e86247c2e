"""Of lines folded into one kind: the slots that decide (a status, a code, a duration), and what they held.

Lines alike in all but numbers are of one kind. Some of those numbers say how it went: lines with a
value that means failure become a kind of their own, and the line with a value far off is shown.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tokenjuice_ml.compressors.log_slot_names import (
    CODED,
    COUNT,
    MEASURED,
    PLACE,
    STATUS,
    TRIM,
    Slot,
    bad_values,
    scale,
    slots_of,
    tells,
)
from tokenjuice_ml.compressors.signals import ERROR, WARNING
from tokenjuice_ml.record import Mutable

# Smaller kinds are judged line by line.
FEWEST = 8
# Chars and words of a line that are looked at, lines that are split at once, kinds that are looked into.
MOST_CHARS, MOST_WORDS, PIECE, MOST_KINDS = 600, 60, 500, 400
# Values of a coded slot that are counted apart, that are told, and that are searched for in lines.
MOST_VALUES, MOST_TOLD, MOST_SOUGHT = 2000, 6, 8
# A value is far off above so many times that of 95 in 100 lines; so many lines of a log are shown for it.
FAR, REST, MOST_FAR, MOST_FAR_A_NAME = 10.0, 0.95, 5, 2
# Where nearly all lines say 0, a value is as far off as this says.
MOST_USUAL = 0.01
MOST_NOTES = 2
VALUE_CHARS = 60
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
# A failure as a line that hardly repeats writes it, in lower case; each way begins with a letter.
_IS, _COUNT = r"[\"']?\s?[=:]\s?[\"']?", r"[1-9]\d{0,9}\b(?![.:%]\S)"
_WORD = r"(?:fail|err|time[d_-]?out|refused|crash|unhealthy|down\b|stopped|killed|dead|lost)\w{0,12}"
_ALONE = re.compile(
    rf"status(?:_?code)?{_IS}(?:(?P<status>5\d\d)\b|(?P<status_word>{_WORD}))|response{_IS}(?P<response>5\d\d)\b"
    rf"|http(?:_?code{_IS}|/[\d.]{{1,3}}\"? )(?P<http>5\d\d)\b"
    rf"|exit(?:[ _-]?(?:code|status)?){_IS}(?P<exit>[1-9]\d{{0,9}})\b"
    rf"|fail(?:ed|ures?)[\"']?=[\"']?(?P<failed>{_COUNT})|errors?[\"']?=[\"']?(?P<errors>{_COUNT})"
    rf"|(?:state|result|outcome|phase|health)[\"']?[=:][\"']?(?P<word>{_WORD})"
)
_ANSWERS, _WORDS = frozenset(("status", "response", "http")), frozenset(("word", "status_word"))
_ALONE_WORDS = ("=", " 5", ":", "exit")


class Slots(Mutable):
    """What the slots of a log say.

    Attributes:
        keys: the key of each line; lines that failed have keys of their own.
        levels: the level of keys that are worse than their words.
        notes: what the slots of a kind held, by key.
        words: the word that makes a kind stand out, by key.
        far: numbers of lines with a value far off.
        failed: True where some value means failure.
    """

    keys: list[str]
    levels: dict[str, int]
    notes: dict[str, list[str]]
    words: dict[str, str]
    far: list[int]
    failed: bool = False

    def told(self, key: str) -> tuple[str, ...]:
        """Returns what the slots of a kind held, the telling ones first."""
        return tuple(self.notes[key][:MOST_NOTES]) if key in self.notes else ()


def look(lines: Sequence[str], keys: Sequence[str], statuses: bool = True) -> Slots:
    """Returns the slots of a log of records.

    Args:
        lines: the log.
        keys: a key for each line, equal for lines that differ in numbers only.
        statuses: judge answers by number; an access log's are told elsewhere.
    """
    found = Slots(list(keys), {}, defaultdict(list), {}, [])
    groups: dict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        groups[key].append(number)
    far: list[tuple[float, int, str]] = []
    large = sorted(
        [key for key, group in groups.items() if len(group) >= FEWEST], key=lambda key: -len(groups[key])
    )
    for key in large[:MOST_KINDS]:
        if key.strip():
            _look_into(lines, key, groups[key], statuses, found, far)
    small = [number for group in groups.values() if len(group) < FEWEST for number in group]
    _judge_alone(lines, small, statuses, found)
    _judge_alone(lines, [groups[key][0] for key in large[:MOST_KINDS] if key.strip()], False, found, _WORDS)
    named: Counter[str] = Counter()
    for _, number, name in sorted(far, key=lambda one: (-one[0], one[1])):
        named[name] += 1
        if named[name] <= MOST_FAR_A_NAME and len(found.far) < MOST_FAR:
            found.far.append(number)
    return found


def _judge_alone(
    lines: Sequence[str],
    numbers: Sequence[int],
    statuses: bool,
    found: Slots,
    ways: frozenset[str] | None = None,
) -> None:
    """Raises the level of seldom lines with a failing value; of the first of a kind only in some ways."""
    for number in numbers:
        line = lines[number][:MOST_CHARS].lower()
        if not any(word in line for word in _ALONE_WORDS) or not (match := _ALONE.search(line)):
            continue
        kind = match.lastgroup or ""
        if ways is not None and kind not in ways:
            continue
        if kind == "exit" and line[: match.start()].endswith("_"):
            continue
        if statuses or kind not in _ANSWERS:
            found.levels[found.keys[number]] = ERROR if kind in _ANSWERS or kind == "exit" else WARNING
            found.words.setdefault(found.keys[number], lines[number][match.start() : match.end()])
            found.failed = True


def _look_into(
    lines: Sequence[str],
    key: str,
    group: list[int],
    statuses: bool,
    found: Slots,
    far: list[tuple[float, int, str]],
) -> None:
    """Reads the slots of one kind."""
    slots = slots_of(_words(lines[group[0]]))
    coded = {
        slot: Counter[str]() for slot in slots if slot.kind in CODED and (statuses or slot.kind != STATUS)
    }
    measured = {slot: _Measure() for slot in slots if slot.kind == MEASURED}
    if not coded and not measured:
        return
    width = 1 + max(slot.at for slot in slots)
    pieces = _pieces(lines, group, width)
    once = list(pieces) if len(group) <= PIECE else None
    for numbers, rows in once or pieces:
        for slot, counts in coded.items():
            if len(counts) <= MOST_VALUES:
                counts.update([row[slot.at] for row in rows])
        for slot, measure in measured.items():
            measure.add(numbers, [row[slot.at] for row in rows], slot)
    bad = {slot: words for slot, counts in coded.items() if (words := _bad(slot, counts))}
    _note_all(key, coded, measured, bad, found, far)
    if bad:
        places = [slot for slot in slots if slot.kind == PLACE]
        pieces = _pieces(lines, _with_any(lines, group, set().union(*bad.values())), width)
        _mark_bad(once or pieces, key, bad, places, found)


def _with_any(lines: Sequence[str], group: list[int], words: set[str]) -> list[int]:
    """Returns those of the numbered lines that hold one of the words; all of them where the words are many."""
    if len(words) > MOST_SOUGHT:
        return group
    held = {number for word in words for number in group if word in lines[number]}
    return sorted(held)


def _note_all(
    key: str,
    coded: Mapping[Slot, Counter[str]],
    measured: Mapping[Slot, _Measure],
    bad: Mapping[Slot, set[str]],
    found: Slots,
    far: list[tuple[float, int, str]],
) -> None:
    """Tells what the slots of a kind held, and which line is far off."""
    for slot, counts in coded.items():
        usual = {word: n for word, n in counts.items() if word not in bad.get(slot, ())}
        if usual and tells(slot, usual) and (note := _note(slot, usual)):
            found.notes[key].append(note)
    for slot, measure in measured.items():
        if note := measure.note(slot):
            found.notes[key].append(note)
        if (over := measure.far()) > FAR:
            far.append((over, measure.top_line, slot.name))


def _bad(slot: Slot, counts: Counter[str]) -> set[str]:
    return bad_values(slot, counts) if 0 < len(counts) <= MOST_VALUES else set()


def _mark_bad(
    pieces: Iterable[tuple[list[int], list[list[str]]]],
    key: str,
    bad: dict[Slot, set[str]],
    places: list[Slot],
    found: Slots,
) -> None:
    """Gives the lines with a bad value a kind of their own, and tells of it what they held."""
    told: dict[str, dict[Slot, Counter[str]]] = {}
    for numbers, rows in pieces:
        for slot, words in bad.items():
            column = [row[slot.at] for row in rows]
            for at in [at for at, word in enumerate(column) if word in words]:
                number, row = numbers[at], rows[at]
                if found.keys[number] != key:
                    continue
                name = f"{key}\0{slot.at}" + (row[slot.at] if slot.kind == STATUS else "")
                found.keys[number] = name
                found.words.setdefault(name, row[slot.at])
                found.levels[name] = WARNING if slot.kind == COUNT else ERROR
                for one in (slot, *places):
                    told.setdefault(name, {}).setdefault(one, Counter())[row[one.at]] += 1
    found.failed = True
    for name, counts_of in told.items():
        found.notes[name] += [note for slot, counts in counts_of.items() if (note := _note(slot, counts))]


def _note(slot: Slot, counts: Mapping[str, int]) -> str:
    """Says what a slot held, "" where that is one value or too many."""
    if len(counts) < 2 or (slot.kind == PLACE and max(counts.values()) * 2 < sum(counts.values())):
        return ""
    values: Counter[str] = Counter()
    for word, count in counts.items():
        values[(word[len(slot.prefix) :] or word).strip(TRIM)[:VALUE_CHARS]] += count
    common = values.most_common(MOST_TOLD)
    more = f", +{len(values) - MOST_TOLD} values" if len(values) > MOST_TOLD else ""
    said = " ".join(f"{value}×{count:,}" for value, count in common)
    return f"{_name(slot)} {said}{more}"


def _name(slot: Slot) -> str:
    return slot.name if slot.name.replace("_", "").replace(".", "").isalpha() else slot.kind


class _Measure:
    """The values of a measured slot."""

    def __init__(self) -> None:
        self.values = array("d")
        self.low, self.top, self.top_line = "", "", 0
        self._least, self._most = float("inf"), float("-inf")

    def add(self, numbers: Sequence[int], column: Sequence[str], slot: Slot) -> None:
        """Adds the words of some lines."""
        values = _values(column, slot)
        least, most = min(values), max(values)
        if least < self._least:
            self._least, self.low = least, column[values.index(least)]
        if most > self._most:
            at = values.index(most)
            self._most, self.top, self.top_line = most, column[at], numbers[at]
        self.values.extend(values)

    def far(self) -> float:
        """Returns how many times what nearly all lines say the highest value is."""
        if len(self.values) < 2 * FEWEST or self._most <= 0:
            return 0.0
        usual = sorted(self.values)[int(REST * (len(self.values) - 1))]
        return self._most / max(usual, MOST_USUAL * self._most) if self._most != usual else 0.0

    def note(self, slot: Slot) -> str:
        """Returns the lowest and the highest value, "" where they are one."""
        if self._least >= self._most:
            return ""
        name = "" if slot.prefix.strip("\"'([{<") else f"{slot.name} " if slot.name.isalpha() else ""
        behind = f" {slot.unit}" if slot.unit and not slot.suffix.strip(TRIM) else ""
        top = self.top[len(slot.prefix) :].strip(TRIM)
        return f"{name}{self.low.strip(TRIM)}..{top}{behind}"


def _words(line: str) -> list[str]:
    line = line[:MOST_CHARS]
    return (line.replace(',"', ' "') if ',"' in line else line).split(None, MOST_WORDS)


def _pieces(
    lines: Sequence[str], group: list[int], width: int
) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Yields the words of lines, with the numbers of the lines; too short ones are passed over."""
    for first in range(0, len(group), PIECE):
        numbers = group[first : first + PIECE]
        rows = [_words(lines[number]) for number in numbers]
        if min(map(len, rows)) < width:
            pairs = [(number, row) for number, row in zip(numbers, rows, strict=True) if len(row) >= width]
            numbers, rows = [number for number, _ in pairs], [row for _, row in pairs]
        if rows:
            yield numbers, rows


def _values(column: Sequence[str], slot: Slot) -> list[float]:
    """Returns the numbers of a measured slot; those of another unit are scaled where it is known."""
    head, tail = len(slot.prefix), len(slot.suffix)
    one = scale(slot.unit)
    try:
        if tail:
            return [float(word[head:-tail]) * one for word in column]
        return [float(word[head:]) * one for word in column]
    except ValueError:
        return [_value(word, head, one) for word in column]


def _value(word: str, head: int, one: float) -> float:
    match = _NUMBER.search(word, head)
    if match is None:
        return 0.0
    behind = word[match.end() :].strip(TRIM)
    return float(match[0]) * (scale(behind) if behind else one)
