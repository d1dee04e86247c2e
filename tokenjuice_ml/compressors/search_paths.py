"""Lists of paths as a tree, counts by file, and recursive listings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tokenjuice_ml.compressors.base import utf8_len
from tokenjuice_ml.compressors.odd_lines import odd_lines
from tokenjuice_ml.compressors.search_words import wanted
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Omission, Reduction

LEAST, MOST, SHARE = 1000, 2500, 0.16
CHARS_PER_TOKEN = 3.4
# Deeper folders are no tree to draw.
DEEPEST = 60
# Lines that are looked at to see whether a list is one of paths.
SAMPLE = 2000
# A path's name and what parts it from the next take so many chars; no text has more bytes a token.
FEWEST_CHARS, MOST_BYTES_PER_TOKEN = 2, 8
# Where a folder keeps its own names; no folder is called so.
FILES = "\n"


def compress(lines: list[str], form: str, context: Context) -> Reduction | None:
    """Returns a list of paths shorter, or None where it is no list."""
    size = utf8_len("\n".join(lines)) + 1
    budget = context.budget_tokens or max(LEAST, min(MOST, int(SHARE * size / CHARS_PER_TOKEN)))
    if form == "count":
        return _counts(lines, budget)
    if form == "ls-r":
        lines = _flattened(lines) or lines
    paths = [line for line in lines if line]
    sample = paths[:: max(1, len(paths) // SAMPLE)]
    if len(paths) < 5 or sum(map(_is_path, sample)) < 0.8 * len(sample):
        return None
    light = context.settings.profile == "light"
    if not light and MOST_BYTES_PER_TOKEN * budget < FEWEST_CHARS * len(paths):
        return _cut(paths, len(lines), budget, wanted(context), context.output.query)
    whole = _shortest(paths)
    exact = form != "ls-r" and len(paths) == len(lines) and unfold(whole) == paths
    if whole and (light or estimate(whole) <= budget):
        gaps = () if exact else (Omission(1, len(lines), 0, 0, "order of the list"),)
        return Reduction(whole, not exact, "search", gaps)
    return _cut(paths, len(lines), budget, wanted(context), context.output.query)


def _is_path(line: str) -> bool:
    return "/" in line and line.count(" ") <= 3 and "://" not in line and line[-1] not in ",;:{})"


def _split(path: str) -> tuple[str, str]:
    """Returns the folder, its slash included, and the name (a folder's own slash stays with it)."""
    at = path.rstrip("/").rfind("/")
    return path[: at + 1], path[at + 1 :]


def _by_folder(paths: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Returns runs of neighbours in the same folder."""
    runs: list[tuple[str, list[str]]] = []
    for path in paths:
        folder, name = _split(path)
        if runs and runs[-1][0] == folder:
            runs[-1][1].append(name)
        else:
            runs.append((folder, [name]))
    return runs


def _shortest(paths: list[str]) -> str:
    """Returns the list with each folder once: folder by folder, or as a tree where that is shorter."""
    flat = "\n".join(f"{folder}: {_names(names)}" for folder, names in _by_folder(paths))
    tree = _tree(paths)
    return tree if tree and len(tree) < 0.85 * len(flat) else flat


def _names(names: list[str]) -> str:
    """Joins names with blanks, or with bars (one before them) where a name has a blank of its own."""
    if any(" " in name for name in names):
        return "| " + " | ".join(names)
    return " ".join(names)


def _tree(paths: list[str]) -> str:
    """Returns the folders as an indented tree with the names behind each; "" where it cannot be."""
    root: dict[str, Any] = {}
    for path in paths:
        folder, name = _split(path)
        parts = folder.split("/")[:-1]
        if len(parts) > DEEPEST or ": " in path or path.startswith(" "):
            return ""
        node = root
        for part in parts:
            node = node.setdefault(part, {})
        node.setdefault(FILES, []).append(name)
    lines: list[str] = []
    _tree_lines(root, 0, lines)
    return "\n".join(lines)


def _tree_lines(node: dict[str, Any], depth: int, lines: list[str]) -> None:
    for name, child in node.items():
        if name == FILES:
            if not depth:
                lines.append(f": {_names(child)}")
            continue
        label, below = f"{name}/", child
        # A folder that holds one folder alone shares its line.
        while len(below) == 1 and FILES not in below:
            only, below = next(iter(below.items()))
            label += f"{only}/"
        names = below.get(FILES)
        lines.append(" " * depth + label + (f": {_names(names)}" if names else ""))
        _tree_lines(below, depth + 1, lines)


def unfold(text: str) -> list[str]:
    """Returns the paths that a folded list or a tree stands for."""
    paths: list[str] = []
    above: list[str] = []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        folder, sign, names = line[depth:].partition(": ")
        above[depth:] = ["".join(above[depth - 1 : depth]) + folder]
        if sign:
            split = names[2:].split(" | ") if names.startswith("| ") else names.split(" ")
            paths += [above[-1] + name for name in split]
    return paths


def _cut(paths: list[str], total: int, budget: int, words: list[str], query: str | None) -> Reduction:
    """Shows each folder with some of its names, odd ones first; folders beyond the budget are counted."""
    odd = {paths[at] for at in odd_lines(paths, [True] * len(paths), query)}
    merged = _merged(paths)
    room = budget * CHARS_PER_TOKEN
    share = max(24.0, (room - sum(len(folder) + 16 for folder in merged)) / len(merged))
    out = [f"[… {len(paths)} paths in {len(merged)} folders]"]
    hidden = 0
    folders = list(merged.items())
    for index, (folder, names) in enumerate(folders):
        if room < len(folder) + 24:
            shown = [
                folder + name for folder, names in folders[index:] for name in names if folder + name in odd
            ]
            out += shown
            rest = sum(len(names) for _, names in folders[index:]) - len(shown)
            out.append(f"[… {rest} paths in {len(folders) - index} more folders: {_listed(folders[index:])}]")
            hidden += rest
            break
        line, left = _folder_line(folder, names, share, words, odd)
        hidden += left
        room -= len(line) + 1
        out.append(line)
    size = utf8_len("\n".join(paths)) - sum(map(utf8_len, out)) + 1
    gap = Omission(1, total, hidden, max(0, size), f"{hidden} of {len(paths)} paths")
    return Reduction("\n".join(out), True, "search", (gap,))


def _merged(paths: list[str]) -> dict[str, list[str]]:
    """Returns the names by folder."""
    merged: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        at = path.rfind("/") + 1
        if at == len(path):
            folder, name = _split(path)
            merged[folder].append(name)
        else:
            merged[path[:at]].append(path[at:])
    return merged


def _listed(folders: list[tuple[str, list[str]]]) -> str:
    shown = ", ".join(f"{folder} {len(names)}" for folder, names in folders[:8])
    return shown + (f", +{len(folders) - 8}" if len(folders) > 8 else "")


def _folder_line(
    folder: str, names: list[str], room: float, words: list[str], odd: set[str]
) -> tuple[str, int]:
    """Returns a folder's line and how many of its names are not on it."""
    wanted_first = (
        sorted(names, key=lambda name: not any(word in name.lower() for word in words)) if words else names
    )
    if any(folder + name in odd for name in names):
        wanted_first = sorted(wanted_first, key=lambda name: folder + name not in odd)
    chosen: set[str] = set()
    for name in wanted_first:
        if room < len(name) + 1 and len(chosen) >= 2 and folder + name not in odd:
            break
        chosen.add(name)
        room -= len(name) + 1
    shown = [name for name in names if name in chosen]
    left = len(names) - len(shown)
    if left <= 0:
        return f"{folder}: {_names(names)}", 0
    kinds = Counter(_extension(name) for name in names if name not in chosen)
    census = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(3))
    return f"{folder}: {_names(shown)} […+{left}: {census}]", left


def _extension(name: str) -> str:
    stem, dot, tail = name.rpartition(".")
    return f".{tail}" if dot and stem and len(tail) <= 8 else "other" if not name.endswith("/") else "folders"


def _flattened(lines: list[str]) -> list[str] | None:
    """Returns the paths of ``ls -R``; None for long listings."""
    folder, before, paths = "", "", []
    for line in lines:
        if line:
            if line[-1] == ":" and not before:
                folder = line[:-1].rstrip("/") + "/"
            elif folder:
                if line[0] in "-dlt" and _is_long(line):
                    return None
                paths.append(folder + line)
        before = line
    return paths


def _is_long(line: str) -> bool:
    return line.startswith("total ") or (line[0] != "t" and len(line) > 30 and line[1:4].strip("rwx-") == "")


def _counts(lines: list[str], budget: int) -> Reduction | None:
    """Counts by file (``grep -c``): files without a hit are counted, the others stay, most first."""
    pairs = [
        (path, count) for path, _, count in (line.rpartition(":") for line in lines) if count.isdecimal()
    ]
    hits = [(path, count) for path, count in pairs if int(count[:12]) > 0]
    if len(pairs) < 0.8 * len([line for line in lines if line]):
        return None
    room = budget * CHARS_PER_TOKEN
    keep: set[str] = set()
    for path, count in sorted(hits, key=lambda pair: -int(pair[1][:12])):
        room -= len(path) + len(count) + 2
        if room < 0:
            break
        keep.add(path)
    total = sum(int(count[:12]) for _, count in hits)
    out = [f"[… {total} hits in {len(hits)} of {len(pairs)} files]"]
    out += [f"{path}:{count}" for path, count in hits if path in keep]
    left = len(hits) - len(keep)
    if left:
        out.append(f"[… {left} files with fewer hits]")
    gone = len(lines) - len(keep)
    size = sum(map(utf8_len, lines)) - sum(map(utf8_len, out[1:]))
    what = f"{len(pairs) - len(hits)} files without a hit" + (f", {left} with few" if left else "")
    return Reduction("\n".join(out), True, "search", (Omission(1, len(lines), gone, max(0, size), what),))
