"""The order of transactions by their own content, which betrays nothing of the order they came in.

Transactions are sorted like words of a dictionary, whose letters are items: most significant letters first, several of
them packed into the upper bits of a machine word with the transaction's number below, so that sorting words is sorting
transactions, and equal ones keep their order. What is still equal then is a group, and waits on a stack until its next
items are looked at, those behind all that the group's transactions share. So each cell is looked at a few times
whatever the transactions are, and the stack is never longer than half of them: O(c + n) in time and memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.kernels import kernel
from kohort.transactions.database import Transactions

if TYPE_CHECKING:
    from kohort.arrays import Index, Items

#: Transactions while they are sorted: (n,) uint64, upper bits their next items, lower bits their number.
Words: TypeAlias = NDArray[np.uint64]

#: Groups that are not sorted out yet: (n // 2 + 1, 3) int64 of first place, place behind the last, items shared.
Stack: TypeAlias = NDArray[np.int64]

#: Bits sorted by at once: as many counters as stay in the fastest cache.
_DIGIT: Final = 11
_ONES: Final = np.uint64((1 << _DIGIT) - 1)

#: Up to so many words insertion is faster than counting.
_FEW: Final = 96

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)


@kernel
def next_items(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    starts: Index, cells: Items, row: int, depth: int, base: int, held: int
) -> np.uint64:
    """The items of a transaction from its place `depth` on, the digits of a number; 0 stands past its end."""
    at, end = starts[row] + depth, starts[row + 1]
    packed = _ZERO
    for _ in range(held):
        item = cells[min(at, cells.size - 1)] + 1  # looked at in any case: to choose is quicker than to branch
        packed = packed * np.uint64(base) + np.uint64(item if at < end else 0)
        at += 1
    return packed


@kernel
def shared_items(starts: Index, cells: Items, words: Words, rows: np.uint64, depth: int) -> int:
    """How many of their first items all these transactions share, `depth` of which are known."""
    first = starts[int(words[0] & rows)]
    shared = int(starts[int(words[0] & rows) + 1] - first)
    for word in words[1:]:
        row = int(word & rows)
        other = starts[row]
        shared = min(shared, int(starts[row + 1] - other))
        for at in range(depth, shared):
            if cells[first + at] != cells[other + at]:
                shared = at
                break
    return shared


@kernel
def sort_words(words: Words, spare: Words, counts: Index, low: int) -> None:
    """Sort `words`, whose bits below `low` ascend."""
    if words.size <= _FEW:
        for place in range(1, words.size):
            word = words[place]
            while place > 0 and words[place - 1] > word:
                words[place] = words[place - 1]
                place -= 1  # noqa: PLW2901  the gap moves down to where the word belongs
            words[place] = word
        return
    for bit in range(low, 64, _DIGIT):
        shift = np.uint64(bit)
        counts[:] = 0
        for word in words:
            counts[int((word >> shift) & _ONES)] += 1
        if counts[int((words[0] >> shift) & _ONES)] == words.size:
            continue
        before = 0
        for digit in range(counts.size):
            counts[digit], before = before, before + counts[digit]
        for word in words:
            digit = int((word >> shift) & _ONES)
            spare[counts[digit]] = word
            counts[digit] += 1
        for place in range(words.size):
            words[place] = spare[place]


@kernel
def sort_rows(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    starts: Index,
    cells: Items,
    row_bits: int,
    base: int,
    held: int,
    words: Words,
    spare: Words,
    counts: Index,
    stack: Stack,
) -> None:
    """Sort the transactions whose numbers are in `words`.

    Args:
        starts: Where each transaction's cells start.
        cells: The items.
        row_bits: Bits that hold a transaction's number.
        base: One more than there are items.
        held: Items that a word holds beside a transaction's number.
        words: Read: the numbers, ascending. Written: the numbers in their order, below bits of no meaning.
        spare: As large.
        counts: A number for each digit.
        stack: Room for the groups; the first one, of all transactions, is on it.
    """
    rows = (_ONE << np.uint64(row_bits)) - _ONE
    top = 1
    while top > 0:
        top -= 1
        low, high, depth = stack[top, 0], stack[top, 1], stack[top, 2]
        for place in range(low, high):
            row = words[place] & rows
            packed = next_items(starts, cells, int(row), depth, base, held)
            words[place] = (packed << np.uint64(row_bits)) | row
        sort_words(words[low:high], spare, counts, row_bits)
        while low < high:
            packed = words[low] >> np.uint64(row_bits)
            end = low + 1
            while end < high and words[end] >> np.uint64(row_bits) == packed:
                end += 1
            if end - low > 1 and packed % np.uint64(base) != _ZERO:
                stack[top, 0], stack[top, 1] = low, end
                stack[top, 2] = shared_items(starts, cells, words[low:end], rows, depth + held)
                top += 1
            low = end


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
    stack: Stack = np.empty((n // 2 + 1, 3), np.int64)
    stack[0] = 0, n, 0
    row_bits, base = max(n - 1, 1).bit_length(), len(database.names) + 1
    held = max(held for held in range(1, 64) if base**held << row_bits <= 1 << 64)
    counts = np.empty(1 << _DIGIT, np.int64)
    sort_rows(database.starts, database.cells, row_bits, base, held, words, np.empty_like(words), counts, stack)
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
