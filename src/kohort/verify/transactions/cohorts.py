"""Every cohort counted anew: sets of public items, depth first, by the lists of where they occur.

What mined the moles went level by level over the whole database; this goes down into one set at a time and shares
nothing with it. Transactions with the same public items are put together first, with how many they are and how many of
them have each private item: nothing else matters to a cohort. A set is then the list of its occurrences, each a group
and a place in it. One pass over what follows these places counts every set with one item more, a second one deals out
their occurrences (occurrence deliver: Uno, Kiyomi, Arimura, LCM ver. 2, FIMI 2004).

Private items are counted only where it could matter. Of a set, no private item is in more transactions than of a part
of it; where even that many would be no greater share than the greatest found so far, the set is passed over. So the
greatest share is exact, and whether it and the smallest cohort are allowed is for the model's definition to say.

Cost: the places that follow each occurrence of each set of fewer than p items, and the private items of the groups of
the sets that are counted. Memory: the cells, and p numbers for each public item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.kernels import kernel
from kohort.verify.transactions.groups import Groups, grouped

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions.database import Transactions

#: What a search counts, by place in its tally.
_SETS, _SMALLEST, _TOGETHER, _OF = range(4)


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


class _Search(NamedTuple):
    """The memory of a search: a stack of occurrences, and for each depth the sets of so many items to go into.

    Attributes:
        group: Of each occurrence the group,
        place: and the place of the set's last item among the groups' items.
        bounds: (p + 1, m + 1) where the occurrences of each set start on the stack.
        supports: (p + 1, m) transactions of each set.
        path: (3, p + 1) at each depth the sets, how many of them were begun, and for the last of these a number that
            the transactions of no private item in its cohort exceed.
        found: (4, m) of each public item its occurrences, transactions and place to write to; and a list of items.
        had: (q,) transactions that have each private item.
        tally: (4,) what is found: the parts of `Cohorts`.
    """

    group: Items
    place: Items
    bounds: Index
    supports: Counts
    path: Index
    found: Index
    had: Counts
    tally: Counts


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
    tally = np.array([1, n, database.supports[private].max(initial=0), n])
    groups = grouped(database, public, private)
    if n >= least and groups.weights.size:
        _search(groups, _begin(groups, min(p, int(np.diff(groups.starts).max())), int(public.sum()), tally), least)
    return Cohorts(*tally.tolist())


def _begin(groups: Groups, depth: int, width: int, tally: Counts) -> _Search:
    """A search at the empty set, with room for sets of `depth` items of `width` public ones."""
    cells, occurrences = int(groups.starts[-1]), groups.weights.size
    behind = np.repeat(groups.starts[1:], np.diff(groups.starts)) - np.arange(1, cells + 1)  # what follows each place
    deepest = int(np.bincount(groups.items, weights=behind).max())  # what follows one item, wherever it is
    room = occurrences + cells + (depth - 1) * deepest
    search = _Search(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros((depth + 1, width + 1), np.int64),
        np.zeros((depth + 1, width), np.int64),
        np.zeros((3, depth + 1), np.int64),
        np.zeros((4, width), np.int64),
        np.zeros(int(groups.secrets.max(initial=-1)) + 1, np.int64),
        tally,
    )
    search.group[:occurrences] = np.arange(occurrences)
    search.place[:occurrences] = groups.starts[:-1] - 1  # the empty set occurs before the first item of each
    search.bounds[0, 1] = occurrences
    search.path[:, 0] = 1, 0, tally[_TOGETHER]
    return search


@kernel
def _search(groups: Groups, search: _Search, least: int) -> None:
    """Count every set, depth first: a set's turn comes, then that of the sets with one later item more."""
    sets, turn, _ = search.path
    depth = 0
    while depth >= 0 and search.tally[_SMALLEST] >= least:
        if turn[depth] == sets[depth]:
            depth -= 1
            continue
        turn[depth] += 1
        if depth:
            _count_secrets(groups, search, depth)
        if depth + 1 < sets.size:
            _deal(groups, search, depth)
            depth += 1
            turn[depth] = 0


@kernel
def _deal(groups: Groups, search: _Search, depth: int) -> None:
    """Count the sets of one later item more than the one whose turn it is; deal out those that are to be gone into."""
    one, bounds, tally = search.path[1, depth] - 1, search.bounds[depth + 1], search.tally
    low, high = search.bounds[depth, one], search.bounds[depth, one + 1]
    times, supports, tops, seen = search.found
    new = 0
    for at in range(low, high):
        group = search.group[at]
        for item in groups.items[search.place[at] + 1 : groups.starts[group + 1]]:
            if times[item] == 0:
                seen[new] = item
                new += 1
            times[item] += 1
            supports[item] += groups.weights[group]
    bounds[0], sets = search.bounds[depth, search.path[0, depth]], 0
    for item in seen[:new]:
        tally[_SETS] += 1
        tally[_SMALLEST] = min(tally[_SMALLEST], supports[item])
        tops[item] = -1
        if depth + 2 < search.path.shape[1] or search.path[2, depth] * tally[_OF] > tally[_TOGETHER] * supports[item]:
            tops[item] = bounds[sets]
            bounds[sets + 1] = bounds[sets] + times[item]
            search.supports[depth + 1, sets] = supports[item]
            sets += 1
        times[item] = supports[item] = 0
    search.path[0, depth + 1] = sets
    for at in range(low, high if sets else low):
        group = search.group[at]
        for place in range(search.place[at] + 1, groups.starts[group + 1]):
            top = tops[groups.items[place]]
            if top >= 0:
                search.group[top] = group
                search.place[top] = place
                tops[groups.items[place]] = top + 1


@kernel
def _count_secrets(groups: Groups, search: _Search, depth: int) -> None:
    """Find the private item that is in most transactions of the set whose turn it is, unless it is no matter."""
    one, most, tally, had = search.path[1, depth] - 1, search.path[2], search.tally, search.had
    low, high, support = search.bounds[depth, one], search.bounds[depth, one + 1], search.supports[depth, one]
    most[depth] = most[depth - 1]
    if most[depth] * tally[_OF] <= tally[_TOGETHER] * support:
        return
    secrets, starts, together = groups.secrets, groups.secret_starts, 0
    for group in search.group[low:high]:
        for place in range(starts[group], starts[group + 1]):
            had[secrets[place]] += groups.times[place]
    few = had.size <= high - low  # then it is quicker to look at every private item than at every mention of one
    for secret in range(had.size if few else 0):
        together = max(together, had[secret])
        had[secret] = 0
    for group in search.group[low : low if few else high]:
        for secret in secrets[starts[group] : starts[group + 1]]:
            together = max(together, had[secret])
            had[secret] = 0
    most[depth] = together
    if together * tally[_OF] > tally[_TOGETHER] * support:
        tally[_TOGETHER] = together
        tally[_OF] = support
