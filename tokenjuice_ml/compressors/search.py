"""Search results: by file, path once, definitions and matches first, the rest as line numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from tokenjuice_ml.compressors import deciding, search_paths
from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.search_parse import Found, Hit, read
from tokenjuice_ml.compressors.search_words import clip, definitions, wanted
from tokenjuice_ml.detection.sample import plain
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

# Share of the original that stays, and its bounds, tokens.
SHARE, LEAST, MOST = 0.2, 1400, 8000
CHARS_PER_TOKEN = 3.2
# Most chars of a hit, and the least when room is short.
WIDE, NARROW = 160, 72
# Most chars of a file's first hit where files are many.
FIRST = 64
# Most line numbers listed for a file.
MOST_NUMBERS = 16
# Where lines around the hits were asked for: their share of the room, and how many a hit gets.
AROUND, LINES_AROUND = 0.4, 2
# Hits that are scored at once, and hits that are ranked: with many more of them none of the others has room.
AT_ONCE, MOST_RANKED = 4000, 20_000
# Hits with deciding words that are shown before all others, and hits among which they are sought.
MOST_DECIDING, MOST_SCORED = 8, 100_000
# How lines start that tell less: comments and imports.
_LESS = ("//", "#", "*", "/*", "use ", "import ", "from ")


@dataclass(slots=True)
class Group:
    """One file's hits.

    Attributes:
        path: the path.
        hits: its hits.
        shown: positions in `hits` that are shown, with the chars they get.
    """

    path: str
    hits: list[Hit]
    shown: dict[int, int]


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the results grouped by file, cut where they are too many."""
    if "\x1b" in text:
        text = "\n".join(map(plain, text.split("\n")))
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    form = context.detection.format
    if form in ("paths", "ls-r", "count", "tree"):
        return search_paths.compress(lines, form, context)
    found = read(lines, form)
    if found is None:
        return search_paths.compress(lines, "paths", context)
    budget = max(LEAST, min(MOST, int(SHARE * len(text) / CHARS_PER_TOKEN)))
    light = context.settings.profile == "light"
    whole = _grouped(found) if light or len(text) <= 12 * CHARS_PER_TOKEN * budget else text
    if len(whole) < len(text) and (light or (len(whole) < 6 * budget and estimate(whole) <= budget)):
        exact = found.exact and not found.rest
        return Reduction(whole, not exact, "search", () if exact else _regrouped(text, lines, whole))
    return _cut(lines, found, wanted(context), budget, context.output.query)


def _grouped(found: Found) -> str:
    """Returns all hits under their paths."""
    out = [found.rest[index] for index in sorted(found.rest)]
    for path, hits in found.files.items():
        out.append(path)
        out += [f"{hit.number}{'-' if hit.context else ':'}{hit.text}" for hit in hits]
    return "\n".join(out)


def _regrouped(text: str, lines: list[str], whole: str) -> tuple[Omission, ...]:
    return (Omission(1, len(lines), 0, max(0, utf8_len(text) - utf8_len(whole)), "layout of the output"),)


def _cut(lines: list[str], found: Found, words: list[str], budget: int, query: str | None) -> Reduction:
    """Shows each file with its best hits, until the budget is spent."""
    groups = [Group(path, hits, {}) for path, hits in found.files.items()]
    ranked = _ranked(groups, words)
    telling = _deciding(groups, query)
    # Those come before all others, so that their files are listed too.
    ranked = [*telling, *ranked]
    room = budget * _chars_per_token(lines)
    listed = _listed(groups, ranked, room)
    numbers = max(3, min(MOST_NUMBERS, int(0.25 * room / 7 / len(groups))))
    room -= sum(_head_cost(groups[number], numbers) for number in listed)
    width = WIDE if room / max(1, found.hits) > WIDE / 2 else NARROW + 24
    for _, number, position in telling:
        if number in listed:
            groups[number].shown[position] = WIDE
            room -= min(len(groups[number].hits[position].text), WIDE) + 6
    _choose(groups, listed, ranked, room, width)
    out = [_top(found, len(groups))]
    out += [_note_line(found.rest[index]) for index in sorted(found.rest)[:12]]
    gaps: list[Omission] = []
    for number, group in enumerate(groups):
        if number in listed:
            _write(group, words, numbers, out, gaps)
    if len(listed) < len(groups):
        bare = [group for number, group in enumerate(groups) if number not in listed]
        out.append(_many(bare, gaps, room * 0.15))
    if len(found.rest) > 12:
        out.append(f"[… {len(found.rest) - 12} other lines]")
    if not gaps:
        gaps.append(Omission(1, len(lines), 0, 0, "layout of the output"))
    gaps.sort(key=lambda gap: gap.first_line)
    return Reduction("\n".join(out), True, "search", tuple(gaps))


