"""Cohorts as lists of transactions: those of a set are dealt to the items that extend it, by one look at each.

Fast where items are in few transactions: a set costs the cells of its cohort, however many other transactions and
items there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel
from kohort.transactions._rows import clear, commonest

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._rows import Rows


class Tids:
    """Transactions by public item.

    Args:
        rows: The public items of each transaction.
        hidden: The private items of each transaction.
    """

    def __init__(self, rows: Rows, hidden: Rows) -> None:
        """Invert the public rows."""
        self._firsts, self._tids = rows.inverted()
        self._rows = rows.starts, rows.ascending(self._firsts, self._tids), self._firsts, self._tids
        self._width = rows.width
        self._hidden = hidden

    def singles(self, items: Index) -> Counts:
        """The most transactions that each of these items has in common with one private item."""
        counts = np.zeros(self._hidden.width, np.int64)
        tops = np.empty(items.size, np.int64)
        highest_alone(self._firsts, self._tids, self._hidden.starts, self._hidden.items, items, counts, tops)
        return tops

    def supports(self, sets: Items, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: the set `sets[base]` and an item."""
        supports = np.empty(base.size, np.int64)
        counts = np.zeros(self._width, np.int64)
        count(*self._rows, sets, base, item, self._cohort(), counts, supports)
        return supports

    def tops(self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:  # noqa: ARG002  counts are exact whatever the share
        """(c,) the most transactions of each candidate's cohort that have one private item."""
        tops = np.empty(base.size, np.int64)
        bounds = np.flatnonzero(np.diff(base, prepend=-1))
        dealt = np.empty(int(np.add.reduceat(supports, bounds).max(initial=0)), np.int32)
        free = np.full(self._width, -1, np.int64)
        counts = np.zeros(self._hidden.width, np.int64)
        hidden = self._hidden.starts, self._hidden.items
        highest(*self._rows, *hidden, sets, base, item, supports, self._cohort(), dealt, free, counts, tops)
        return tops

    def _cohort(self) -> Items:
        """Room for any cohort."""
        return np.empty(int(np.diff(self._firsts).max(initial=0)), np.int32)


@kernel
def cohort_of(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index, items: Items, firsts: Index, tids: Items, wanted: Items, cohort: Items
) -> int:
    """Write the transactions that contain a set of items, at least one; return how many they are.

    The first item is the rarest: each of its transactions is looked through for the others, both being ascending.
    """
    size = 0
    for at in range(firsts[wanted[0]], firsts[wanted[0] + 1]):
        row = tids[at]
        place = 1
        for cell in range(starts[row], starts[row + 1]):
            if place == wanted.size:
                break
            if items[cell] >= wanted[place]:
                if items[cell] > wanted[place]:
                    break
                place += 1
        if place == wanted.size:
            cohort[size] = row
            size += 1
    return size


@kernel
def count(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index,
    items: Items,
    firsts: Index,
    tids: Items,
    sets: Items,
    base: Index,
    item: Items,
    cohort: Items,
    counts: Counts,
    supports: Counts,
) -> None:
    """Count the cohort of each candidate: of all that extend one base at once; `counts` is zero, also after."""
    at = 0
    while at < base.size:
        wanted = sets[base[at]]
        size = cohort_of(starts, items, firsts, tids, wanted, cohort)
        cells = 0
        for row in cohort[:size]:
            cells += int(starts[row + 1] - starts[row])
            for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
                if items[cell] <= wanted[-1]:
                    break
                counts[items[cell]] += 1
        end = at
        while end < base.size and base[end] == base[at]:
            supports[end] = counts[item[end]]
            end += 1
        clear(starts, items, cohort[:size], cells, counts)
        at = end


@kernel
def highest(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index,
    items: Items,
    firsts: Index,
    tids: Items,
    hidden_starts: Index,
    hidden: Items,
    sets: Items,
    base: Index,
    item: Items,
    supports: Counts,
    cohort: Items,
    dealt: Items,
    free: Index,
    counts: Counts,
    tops: Counts,
) -> None:
    """Count the private items in the cohort of each candidate, after a base's cohort is dealt to its candidates."""
    at = 0
    while at < base.size:
        wanted = sets[base[at]]
        size = cohort_of(starts, items, firsts, tids, wanted, cohort)
        end, place = at, 0
        while end < base.size and base[end] == base[at]:
            free[item[end]] = place
            place += supports[end]
            end += 1
        for row in cohort[:size]:
            for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
                if items[cell] <= wanted[-1]:
                    break
                if free[items[cell]] >= 0:
                    dealt[free[items[cell]]] = row
                    free[items[cell]] += 1
        for one in range(at, end):
            last = free[item[one]]
            tops[one] = commonest(hidden_starts, hidden, dealt[last - supports[one] : last], counts)
            free[item[one]] = -1
        at = end


@kernel
def highest_alone(  # noqa: PLR0917  a kernel takes arrays by position
    firsts: Index, tids: Items, starts: Index, hidden: Items, items: Index, counts: Counts, tops: Counts
) -> None:
    """Count the private items in the cohorts of single items."""
    for at in range(items.size):
        tops[at] = commonest(starts, hidden, tids[firsts[items[at]] : firsts[items[at] + 1]], counts)
