"""Mixed output: a JSON document, a diff, a page or a long stack trace among other lines.

Each part goes to its own compressor with a share of the budget; line numbers stay those of the
whole. Declines unless a part is large and unmistakable, so that plain logs stay logs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import accumulate

from tokenjuice_ml.compressors import MODULES
from tokenjuice_ml.compressors.base import OMISSION_PREFIX, assemble
from tokenjuice_ml.compressors.diff_parse import diff_end
from tokenjuice_ml.compressors.jsonish_parse import document_end
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Detection, Kind, Omission, Reduction

# A part must have this many chars, and all parts together this share of a log or of prose.
LEAST_CHARS, LEAST_OF_LOG, LEAST_OF_PROSE = 600, 0.4, 0.25
# More parts than this are no mixture but a habit of the log.
MOST_PARTS = 20
# Frames in a row that make a stack trace a part; JSON lines in a row that make a table.
LEAST_FRAMES, LEAST_JSON_LINES = 20, 10
# Least tokens a part gets.
LEAST_TOKENS = 250
# Without one of these there is no part to look for; logs are no mixture for their traces alone.
_DOCUMENTS = ("\n{", "\n[\n", "\n[{", "{\n", "[\n", "\ndiff --", "\n+++ ", "</html", "</HTML")
_TRACES = ('  File "', " at ", "#1 ")
# Documents that are indented, or stand on the first line, have none of these marks.
_INDENTED = re.compile(r"\n[ \t]+[{\[]")
_FIRST = ("{", "[", "diff --", "--- ")
_PAGE_ENDS = ("</html", "</HTML")
_FRAMES = ('File "', "at ", "#", "...")
_STARTS = ("{", "[", "<", "diff --git ", "diff --cc ", "--- ", *_FRAMES)


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of one kind, 0-based half-open."""

    start: int
    end: int
    kind: Kind
    format: str = ""


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the parts cut each in its way, or None where the text is of one kind."""
    is_log = context.detection.kind is Kind.LOG
    if not _may_hold_parts(text, is_log):
        return None
    lines = text.removesuffix("\n").split("\n")
    found = [part for part in parts(lines, text) if not is_log or part.kind is not Kind.LOG]
    size = sum(_chars(lines, part) for part in found)
    least = LEAST_OF_LOG if is_log else LEAST_OF_PROSE
    if not found or len(found) > MOST_PARTS or size < least * len(text):
        return None
    whole = _filled(found, len(lines), context.detection.kind)
    if len(whole) < 2:
        return None
    return _joined(lines, whole, context)


def parts(lines: list[str], text: str) -> list[Part]:
    """Returns the unmistakable parts among `lines`, in order."""
    finder = _Finder(lines, text)
    found: list[Part] = []
    position = 0
    for index in [index for index, line in enumerate(lines) if line.lstrip().startswith(_STARTS)]:
        part = finder.part_at(index) if index >= position else None
        if part is None:
            continue
        position = part.end
        if _chars(lines, part) >= LEAST_CHARS:
            found.append(part)
    return found


def _may_hold_parts(text: str, is_log: bool) -> bool:
    if any(mark in text for mark in _DOCUMENTS):
        return True
    if not any(mark in text for mark in _TRACES):
        return False
    # Traces are what logs are cut by; only among prose they are parts of their own.
    return not is_log or text.lstrip().startswith(_FIRST) or _INDENTED.search(text) is not None


class _Finder:
    """Looks for the beginning of a part, line by line, in time linear in the text."""

    def __init__(self, lines: list[str], text: str) -> None:
        self.lines, self.text = lines, text
        self.starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
        # Broken JSON may be tried often; all tries together read the text this often at most.
        self.left = 3 * len(text)
        self.last_page = max(text.rfind(mark) for mark in _PAGE_ENDS)

    def part_at(self, index: int) -> Part | None:
        """Returns the part that begins at line `index`, if one does."""
        line = self.lines[index]
        bare = line.lstrip()
        first = bare[:1]
        if first and first in "{[":
            return self._json(index, line, bare)
        if line.startswith(("diff --git ", "diff --cc ", "--- ")):
            end = diff_end(self.lines, index)
            return Part(index, end, Kind.DIFF) if end > index + 2 else None
        if first == "<" and bare[:14].lower().startswith(("<!doctype html", "<html")):
            return self._html(index)
        if bare.startswith(_FRAMES):
            return self._trace(index)
        return None

    def _json(self, index: int, line: str, bare: str) -> Part | None:
        if bare[0] == "{" and bare[-1] == "}" and line is bare:
            end = index
            while end < len(self.lines) and self.lines[end][:1] == "{" and self.lines[end].endswith("}"):
                end += 1
            if end - index >= LEAST_JSON_LINES:
                return Part(index, end, Kind.JSON, "jsonl")
        if self.left <= 0 or bare[1:].lstrip()[:1] not in ("", '"', "{", "[", "]", "}"):
            return None
        start = self.starts[index] + len(line) - len(bare)
        end, read = document_end(self.text, start)
        # A failure counts the lines before it, so late ones cost more.
        self.left -= read + (start // 4 if end < 0 else 0)
        if end < 0:
            return None
        last = bisect_right(self.starts, end - 1) - 1
        rest = self.text[end : self.starts[last + 1] - 1]
        return Part(index, last + 1, Kind.JSON, "json") if not rest.strip() else None

    def _html(self, index: int) -> Part | None:
        start = self.starts[index]
        if start > self.last_page:
            return None
        ends = [end for mark in _PAGE_ENDS if (end := self.text.find(mark, start)) >= 0]
        last = bisect_right(self.starts, min(ends)) - 1
        return Part(index, last + 1, Kind.HTML, "html")

    def _trace(self, index: int) -> Part | None:
        """A run of frames; in Python's traces each has its source line below."""
        end, frames = index, 0
        while end < len(self.lines):
            bare = self.lines[end].lstrip()
            if bare.startswith(_FRAMES):
                frames += 1
            elif not bare or self.lines[end][0] not in " \t":
                break
            end += 1
        if frames < LEAST_FRAMES:
            return None
        return Part(index, min(end + 1, len(self.lines)), Kind.LOG, "crash")


