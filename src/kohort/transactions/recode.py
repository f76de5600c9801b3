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
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from kohort.kernels import kernel
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

#: Up to so many words are sorted at once where they are; of more NumPy makes better use of the processor.
_FEW: Final = 1 << 9

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)


@kernel
def sort_rows(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    starts: Index, cells: Items, words: Words, stack: Stack, left: Index, row_bits: int, base: int, held: int
) -> tuple[int, int]:
    """Sort the transactions whose numbers are in `words`, but for groups of many, which are left to the caller.

    Args:
        starts: Where each transaction's cells start.
        cells: The items.
        words: Read and written: upper bits of no meaning, below them the numbers, ascending in each group.
        stack: Read and written: the groups that are not sorted out yet.
        left: Read and written: how many groups are on the stack; first place, place behind the last and depth of the
            group whose words were just sorted.
        row_bits: Bits that hold a transaction's number.
        base: One more than there are items.
        held: Items that a word holds beside a transaction's number.

    Returns:
        The words to be sorted, first place and place behind the last, before this is called again; none at the end.
    """
    shift, digit = np.uint64(row_bits), np.uint64(base)
    top, low, high, depth = left[0], left[1], left[2], left[3]
    while True:
        while low < high:
            packed = words[low] >> shift
            end = low + 1
            while end < high and words[end] >> shift == packed:
                end += 1
            if end - low > 1 and packed % digit != _ZERO:
                stack[top, 0], stack[top, 1], stack[top, 2] = low, end, depth + held
                top += 1
            low = end
        if top == 0:
            return 0, 0
        top -= 1
        low, high, depth = stack[top, 0], stack[top, 1], stack[top, 2]
        last, ascend = _ZERO, True
        for place in range(low, high):
            row = words[place] & ((_ONE << shift) - _ONE)
            at, end = starts[int(row)] + depth, starts[int(row) + 1]
            packed = _ZERO
            for cell in range(at, at + held):
                item = cells[min(cell, cells.size - 1)] + 1  # in any case: to choose is quicker than to branch
                packed = packed * digit + np.uint64(item if cell < end else 0)
            packed = (packed << shift) | row
            ascend &= last <= packed
            words[place] = last = packed
        if not ascend and high - low > _FEW:
            left[0], left[1], left[2], left[3] = top, low, high, depth
            return low, high
        if not ascend:
            sort_words(words, low, high)


@kernel
def sort_words(words: Words, low: int, high: int) -> None:
    """Sort some words by Shell's method, which of few is plain insertion."""
    gap = 1
    while 9 * gap < high - low:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(low + gap, high):
            word, hole = words[place], place
            while hole - gap >= low and words[hole - gap] > word:
                words[hole] = words[hole - gap]
                hole -= gap
            words[hole] = word
        gap //= 3


@kernel
def lay_out(starts: Index, order: Index, sources: Index, new_starts: Index) -> None:
    """Write where the transactions in `order` stand, and where they will."""
    for place in range(order.size):
        row = order[place]
        sources[place] = starts[row]
        new_starts[place + 1] = new_starts[place] + starts[row + 1] - starts[row]


@kernel
def copy_runs(cells: Items, sources: Index, starts: Index, copies: Items) -> None:
    """Copy runs of cells that stand anywhere, the first cell of each from `sources`, so that they start at `starts`.

    Where runs end is known from what lies in order; were it read from where they stand, each copy would wait for it.
    """
    for run in range(sources.size):
        ahead = sources[run] - starts[run]
        for at in range(starts[run], starts[run + 1]):
            copies[at] = cells[at + ahead]


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
    low, high = 0, n
    while low < high:
        low, high = sort_rows(database.starts, database.cells, words, stack, left, row_bits, base, held)
        words[low:high].sort()
    words &= np.uint64((1 << row_bits) - 1)
    return words.view(np.int64)


def arranged(database: Transactions, order: Index) -> Transactions:
    """The transactions in `order`, which may name each once, some not at all or some more often.

    >>> database = Transactions.of([["b"], ["a", "c"]])
    >>> arranged(database, content_order(database)).sets()
    [['a', 'c'], ['b']]
    """
    starts, sources = np.zeros(order.size + 1, np.int64), np.empty(order.size, np.int64)
    lay_out(database.starts, order, sources, starts)
    cells = np.empty(int(starts[-1]), np.int32)
    copy_runs(database.cells, sources, starts, cells)
    return Transactions(database.names, starts, cells)
