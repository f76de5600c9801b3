"""Cohorts as lists of transactions: those of a set are dealt to the items that extend it, by one look at each.

Fast where items are in few transactions: a set costs the cells of its cohort, however many other transactions and
items there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.native.library import COUNT_LISTS, DEAL

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._levels import Level
    from kohort.transactions._rows import Rows


class Tids:
    """Transactions by public item."""

    def __init__(self, rows: Rows) -> None:
        """Invert the public rows."""
        self._firsts, self._tids = rows.inverted()
        self._rows = rows.starts, rows.ascending(self._firsts, self._tids), self._firsts, self._tids
        self._width = rows.width

    def singles(self, items: Index) -> tuple[Items, Index]:
        """The cohorts of single items, and where each begins there."""
        return self._tids, self._firsts[items]

    def supports(self, level: Level, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: a set of the level and an item."""
        supports = np.empty(base.size, np.int64)
        counts = np.zeros(self._width, np.int64)
        COUNT_LISTS(self._search(level, base), level.size, base, item, counts, supports)
        return supports

    def cohorts(self, level: Level, base: Index, item: Items, begins: Index, dealt: Items) -> None:
        """Write the cohort of each candidate to `dealt`, where it begins."""
        free = np.full(self._width, -1, np.int64)
        DEAL(self._search(level, base), level.size, base, item, begins, free, dealt)

    def _search(self, level: Level, base: Index) -> tuple[Items | Index, ...]:
        """What the core is told: transactions, items, sets with supports and parents, and room.

        There is room for a cohort, for where the cohorts of the bases with one parent end, by last item, and for these
        themselves; those of single items stand ready.
        """
        parents, ends = np.ascontiguousarray(level.parts[:, -1]), np.full(self._width, -1, np.int64)
        known = *self._rows, level.items, level.supports, parents
        if level.size == 1:
            return *known, np.empty(0, np.int32), ends, self._tids
        bases = base[np.flatnonzero(np.diff(base, prepend=-1))]
        runs = np.flatnonzero(np.diff(parents[bases], prepend=-1))
        most = int(np.add.reduceat(level.supports[bases], runs).max(initial=0))
        widest = int(np.diff(self._firsts).max(initial=0))
        return *known, np.empty(widest, np.int32), ends, np.empty(most, np.int32)
