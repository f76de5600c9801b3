"""The earth mover's distance of classes whose people have few of the attribute's values.

Between two values that a class has, what it moves is known at once: its own share stays the same, and that of the
table, added up, ascends; so it is less up to some value and greater from there on, and sums of it are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index

    #: (c,) how much the distributions of classes and table differ, times the people of both.
    Moved: TypeAlias = NDArray[np.float64]


class Level(NamedTuple):
    """A level of the values.

    Attributes:
        nodes: (m,) the node of each value, ascending.
        people: (m,) the people of the table with a value below it.
    """

    nodes: Index
    people: Counts

    @classmethod
    def of(cls, nodes: Index, reference: Counts) -> Level:
        """The level, of values that so many people of the table have."""
        return cls(nodes, np.bincount(nodes, weights=reference).astype(np.int64)[nodes])


def moved_in_order(counts: Counts, places: Index, table: NDArray[np.int64]) -> Moved:
    """(c,) the sum over the first i values, for each i, of how much the class has more or less of them.

    Args:
        counts: (c, v) people of each class with each of some values.
        places: (v,) where these values stand in the whole domain.
        table: What `added_up` says of all values.
    """
    moved = np.empty(len(counts))
    _in_order(counts, places, table, moved)
    return moved


def moved_by_node(counts: Counts, places: Index, levels: tuple[Level, ...], people: int) -> Moved:
    """(c,) the sum over the nodes of all `levels` of how much the class has more or less of the values below each.

    Args:
        counts: (c, v) people of each class with each of some values.
        places: (v,) where these values stand in the whole domain.
        levels: What is known of all values.
        people: Those of the table.
    """
    moved = np.zeros(len(counts))
    for level in levels:
        _by_node(counts, level.nodes[places], level.people[places], people, moved)
    return moved


def added_up(reference: Counts) -> NDArray[np.int64]:
    """(2, m + 1) the people of the table with one of the first i values, and the sum of that for all smaller i.

    >>> added_up(np.array([5, 1, 7])).tolist()
    [[0, 5, 6, 13], [0, 0, 5, 11]]
    """
    below = np.append(0, reference.cumsum())
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
