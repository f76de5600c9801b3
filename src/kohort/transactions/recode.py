"""What is left of a transaction database once items, or cells, are suppressed: in an order that tells nothing.

The order of transactions by their own content, which betrays nothing of the order they came in.

Transactions are sorted like words of a dictionary, whose letters are items: most significant letters first, several of
them packed into the upper bits of a machine word with the transaction's number below, so that sorting words is sorting
transactions, and equal ones keep their order. What is still equal then is a group, and waits on a stack until its next
items are looked at. So each cell is looked at once, whatever the transactions are, and the stack is never longer than
half of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from kohort.native.library import COPY_RUNS, SORT_ROWS
from kohort.transactions.database import Transactions
from kohort.transactions.problem import CellSuppression, ItemSuppression

if TYPE_CHECKING:
    from kohort.arrays import Index, Items
    from kohort.transactions.problem import Suppression


@dataclass(frozen=True, slots=True, eq=False)
class RecodedTransactions:
    """A database less what was suppressed.

    Attributes:
        database: The n transactions in the order of their own content, over the items that are left.
        lineage: (n,) the transaction that each one was.
        dropped: (d,) the items that are left nowhere; items that occurred nowhere before are not among them.
    """

    database: Transactions
    lineage: Index
    dropped: Items


def recode(database: Transactions, suppression: Suppression) -> RecodedTransactions:
    """The database less what `suppression` takes.

    >>> from kohort.transactions.database import Transactions
    >>> baskets = Transactions.of([["tea"], ["jam", "tea"], ["jam"]])
    >>> recoded = recode(baskets, ItemSuppression(np.array([1], np.int32)))
    >>> recoded.database.sets(), recoded.lineage.tolist()
    ([[], ['jam'], ['jam']], [0, 1, 2])
    """
    match suppression:
        case ItemSuppression(items):
            left, dropped = database, items
        case CellSuppression(keep):
            left = database.kept(keep)
            dropped = np.flatnonzero((left.supports == 0) & (database.supports > 0)).astype(np.int32)
        case _:
            assert_never(suppression)
    stays = np.ones(len(database.names), np.bool_)
    stays[dropped] = False
    narrow = left.only(stays)
    lineage = content_order(narrow)
    return RecodedTransactions(arranged(narrow, lineage), lineage, dropped)


#: Transactions while they are sorted: (n,) uint64, upper bits their next items, lower bits their number.
Words: TypeAlias = NDArray[np.uint64]

#: Groups that are not sorted out yet: (n // 2 + 1, 3) int64 of first place, place behind the last, items looked at.
Stack: TypeAlias = NDArray[np.int64]


def content_order(database: Transactions) -> Index:
    """(n,) the transactions in the order of their content: item by item, a shorter one before its continuations.

    Equal ones keep their order.

    >>> database = Transactions.of([["b"], ["a", "c"], [], ["a"], ["a", "b"]])
    >>> content_order(database).tolist()
    [2, 3, 4, 1, 0]
    """
    n = len(database)
    if not database.cells.size:
        return np.arange(n)
    words: Words = np.arange(n, dtype=np.uint64)
    row_bits, base = max(n - 1, 1).bit_length(), len(database.names) + 1
    held = max(held for held in range(1, 64) if base**held << row_bits <= 1 << 64)
    stack: Stack = np.empty((n // 2 + 1, 3), np.int64)
    stack[0], left = (0, n, 0), np.array([1, 0, 0, 0])
    while SORT_ROWS(database.starts, database.cells, words, stack, left, row_bits, base, held):
        words[left[1] : left[2]].sort()
    words &= np.uint64((1 << row_bits) - 1)
    return words.view(np.int64)


def arranged(database: Transactions, order: Index) -> Transactions:
    """The transactions in `order`, which may name each once, some not at all or some more often.

    >>> database = Transactions.of([["b"], ["a", "c"]])
    >>> arranged(database, content_order(database)).sets()
    [['a', 'c'], ['b']]
    """
    starts, sources = np.zeros(order.size + 1, np.int64), database.starts[order]
    np.cumsum(database.starts[order + 1] - sources, out=starts[1:])
    cells = np.empty(int(starts[-1]), np.int32)
    COPY_RUNS(database.cells, sources, starts, cells)
    return Transactions(database.names, starts, cells)
