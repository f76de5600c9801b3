"""Transactions as the search for moles sees them: relevant items only, under codes of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Index, Items


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The relevant items of each transaction.

    Attributes:
        starts: (n + 1,) int64, where each transaction's items start.
        items: (c,) codes 0..width-1, ascending in each transaction.
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
        kept = np.empty(self.items.size, np.int32)
        starts = np.empty(self.starts.size, np.int64)
        size = recode(self.starts, self.items, codes, starts, kept)
        return Rows(starts, kept[:size], items.size)

    def inverted(self) -> tuple[Index, Items]:
        """Where each item's transactions start, (width + 1,), and (c,) these transactions, ascending for each item."""
        firsts = np.zeros(self.width + 1, np.int64)
        np.cumsum(np.bincount(self.items, minlength=self.width), out=firsts[1:])
        tids = np.empty(self.items.size, np.int32)
        invert(self.starts, self.items, firsts[:-1].copy(), tids)
        return firsts, tids


@kernel
def recode(starts: Index, items: Items, codes: Items, begins: Index, kept: Items) -> int:
    """Write the relevant items of each transaction under their new codes, ascending; return how many there are."""
    size = 0
    for row in range(starts.size - 1):
        begins[row] = size
        for cell in range(starts[row], starts[row + 1]):
            code = codes[items[cell]]
            if code >= 0:
                at = size
                while at > begins[row] and kept[at - 1] > code:
                    kept[at] = kept[at - 1]
                    at -= 1
                kept[at] = code
                size += 1
    begins[starts.size - 1] = size
    return size


@kernel
def invert(starts: Index, items: Items, free: Index, tids: Items) -> None:
    """Write the transactions of each item; `free` says where those of each begin, and is used up."""
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            item = items[cell]
            tids[free[item]] = row
            free[item] += 1
