"""A transaction database in numbers, before anyone decides what of it is public or private; no item is named."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.arrays import Counts
    from kohort.transactions.database import Transactions

#: The percentages of which `Spread` tells the quantiles.
PERCENTS: Final = (0, 25, 50, 75, 95, 100)


@dataclass(frozen=True, slots=True)
class Spread:
    """How whole numbers are distributed.

    Attributes:
        mean: Their mean.
        quantiles: For each of `PERCENTS` the least number that so many percent of them do not exceed.

    >>> Spread.of(np.array([1, 2, 3, 10]))
    Spread(mean=4.0, quantiles=(1, 1, 2, 3, 10, 10))
    """

    mean: float
    quantiles: tuple[int, ...]

    @classmethod
    def of(cls, numbers: Counts) -> Spread:
        """The distribution of `numbers`; all zero where there are none."""
        ordered = np.sort(numbers) if numbers.size else np.zeros(1, np.int64)
        ranks = [max(-(-percent * ordered.size // 100), 1) for percent in PERCENTS]
        return cls(int(ordered.sum()) / ordered.size, tuple(int(ordered[rank - 1]) for rank in ranks))


@dataclass(frozen=True, slots=True)
class DatabaseProfile:
    """What a transaction database is like.

    Attributes:
        transactions: How many.
        items: How many, those in no transaction included.
        cells: How many: the lengths of all transactions together.
        lengths: The items of a transaction.
        empty: Transactions of no item.
        unique: Transactions of which there is none with the same items.
        supports: The transactions of an item.
        bands: Items by support: for each of 0, 1, 2 to 9, 10 to 99 and so on that has some the least support, the
            greatest, and how many items.
        h: A share of the transactions.
        above: Items in more than this share: none of them can be private when h is the promise.
    """

    transactions: int
    items: int
    cells: int
    lengths: Spread
    empty: int
    unique: int
    supports: Spread
    bands: tuple[tuple[int, int, int], ...]
    h: Fraction
    above: int

    @property
    def density(self) -> float:
        """The share of ones in the matrix of transactions and items."""
        return _share(self.cells, self.transactions * self.items)

    @property
    def unique_share(self) -> float:
        """The share of the transactions that are unique."""
        return _share(self.unique, self.transactions)

    @property
    def above_share(self) -> float:
        """The share of the items that cannot be private."""
        return _share(self.above, self.items)

    @property
    def feasible_h(self) -> Fraction:
        """The least h at which any item can be private."""
        return Fraction(self.supports.quantiles[-1], max(self.transactions, 1))


def profile(database: Transactions, h: Fraction) -> DatabaseProfile:
    """The database in numbers, and how many items are in more than the share `h` of its transactions.

    Raises:
        UsageError: `h` is not from 0 to 1.

    >>> from kohort.transactions.database import Transactions
    >>> shop = Transactions.of([["bread", "milk"], ["milk"], ["milk"], []])
    >>> seen = profile(shop, Fraction(2, 5))
    >>> seen.unique, seen.empty, seen.above, seen.feasible_h
    (2, 1, 1, Fraction(3, 4))
    """
    if not 0 <= h <= 1:
        raise UsageError("h must be a share from 0 to 1", where="h", hint="such as 0.4 for 40 %")
    n = len(database)
    return DatabaseProfile(
        transactions=n,
        items=len(database.names),
        cells=database.cells.size,
        lengths=Spread.of(database.lengths),
        empty=int((database.lengths == 0).sum()),
        unique=_unique(database),
        supports=Spread.of(database.supports),
        bands=_bands(database.supports),
        h=h,
        above=int((database.supports > n * h.numerator // h.denominator).sum()),
    )


def _unique(database: Transactions) -> int:
    """The transactions whose items are no other's: the very bytes are compared, no hashes."""
    width = database.cells.itemsize
    cells = database.cells.tobytes()
    sets = Counter(cells[start:end] for start, end in pairwise((database.starts * width).tolist()))
    return sum(times == 1 for times in sets.values())


def _bands(supports: Counts) -> tuple[tuple[int, int, int], ...]:
    """How many items each band of supports has, where it has some."""
    edges = [0, 1, 2, 10]
    while edges[-1] <= supports.max(initial=0):
        edges.append(10 * edges[-1])
    within = np.bincount(np.searchsorted(edges, supports, side="right"), minlength=len(edges)).tolist()
    bands = zip(pairwise(edges), within[1:], strict=True)
    return tuple((low, high - 1, items) for (low, high), items in bands if items)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
