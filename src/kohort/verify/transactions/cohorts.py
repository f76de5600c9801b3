"""Every cohort counted anew: sets of public items, depth first, by the lists of where they occur.

What mined the moles went level by level over the whole database; this goes down into one set at a time and shares
nothing with it. Transactions with the same public items are put together first, with how many they are and how many of
them have each private item: nothing else matters to a cohort. A set is then the list of its occurrences, each the place
behind its last item in a group. One pass over what follows these places counts every set with one item more, and the
private items, a second one deals out their occurrences (occurrence deliver: Uno, Kiyomi, Arimura, LCM ver. 2, FIMI
2004).

Private items are counted only where it could matter. Of a set, no private item is in more transactions than of a part
of it; where even that many would be no greater share than the greatest found so far, they are passed over. So the
greatest share is exact, and whether it and the smallest cohort are allowed is for the model's definition to say.

Cost: the places that follow each occurrence of each set of fewer than p items, and the private items of the groups of
the sets that are counted. Memory: the cells, and p numbers for each public item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.kernels import kernel
from kohort.verify.transactions.groups import grouped

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
