"""How many transactions public items share with private ones: a bound on breaches, before any look at a cohort.

In the cohort of a set no private item is in more transactions than it shares with each item of the set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._rows import Rows

#: Transactions with both an item and a private item: (f, g) int32.
Pairs: TypeAlias = NDArray[np.int32]

#: The most entries of such a table: 64 MiB of them.
ROOM: Final = 1 << 24


def pairs_of(public: Rows, private: Rows) -> Pairs:
    """The table, filled transaction by transaction."""
    pairs = np.zeros((public.width, private.width), np.int32)
    tally(public.starts, public.items, private.starts, private.items, pairs)
    return pairs


def bounds(pairs: Pairs, sets: Items, base: Index, item: Items) -> Counts:
    """(c,) what no private item exceeds in the cohort of each candidate: the set `sets[base]` and an item."""
    tops = np.empty(base.size, np.int64)
    bound(pairs, sets, base, item, np.empty((sets.shape[1], pairs.shape[1]), np.int32), tops)
    return tops


@kernel
def tally(starts: Index, items: Items, hidden_starts: Index, hidden: Items, pairs: Pairs) -> None:
    """Count every pair of a public and a private item in every transaction."""
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            line = pairs[items[cell]]
            for other in range(hidden_starts[row], hidden_starts[row + 1]):
                line[hidden[other]] += 1


@kernel
def shared(sets: Items, base: Index, at: int) -> int:
    """The items that the base of candidate `at` begins with as the one of the candidate before does."""
    place = 0
    while at > 0 and place < sets.shape[1] and sets[base[at], place] == sets[base[at - 1], place]:
        place += 1
    return place


@kernel
def least_of(pairs: Pairs, sets: Items, base: Index, at: int, stack: Pairs) -> None:
    """Write to row i of `stack`, (size, g), the least entries of the base's first i + 1 items."""
    for row in range(shared(sets, base, at), sets.shape[1]):
        line = pairs[sets[base[at], row]]
        for e in range(line.size):
            stack[row, e] = min(stack[row - 1, e], line[e]) if row else line[e]


@kernel
def bound(  # noqa: PLR0917  a kernel takes arrays by position
    pairs: Pairs, sets: Items, base: Index, item: Items, stack: Pairs, tops: Counts
) -> None:
    """Bound each candidate: the greatest of the least entries of its items."""
    for at in range(base.size):
        least_of(pairs, sets, base, at, stack)
        line, least = pairs[item[at]], stack[sets.shape[1] - 1]
        top = 0
        for e in range(line.size):
            top = max(top, min(line[e], least[e]))
        tops[at] = top
