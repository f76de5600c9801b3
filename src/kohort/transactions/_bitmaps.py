"""Cohorts as bitmaps: a bit for each transaction; to intersect two is to AND words, to count is to count ones.

Fast where items are in many transactions: a word costs about 0.2 ns and tells of 64.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.native.library import COUNT_BITS, CROSS, MARK, MEET, UNPACK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._levels import Level
    from kohort.transactions._rows import Pairs, Rows

#: A cohort: (words,) uint64, a bit for each transaction.
Bits: TypeAlias = NDArray[np.uint64]

#: Bytes that bitmaps may take: as much again as a large database itself.
_ROOM: Final = 1 << 28

#: What a word of a bitmap costs, and a cell of a transaction, in nanoseconds. They decide between ways, not answers.
WORD_COST: Final = 0.2
CELL_COST: Final = 1.5

#: Private items whose bitmaps a candidate is met with, those passed over not counted: about so many.
_PASSES: Final = 20


class Bitmaps:
    """The cohorts of f public items, and of g private ones once they are asked for, among some transactions.

    The cohort of an item is a database of its own: sets that begin with the item are counted in bitmaps of that alone
    where so many extend it that making these is worth it.

    Args:
        rows: The public items of each transaction.
        hidden: The private items of each transaction.
        among: The transactions; all if not given.
    """

    def __init__(self, rows: Rows, hidden: Rows, among: Items | None = None) -> None:
        """Make the public items' bitmaps."""
        self._rows, self._hidden = rows, hidden
        self._among = np.arange(len(rows), dtype=np.int32) if among is None else among
        self._public = bits_of(rows, self._among)
        self._cohorts: dict[int, Bitmaps] = {}
        self._held = 0  # words of these
        self._known, self._secret = (CELL_COST * one.items.size / max(len(one), 1) for one in (rows, hidden))

    @staticmethod
    def fit(rows: Rows, hidden: Rows) -> bool:
        """Whether bitmaps of these take no more memory than allowed."""
        return (rows.width + hidden.width) * words_of(len(rows)) * 8 + 4 * rows.width * hidden.width <= _ROOM

    @cached_property
    def _private(self) -> Bits:
        """(g, words) the private items' bitmaps."""
        return bits_of(self._hidden, self._among)

    @cached_property
    def pairs(self) -> Pairs:
        """(f, g) the transactions that have both a public and a private item."""
        pairs = np.empty((len(self._public), len(self._private)), np.int32)
        CROSS(self._public, self._private, words_of(self._among.size), pairs)
        return pairs

    def supports(self, level: Level, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: a set of the level and an item."""
        supports = np.empty(base.size, np.int64)
        for bitmaps, part in self._parts(level.items, base, 1):
            bitmaps.count(level.items, base[part], item[part], supports[part])
        return supports

    def tops(self, level: Level, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:
        """(c,) for each candidate a count that no private item exceeds in its cohort.

        It is that of some private item where the share is exceeded, so that the judgement is exact.
        """
        tops = np.empty(base.size, np.int64)
        for bitmaps, part in self._parts(level.items, base, _PASSES):
            bitmaps.meet(level.items, base[part], item[part], supports[part], share, tops[part])
        return tops

    def cohorts(self, level: Level, base: Index, item: Items, begins: Index, dealt: Items) -> None:
        """Write the cohort of each candidate to `dealt`, where it begins."""
        stack = np.empty((level.size + 1, self._public.shape[1]), np.uint64)
        UNPACK(self._public, level.items, level.size, base, item, begins, stack, self._among, dealt)

    def _parts(self, sets: Items, base: Index, passes: int) -> Iterator[tuple[Bitmaps, slice]]:
        """The candidates by the first item of their base, each part with the bitmaps to count it in.

        Args:
            sets: The bases.
            base: The base of each candidate.
            passes: How often each candidate goes through its words; if more than once, beside private items.
        """
        first = sets[base, 0]
        bounds = pairwise([*np.flatnonzero(np.diff(first, prepend=-1)).tolist(), base.size])
        parts = ((self._within(int(first[a]), passes * (b - a), met=passes > 1), a, b) for a, b in bounds)
        for bitmaps, run in groupby(parts, itemgetter(0)):
            stretch = [end for _, *ends in run for end in ends]
            yield bitmaps, slice(stretch[0], stretch[-1])

    def _within(self, item: int, passes: int, *, met: bool) -> Bitmaps:
        """The bitmaps of the item's cohort, where so many passes are worth them; else these ones."""
        if item not in self._cohorts:
            support = int(self._support[item])
            words = words_of(support)
            spared = passes * WORD_COST * (self._public.shape[1] - words)
            cost = support * self._known + self._rows.width * words * WORD_COST
            if met:
                cost += support * self._secret + (self._rows.width + 1) * self._hidden.width * words * WORD_COST
            if spared < cost:
                return self
            bits = np.unpackbits(self._public[item].view(np.uint8), count=self._among.size, bitorder="little")
            self._held += (self._rows.width + self._hidden.width) * words
            if self._held > _ROOM // 8:
                self._cohorts.clear()
                self._held = 0
            self._cohorts[item] = Bitmaps(self._rows, self._hidden, self._among[bits.view(np.bool_)])
        return self._cohorts[item]

    @cached_property
    def _support(self) -> Counts:
        """(f,) the transactions that contain each item."""
        supports: Counts = np.bitwise_count(self._public).sum(axis=1, dtype=np.int64)
        return supports

    def count(self, sets: Items, base: Index, item: Items, supports: Counts) -> None:
        """Write the supports of candidates, counted in these bitmaps."""
        stack = np.empty((sets.shape[1], self._public.shape[1]), np.uint64)
        COUNT_BITS(self._public, sets, sets.shape[1], base, item, stack, supports)

    def meet(  # noqa: PLR0917  what is written comes last, as in the core
        self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int], tops: Counts
    ) -> None:
        """Write the tops of candidates, counted in these bitmaps."""
        stack = np.empty((sets.shape[1] + 1, self._public.shape[1]), np.uint64)
        least = np.empty((sets.shape[1], self._hidden.width), np.int32)
        bits = self._public, self._private, self.pairs
        MEET(*bits, sets, sets.shape[1], base, item, supports, *share, stack, least, tops)


def bits_of(rows: Rows, among: Items) -> Bits:
    """(width, words) a bitmap for each item, of the transactions of `among`."""
    bits = np.zeros((rows.width, words_of(among.size)), np.uint64)
    MARK(rows.starts, rows.items, among, bits)
    return bits


def words_of(transactions: int) -> int:
    """The words that hold a bit for each of so many transactions."""
    return (transactions + 63) // 64
