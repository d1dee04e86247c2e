"""Stack traces inside one line, as loggers put them into a field: line ends written as two signs.

What was raised, each cause, and the frames nearest to it stay; the frames between are counted there.
"""

from __future__ import annotations

from itertools import groupby

from tokenjuice_ml.compressors.log_traces import is_library

BREAK = "\\n"
# Shorter lines, and those of fewer parts, are shown as they are.
LEAST_CHARS, LEAST_PARTS = 260, 4
# Chars of a message, messages of a chain of causes, frames of a run.
MESSAGE_CHARS, MOST_MESSAGES, FRAMES = 400, 12, 2
_FRAME = ("at ", "... ", "File ", "from ", "#")


def shortened(line: str) -> str:
    r"""Returns a line that holds a stack trace without most frames; any other line as it is.

    >>> shortened(r'{"e":"E: a' + r"\n\tat x.Y(Y.java:1)" * 40 + r'\nCaused by: F: b\n\tat z.Z(Z.java:2)"}')
    '{"e":"E: a\\n\\tat x.Y(Y.java:1)\\n\\tat x.Y(Y.java:1)\\n[… 38 frames …]\\nCaused by: F: b\\n\\tat z.Z(Z.java:2)"}'
    """
    if len(line) <= LEAST_CHARS or line.count(BREAK) < LEAST_PARTS:
        return line
    parts = line.split(BREAK)
    sorts = [number > 0 and _is_frame(part) for number, part in enumerate(parts)]
    if sum(sorts) < LEAST_PARTS:
        return line
    out: list[str] = []
    messages = 0
    for frames, run in groupby(zip(sorts, parts, strict=True), key=lambda one: one[0]):
        some = [part for _, part in run]
        if frames:
            out += _frames(some)
            continue
        messages += len(some)
        out += [_cut(part) for part in some] if messages <= MOST_MESSAGES else [f"[… {len(some):,} lines …]"]
    return BREAK.join(out)


def _bare(part: str) -> str:
    """Returns a part without the tabs, written as two signs, and blanks before it."""
    while part.startswith("\\t"):
        part = part[2:]
    return part.lstrip()


def _is_frame(part: str) -> bool:
    bare = _bare(part)
    # The code of a frame, as some languages show it, is deeper than any message.
    return bare.startswith(_FRAME) or part.startswith("    ")


def _frames(run: list[str]) -> list[str]:
    """Returns the frames of a run that tell where it was: the nearest and the first of the program's own."""
    python = any(_bare(part).startswith("File ") for part in run)
    order = range(len(run) - 1, -1, -1) if python else range(len(run))
    own = [
        at for at in order if not is_library("    " + _bare(run[at])) and not _bare(run[at]).startswith("...")
    ]
    most = 2 * FRAMES if python else FRAMES
    kept = sorted({*list(order)[: 2 if python else 1], *own[:most]})
    out: list[str] = []
    position = 0
    last = len(run) - 1
    for at in [*kept, len(run)]:
        if at - position == 1 or (at == len(run) and position == last):
            out.append(_cut(run[position], keep_end=position == last))
        elif at > position:
            out.append(f"[… {at - position:,} frames …]" + (_tail(run[last]) if at == len(run) else ""))
        if at < len(run):
            out.append(_cut(run[at], keep_end=at == last))
        position = at + 1
    return out


def _tail(part: str) -> str:
    """Returns what follows the last frame: the end of the field and the fields behind it."""
    end = part.find('"')
    return "" if end < 0 else part[end:]


def _cut(part: str, keep_end: bool = False) -> str:
    if keep_end or len(part) <= MESSAGE_CHARS + 20:
        return part
    half = MESSAGE_CHARS // 2
    return f"{part[:half]}[… {len(part) - 2 * half:,} chars …]{part[-half:]}"
