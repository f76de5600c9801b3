"""How many transactions public items share with private ones: a bound on breaches, before any look at a cohort.

In the cohort of a set no private item is in more transactions than it shares with each item of the set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.native.library import BOUNDS, TALLY

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
    TALLY(public.starts, public.items, private.starts, private.items, private.width, pairs)
    return pairs


def bounds(pairs: Pairs, sets: Items, base: Index, item: Items) -> Counts:
    """(c,) what no private item exceeds in the cohort of each candidate: the set `sets[base]` and an item."""
    tops = np.empty(base.size, np.int64)
    least = np.empty((sets.shape[1], pairs.shape[1]), np.int32)
    BOUNDS(pairs, sets, sets.shape[1], base, item, least, tops)
    return tops
