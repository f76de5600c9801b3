"""The earth mover's distance of classes whose people have few of the attribute's values.

Between two values that a class has, what it moves is known at once: its own share stays the same, and that of the
table, added up, ascends; so it is less up to some value and greater from there on, and sums of it are kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.sensitive import SensitiveDomain

    #: (c,) how much the distributions of classes and table differ, times the people of both.
    Moved: TypeAlias = NDArray[np.float64]


def moved_in_order(counts: Counts, domain: SensitiveDomain) -> Moved:
    """(c,) the sum over the first i values, for each i, of how much the class has more or less of them.

    Args:
        counts: (c, v) people of each class with each of some values.
        domain: Those values.
    """
    moved = np.empty(len(counts))
    _in_order(counts, _places(domain), _added_up(domain.whole), moved)
    return moved


def moved_by_node(counts: Counts, domain: SensitiveDomain, levels: tuple[Index, ...]) -> Moved:
    """(c,) the sum over the nodes of all `levels` of how much the class has more or less of the values below each.

    Args:
        counts: (c, v) people of each class with each of some values.
        domain: Those values.
        levels: Per level, the node of each value of the whole domain, ascending.
    """
    moved, people = np.zeros(len(counts)), int(domain.whole.reference.sum())
    for nodes in levels:
        below = np.bincount(nodes, weights=domain.whole.reference).astype(np.int64)
        held = nodes[_places(domain)]
        _by_node(counts, held, below[held], people, moved)
    return moved


def _places(domain: SensitiveDomain) -> Index:
    """Where the values stand in the whole domain."""
    return np.arange(len(domain)) if domain.places is None else domain.places


@lru_cache(maxsize=16)
def _added_up(whole: SensitiveDomain) -> NDArray[np.int64]:
    """(2, v + 1) the people of the table with one of the first i values, and the sum of that for all smaller i."""
    below = np.append(0, whole.reference.cumsum())
    return np.stack([below, np.cumsum(below) - below])


@kernel
def _in_order(counts: Counts, places: Index, table: NDArray[np.int64], moved: Moved) -> None:
    """Fill `moved`: between one value and the next that somebody has, at once."""
    size = table.shape[1] - 1
    people = table[0, size]
    for row in range(counts.shape[0]):
        total = np.int64(0)
        for value in range(counts.shape[1]):
            total += counts[row, value]
        added, first, found = 0.0, np.int64(1), np.int64(0)
        for value in range(counts.shape[1] + 1):
            count = counts[row, value] if value < counts.shape[1] else total
            if count == 0:
                continue
            end = places[value] + 1 if value < counts.shape[1] else size
            # The class has `found` people below each place from `first` to before `end`, the table ever more.
            turn, after = first, end
            while turn < after:
                middle = (turn + after) // 2
                if table[0, middle] * total < found * people:
                    turn = middle + 1
                else:
                    after = middle
            if first < end:
                more = table[1, end] - 2 * table[1, turn] + table[1, first]
                added += float(2 * turn - first - end) * float(found * people) + float(more) * float(total)
                first = end
            found += count
        moved[row] = added


@kernel
def _by_node(counts: Counts, nodes: Index, below: Counts, people: int, moved: Moved) -> None:
    """Add to `moved` what one level moves; of the nodes that nobody is in, all that the table has."""
    for row in range(counts.shape[0]):
        total = np.int64(0)
        for value in range(counts.shape[1]):
            total += counts[row, value]
        absent, inside = people, np.int64(0)
        for value in range(counts.shape[1]):
            inside += counts[row, value]
            if value + 1 == counts.shape[1] or nodes[value + 1] != nodes[value]:
                if inside > 0:
                    moved[row] += float(abs(inside * people - below[value] * total))
                    absent -= below[value]
                inside = np.int64(0)
        moved[row] += float(absent) * float(total)
