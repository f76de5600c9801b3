"""Records of whose cell nobody else has any: what singling out and exposure are counted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask

#: Possible cells for each record up to which there is a place for each of them.
_DENSE: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Whose each record is.

    Attributes:
        of: (m,) the person of each record, from 0 on; `None` counts each record as a person.
        total: How many people there are.
    """

    of: NDArray[np.int32] | None
    total: int

    @classmethod
    def among(cls, records: int, people: Index | None) -> People:
        """The people of so many records, by any codes."""
        if people is None:
            return cls(None, records)
        known, of = np.unique(people, return_inverse=True)
        return cls(of.astype(np.int32), known.size)

    def taken(self, records: Index) -> People:
        """The same people with some of the records."""
        return People(None if self.of is None else self.of.take(records), self.total)

    def count(self, records: Mask) -> int:
        """How many people these records are of."""
        if self.of is None:
            return int(np.count_nonzero(records))
        found = np.zeros(self.total, np.bool_)
        found[self.of[records]] = True
        return int(np.count_nonzero(found))

    def per_cell(self, cells: Index, size: int) -> Counts:
        """(size,) how many people are in each cell; arguments as those of `lone`."""
        if self.of is not None:
            cells = np.unique(cells * self.total + self.of) // self.total
        return np.bincount(cells, minlength=size)

    def unique(self, cells: Index, size: int) -> int:
        """How many people are in a cell where nobody else is; arguments as those of `lone`."""
        if self.of is None and size > _DENSE * max(cells.size, 1):  # faster than to find out which
            ordered = np.sort(cells)
            fresh = np.append(ordered[1:] != ordered[:-1], values=True)
            return int(np.count_nonzero(fresh & np.roll(fresh, 1)))
        return self.count(self.lone(cells, size))

    def lone(self, cells: Index, size: int) -> Mask:
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
            alone: Mask = np.bincount(cells, minlength=size)[cells] == 1
            return alone
        owner = np.zeros(size, np.int32)
        owner[cells] = self.of  # of several the last
        shared = np.zeros(size, np.bool_)
        shared[cells[owner[cells] != self.of]] = True
        return ~shared[cells]
