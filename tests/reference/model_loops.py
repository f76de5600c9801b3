# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of models once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order; the number of columns, which a shape tells, is not looked
at. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Counts, Index, Mask

#: Floating-point sums, one for each class.
Sums: TypeAlias = NDArray[np.float64]


def value_at(places: Index, row: int, column: int) -> int:
    """Which value a count is of."""
    return int(places[row, column]) if places.size else column


def count_values(counts: Counts, _: int, found: Counts) -> None:
    """The values of each class."""
    found[:] = [sum(people > 0 for people in row) for row in counts.tolist()]


def find_ends(counts: Counts, _: int, places: Index, ranks: Index, lowest: Index, highest: Index) -> None:
    """The least and the greatest rank of each class."""
    for row in range(len(counts)):
        held = [int(ranks[value_at(places, row, int(column))]) for column in np.flatnonzero(counts[row] > 0)]
        lowest[row], highest[row] = min(held, default=ranks.size), max(held, default=-1)


def add_terms(counts: Counts, _: int, table: Sums, beyond: Sums, totals: Counts, sums: Sums) -> int:
    """People and terms, from the table or one after the other."""
    met = 0
    for row, held in enumerate(counts.tolist()):
        totals[row] = sum(held)
        known = 0.0
        for people in held:
            if people < table.size:
                known += float(table[people])
            else:
                known += float(beyond[met]) if met < beyond.size else 0.0
                met += 1
        sums[row] = known
    return met


def add_tails(counts: Counts, _: int, top: Counts, greatest: Counts, tails: Counts) -> None:
    """The greatest count, and the sum of those that `top` has no room for; it has the others of the last class."""
    for row, held in enumerate(counts.tolist()):
        first = sorted(held, reverse=True)
        top[:] = (first + [0] * top.size)[: top.size]
        greatest[row], tails[row] = top[0], sum(first[top.size :])


def judge_shares(counts: Counts, _: int, places: Index, limits: Index, needed: int, marks: Mask) -> None:
    """A class is left at the first value that is beyond its limits."""
    for row, held in enumerate(counts.tolist()):
        total, lacking = sum(held), needed
        marks[row] = total > 0
        for column, people in enumerate(held):
            if people == 0:
                continue
            low, to_low, high, to_high = limits[:, value_at(places, row, column)].tolist()
            lacking -= low > 0
            if people * to_low < low * total or people * to_high > high * total:
                marks[row] = False
                break
        marks[row] = marks[row] and lacking == 0


def find_shares(counts: Counts, _: int, places: Index, has: Counts, shares: Index) -> None:
    """Each value's shares are at most and at least those that it has in some class."""
    for row, held in enumerate(counts.tolist()):
        total = sum(held)
        for column, people in enumerate(held):
            if people == 0:
                continue
            value = value_at(places, row, column)
            has[value] += 1
            if people * int(shares[1, value]) < int(shares[0, value]) * total:
                shares[:2, value] = people, total
            if people * int(shares[3, value]) > int(shares[2, value]) * total:
                shares[2:, value] = people, total
    shares[:2, has < len(counts)] = [[0], [1]]


def move(counts: Counts, _: int, intervals: Index, people: int, below: Counts, totals: Counts, moved: Sums) -> None:
    """How much a class has more or less of each interval than the table."""
    for row in range(len(counts)):
        below[:] = [0, *np.cumsum(counts[row])]
        totals[row] = total = int(below[-1])
        added = 0.0
        for first, end, of_table in intervals.tolist():
            added += abs(int(below[end] - below[first]) * people - of_table * total)
        moved[row] = added


def move_in_order(counts: Counts, _: int, places: Index, table: Index, totals: Counts, moved: Sums) -> None:
    """Between one value and the next that somebody has, at once: before a turn the class has more, then the table."""
    size = table.shape[1] - 1
    people = int(table[0, size])
    for row, held in enumerate(counts.tolist()):
        totals[row] = total = sum(held)
        ends = [(value_at(places, row, column) + 1, count) for column, count in enumerate(held) if count]
        added, first, found = 0.0, 1, 0
        for end, count in [*ends, *([(size, total)] if total else [])]:
            if first < end:
                less = [place for place in range(first, end) if int(table[0, place]) * total < found * people]
                turn = first + len(less)
                more = int(table[1, end] - 2 * table[1, turn] + table[1, first])
                added += float(2 * turn - first - end) * float(found * people) + float(more) * float(total)
                first = end
            found += count
        moved[row] = added


def move_by_node(
    counts: Counts,
    _: int,
    places: Index,
    nodes: Index,
    below: Counts,
    __: int,
    people: int,
    totals: Counts,
    moved: Sums,
) -> None:
    """Of each node that somebody is in, and of all others at once."""
    totals[:], moved[:] = counts.sum(axis=1), 0.0
    for level, row in product(range(len(nodes)), range(len(counts))):
        inside: dict[int, int] = {}
        absent, total = people, int(totals[row])
        under = dict(zip(nodes[level].tolist(), below[level].tolist(), strict=True))
        for column in np.flatnonzero(counts[row]):
            node = int(nodes[level, value_at(places, row, int(column))])
            inside[node] = inside.get(node, 0) + int(counts[row, column])
        for node, count in inside.items():
            moved[row] += float(abs(count * people - under[node] * total))
            absent -= under[node]
        moved[row] += float(absent) * float(total)


#: The loops, as the core calls its own.
PLAIN: Final[MappingProxyType[str, Callable[..., Any]]] = MappingProxyType(
    {
        "count_values": count_values,
        "find_ends": find_ends,
        "add_terms": add_terms,
        "add_tails": add_tails,
        "judge_shares": judge_shares,
        "find_shares": find_shares,
        "move": move,
        "move_in_order": move_in_order,
        "move_by_node": move_by_node,
    }
)
