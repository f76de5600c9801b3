"""Transactions as the search for moles sees them: relevant items only, under codes of their own.

Which items a minimal mole has, and which minimal moles an item is in: suppressed items have to hit every mole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.native.library import BOUNDS, NARROW, TALLY, TRANSPOSE

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
        size = NARROW(self.starts, self.items, codes, starts, kept)
        return Rows(starts, kept[:size], items.size)

    def inverted(self) -> tuple[Index, Items]:
        """Where each item's transactions start, (width + 1,), and (c,) these transactions, ascending for each item."""
        firsts = np.zeros(self.width + 1, np.int64)
        np.cumsum(np.bincount(self.items, minlength=self.width), out=firsts[1:])
        tids = np.empty(self.items.size, np.int32)
        TRANSPOSE(self.starts, self.items, firsts[:-1].copy(), tids)
        return firsts, tids

    def ascending(self, firsts: Index, tids: Items) -> Items:
        """(c,) the items, ascending in each transaction: the inverted rows, inverted again."""
        items = np.empty(self.items.size, np.int32)
        TRANSPOSE(firsts, tids, self.starts[:-1].copy(), items)
        return items


#: Transactions with both an item and a private item: (f, g) int32.
Pairs: TypeAlias = NDArray[np.int32]

#: The most entries of such a table: 64 MiB of them.
ROOM: Final = 1 << 24


def pairs_of(public: Rows, private: Rows) -> Pairs:
    """How many transactions public items share with private ones, counted transaction by transaction."""
    pairs = np.zeros((public.width, private.width), np.int32)
    TALLY(public.starts, public.items, private.starts, private.items, private.width, pairs)
    return pairs


def bounds(pairs: Pairs, sets: Items, base: Index, item: Items) -> Counts:
    """(c,) what no private item exceeds in the cohort of each candidate: the set `sets[base]` and an item.

    In the cohort of a set no private item is in more transactions than it shares with each item of the set.
    """
    tops = np.empty(base.size, np.int64)
    least = np.empty((sets.shape[1], pairs.shape[1]), np.int32)
    BOUNDS(pairs, sets, sets.shape[1], base, item, least, tops)
    return tops


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
        """What the compiled core is told of it."""
        return self.starts, self.items, self.firsts, self.sets

    @property
    def degrees(self) -> Counts:
        """(m,) the sets that contain each item."""
        return np.diff(self.firsts)
