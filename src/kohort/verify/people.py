"""The people whose records are released: how many some records are of, and who is alone with what a record holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.core.frequency import shared
from kohort.system.workspace import tallied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.verify.classes import ReleasedClasses

#: Possible cells for each record up to which there is a place for each of them.
_DENSE: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Whose each record is.

    Attributes:
        of: (m,) the person of each record, from 0 on; `None` counts each record as a person.
        total: How many people there are.
        weights: (m,) how many people each record stands for, where each record is a person; `None` for one.
    """

    of: NDArray[np.int32] | None
    total: int
    weights: Counts | None = None

    @classmethod
    def among(cls, records: int, people: Index | None, weights: Counts | None = None) -> People:
        """The people of so many records, by any codes; where these stand for several records, of these."""
        if people is None:
            return cls(None, records if weights is None else int(weights.sum()), weights)
        known, of = np.unique(people, return_inverse=True)
        return cls(of.astype(np.int32), known.size)

    def taken(self, records: Index | slice) -> People:
        """The same people with some of the records."""
        of = None if self.of is None else self.of[records]
        return People(of, self.total, None if self.weights is None else self.weights[records])

    def count(self, records: Mask) -> int:
        """How many people these records are of."""
        if self.weights is not None:
            return int(self.weights[records].sum())
        if self.of is None:
            return int(np.count_nonzero(records))
        return int(np.count_nonzero(np.bincount(self.of[records])))

    def per_cell(self, cells: NDArray[np.integer], size: int) -> Counts:
        """(size,) how many people are in each cell; arguments as those of `lone`."""
        if self.of is not None:
            cells = np.unique(cells * np.int64(self.total) + self.of) // self.total
        return tallied(cells, size, self.weights)

    def unique(self, cells: NDArray[np.integer], size: int) -> int:
        """How many people are in a cell where nobody else is; arguments as those of `lone`."""
        if self.of is self.weights is None and size > _DENSE * max(cells.size, 1):  # faster than to find out which
            ordered = np.sort(cells)
            fresh = np.append(ordered[1:] != ordered[:-1], values=True)
            return int(np.count_nonzero(fresh & np.roll(fresh, 1)))
        return self.count(self.lone(cells, size))

    def apart(self, keys: NDArray[np.uint64]) -> int:
        """How many people have a key that nobody else has; the keys may be put in another order."""
        if self.of is not None or self.weights is not None:
            return self.unique(keys, 1 << 64)
        keys.sort()
        fresh = np.ones(keys.size + 1, np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=fresh[1:-1])
        return int(np.count_nonzero(fresh[1:] & fresh[:-1]))

    def alone(self, held: NDArray[np.unsignedinteger], size: int, classes: ReleasedClasses) -> Mask:
        """(m,) which records have something that nobody else of their class has.

        Args:
            held: (m,) what each has; `size` is nothing.
            size: How many things there are.
            classes: Their classes, which follow one another.
        """
        if self.of is self.weights is None:
            once: Mask = shared(held, np.append(classes.first, held.size), size) == 1
            return once
        alone, records = np.zeros(held.size, np.bool_), np.flatnonzero(held < size)
        cells: Index = classes.of.take(records) * np.int64(size) + held.take(records)
        alone[records[self.taken(records).lone(cells, classes.sizes.size * size)]] = True
        return alone

    def lone(self, cells: NDArray[np.integer], size: int) -> Mask:
        """(m,) which records are in a cell that holds records of one person only.

        Cost: a few passes over the records; where most cells are empty, a sort.

        Args:
            cells: (m,) the cell of each record, below `size`.
            size: How many cells there are.

        >>> People.among(5, np.array([7, 8, 8, 9, 9])).lone(np.array([0, 0, 1, 2, 2]), 3).tolist()
        [False, False, True, True, True]
        """
        if size > _DENSE * max(cells.size, 1):
            kept, cells = np.unique(cells, return_inverse=True)
            size = kept.size
        if self.of is None:
            alone: Mask = np.bincount(cells, self.weights, minlength=size)[cells] == 1
            return alone
        owner = np.zeros(size, np.int32)
        owner[cells] = self.of  # of several the last
        shared = np.zeros(size, np.bool_)
        shared[cells[owner[cells] != self.of]] = True
        lone: Mask = ~shared[cells]
        return lone
