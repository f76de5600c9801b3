"""Cohorts as bitmaps: a bit for each transaction; to intersect two is to AND words, to count is to count ones.

Fast where items are in many transactions: a word costs about 0.2 ns and tells of 64.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._rows import Rows

#: A cohort: (words,) uint64, a bit for each transaction.
Bits: TypeAlias = NDArray[np.uint64]

#: Transactions with both an item and a private item: (f, g) int32.
Pairs: TypeAlias = NDArray[np.int32]

#: Bytes that bitmaps may take: as much again as a large database itself.
_ROOM: Final = 1 << 28

#: What a word of a bitmap costs, and a cell of a transaction, in nanoseconds. They decide between ways, not answers.
WORD_COST: Final = 0.2
CELL_COST: Final = 1.5

_FIVES: Final = np.uint64(0x5555_5555_5555_5555)
_THREES: Final = np.uint64(0x3333_3333_3333_3333)
_NIBBLES: Final = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_ONES: Final = np.uint64(0x0101_0101_0101_0101)
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_FOUR: Final = np.uint64(4)
_LAST: Final = np.uint64(56)


class Bitmaps:
    """The cohorts of f public items, and of g private ones once they are asked for.

    Args:
        rows: The public items of each transaction.
        hidden: The private items of each transaction.
    """

    def __init__(self, rows: Rows, hidden: Rows) -> None:
        """Make the public items' bitmaps."""
        self._public = bits_of(rows)
        self._hidden = hidden

    @staticmethod
    def fit(rows: Rows, hidden: Rows) -> bool:
        """Whether bitmaps of these take no more memory than allowed."""
        return (rows.width + hidden.width) * words_of(rows) * 8 + 4 * rows.width * hidden.width <= _ROOM

    @cached_property
    def _private(self) -> Bits:
        """(g, words) the private items' bitmaps."""
        return bits_of(self._hidden)

    @cached_property
    def _pairs(self) -> Pairs:
        """(f, g) the transactions that have both a public and a private item."""
        pairs = np.empty((len(self._public), len(self._private)), np.int32)
        cross(self._public, self._private, pairs)
        return pairs

    def singles(self, items: Index) -> Counts:
        """The most transactions that each of these items has in common with one private item."""
        tops: Counts = self._pairs[items].max(axis=1, initial=0).astype(np.int64)
        return tops

    def supports(self, sets: Items, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: the set `sets[base]` and an item."""
        supports = np.empty(base.size, np.int64)
        cohort = np.empty(self._public.shape[1], np.uint64)
        count(self._public, sets, base, item, cohort, supports)
        return supports

    def tops(self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:
        """(c,) for each candidate a count that no private item exceeds in its cohort.

        It is that of some private item where the share is exceeded, so that the judgement is exact.
        """
        tops = np.empty(base.size, np.int64)
        scratch = np.empty((2, self._public.shape[1]), np.uint64)
        few = self._few()
        alone = supports <= few
        if alone.any():
            chosen = base[alone], item[alone]
            counts, part = np.zeros(self._hidden.width, np.int64), np.empty(int(alone.sum()), np.int64)
            scanned(self._public, self._hidden.starts, self._hidden.items, sets, *chosen, scratch, counts, part)
            tops[alone] = part
        if not alone.all():
            chosen = base[~alone], item[~alone]
            part = np.empty(chosen[0].size, np.int64)
            met(self._public, self._private, self._pairs, sets, *chosen, supports[~alone], share, scratch, part)
            tops[~alone] = part
        return tops

    def _few(self) -> int:
        """The transactions of a cohort below which it is quicker to look at each than at each private item's bitmap."""
        breadth = max(self._hidden.items.size / max(len(self._hidden), 1), 1)
        # a quarter: most private items are passed over by their pairs
        return int(WORD_COST * self._hidden.width * words_of(self._hidden) / 4 / (CELL_COST * breadth))


def bits_of(rows: Rows) -> Bits:
    """(width, words) a bitmap for each item."""
    bits = np.zeros((rows.width, words_of(rows)), np.uint64)
    mark(rows.starts, rows.items, bits)
    return bits


def words_of(rows: Rows) -> int:
    """The words that hold a bit for each transaction."""
    return (len(rows) + 63) // 64


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
def mark(starts: Index, items: Items, bits: Bits) -> None:
    """Set the bit of each transaction in the bitmaps of its items."""
    for row in range(starts.size - 1):
        bit = _ONE << np.uint64(row & 63)
        for cell in range(starts[row], starts[row + 1]):
            bits[items[cell], row >> 6] |= bit


@kernel
def cross(public: Bits, private: Bits, pairs: Pairs) -> None:
    """Count the transactions of each public with each private item."""
    for x in range(public.shape[0]):
        for e in range(private.shape[0]):
            pairs[x, e] = together(public[x], private[e])


@kernel
def meet(bits: Bits, items: Items, cohort: Bits) -> None:
    """Write the cohort of a set of items, at least one."""
    for place in range(items.size):
        other = bits[items[place]]
        for at in range(cohort.size):
            cohort[at] = cohort[at] & other[at] if place else other[at]


@kernel
def count(  # noqa: PLR0917  a kernel takes arrays by position
    bits: Bits, sets: Items, base: Index, item: Items, cohort: Bits, supports: Counts
) -> None:
    """Count the cohort of each candidate; that of a base is made once for all candidates that extend it."""
    made = -1
    for at in range(base.size):
        if base[at] != made:
            made = base[at]
            meet(bits, sets[made], cohort)
        supports[at] = together(cohort, bits[item[at]])


@kernel
def narrow(  # noqa: PLR0917  a kernel takes arrays by position
    bits: Bits, sets: Items, base: Index, item: Items, at: int, scratch: Bits
) -> None:
    """Write a candidate's cohort to the second row; that of its base stays in the first for the next candidate."""
    if at == 0 or base[at] != base[at - 1]:
        meet(bits, sets[base[at]], scratch[0])
    other = bits[item[at]]
    for word in range(other.size):
        scratch[1, word] = scratch[0, word] & other[word]


@kernel
def met(  # noqa: PLR0917  a kernel takes arrays by position
    public: Bits,
    private: Bits,
    pairs: Pairs,
    sets: Items,
    base: Index,
    item: Items,
    supports: Counts,
    share: tuple[int, int],
    scratch: Bits,
    tops: Counts,
) -> None:
    """Bound the private items in the cohort of each candidate, private item by private item; see `Bitmaps.tops`.

    Those that are within the share by their pairs with the candidate's items are passed over.
    """
    numerator, denominator = share
    for at in range(base.size):
        narrow(public, sets, base, item, at, scratch)
        top = 0
        for e in range(private.shape[0]):
            most = pairs[item[at], e]
            for place in range(sets.shape[1]):
                most = min(most, pairs[sets[base[at], place], e])
            if most > top and most * denominator > supports[at] * numerator:
                most = together(scratch[1], private[e])
            top = max(top, most)
            if top * denominator > supports[at] * numerator:
                break
        tops[at] = top


@kernel
def scanned(  # noqa: PLR0917  a kernel takes arrays by position
    public: Bits,
    starts: Index,
    hidden: Items,
    sets: Items,
    base: Index,
    item: Items,
    scratch: Bits,
    counts: Counts,
    tops: Counts,
) -> None:
    """Count the private items in the cohort of each candidate, transaction by transaction."""
    for at in range(base.size):
        narrow(public, sets, base, item, at, scratch)
        tops[at] = scan(scratch[1], starts, hidden, counts)


@kernel
def scan(cohort: Bits, starts: Index, hidden: Items, counts: Counts) -> int:
    """The greatest number of transactions of a cohort that have one private item; `counts` is zero, also after."""
    top = 0
    for again in range(2):
        for at in range(cohort.size):
            word = cohort[at]
            while word:
                row = 64 * at + ones((word - _ONE) & ~word)
                word &= word - _ONE
                for cell in range(starts[row], starts[row + 1]):
                    counts[hidden[cell]] = 0 if again else counts[hidden[cell]] + 1
                    top = max(top, counts[hidden[cell]])
    return top