def _deciding(groups: list[Group], query: str | None) -> list[tuple[float, int, int]]:
    """Returns the few hits that hold a grave word, or one the question means, as `_ranked` gives them."""
    places = [(number, at) for number, group in enumerate(groups) for at in range(len(group.hits))]
    if len(places) > MOST_SCORED:
        return []
    texts = [f"{groups[number].path} {groups[number].hits[at].text[:400]}" for number, at in places]
    scores = deciding.scores(texts, query)
    best = sorted((-score, at) for at, score in scores.items() if score >= deciding.GRAVE - deciding.MOST)
    return [(float(score) - 100, *places[at]) for score, at in best[:MOST_DECIDING]]


def _chars_per_token(lines: list[str]) -> float:
    """Returns the chars that a token has in this output."""
    middle = len(lines) // 2
    sample = "\n".join(line[:300] for line in lines[middle : middle + 40])
    return max(1.5, min(4.5, 0.92 * len(sample) / max(1, estimate(sample))))


def _head_cost(group: Group, numbers: int) -> int:
    """Returns the chars that a file's path and at most `numbers` numbers of its other hits take."""
    others = min(len(group.hits) - 1, numbers)
    return len(group.path) + 2 + (10 + 7 * others if others > 0 else 0)


def _listed(groups: list[Group], ranked: list[tuple[float, int, int]], room: float) -> set[int]:
    """Returns the files that are listed: all, or those with the best hits where they are too many."""
    costs = [len(group.path) + min(len(group.hits[0].text), FIRST // 2) + 12 for group in groups]
    if sum(costs) <= room:
        return set(range(len(groups)))
    listed: set[int] = set()
    room *= 0.75
    for _, number, _ in ranked:
        if number not in listed:
            room -= costs[number]
            if room < 0 and listed:
                break
            listed.add(number)
    return listed


def _top(found: Found, files: int) -> str:
    return f"[… {found.hits} hits in {files} {'file' if files == 1 else 'files'}, by file]"


def _note_line(line: str) -> str:
    return line if len(line) <= 300 else f"{line[:240]}…+{len(line) - 240}"


def _many(bare: list[Group], gaps: list[Omission], room: float) -> str:
    """Returns the line for files that are not listed: hits by folder, as many as there is room for."""
    hits = sum(len(group.hits) for group in bare)
    first = min(group.hits[0].source for group in bare)
    last = max(group.hits[-1].source for group in bare)
    size = sum(utf8_len(hit.text) for group in bare for hit in group.hits)
    gaps.append(Omission(first + 1, last + 1, hits, size, f"hits in {len(bare)} files"))
    folders: Counter[str] = Counter()
    for group in bare:
        folders[group.path[: group.path.rfind("/") + 1] or "./"] += len(group.hits)
    names: list[str] = []
    for folder, count in folders.most_common():
        room -= len(folder) + 8
        if room < 0 and len(names) >= 3:
            names.append(f"+{len(folders) - len(names)} folders")
            break
        names.append(f"{folder} {count}")
    return f"[… {hits} hits in {len(bare)} more files: {', '.join(names)}]"


def _choose(
    groups: list[Group], listed: set[int], ranked: list[tuple[float, int, int]], room: float, width: int
) -> None:
    """Picks hits: the first of each file, then definitions and the densest, then what else fits."""
    for number in sorted(listed):
        group = groups[number]
        first = next((position for position, hit in enumerate(group.hits) if not hit.context), None)
        if first is not None and not group.shown:
            # A path without a hit under it says nothing.
            group.shown[first] = FIRST if room > 0 else FIRST // 2
            room -= min(len(group.hits[first].text), group.shown[first]) + 6
    chosen = [rank for rank in ranked if rank[1] in listed]
    around = AROUND * max(0.0, room) if any(hit.context for group in groups for hit in group.hits) else 0.0
    room = _show_hits(groups, chosen, room - around, width)
    room = _show_around(groups, chosen, room + around, width)
    room = _show_hits(groups, chosen, room, width)
    for number in sorted(listed):
        room = _show_context(groups[number], room, width)


def _show_hits(groups: list[Group], ranked: list[tuple[float, int, int]], room: float, width: int) -> float:
    """Shows hits, the best first, while there is room; returns what is left of it."""
    narrow = width < WIDE
    for score, number, position in ranked:
        group = groups[number]
        # A definition names what it defines at its head.
        given = FIRST if narrow and score < -1.5 else width
        size, before = len(group.hits[position].text), group.shown.get(position, -6)
        cost = (size if size < given + 8 else given + 8) + 6 - before
        if cost <= room:
            group.shown[position] = max(given, before, 0)
            room -= cost
        elif room < 20:
            break
    return room


def _show_around(groups: list[Group], ranked: list[tuple[float, int, int]], room: float, width: int) -> float:
    """Shows the lines next to the best of the shown hits; returns what is left of the room."""
    for _, number, position in ranked:
        group = groups[number]
        if position not in group.shown:
            continue
        for step in (-1, 1):
            for at in range(position + step, position + step * (LINES_AROUND + 1), step):
                if not (0 <= at < len(group.hits) and group.hits[at].context):
                    break
                if at not in group.shown:
                    group.shown[at] = width
                    room -= min(len(group.hits[at].text), width) + 6
        if room < 20:
            break
    return room


def _show_context(group: Group, room: float, width: int) -> float:
    """Shows lines around the hits while there is room; returns what is left of it."""
    for position, hit in enumerate(group.hits):
        if hit.context and room > 0:
            group.shown[position] = width
            room -= min(len(hit.text), width) + 6
    return room


def _ranked(groups: list[Group], words: Sequence[str]) -> list[tuple[float, int, int]]:
    """Returns hits as (minus score, group, position), the best first."""
    ranked: list[tuple[float, int, int]] = []
    seen: dict[str, int] = {}
    places: list[tuple[int, int]] = []
    texts: list[str] = []
    for number, group in enumerate(groups):
        places += [(number, position) for position, hit in enumerate(group.hits) if not hit.context]
        texts += [hit.text[:400].strip() for hit in group.hits if not hit.context]
        if len(places) >= AT_ONCE or number == len(groups) - 1:
            # Later hits of a file that is shown already tell less.
            ranked += [
                (0.04 * (position if position < 30 else 30) - score, number, position)
                for (number, position), score in zip(places, _scores(texts, words, seen), strict=True)
            ]
            # Those of the same score stand in the order of the output.
            ranked.sort(key=itemgetter(0))
            del ranked[MOST_RANKED:]
            places, texts = [], []
    return ranked


def _scores(texts: list[str], words: Sequence[str], seen: dict[str, int]) -> list[float]:
    """Returns how much each line tells: what it defines, what it holds of the words; copies tell less."""
    lowers = "\n".join(texts).lower().split("\n") if texts else []
    scores = [0.0] * len(texts)
    for word in words:
        scores = [score + 1 if word in low else score for score, low in zip(scores, lowers, strict=True)]
    scores = [
        0.4 * score - 0.3 if low.startswith(_LESS) else 0.4 * score
        for score, low in zip(scores, lowers, strict=True)
    ]
    for at in definitions(texts):
        scores[at] += 2.0
    different = dict.fromkeys(texts, 1)
    if len(different) == len(texts) <= MOST_RANKED - len(seen) and seen.keys().isdisjoint(different):
        seen.update(different)
        return scores
    for at, text in enumerate(texts):
        copies = seen.get(text, 0)
        if copies:
            scores[at] -= 0.8 * (copies if copies < 3 else 3)
        if copies or len(seen) < MOST_RANKED:
            seen[text] = copies + 1
    return scores


def _write(group: Group, words: Sequence[str], numbers: int, out: list[str], gaps: list[Omission]) -> None:
    """Writes a file's hits, and the line numbers of those that are not shown."""
    out.append(group.path)
    hidden: list[Hit] = []
    for position, hit in enumerate(group.hits):
        if position in group.shown:
            piece, left = clip(hit.text, words, group.shown[position])
            out.append(f"{hit.number}{'-' if hit.context else ':'} {piece}" if hit.number else piece)
            if left:
                gaps.append(Omission(hit.source + 1, hit.source + 1, 0, left, "rest of a long line"))
        else:
            hidden.append(hit)
    if hidden:
        out.append(_hidden_note(hidden, numbers))
        first, last = hidden[0].source + 1, hidden[-1].source + 1
        size = sum([utf8_len(hit.text) + len(group.path) + len(hit.number) + 3 for hit in hidden])
        gaps.append(Omission(first, last, len(hidden), size, f"hits in {group.path}"))


def _hidden_note(hidden: list[Hit], numbers: int) -> str:
    hits = [hit for hit in hidden if not hit.context]
    around = len(hidden) - len(hits)
    extra = f"{around} context {'line' if around == 1 else 'lines'}" if around else ""
    if not hits:
        return f"[… {extra}]"
    listed = ""
    if hits[0].number:
        shown = hits[:numbers]
        more = f", +{len(hits) - len(shown)} to {hits[-1].number}" if len(hits) > len(shown) else ""
        listed = ": " + ", ".join(f"{hit.number}" for hit in shown) + more
    return f"[… {len(hits)} more{' and ' + extra if extra else ''}{listed}]"
