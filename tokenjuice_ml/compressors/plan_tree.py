"""Plans of queries (EXPLAIN): the nodes that took the time, the way down to them, the totals.

A plan is a tree told by indentation; kept lines keep theirs, so that nesting stays as it was.
Times are in milliseconds, costs in the planner's unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenjuice_ml.compressors.base import assemble
from tokenjuice_ml.record import Record
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Reduction

_NODE = re.compile(r"\(cost=[0-9.]{1,24}(?:\.\.| )?([0-9.]{0,24}) rows=|\(actual time=|\(never executed\)")
_COST = re.compile(r"\(cost=[0-9.]+?(?:\.\.([0-9.]+))? ")
_TIME = re.compile(r"actual time=[0-9.]+?\.\.([0-9.]+) .{0,40}?loops=([0-9]+)")
# What is told below a node and says why it was slow; totals below the plan.
_TELLING = re.compile(
    r"Rows Removed|external|Disk: |Batches: (?!1\b)|Heap Fetches: [1-9]|lossy=|never executed"
)
_TOTAL = re.compile(
    r"\s*(?:(?:Planning|Execution|Total) (?:Time|runtime):|JIT:|Trigger |\(\d+ rows?\))", re.I
)
FEWEST_NODES, SMALL_TOKENS, COSTLIEST = 3, 400, 8


class _Node(Record):
    """A node: its line, the first line after its details, its indent, its own time or cost."""

    at: int
    end: int
    depth: int
    total: float
    parent: int


def is_plan(lines: Sequence[str]) -> bool:
    """Tells whether the lines, or most of their beginning, are a plan with costs or times."""
    sample = [line for line in lines[:60] if line.strip()]
    nodes = sum(1 for line in sample if "->" in line and _NODE.search(line[:2000]))
    roots = sum(1 for line in sample if _NODE.search(line[:2000]))
    return nodes >= FEWEST_NODES and roots >= 0.2 * len(sample)


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the plan cut to its costliest nodes; None where it is short or no plan."""
    lines = text.split("\n")
    budget = context.budget_tokens or context.settings.max_inline_tokens
    if not is_plan(lines) or context.settings.profile == "light" or estimate(text) <= SMALL_TOKENS:
        return None
    nodes = _nodes(lines)
    keep = [False] * len(lines)
    for at, line in enumerate(lines):
        keep[at] = at < 2 or bool(line[:1] != " " and line) or bool(_TOTAL.match(line))
    own = _own(nodes)
    left = 0.6 * budget - sum(estimate(line) for line, flag in zip(lines, keep, strict=True) if flag)
    order = sorted(range(len(nodes)), key=lambda index: (-own[index], index))
    telling = [i for i in order[COSTLIEST:] if _tells(lines, nodes[i])]
    for place, index in enumerate([*order[:COSTLIEST], *telling]):
        wanted = _way(nodes, index, keep, details=place < COSTLIEST, lines=lines)
        price = sum(estimate(lines[at]) for at in wanted)
        if price > left:
            break
        left -= price
        for at in wanted:
            keep[at] = True
    body = assemble(lines, keep, lambda start, end: _describe(lines, start, end))
    return Reduction(body.text, True, "table", body.omissions, detail="plan") if body.omissions else None


def _nodes(lines: Sequence[str]) -> list[_Node]:
    found: list[_Node] = []
    open_nodes: list[int] = []
    starts = [at for at, line in enumerate(lines) if _NODE.search(line[:2000])]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[at]
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes and found[open_nodes[-1]].depth >= depth:
            open_nodes.pop()
        stop = at + 1
        while stop < end and lines[stop][:1] == " " and not _TOTAL.match(lines[stop]):
            stop += 1
        found.append(_Node(at, stop, depth, _total(line), open_nodes[-1] if open_nodes else -1))
        open_nodes.append(len(found) - 1)
    return found


def _total(line: str) -> float:
    """Returns the time of all loops, or the cost where nothing was run."""
    if time := _TIME.search(line[:2000]):
        return _number(time[1]) * _number(time[2])
    if "actual" in line or "never executed" in line:
        return 0.0
    cost = _COST.search(line[:2000])
    return _number(cost[1] or "0") if cost else 0.0


def _number(text: str) -> float:
    try:
        return float(text[:30])
    except ValueError:
        return 0.0


def _own(nodes: Sequence[_Node]) -> list[float]:
    """Returns what each node took without those below it."""
    own = [node.total for node in nodes]
    for node in nodes:
        if node.parent >= 0:
            own[node.parent] -= node.total
    return own


def _tells(lines: Sequence[str], node: _Node) -> bool:
    return any(_TELLING.search(lines[at][:2000]) for at in range(node.at, node.end))


def _way(
    nodes: Sequence[_Node], index: int, keep: Sequence[bool], details: bool, lines: Sequence[str]
) -> list[int]:
    """Returns the lines to add for a node: its own, what is told below it, and the nodes above it."""
    node = nodes[index]
    below = range(node.at + 1, node.end)
    wanted = [node.at, *(at for at in below if details or _TELLING.search(lines[at][:2000]))]
    above = node.parent
    while above >= 0 and not keep[nodes[above].at]:
        wanted.append(nodes[above].at)
        above = nodes[above].parent
    return [at for at in wanted if not keep[at]]


def _describe(lines: Sequence[str], start: int, end: int) -> str:
    nodes = sum(1 for at in range(start, end) if _NODE.search(lines[at][:2000]))
    return f"{nodes} node{'s' if nodes != 1 else ''} that took less" if nodes else "details"
