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

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel

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
    often, supports, ends, seen = np.zeros((4, m), np.int64)
    return Cohorts(*_search(groups.items, groups.times, places, waiting, often, supports, ends, seen, q, depth, least))


@kernel
def _search(  # noqa: C901, PLR0912, PLR0915, PLR0917  a kernel takes arrays by position; it stays in one piece
    items: Items,
    times: Items,
    places: Index,
    waiting: Index,
    often: Counts,
    supports: Counts,
    ends: Counts,
    seen: Counts,
    public: int,
    p: int,
    least: int,
) -> tuple[int, int, int, int]:
    """Count every set, depth first: a set's turn comes, then that of the sets with one later item more.

    Args:
        items: The items of groups: see `Groups`;
        times: likewise.
        places: A stack of occurrences, those of the empty set at its bottom.
        waiting: A stack of sets to go into, the empty one at its bottom: for each its items, where its occurrences
            start and end, its transactions, and a number that no private item's transactions among these exceed.
        often: Of each public item how often it occurs; 0 between two sets;
        supports: likewise of each item in how many transactions.
        ends: Room for where the occurrences end that were dealt to each item.
        seen: Room for a list of items.
        public: How many items are public: those below.
        p: The most items of a set.
        least: Count no further where a cohort is smaller.

    Returns:
        The parts of `Cohorts`.
    """
    smallest, together = waiting[0, 3], waiting[0, 4]
    sets, of, top = 1, smallest, 1
    while top > 0 and smallest >= least:
        top -= 1
        depth, low, high = waiting[top, 0], waiting[top, 1], waiting[top, 2]  # whole rows take long to compile
        support, most = waiting[top, 3], waiting[top, 4]
        matters = most * of > together * support
        stop, new = supports.size if matters else public, 0
        for at in range(low, high):
            place = places[at]
            weight = times[place]  # of a public item it is the group's
            while items[place] < public:
                item = items[place]
                if often[item] == 0:
                    seen[new] = item
                    new += 1
                often[item] += 1
                supports[item] += weight
                place += 1
            while items[place] < stop:
                item = items[place]
                if supports[item] == 0:
                    seen[new] = item
                    new += 1
                supports[item] += times[place]
                place += 1
        if matters:
            most = 0
            for one in range(new):
                if seen[one] >= public:
                    most = max(most, int(supports[seen[one]]))
            if most * of > together * support:
                together, of = most, support
        end = high
        for one in range(new):
            item = seen[one]
            ends[item] = -1
            if item < public:
                sets += 1
                smallest = min(smallest, supports[item])
                if depth + 1 < p or most * of > together * supports[item]:
                    waiting[top, 0], waiting[top, 1], waiting[top, 2] = depth + 1, end, end + often[item]
                    waiting[top, 3], waiting[top, 4] = supports[item], most
                    top += 1
                    ends[item] = end
                    end += often[item]
            often[item] = supports[item] = 0
        for at in range(low, high if end > high else low):
            behind = places[at]
            while items[behind] < public:
                behind += 1
            for place in range(places[at], behind):
                item = items[place]
                if ends[item] >= 0:
                    places[ends[item]] = place + 1 if depth + 1 < p else behind
                    ends[item] += 1
    return sets, smallest, together, of


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
