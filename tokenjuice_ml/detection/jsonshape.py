"""Tells JSON from what only begins with a bracket, without parsing it."""

from __future__ import annotations

from tokenjuice_ml.detection.sample import Sample

_SPACE = " \t\r\n"
_NUMBER = "0123456789+-.eE"
# Most chars looked at to get over the first value of an array.
_REACH = 4000
# Most brackets looked through.
_DEPTH = 50
# Keys that say when, and keys that say what happened: lines that have one of each are those of a log.
_WHEN = ('"time"', '"ts"', '"timestamp"', '"@timestamp"', '"t"', '"asctime"', '"datetime"')
_WHAT = (
    '"level"',
    '"lvl"',
    '"severity"',
    '"msg"',
    '"message"',
    '"@level"',
    '"@message"',
    '"action"',
    '"event"',
)
# Lines looked at, and chars of each.
_LINES, _CHARS = 8, 4000


def json_shape(text: str, sample: Sample) -> tuple[str, str] | None:
    """Returns the format and the evidence where `text` is JSON in one of its forms."""
    start = 1 if text.startswith("\ufeff") else 0
    start = skip_space(text, start)
    if text[start : start + 1] not in ("{", "["):
        return None
    opens = _opens(text, start)
    lines = _json_lines(sample)
    if lines:
        return lines
    if not opens:
        return None
    last = text[-200:].rstrip()[-1:]
    if text[start] == "{" and _is_notebook(text, start):
        return "notebook", "JSON with cells and nbformat"
    if last in ("}", "]"):
        return "json", "brackets of JSON at both ends"
    inner = sum(line.lstrip()[:1] in '"{}[]' or line.rstrip()[-1:] in ",[{" for line in sample.full)
    if inner >= 0.85 * len(sample.full):
        return "json-cut", "begins as JSON, the end is missing"
    return None


def is_log(text: str) -> bool:
    """Tells whether JSON lines are those of a log: most of the first ones say when and what.

    >>> is_log('{"time":"2026-01-02T03:04:05Z","level":"info","msg":"up"}')
    True
    >>> is_log('{"id":7,"name":"web"}')
    False
    """
    lines = [
        line[:_CHARS].lower() for line in text[: _LINES * _CHARS].split("\n", _LINES)[:_LINES] if line.strip()
    ]
    logged = sum(any(key in line for key in _WHEN) and any(key in line for key in _WHAT) for line in lines)
    return 2 * logged > len(lines)


def skip_space(text: str, position: int) -> int:
    """Returns the position of the next char that is no white space."""
    size = len(text)
    while position < size and text[position] in _SPACE:
        position += 1
    return position


def _opens(text: str, start: int) -> bool:
    """Says whether a JSON container really begins at `start`."""
    position = skip_space(text, start + 1)
    for _ in range(_DEPTH):
        if text[start] != "[" or text[position : position + 1] != "[":
            break
        start, position = position, skip_space(text, position + 1)
    char = text[position : position + 1]
    if text[start] == "{":
        if char != '"':
            return char == "}"
        end = skip_space(text, _after_string(text, position))
        return text[end : end + 1] == ":"
    if char and char in "{[]":
        return True
    end = _after_scalar(text, position)
    if not end:
        return False
    at = skip_space(text, end)
    return text[at : at + 1] == "," or (text[at : at + 1] == "]" and _ends(text, at))


def _ends(text: str, position: int) -> bool:
    """Says whether an array that closes here is no number in brackets (``[1] 4711`` is a shell job)."""
    after = skip_space(text, position + 1)
    return after >= len(text) or text[after] in "],"


def _after_string(text: str, position: int) -> int:
    """Returns the position behind the string that begins at `position`, or the end of reach."""
    end = position + 1
    stop = min(len(text), position + _REACH)
    while end < stop:
        end = text.find('"', end, stop)
        if end < 0:
            return stop
        back = end - 1
        while text[back] == "\\":
            back -= 1
        if (end - back) % 2:
            return end + 1
        end += 1
    return stop


def _after_scalar(text: str, position: int) -> int:
    """Returns the position behind a scalar, 0 where there is none."""
    if text[position : position + 1] == '"':
        return _after_string(text, position)
    for word in ("true", "false", "null"):
        if text.startswith(word, position):
            return position + len(word)
    end, stop = position, min(len(text), position + 400)
    while end < stop and text[end] in _NUMBER:
        end += 1
    return end if end > position else 0


def _json_lines(sample: Sample) -> tuple[str, str] | None:
    lines = sample.full
    if len(lines) < 2:
        return None
    whole = sum(_is_document(line) for line in lines)
    short = 0 if sample.whole else 1
    if whole < 2 or whole < 0.9 * (len(lines) - short):
        return None
    if lines[0].startswith('{"type":"begin"') or (
        lines[0].startswith('{"type":"') and any('"type":"match"' in line[:40] for line in lines[:5])
    ):
        return "rg-json", "rg --json events"
    return "jsonl", f"{whole} of {len(lines)} lines are JSON documents"


def _is_document(line: str) -> bool:
    first, last = line[0], line[-1]
    if first == "{":
        return last == "}" and line[1:12].lstrip()[:1] in ('"', "}")
    return first == "[" and last == "]" and len(line) > 8 and line[1:12].lstrip()[:1] in '"[{-0123456789tfn'


def _is_notebook(text: str, start: int) -> bool:
    head = text[start : start + 3000]
    if '"cells"' not in head and '"nbformat"' not in head:
        return False
    return '"cell_type"' in text[:20000] and ('"nbformat"' in head or '"nbformat"' in text[-3000:])
