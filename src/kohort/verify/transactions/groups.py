"""Transactions with the same public items, put together: of nothing else does it depend what a cohort is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions.database import Transactions

#: The number of an item that is not of the kind in question.
_OTHER: Final = -1

#: The FNV prime of 64 bits, which spreads items over a hash table.
_PRIME: Final = 1_099_511_628_211


class CohortGroups(NamedTuple):
    """Transactions with the same public items, at least one of them.

    Items have numbers of their own: public ones from 0 up, private ones after them; the first number that is no item's
    ends each group's.

    Attributes:
        starts: (g,) where the items of each group start.
        items: Those of one group after the other: the public ones, ascending; the private ones that any of its
            transactions has; the end.
        times: How many of the group's transactions have each.
        behind: (m,) of each public item how many public ones follow it, in all groups.
        longest: The most public items of a group.
    """

    starts: Index
    items: Items
    times: Items
    behind: Counts
    longest: int


def grouped(database: Transactions, public: Mask, private: Mask) -> CohortGroups:
    """Transactions with the same public items, put together."""
    n, supports, q = len(database), database.supports, int(public.sum())
    m = q + int(private.sum())
    known, secret = np.full((2, public.size), _OTHER, np.int32)
    known[public], secret[private] = np.arange(q), np.arange(q, m)
    sets = np.empty(int(supports[public].sum()), np.int32)
    ends, table = np.zeros(n + 1, np.int64), np.zeros(1 << (2 * n).bit_length(), np.int32)
    latest, earlier = np.empty((2, n), np.int32)
    g = _number(database.starts, database.cells, known, table, sets, ends, latest, earlier)
    starts, had, behind = np.empty(g, np.int64), np.zeros(m + 1, np.int32), np.zeros(m, np.int64)
    items, times = np.empty((2, int(ends[g]) + int(supports[private].sum()) + g), np.int32)
    _gather(database.starts, database.cells, secret, sets, ends, latest, earlier, had, starts, items, times, behind)
    return CohortGroups(starts, items, times, behind, int(np.diff(ends[: g + 1]).max(initial=0)))


@kernel
def _number(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index, cells: Items, known: Items, table: Items, sets: Items, ends: Index, latest: Items, earlier: Items
) -> int:
    """Number the groups, in the order of their first transactions, by a hash table of a power of two.

    Args:
        starts: Where each transaction's cells start.
        cells: The items.
        known: Of each item its number if it is public.
        table: Written: groups, from 1 up.
        sets: Written: the public items of each group.
        ends: Written: where those of one group end and the next one's start.
        latest: Written: the last transaction of each group.
        earlier: Written: of each transaction the one before it in its group, -1 if none.

    Returns:
        How many groups there are.
    """
    many = 0
    for row in range(starts.size - 1):
        start = end = ends[many]
        spread = 0
        for cell in range(starts[row], starts[row + 1]):
            item = known[cells[cell]]
            if item >= 0:
                sets[end] = item
                end += 1
                spread = (spread ^ (item + 1)) * _PRIME
        if end == start:
            continue
        slot = spread ^ (spread >> 29)
        while True:
            slot &= table.size - 1
            group = table[slot] - 1
            if group < 0:
                many += 1
                ends[many] = end
                table[slot] = many
                latest[many - 1] = row
                earlier[row] = -1
                break
            place, ahead = ends[group], start - ends[group]
            while place < ends[group + 1] and place + ahead < end and sets[place] == sets[place + ahead]:
                place += 1
            if place == ends[group + 1] and place + ahead == end:
                earlier[row] = latest[group]
                latest[group] = row
                break
            slot += 1
    return many


@kernel
def _gather(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index,
    cells: Items,
    secret: Items,
    sets: Items,
    ends: Index,
    latest: Items,
    earlier: Items,
    had: Items,
    group_starts: Index,
    items: Items,
    times: Items,
    behind: Counts,
) -> None:
    """Write down the groups: see `CohortGroups` for the last four, `_number` for the others; `had` is all 0."""
    top = 0
    for group in range(group_starts.size):
        group_starts[group] = top
        size = ends[group + 1] - ends[group]
        end, row, weight = top + size, latest[group], 0
        while row >= 0:
            weight += 1
            for cell in range(starts[row], starts[row + 1]):
                item = secret[cells[cell]]
                if item >= 0:
                    if had[item] == 0:
                        items[end] = item
                        end += 1
                    had[item] += 1
            row = earlier[row]
        for place in range(size):
            items[top + place] = sets[ends[group] + place]
            times[top + place] = weight
            behind[items[top + place]] += size - place - 1
        for place in range(top + size, end):
            times[place] = had[items[place]]
            had[items[place]] = 0
        items[end] = had.size - 1
        top = end + 1
