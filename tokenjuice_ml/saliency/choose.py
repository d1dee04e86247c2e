"""Takes the best segments under a token budget, each with what it would be misread without."""

from __future__ import annotations

from collections.abc import Sequence

from tokenjuice_ml.saliency import protect
from tokenjuice_ml.saliency.units import Kind, Segment

HEADING_SHARE = 12.0
"""How many times its own tokens a section has to keep for its heading to be shown."""


def choose(
    needs: Sequence[tuple[int, ...]], order: Sequence[int], costs: Sequence[float], budget: float
) -> bytearray:
    """Returns one flag a segment: 1 where it is kept.

    Args:
        needs: indices of the segments that each one needs.
        order: indices of the segments, most valuable first; those left out are never chosen by themselves.
        costs: tokens of each segment.
        budget: most tokens in all.
    """
    kept = bytearray(len(needs))
    left = budget
    for index in order:
        cost = costs[index]
        if cost > left or kept[index]:
            continue
        for needed in needs[index]:
            if not kept[needed]:
                break
        else:
            left -= cost
            kept[index] = 1
            continue
        group = _closure(needs, index, kept)
        cost = sum([costs[member] for member in group])
        if cost <= left:
            left -= cost
            for member in group:
                kept[member] = 1
    return kept


def _closure(needs: Sequence[tuple[int, ...]], index: int, kept: bytearray) -> list[int]:
    """Returns `index` and all that it needs and that is not kept yet."""
    group, at = [index], 0
    while at < len(group):
        group.extend(n for n in needs[group[at]] if not kept[n] and n not in group)
        at += 1
    return group


def needs_without_headings(text: str, segments: Sequence[Segment]) -> list[tuple[int, ...]]:
    """Returns what each segment needs, but for its heading, unless that denies what stands below it.

    A heading for each kept sentence would cost a tenth of the budget.
    """
    heading = Kind.HEADING
    light = {
        (index,)
        for index, segment in enumerate(segments)
        if segment[2] is heading and not protect.governed(text, segment.start, segment.end)
    }
    if not light:
        return [segment[4] for segment in segments]
    return [
        needs
        if not needs
        else ()
        if needs in light
        else tuple([n for n in needs if (n,) not in light])
        if len(needs) > 1
        else needs
        for _, _, _, _, needs, _ in segments
    ]


def add_headings(segments: Sequence[Segment], costs: Sequence[float], kept: bytearray) -> None:
    """Keeps the heading of each section of which enough is kept."""
    heading = Kind.HEADING
    below: dict[int, float] = {}
    for index, segment in enumerate(segments):
        if kept[index]:
            for needed in segment[4]:
                if segments[needed][2] is heading:
                    below[needed] = below.get(needed, 0.0) + costs[index]
    for index, cost in below.items():
        if cost >= HEADING_SHARE * costs[index]:
            kept[index] = 1