def _chars(lines: list[str], part: Part) -> int:
    return sum(map(len, lines[part.start : part.end])) + part.end - part.start


def _filled(found: list[Part], total: int, kind: Kind) -> list[Part]:
    """Returns the parts with what stands between them."""
    whole: list[Part] = []
    position = 0
    for part in [*found, Part(total, total, kind)]:
        if part.start > position:
            whole.append(Part(position, part.start, kind))
        if part.end > part.start:
            whole.append(part)
        position = part.end
    return whole


def _joined(lines: list[str], whole: list[Part], context: Context) -> Reduction | None:
    budget = context.budget_tokens or context.settings.max_inline_tokens
    sizes = [_chars(lines, part) ** 0.5 for part in whole]
    body: list[str] = []
    gaps: list[Omission] = []
    lossy = changed = False
    for part, size in zip(whole, sizes, strict=True):
        share = max(LEAST_TOKENS, int(budget * size / sum(sizes)))
        text = "\n".join(lines[part.start : part.end])
        reduction = _cut_part(text, part, share, context)
        if reduction is None or len(reduction.text) >= len(text):
            body.append(text)
            continue
        changed = True
        lossy = lossy or reduction.lossy
        body += [_moved_note(row, part.start) for row in reduction.text.split("\n")]
        gaps += [_moved(gap, part.start) for gap in reduction.omissions]
    if not changed:
        return None
    return Reduction("\n".join(body), lossy, "mixed", tuple(gaps), detail=f"{len(whole)} parts")


def _cut_part(text: str, part: Part, share: int, context: Context) -> Reduction | None:
    """Returns the part cut by the compressor of its kind; None leaves it as it is."""
    if len(text) < LEAST_CHARS or not _enabled(part.kind, context):
        return None
    if part.kind is Kind.PLAIN_TEXT or (part.kind is Kind.LOG and estimate(text) <= share):
        return None
    detection = Detection(part.kind, "part of mixed output", "structure", part.format)
    inner = replace(
        context, output=replace(context.output, text=text), detection=detection, budget_tokens=share
    )
    module = import_module(f"tokenjuice_ml.compressors.{MODULES[part.kind]}")
    reduction: Reduction | None = module.compress(text, inner)
    if reduction is None and part.kind is Kind.LOG:
        return _ends(text)
    return reduction


def _enabled(kind: Kind, context: Context) -> bool:
    return kind is Kind.PLAIN_TEXT or bool(getattr(context.settings, f"{kind.value}_enabled"))


def _ends(text: str) -> Reduction | None:
    """The ends of a part that its compressor declines."""
    lines = text.split("\n")
    if len(lines) < 40:
        return None
    keep = [index < 15 or index >= len(lines) - 15 for index in range(len(lines))]
    cut = assemble(lines, keep)
    return Reduction(cut.text, True, "mixed", cut.omissions)


def _moved(gap: Omission, offset: int) -> Omission:
    return replace(gap, first_line=gap.first_line + offset, last_line=gap.last_line + offset)


def _moved_note(row: str, offset: int) -> str:
    """Returns an omission line with its line numbers moved by `offset`."""
    if not offset or not row.startswith(OMISSION_PREFIX):
        return row
    start = row.find(", L", 0, 48)
    if start < 0:
        return row
    end = start + 2
    while end < len(row) and (row[end].isdigit() or row[end] in "-L"):
        end += 1
    numbers = row[start + 2 : end].replace("L", "").split("-")
    if not all(number.isdigit() for number in numbers):
        return row
    moved = "-".join(f"L{int(number) + offset}" for number in numbers)
    return row[: start + 2] + moved + row[end:]
