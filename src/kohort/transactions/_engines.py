"""Which engine counts what: for each base the one that is estimated to be quicker."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kohort.transactions._bitmaps import CELL_COST, WORD_COST, Bitmaps, words_of
from kohort.transactions._tids import Tids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions._levels import Candidates, Level
    from kohort.transactions._rows import Rows


class Engine(Protocol):
    """Counts the cohorts of single items and of candidates, which are sets `sets[base]` extended by an item each."""

    def singles(self, items: Index) -> Counts:
        """The most transactions that each of these items has in common with one private item."""
        ...

    def supports(self, sets: Items, base: Index, item: Items) -> Counts:
        """The transactions that contain each candidate."""
        ...

    def tops(self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:
        """What no private item exceeds in each cohort; where it is more than the share, some private item has it."""
        ...


class EngineName(StrEnum):
    """The engines by name."""

    BITMAPS = "bitmaps"
    TIDS = "tids"


class Engines:
    """Both engines over one database, each made when it is first wanted.

    Args:
        public: The public items of each transaction.
        private: The private items of each transaction.
        supports: The transactions of each public item.
        only: Use this engine alone.
    """

    def __init__(self, public: Rows, private: Rows, supports: Counts, only: EngineName | None = None) -> None:
        """Make neither of them yet."""
        self._public, self._private, self._supports, self._only = public, private, supports, only
        self._made: dict[EngineName, Engine] = {}
        self._fit = Bitmaps.fit(public, private)
        self._words = WORD_COST * words_of(len(public))
        self._row = CELL_COST * public.breadth

    def among(self, items: Index) -> Engines:
        """The engines over some of the public items, whose codes become their places in `items`."""
        return Engines(self._public.only(items), self._private, self._supports[items], self._only)

    def singles(self, items: Index) -> Counts:
        """The most transactions that each of these items has in common with one private item."""
        lists = CELL_COST * self._private.breadth * float(self._supports[items].sum())
        words = self._words * self._public.width * self._private.width
        dense = self._allowed(np.array([lists > words]))
        return self._engine(dense=bool(dense[0])).singles(items)

    def supports(self, level: Level, found: Candidates) -> Counts:
        """(c,) the transactions that contain each candidate."""
        supports = np.empty(found.base.size, np.int64)
        for engine, chosen in self._shares(level, found.base):
            supports[chosen] = engine.supports(level.items, found.base[chosen], found.item[chosen])
        return supports

    def tops(
        self, level: Level, found: Candidates, doubtful: Index, supports: Counts, share: tuple[int, int]
    ) -> Counts:
        """What no private item exceeds in the cohorts of the doubtful candidates, which have these supports."""
        tops = np.empty(doubtful.size, np.int64)
        base, item = found.base[doubtful], found.item[doubtful]
        for engine, chosen in self._shares(level, base):
            tops[chosen] = engine.tops(level.items, base[chosen], item[chosen], supports[chosen], share)
        return tops

    def _shares(self, level: Level, base: Index) -> Iterator[tuple[Engine, Mask]]:
        """Which engine counts which candidates, given their bases: all candidates of a base go to one."""
        bounds = np.flatnonzero(np.diff(base, prepend=-1))
        sizes = np.diff(bounds, append=base.size)
        words = self._words * (level.size + sizes)
        first = self._supports[level.items[base[bounds], 0]]
        dense = np.repeat(self._allowed(self._row * (first + level.supports[base[bounds]]) > words), sizes)
        for kind in (True, False):
            if (chosen := dense == kind).any():
                yield self._engine(dense=kind), chosen

    def _allowed(self, dense: Mask) -> Mask:
        """Where bitmaps are used that would be quicker."""
        if self._only is not None:
            return np.full_like(dense, self._only is EngineName.BITMAPS)
        return dense & self._fit

    def _engine(self, *, dense: bool) -> Engine:
        """One of the engines; it is kept."""
        name = EngineName.BITMAPS if dense else EngineName.TIDS
        if name not in self._made:
            rows = self._public, self._private
            engine: Engine = Bitmaps(*rows) if dense else Tids(*rows)
            self._made[name] = engine
        return self._made[name]
