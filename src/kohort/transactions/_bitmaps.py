"""Cohorts as bitmaps: a bit for each transaction; to intersect two is to AND words, to count is to count ones.

Fast where items are in many transactions: a word costs about 0.2 ns and tells of 64.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, eq=False)
class Bitmaps:
    """The cohorts of f public and g private items.

    Attributes:
        public: (f, words).
        private: (g, words).
        pairs: (f, g) the transactions that have both.
        hidden: The private items of each transaction, for cohorts so small that looking at each is quicker.
    """

    public: Bits
    private: Bits
    pairs: Pairs
    hidden: Rows

    @staticmethod
    def fit(public: Rows, private: Rows) -> bool:
        """Whether bitmaps of these take no more memory than allowed."""
        f, g = public.width, private.width
        return (f + g) * words_of(public) * 8 + 4 * f * g <= _ROOM

    @classmethod
    def of(cls, public: Rows, private: Rows) -> Bitmaps:
        """The bitmaps of the items in these rows."""
        bits = [np.zeros((rows.width, words_of(rows)), np.uint64) for rows in (public, private)]
        for one, rows in zip(bits, (public, private), strict=True):
            mark(rows.starts, rows.items, one)
        pairs = np.empty((len(bits[0]), len(bits[1])), np.int32)
        cross(bits[0], bits[1], pairs)
        return cls(bits[0], bits[1], pairs, private)

    def among(self, items: Index) -> Bitmaps:
        """Those of some of the public items, whose codes become their places in `items`."""
        return Bitmaps(self.public[items], self.private, self.pairs[items], self.hidden)

    def singles(self, items: Index) -> Counts:
        """The most transactions that each of these items has in common with one private item."""
        tops: Counts = self.pairs[items].max(axis=1, initial=0).astype(np.int64)
        return tops

    def supports(self, sets: Items, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: the set `sets[base]` and an item."""
        supports = np.empty(base.size, np.int64)
        scratch = np.empty((2, self.public.shape[1]), np.uint64)
        count(self.public, sets, base, item, scratch, supports)
        return supports

    def tops(self, sets: Items, base: Index, item: Items, supports: Counts, share: tuple[int, int]) -> Counts:
        """(c,) for each candidate a count that no private item exceeds in its cohort.

        It is that of some private item where the share is exceeded, so that the judgement is exact.
        """
        tops = np.empty(base.size, np.int64)
        scratch = np.empty((2, self.public.shape[1]), np.uint64)
        counts = np.zeros(len(self.private), np.int64)
        hidden = self.hidden
        breadth = max(hidden.items.size / max(len(hidden), 1), 1)
        few = int(WORD_COST * self.private.size / 4 / (CELL_COST * breadth))
        highest(
            self.public, self.private, self.pairs, hidden.starts, hidden.items,
            sets, base, item, supports, share, few, scratch, counts, tops,
        )  # fmt: skip
        return tops


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
    bits: Bits, sets: Items, base: Index, item: Items, scratch: Bits, supports: Counts
) -> None:
    """Count the cohort of each candidate; that of a base is made once for all candidates that extend it."""
    cohort, made = scratch[0], -1
    for at in range(base.size):
        if base[at] != made:
            made = base[at]
            meet(bits, sets[made], cohort)
        supports[at] = together(cohort, bits[item[at]])


@kernel
def highest(  # noqa: PLR0917  a kernel takes arrays by position
    public: Bits,
    private: Bits,
    pairs: Pairs,
    starts: Index,
    hidden: Items,
    sets: Items,
    base: Index,
    item: Items,
    supports: Counts,
    share: tuple[int, int],
    few: int,
    scratch: Bits,
    counts: Counts,
    tops: Counts,
) -> None:
    """Bound the private items in the cohort of each candidate; see `Bitmaps.tops`.

    A cohort of at most `few` transactions is looked at transaction by transaction, a larger one private item by
    private item, passing over those that are within the share by their pairs with the candidate's items.
    """
    numerator, denominator = share
    before, cohort, made = scratch[0], scratch[1], -1
    for at in range(base.size):
        if base[at] != made:
            made = base[at]
            meet(public, sets[made], before)
        extra = public[item[at]]
        for word in range(cohort.size):
            cohort[word] = before[word] & extra[word]
        if supports[at] <= few:
            tops[at] = scan(cohort, starts, hidden, counts)
            continue
        top = 0
        for e in range(private.shape[0]):
            most = pairs[item[at], e]
            for place in range(sets.shape[1]):
                most = min(most, pairs[sets[made, place], e])
            if most > top and most * denominator > supports[at] * numerator:
                most = together(cohort, private[e])
            top = max(top, most)
            if top * denominator > supports[at] * numerator:
                break
        tops[at] = top


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
