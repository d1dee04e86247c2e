"""Long runs of lines that were only added or only removed: their ends, definitions and signals stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# Lines that stay at the head and at the tail of a run that is cut.
HEAD, TAIL = 24, 6
# Gaps under this many lines are not worth a note.
LEAST_GAP = 3
_DEFINES = tuple(
    "def |async def |class |fn |pub |func |function |export |interface |struct |enum |impl |trait |type |module "
    "|public |private |protected |internal |describe(|it(|test(|create |alter |drop |@app.|@router.|resource "
    '|#define |namespace |# |## |### |"scripts"'.split("|")
)
_TELLS = (
    *(
        "todo",
        "fixme",
        "xxx:",
        "raise ",
        "throw ",
        "panic",
        "unsafe",
        "error",
        "deprecat",
        "password",
        "secret",
    ),
    *("insecure", "hack", "breaking", "skip(", "@skip", "fatal", "eval(", "verify=false", "except:"),
)
# How comments and imports begin.
COMMENTS = ("# ", "#!", "//", "/*", "* ", "*/", "<!--", "-- ", ";;", '"""')
_IMPORTS = ("import ", "from ", "use ", "using ", "#include", "require ")


def tells_little(body: Sequence[str]) -> bool:
    """Says whether a hunk changes comments and empty lines alone, or only the order of imports."""
    comments = imports = True
    old: list[str] = []
    new: list[str] = []
    for line in body:
        bare = line[1:].strip() if line[:1] in ("-", "+") else ""
        if not bare:
            continue
        comments = comments and (bare.startswith(COMMENTS) or bare == "#")
        imports = imports and bare.startswith(_IMPORTS)
        if not comments and not imports:
            return False
        (old if line[0] == "-" else new).append(bare)
    return comments or sorted(old) == sorted(new)


def gaps_of(lines: Sequence[str], start: int, end: int, words: Sequence[str]) -> list[tuple[int, int]]:
    """Returns what may go of the run of lines `start` to `end`, as half-open ranges.

    Args:
        lines: all lines of the diff, with their signs.
        start: first line of the run.
        end: the line behind it.
        words: lower-case words that the reader looks for.
    """
    stay = [start + HEAD - 1, *_telling(lines, start + HEAD, end - TAIL, words), end - TAIL]
    gaps = []
    for before, after in pairwise(stay):
        if after - before - 1 >= LEAST_GAP:
            gaps.append((before + 1, after))
    return gaps


def _telling(lines: Sequence[str], start: int, end: int, words: Sequence[str]) -> list[int]:
    """Returns the lines worth keeping: those asked for, those with signals, definitions by their indent."""
    asked: list[int] = []
    signals: list[int] = []
    defined: list[tuple[int, int]] = []
    whole = "\n".join([line[1:400] for line in lines[start:end]]).lower()
    # Most of the words stand in no line of a run.
    words, tells = [word for word in words if word in whole], [word for word in _TELLS if word in whole]
    for index, low in enumerate(whole.split("\n"), start):
        bare = low.lstrip()
        if words and any(word in low for word in words):
            asked.append(index)
        elif bare.startswith(_DEFINES):
            defined.append((len(low) - len(bare), index))
        elif any(map(low.__contains__, tells)):
            signals.append(index)
    room = max(8, (end - start) // 25)
    outer = [index for _, index in sorted(defined)[: 2 * room]]
    return sorted({*_thinned(asked, 2 * room), *_thinned(signals, room // 2), *_thinned(sorted(outer), room)})


def _thinned(found: list[int], most: int) -> list[int]:
    """Returns at most `most` of the lines, the first and then evenly."""
    if len(found) <= most:
        return found
    return [found[position * len(found) // most] for position in range(most)]
