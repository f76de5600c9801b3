"""Top-down greedy search once more, plainly: lists of records and exact fractions, written from its docstring."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from tests.reference.mondrian import extent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.reference.mondrian import Record, Rules

#: Where a tuple lies: its place on each scale, times what a step there is worth.
Point: TypeAlias = tuple[Fraction, ...]

Group: TypeAlias = "list[Record]"


def top_down(records: Group, rules: Rules, least: int) -> list[Group]:
    """The leaves, first group before second; every class needs `least` records."""
    widths = [max(extent(records, rules, dimension), 1) for dimension in range(len(rules.positions))]
    leaves: list[Group] = []
    unfinished = [records]
    while unfinished:
        partition = unfinished.pop()
        found = _split(partition, rules, widths, least)
        if found is None:
            leaves.append(partition)
        else:
            unfinished += reversed(found)
    return leaves


def _split(partition: Group, rules: Rules, widths: list[int], least: int) -> tuple[Group, Group] | None:
    """Both groups, the first seed's first; `None` at a leaf."""
    points = {
        codes: tuple(
            weight * Fraction(scale[code], width)
            for code, scale, weight, width in zip(codes, rules.positions, rules.weights, widths, strict=True)
        )
        for codes in sorted({record.quasi for record in partition})
    }
    if len(partition) < 2 * least or len({*points.values()}) == 1:
        return None
    first, second = _grown(points)
    sides = parted(partition, first)
    failing = [not rules.satisfied(side) for side in sides]
    if all(failing):
        return None
    if failing[0]:
        return _adjusted(partition, points, (first, second), rules, least)
    if failing[1]:
        found = _adjusted(partition, points, (second, first), rules, least)
        return None if found is None else (found[1], found[0])
    return sides


def parted(partition: Group, chosen: Iterable[tuple[int, ...]]) -> tuple[Group, Group]:
    """The records of some tuples, and the others."""
    inside = {*chosen}
    one, other = ([record for record in partition if (record.quasi in inside) == is_one] for is_one in (True, False))
    return one, other


def penalty(points: list[Point]) -> Fraction:
    """The sum of the widths of a group's box."""
    return sum((max(places) - min(places) for places in zip(*points, strict=True)), Fraction(0))


def _grown(points: dict[tuple[int, ...], Point]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The tuples of either seed's group."""
    tuples = [*points]
    seed, other = tuples[0], tuples[0]
    for _ in range(3):
        seed, other = other, max(tuples, key=lambda one: penalty([points[one], points[other]]))
    apart = {one: [penalty([points[one], points[end]]) for end in (seed, other)] for one in tuples}
    groups = [seed], [other]
    for one in sorted(tuples, key=lambda one: -abs(apart[one][0] - apart[one][1])):
        if one not in {seed, other}:
            costs = [penalty([points[place] for place in (*group, one)]) for group in groups]
            groups[costs[1] < costs[0]].append(one)
    return groups


def _adjusted(
    partition: Group,
    points: dict[tuple[int, ...], Point],
    groups: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
    rules: Rules,
    least: int,
) -> tuple[Group, Group] | None:
    """The group that fails takes tuples of the other: those first that raise its penalty least."""
    poor, rich = groups
    box = [points[one] for one in poor]
    near = sorted(sorted(rich), key=lambda one: penalty([*box, points[one]]))
    size = {one: sum(record.quasi == one for record in partition) for one in points}
    lacks = least - sum(size[one] for one in poor)
    taken = 1
    while taken < len(near) and sum(size[one] for one in near[:taken]) < lacks:
        taken += 1
    while taken < len(near) and sum(size[one] for one in near[taken:]) >= least:
        sides = parted(partition, [*poor, *near[:taken]])
        if all(map(rules.satisfied, sides)):
            return sides
        taken *= 2
    return None
