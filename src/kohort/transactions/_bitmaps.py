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

from kohort.kernels import kernel
from kohort.transactions._pairs import Pairs, least_of, shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._levels import Level
    from kohort.transactions._rows import Rows

#: A cohort: (words,) uint64, a bit for each transaction.
Bits: TypeAlias = NDArray[np.uint64]

#: Bytes that bitmaps may take: as much again as a large database itself.
_ROOM: Final = 1 << 28

#: What a word of a bitmap costs, and a cell of a transaction, in nanoseconds. They decide between ways, not answers.
WORD_COST: Final = 0.2
CELL_COST: Final = 1.5

#: Private items whose bitmaps a candidate is met with, those passed over not counted: about so many.
_PASSES: Final = 20

_FIVES: Final = np.uint64(0x5555_5555_5555_5555)
_THREES: Final = np.uint64(0x3333_3333_3333_3333)
_NIBBLES: Final = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_ONES: Final = np.uint64(0x0101_0101_0101_0101)
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_FOUR: Final = np.uint64(4)
_LAST: Final = np.uint64(56)


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
        cross(self._public, self._private, pairs)
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
        unpack_each(self._public, level.items, base, item, begins, (stack, self._among), dealt)

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
            among = np.empty(support, np.int32)
            unpack(self._public[item], self._among, among)
            self._held += (self._rows.width + self._hidden.width) * words
            if self._held > _ROOM // 8:
                self._cohorts.clear()
                self._held = 0
            self._cohorts[item] = Bitmaps(self._rows, self._hidden, among)
        return self._cohorts[item]

    @cached_property
    def _support(self) -> Counts:
        """(f,) the transactions that contain each item."""
        supports = np.empty(len(self._public), np.int64)
        for item in range(supports.size):
            supports[item] = together(self._public[item], self._public[item])
        return supports

    def count(self, sets: Items, base: Index, item: Items, supports: Counts) -> None:
        """Write the supports of candidates, counted in these bitmaps."""
        stack = np.empty((sets.shape[1], self._public.shape[1]), np.uint64)
        count(self._public, sets, base, item, stack, supports)

    def meet(  # noqa: PLR0917  what is written comes last, as in kernels
        self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int], tops: Counts
    ) -> None:
        """Write the tops of candidates, counted in these bitmaps."""
        stack = np.empty((sets.shape[1] + 1, self._public.shape[1]), np.uint64)
        least = np.empty((sets.shape[1], self._hidden.width), np.int32)
        bits = self._public, self._private, self.pairs
        met(bits, sets, base, item, supports, share, (stack, least), tops)


def bits_of(rows: Rows, among: Items) -> Bits:
    """(width, words) a bitmap for each item, of the transactions of `among`."""
    bits = np.zeros((rows.width, words_of(among.size)), np.uint64)
    mark(rows.starts, rows.items, among, bits)
    return bits


def words_of(transactions: int) -> int:
    """The words that hold a bit for each of so many transactions."""
    return (transactions + 63) // 64


@kernel
def ones(word: np.uint64) -> int:
    """The bits that are set in a word; compilers turn this into one instruction."""
    word -= (word >> _ONE) & _FIVES
    word = (word & _THREES) + ((word >> _TWO) & _THREES)
    return int((((word + (word >> _FOUR)) & _NIBBLES) * _ONES) >> _LAST)


@kernel
def together(one: Bits, other: Bits) -> int:
    """The transactions in both of two cohorts."""
    common = 0
    for at in range(one.size):
        common += ones(one[at] & other[at])
    return common


@kernel
def mark(starts: Index, items: Items, among: Items, bits: Bits) -> None:
    """Set the bit of each transaction of `among` in the bitmaps of its items."""
    for at in range(among.size):
        bit = _ONE << np.uint64(at & 63)
        for cell in range(starts[among[at]], starts[among[at] + 1]):
            bits[items[cell], at >> 6] |= bit


@kernel
def unpack(cohort: Bits, among: Items, chosen: Items) -> int:
    """Write the transactions of a cohort, which is one among those of `among`; return how many they are."""
    size = 0
    for at in range(cohort.size):
        word = cohort[at]
        while word:
            chosen[size] = among[64 * at + ones((word - _ONE) & ~word)]
            word &= word - _ONE
            size += 1
    return size


@kernel
def cross(public: Bits, private: Bits, pairs: Pairs) -> None:
    """Count the transactions of each public with each private item."""
    for x in range(public.shape[0]):
        for e in range(private.shape[0]):
            pairs[x, e] = together(public[x], private[e])


@kernel
def meet(bits: Bits, sets: Items, base: Index, at: int, stack: Bits) -> None:
    """Write the cohort of the base of candidate `at` to the last row of `stack`, (size, words).

    Row i holds the cohort of the base's first i + 1 items; those it shares with the base before are still there.
    """
    for row in range(shared(sets, base, at), sets.shape[1]):
        other = bits[sets[base[at], row]]
        for word in range(other.size):
            stack[row, word] = stack[row - 1, word] & other[word] if row else other[word]


@kernel
def count(  # noqa: PLR0917  a kernel takes arrays by position
    bits: Bits, sets: Items, base: Index, item: Items, stack: Bits, supports: Counts
) -> None:
    """Count the cohort of each candidate."""
    for at in range(base.size):
        meet(bits, sets, base, at, stack)
        supports[at] = together(stack[sets.shape[1] - 1], bits[item[at]])


@kernel
def narrow(  # noqa: PLR0917  a kernel takes arrays by position
    bits: Bits, sets: Items, base: Index, item: Items, at: int, stack: Bits
) -> None:
    """Write a candidate's cohort to the row of `stack`, (size + 1, words), below that of its base."""
    meet(bits, sets, base, at, stack)
    size, other = sets.shape[1], bits[item[at]]
    for word in range(other.size):
        stack[size, word] = stack[size - 1, word] & other[word]


@kernel
def unpack_each(  # noqa: PLR0917  a kernel takes arrays by position
    bits: Bits, sets: Items, base: Index, item: Items, begins: Index, room: tuple[Bits, Items], dealt: Items
) -> None:
    """Write the transactions of each candidate's cohort, where it begins."""
    stack, among = room
    for at in range(base.size):
        narrow(bits, sets, base, item, at, stack)
        unpack(stack[sets.shape[1]], among, dealt[begins[at] :])


@kernel
def met(  # noqa: PLR0917  a kernel takes arrays by position
    bits: tuple[Bits, Bits, Pairs],
    sets: Items,
    base: Index,
    item: Items,
    supports: Counts,
    share: tuple[int, int],
    room: tuple[Bits, Pairs],
    tops: Counts,
) -> None:
    """Bound the private items in the cohort of each candidate, private item by private item; see `Bitmaps.tops`.

    Those that are within the share by their pairs with the candidate's items are passed over.
    """
    public, private, pairs = bits
    stack, least = room
    numerator, denominator = share
    size = sets.shape[1]
    for at in range(base.size):
        narrow(public, sets, base, item, at, stack)
        least_of(pairs, sets, base, at, least)
        own, top = pairs[item[at]], 0
        for e in range(own.size):
            most = min(own[e], least[size - 1, e])
            if most > top and most * denominator > supports[at] * numerator:
                most = together(stack[size], private[e])
            top = max(top, most)
            if top * denominator > supports[at] * numerator:
                break
        tops[at] = top
