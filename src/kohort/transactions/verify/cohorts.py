"""Every cohort counted anew: sets of public items, depth first, by the lists of where they occur.

What mined the moles went level by level over the whole database; this shares nothing with it. Transactions with the
same public items are grouped first, with their number and how many of them have each private item. A set is then the
list of its occurrences, each the place behind its last item in a group: one pass over what follows these places counts
every set with one item more, and the private items, and a second one deals out their occurrences (occurrence deliver:
Uno, Kiyomi, Arimura, LCM ver. 2, FIMI 2004).

No private item is in more transactions of a set than of a part of it: where even that many would be no greater share
than the greatest found so far, private items are not counted. So the greatest share is exact.

Cost: the places that follow each occurrence of each set of fewer than p items, and the private items of the groups of
the sets that are counted. Memory: the cells, and p numbers for each public item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.native.library import COUNT_COHORTS, GROUP_COHORTS

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions.database import Transactions


class Cohorts(NamedTuple):
    """What was counted over all sets of 0 to p public items that occur.

    Attributes:
        sets: How many they are.
        smallest: Transactions of the smallest cohort.
        together: The transactions of a cohort that have one private item, of which that is the greatest share;
        support: and all transactions of that cohort.
    """

    sets: int
    smallest: int
    together: int
    support: int


def count_cohorts(database: Transactions, public: Mask, private: Mask, *, p: int, least: int) -> Cohorts:
    """Count every set of at most `p` public items that occurs; stop at a cohort below `least`.

    >>> from kohort.transactions.database import Transactions
    >>> few = Transactions.of([["bread", "milk", "pill"], ["bread", "milk"], ["bread"]])
    >>> bread, milk, pill = np.eye(3, dtype=bool)
    >>> count_cohorts(few, bread | milk, pill, p=2, least=1)
    Cohorts(sets=4, smallest=2, together=1, support=2)
    """
    n = len(database)
    if not n:
        return Cohorts(0, 0, 0, 1)
    together = int(database.supports[private].max(initial=0))
    groups = grouped(database, public, private)
    occurrences, q, m = groups.starts.size, int(public.sum()), groups.behind.size
    if n < least or not occurrences:
        return Cohorts(1, n, together, n)
    depth = min(p, groups.longest)
    room = occurrences + int(database.supports[public].sum()) + (depth - 1) * int(groups.behind.max())
    places = np.empty(room, np.int64)
    places[:occurrences] = groups.starts
    waiting = np.empty((depth * q + 1, 5), np.int64)
    waiting[0] = 0, 0, occurrences, n, together
    counts, found = np.empty((4, m), np.int64), np.empty(4, np.int64)
    COUNT_COHORTS(groups.items, groups.times, places, waiting, *counts, q, depth, least, found)
    return Cohorts(*found.tolist())


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
    m, cells = q + int(private.sum()), int(supports[public].sum())
    code = np.full(public.size, -1, np.int32)
    code[public], code[private] = np.arange(q), np.arange(q, m)
    sizes = 1 << (2 * n).bit_length(), cells, n, n, m  # of the hash table, sets, last and earlier transactions, counts
    ends, starts = np.empty((2, n + 1), np.int64)
    items, times = np.empty((2, cells + int(supports[private].sum()) + n), np.int32)
    table, sets, *room = (np.empty(size, np.int32) for size in sizes)
    behind = np.empty(m, np.int64)
    g = GROUP_COHORTS(database.starts, database.cells, code, q, table, sets, ends, *room, starts, items, times, behind)
    size, longest = int(starts[g]), int(np.diff(ends[: g + 1]).max(initial=0))
    return CohortGroups(starts[:g], items[:size], times[:size], behind, longest)
