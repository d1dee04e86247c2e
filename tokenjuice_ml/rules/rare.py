"""Lines that stand alone among those a rule leaves out: a deciding word, a foreign host, other words.

A rule knows how its tool's success looks and folds the rest by its first word. One line in three hundred
that says `falling back to …`, `Destroying…` or `image: 1.2 => latest` looks the same from afar. A word
counts where few lines hold it: where a list is of deletions, the rule counts them. All in linear time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from tokenjuice_ml.rules.view import LineView

# Beginnings of words that tell of something gone or changed: these count on a failure, too.
_EFFECTS = "destroy destruction delet remov replac recreat overwrit downgrad rollback rolled".split()
# And of those that tell what went otherwise than usual, in lower case.
STEMS = (
    *_EFFECTS,
    *(
        "deprecat obsolete unsupported fallback defaulting undefined unset empty missing mismatch denied skipped"
        " overrid disabled insecure untrusted unverified expire expiring trial truncat retrying"
        " regress drift tainted evicted unreachable [big]"
    ).split(),
    *("warning: ", "falling back", "not defined", "not set", "not found", "timed out", "no longer"),
    *("instead of", "using default", "(!) "),
)
# Of a word whole, and no part of a path, a name or a count of none. The lines are short.
_WHOLE = r"(?<![\w/.@=-])(?:{0})\w{{0,12}}(?![\w/@-]|\.\w|\W{{1,3}}0\b)"
_NONE = re.compile(r"\b(?:0|no|none|nothing)\s(?:[\w-]{1,20}\s)?\W?$", re.IGNORECASE)
# A word counts up to this share of the lines, at least, at most.
_SHARE, _FEWEST, _MOST = 0.02, 2, 6
# Lines shown for their word, for their other words, for their host; on a failure only some of the first.
MOST_WORDS, MOST_OTHERS, MOST_HOSTS, MOST_ON_FAILURE = 6, 3, 2, 3
# Few lines tell nothing by being rare; in a run so many begin alike, nearly all of which are alike.
_LEAST_LINES, _RUN, _ALIKE, _CHARS, _MOST_SHAPES = 40, 40, 0.9, 400, 600
# What a line of a tool begins with, unlike a frame's (`  | help: remove this`), and where effects stand.
_TOLD = re.compile(r"\s{0,8}[\w#(\[]")
_LEADING = re.compile(r"\s{0,8}(?:\[[\w/ .:-]{1,30}\] )?(?:[\w.\[\]\"/-]{1,120}: )?[\w:]{0,4}$")
# Marks that stand at a word and are none of it.
_MARKS = str.maketrans(":,;!", "    ")
_HOST = re.compile(r"://([\w.-]{3,80})", re.ASCII)


def rare_lines(view: LineView, hidden: Callable[[int], bool], failed: bool) -> list[int]:
    """Returns the hidden lines that stand alone, ascending, a few at most.

    Args:
        view: the output.
        hidden: tells whether a line would be left out.
        failed: the exit code says failure: then the cause comes first.
    """
    if len(view.matched) < _LEAST_LINES:
        return []
    found = _with_words(view, hidden, failed)
    if not failed and len(view.base.matched) <= _MOST_SHAPES:
        groups = view.groups(range(len(view.base.matched)))
        rest = [(name[:_CHARS], lines) for name, lines in groups if hidden(lines[0])]
        found += (*_of_other_words(rest), *_of_other_hosts(rest))
    return sorted(set(found))


def _with_words(view: LineView, hidden: Callable[[int], bool], failed: bool) -> list[int]:
    """Returns hidden lines with a deciding word, those of the rarest words first."""
    limit = max(_FEWEST, min(_MOST, int(_SHARE * len(view.matched))))
    view.base.look_up(STEMS)
    by_count: list[tuple[int, int]] = []
    for stem in _EFFECTS if failed else STEMS:
        lines = view.lines_of(view.base.holding((stem,)))
        if 0 < len(lines) <= limit:
            said = (at for at in lines if hidden(at) and _says(stem, view.matched[at], failed))
            by_count += [(len(lines), at) for at in said]
    chosen = dict.fromkeys(at for _, at in sorted(by_count))
    return list(chosen)[: MOST_ON_FAILURE if failed else MOST_WORDS]


def _says(stem: str, line: str, leading: bool = False) -> bool:
    """Returns True where a word of `line` begins with `stem` and means it.

    >>> _says("skipp", "step 3 skipped because of a flag"), _says("skipp", "0 skipped"), _says("remov", "a/remove.c")
    (True, False, False)
    """
    pattern = _WHOLE.format(re.escape(stem)) if stem[-1].isalpha() else re.escape(stem)
    found = re.search(pattern, line[:_CHARS], re.IGNORECASE | re.ASCII)
    if found is None or not _TOLD.match(line) or (leading and not _LEADING.match(line[: found.start()])):
        return False
    return not _NONE.search(line[max(0, found.start() - 30) : found.start()])


_Group = tuple[str, Sequence[int]]


def _of_other_words(groups: Sequence[_Group]) -> list[int]:
    """Returns lines that begin as many do, all of which but a few go on in the same words.

    Args:
        groups: lines that differ in nothing but numbers, and what they say.
    """
    runs: defaultdict[str, list[tuple[tuple[str, ...], Sequence[int]]]] = defaultdict(list)
    texts = "\n".join([name for name, _ in groups]).translate(_MARKS).split("\n")
    for text, (_, lines) in zip(texts, groups, strict=bool(groups)):
        tokens = text.split()
        if len(tokens) > 1:
            words = tuple([token for token in tokens[1:] if token.isalpha() or token == "=>"])
            runs[tokens[0]].append((words, lines))
    odd: list[int] = []
    for run in runs.values():
        odd += _alone(run)
    return odd[:MOST_OTHERS]


def _alone(run: Sequence[tuple[tuple[str, ...], Sequence[int]]]) -> list[int]:
    told: Counter[tuple[str, ...]] = Counter()
    for words, lines in run:
        told[words] += len(lines)
    total = sum(told.values())
    usual, often = told.most_common(1)[0]
    if total < _RUN or often < _ALIKE * total:
        return []
    few = [lines[0] for words, lines in run if told[words] == 1 and len(set(words) - set(usual)) > 1]
    return few if len(few) <= MOST_OTHERS else []


def _of_other_hosts(groups: Sequence[_Group]) -> list[int]:
    """Returns lines with an address of a host that hardly comes where another comes always."""
    hosts = [
        (found[1], lines)
        for name, lines in groups
        if "://" in name and (found := _HOST.search(name)) is not None
    ]
    counts: Counter[str] = Counter()
    for host, lines in hosts:
        counts[host] += len(lines)
    if not counts or max(counts.values()) < max(_RUN, _ALIKE * sum(counts.values())):
        return []
    return [lines[0] for host, lines in hosts if counts[host] <= 2][:MOST_HOSTS]
