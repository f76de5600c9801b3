"""Transactions spelled out as lines of names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.io.source import LF, WORD, words_of
from kohort.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Index, Items
    from kohort.io.source import Bytes, Words
    from kohort.transactions.database import Transactions

#: Bytes spelled at once: they stay in the processor's cache until they are written.
FULL: Final = 1 << 18


def spelled(database: Transactions, separator: str) -> Iterator[Bytes]:
    """The lines of the transactions, some at a time; a piece is overwritten by the next.

    Args:
        database: The transactions.
        separator: Between the names of a line: one ASCII character.
    """
    texts = [(name + separator).encode() for name in database.names]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    names = words_of(np.frombuffer(b"".join([*texts, bytes(WORD)]), np.uint8))
    longest = max(map(len, texts), default=0)
    out = np.empty(FULL + longest + 2 * WORD, np.uint8)
    row = cell = 0
    while row < len(database):
        row, cell, size = spell(database.starts, database.cells, names, ends, row, cell, words_of(out), out)
        yield out[:size]


@kernel
def spell(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    starts: Index, cells: Items, names: Words, ends: Index, row: int, cell: int, words: Words, out: Bytes
) -> tuple[int, int, int]:
    """Write lines from a cell on, until there are `FULL` bytes or none are left.

    Args:
        starts: Where each transaction's cells start.
        cells: The items.
        names: The items' names, each with what separates it from the next one.
        ends: Before each name the bytes of all earlier ones, and the bytes of all.
        row: The transaction to go on with.
        cell: The cell to go on with.
        words: Written: the lines, and a few bytes more than they have.
        out: The same memory, byte by byte.

    Returns:
        The transaction and the cell to go on with, and the bytes written.
    """
    at = 0
    while row < starts.size - 1 and at < FULL:
        end = starts[row + 1]
        while cell < end:
            if at >= FULL:
                return row, cell, at
            item = cells[cell]
            length = int(ends[item + 1] - ends[item])
            for k in range(0, length, WORD):
                words[at + k] = names[ends[item] + k]
            at += length
            cell += 1
        if starts[row] == end:
            at += 1
        out[at - 1] = LF
        row += 1
    return row, cell, at
