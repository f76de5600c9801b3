"""Which engine counts what: for each base the one that is estimated to be quicker."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from kohort.native.library import COUNT_LISTS, DEAL, LOOK
from kohort.transactions._bitmaps import CELL_COST, WORD_COST, Bitmaps, words_of
from kohort.transactions._rows import ROOM, Rows, bounds, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index, Items, Mask, Shares
    from kohort.transactions._levels import Candidates, Level
    from kohort.transactions._rows import Pairs
    from kohort.transactions.database import Transactions


class Counting(Protocol):
    """What the search for moles asks of the place where transactions are: public items have codes of their own."""

    @property
    def room(self) -> int:
        """Candidates to be counted at once; 0 for the usual number."""
        ...

    def among(self, items: Index) -> Counting:
        """The same over some of the public items, ascending, whose codes become their places in `items`."""
        ...

    def singles(self, items: Index, share: tuple[int, int], /) -> Counts:
        """What the transactions that each of these items has in common with a private item do not exceed."""
        ...

    def supports(self, level: Level, found: Candidates) -> Counts:
        """(c,) the transactions that contain each candidate."""
        ...

    def tops(
        self, level: Level, found: Candidates, doubtful: Index, supports: Counts, share: tuple[int, int], /
    ) -> Counts:
        """What no private item exceeds in the cohorts of the doubtful candidates, which have these supports.

        Where that is above the share of a cohort, some private item is.
        """
        ...


class Tids:
    """Cohorts as lists of transactions: those of a set are dealt to the items that extend it, by one look at each.

    Fast where items are in few transactions: a set costs the cells of its cohort, however many other transactions and
    items there are.
    """

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


#: Transactions of candidates' cohorts listed at once: 64 MiB of them.
_LISTED: Final = 1 << 24

#: Nanoseconds that what is quicker for some candidates only must gain to be made at all.
_WORTH: Final = 3e6


class Engines:
    """Both engines over one database, each made when it is first wanted.

    Args:
        public: The public items of each transaction.
        private: The private items of each transaction.
        supports: The transactions of each public item.
        pairs: What public items share with private ones, where that is known.
    """

    def __init__(self, public: Rows, private: Rows, supports: Counts, pairs: Pairs | None = None) -> None:
        """Make neither of them yet."""
        self._public, self._private, self._supports = public, private, supports
        self._words = WORD_COST * words_of(len(public))
        self._row = CELL_COST * public.breadth
        self._fit = Bitmaps.fit(public, private)
        self._pairs = self._table() if pairs is None else pairs

    @property
    def room(self) -> int:
        """As many candidates at once as usual."""
        return 0

    def _table(self) -> Pairs | None:
        """What public items share with private ones, where such a table is neither too large nor mostly zero."""
        cells = self._public.width * self._private.width
        looks = int(np.dot(np.diff(self._public.starts), np.diff(self._private.starts)))
        if cells > min(ROOM, looks):
            return None
        quick = self._fit and self._words * cells < CELL_COST * looks
        return self._bitmaps.pairs if quick else pairs_of(self._public, self._private)

    @cached_property
    def _bitmaps(self) -> Bitmaps:
        return Bitmaps(self._public, self._private)

    @cached_property
    def _tids(self) -> Tids:
        return Tids(self._public)

    def among(self, items: Index) -> Engines:
        """The engines over some of the public items, whose codes become their places in `items`."""
        if items.size == self._public.width:  # all of them, in their order
            return self
        pairs = None if self._pairs is None else self._pairs[items]
        return Engines(self._public.only(items), self._private, self._supports[items], pairs)

    def singles(self, items: Index, share: tuple[int, int]) -> Counts:
        """What the transactions that each of these items has in common with a private item do not exceed."""
        if self._pairs is None:
            return self._look(*self._tids.singles(items), self._supports[items], share)
        tops: Counts = self._pairs[items].max(axis=1, initial=0).astype(np.int64)
        return tops

    def supports(self, level: Level, found: Candidates) -> Counts:
        """(c,) the transactions that contain each candidate: all candidates of a base are counted by one engine."""
        supports = np.empty(found.base.size, np.int64)
        for engine, chosen in self._shares(level, found.base, passes=1):
            supports[chosen] = engine.supports(level, found.base[chosen], found.item[chosen])
        return supports

    def tops(
        self, level: Level, found: Candidates, doubtful: Index, supports: Counts, share: tuple[int, int]
    ) -> Counts:
        """What no private item exceeds in the cohorts of the doubtful candidates, which have these supports."""
        base, item = found.base[doubtful], found.item[doubtful]
        looks: Shares = CELL_COST * self._private.breadth * supports.astype(np.float64)
        tops = np.full(doubtful.size, len(self._public))
        if self._pairs is not None and looks.sum() > _WORTH:
            tops = bounds(self._pairs, level.items, base, item)
        rest = np.flatnonzero(tops * share[1] > supports * share[0])
        met = self._dense(looks[rest] - self._words * self._private.width / 4)  # most are passed over by their pairs
        if (chosen := rest[met]).size:
            tops[chosen] = self._bitmaps.tops(level, base[chosen], item[chosen], supports[chosen], share)
        for chosen in _stretches(rest[~met], supports):
            tops[chosen] = self._looked(level, base[chosen], item[chosen], supports[chosen], share)
        return tops

    def _looked(self, level: Level, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:
        """The tops of candidates whose cohorts are listed, and looked through."""
        begins: Index = np.cumsum(supports, dtype=np.int64) - supports
        dealt = np.empty(int(supports.sum()), np.int32)
        for engine, chosen in self._shares(level, base, passes=3):
            engine.cohorts(level, base[chosen], item[chosen], begins[chosen], dealt)
        return self._look(dealt, begins, supports, share)

    def _look(self, cohorts: Items, begins: Index, sizes: Counts, share: tuple[int, int]) -> Counts:
        """What no private item exceeds in each of these cohorts, by a look at the transactions of each."""
        hidden, counts, tops = self._private, np.zeros(self._private.width, np.int64), np.empty(sizes.size, np.int64)
        LOOK(hidden.starts, hidden.items, cohorts, begins, sizes, sizes * share[0] // share[1], counts, tops)
        return tops

    def _shares(self, level: Level, base: Index, *, passes: int) -> Iterator[tuple[Bitmaps | Tids, Mask]]:
        """Which engine takes which candidates, given their bases: all candidates of a base go to one."""
        starts = np.flatnonzero(np.diff(base, prepend=-1))
        sizes, bases = np.diff(starts, append=base.size), base[starts]
        rows = self._row * (self._supports[level.items[bases, 0]] + level.supports[bases])
        dense = np.repeat(self._dense(rows - self._words * (level.size + passes * sizes)), sizes)
        if dense.any():
            yield self._bitmaps, dense
        if not dense.all():
            yield self._tids, ~dense

    def _dense(self, gains: Shares) -> Mask:
        """Where bitmaps are used, given the nanoseconds that they would gain: nowhere, where it is not worth it."""
        worth = self._fit and float(np.maximum(gains, 0).sum()) > _WORTH + self._words * self._public.width
        return (gains > 0) & worth


def engines_of(database: Transactions, public: Index, private: Index) -> Engines:
    """The engines over a database in memory."""
    rows = Rows(database.starts, database.cells, len(database.names))
    return Engines(rows.only(public), rows.only(private), database.supports[public])


def _stretches(candidates: Index, sizes: Counts) -> Iterator[Index]:
    """Neighbouring candidates whose cohorts together are not too large: at least one at a time."""
    ends = np.cumsum(sizes[candidates], dtype=np.int64)
    start = 0
    while start < ends.size:
        before = ends[start] - sizes[candidates[start]]
        end = max(int(np.count_nonzero(ends <= before + _LISTED)), start + 1)
        yield candidates[start:end]
        start = end
