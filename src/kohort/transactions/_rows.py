"""Transactions as the search for moles sees them: relevant items only, under codes of their own.

Which items a minimal mole has, and which minimal moles an item is in: suppressed items have to hit every mole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index, Items


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The relevant items of each transaction, in any order.

    Attributes:
        starts: (n + 1,) int64, where each transaction's items start.
        items: (c,) codes 0..width-1.
        width: The relevant items.
    """

    starts: Index
    items: Items
    width: int

    def __len__(self) -> int:
        """The number of transactions."""
        return self.starts.size - 1

    @property
    def breadth(self) -> float:
        """The items of the transaction that a cell chosen at random is in: what looking at a cohort's rows costs."""
        lengths = np.diff(self.starts)
        return float(np.dot(lengths, lengths)) / max(self.items.size, 1)

    def only(self, items: Index) -> Rows:
        """The same transactions with these items alone, whose codes become their places in `items`."""
        codes = np.full(self.width, -1, np.int32)
        codes[items] = np.arange(items.size)
        kept = np.empty(self.items.size + 1, np.int32)  # one more: what is written past the last is not kept
        starts = np.empty(self.starts.size, np.int64)
        size = recode(self.starts, self.items, codes, starts, kept)
        return Rows(starts, kept[:size], items.size)

    def inverted(self) -> tuple[Index, Items]:
        """Where each item's transactions start, (width + 1,), and (c,) these transactions, ascending for each item."""
        firsts = np.zeros(self.width + 1, np.int64)
        np.cumsum(np.bincount(self.items, minlength=self.width), out=firsts[1:])
        tids = np.empty(self.items.size, np.int32)
        transpose(self.starts, self.items, firsts[:-1].copy(), tids)
        return firsts, tids

    def ascending(self, firsts: Index, tids: Items) -> Items:
        """(c,) the items, ascending in each transaction: the inverted rows, inverted again."""
        items = np.empty(self.items.size, np.int32)
        transpose(firsts, tids, self.starts[:-1].copy(), items)
        return items


@kernel
def recode(starts: Index, items: Items, codes: Items, begins: Index, kept: Items) -> int:
    """Write the relevant items of each transaction under their new codes; return how many there are."""
    size = 0
    for row in range(starts.size - 1):
        begins[row] = size
        for cell in range(starts[row], starts[row + 1]):
            code = codes[items[cell]]
            kept[size] = code
            size += code >= 0
    begins[starts.size - 1] = size
    return int(size)


@kernel
def transpose(starts: Index, items: Items, free: Index, rows: Items) -> None:
    """Write for each item the rows that have it, ascending; `free` says where those of each begin, and is used up."""
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            item = items[cell]
            rows[free[item]] = row
            free[item] += 1


@kernel
def commonest(starts: Index, items: Items, cohort: Items, limit: int, counts: Counts) -> int:
    """What the transactions of a cohort that share one item do not exceed; `counts` is zero, also after.

    It is the number of some item's where that is above the limit. As soon as that is so, or the transactions that are
    left cannot make it so, no more are looked at.
    """
    top = seen = 0
    cells = int(np.int64(0))  # of a literal 0 `clear` would be compiled once more
    while seen < cohort.size and top <= limit < top + cohort.size - seen:
        row = cohort[seen]
        cells += int(starts[row + 1] - starts[row])
        for cell in range(starts[row], starts[row + 1]):
            counts[items[cell]] += 1
            if counts[items[cell]] > top:  # max() is compiled anew for each pair of types
                top = int(counts[items[cell]])
        seen += 1
    clear(starts, items, cohort[:seen], cells, counts)
    return top if top > limit else top + cohort.size - seen


@kernel
def look(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index,
    items: Items,
    cohorts: Items,
    begins: Index,
    sizes: Counts,
    limits: Counts,
    counts: Counts,
    tops: Counts,
) -> None:
    """Bound the items of each cohort; see `commonest`."""
    for at in range(sizes.size):
        tops[at] = commonest(starts, items, cohorts[begins[at] : begins[at] + sizes[at]], limits[at], counts)


@kernel
def clear(starts: Index, items: Items, cohort: Items, cells: int, counts: Counts) -> None:
    """Set to zero the counts of the items in a cohort of so many cells: all counts, where these are fewer."""
    if cells > counts.size:
        for item in range(counts.size):
            counts[item] = 0
        return
    for row in cohort:
        for cell in range(starts[row], starts[row + 1]):
            counts[items[cell]] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Sets of items, looked at from both sides.

    Attributes:
        starts: (s + 1,) where each set's items start.
        items: (c,) the items of each set.
        firsts: (m + 1,) where each item's sets start.
        sets: (c,) int32, the sets that contain each item, ascending.
    """

    starts: Index
    items: Items
    firsts: Index
    sets: Items

    @classmethod
    def of(cls, moles: Sequence[Items], m: int) -> Incidence:
        """The sets of each size, (s, i) items of m, one size after the other."""
        sizes = np.repeat([one.shape[1] for one in moles], [one.shape[0] for one in moles])
        return cls.over(sizes, np.concatenate([np.zeros(0, np.int32), *(one.ravel() for one in moles)]), m)

    @classmethod
    def over(cls, sizes: Index, items: Items, m: int) -> Incidence:
        """Sets of these sizes, their items one after the other."""
        starts = np.zeros(sizes.size + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        return cls(starts, items, *Rows(starts, items, m).inverted())

    def __len__(self) -> int:
        """The number of sets."""
        return self.starts.size - 1

    @property
    def sides(self) -> tuple[Index, Items, Index, Items]:
        """What kernels are told of it."""
        return self.starts, self.items, self.firsts, self.sets

    @property
    def degrees(self) -> Counts:
        """(m,) the sets that contain each item."""
        return np.diff(self.firsts)
