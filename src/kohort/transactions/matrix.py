"""Synthetic 0/1 matrices: each cell is 1 with the same probability, whatever the others are.

A row is a transaction, a column an item. Row r of a seed takes its words, one for each cell, from the counter-based
generator Philox, those of row 0 first: batches of any size are the same rows, and memory stays constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import UsageError
from kohort.transactions.database import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Mask

#: Columns at most: a row's words are made at once.
MOST: Final = 10_000_000

#: Cells made at once unless told otherwise: 8 MiB of random words.
CELLS: Final = 1 << 20

#: Words that a counter step gives.
_STEP = 4

#: Bits of a word that are compared with the density, as many as a float tells apart.
_BITS = 53


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    r"""A matrix of any number of rows.

    Attributes:
        columns: How many items.
        density: The probability of a 1.
        seed: The same seed gives the same rows.

    >>> b"".join(map(text, Matrix(columns=4, density=0.5, seed=7).batches(2)))
    b'1,1,1,1\n1,0,1,0\n'
    """

    columns: int
    density: float
    seed: int

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        ranges = {"columns": (self.columns, 1, MOST), "density": (self.density, 0, 1)}
        for name, (value, least, most) in ranges.items():
            if not least <= value <= most:
                raise UsageError(f"{name} must be from {least} to {most:,}", where=name)
        if self.seed < 0:
            raise UsageError("seed must be at least 0", where="seed")

    def header(self) -> bytes:
        """A line of the items' names: item_0, item_1 and so on."""
        return f"{','.join(f'item_{column}' for column in range(self.columns))}\n".encode()

    def batches(self, rows: int, *, batch: int | None = None) -> Iterator[Mask]:
        """So many rows, in batches of (n, columns) cells, the last one smaller.

        Raises:
            UsageError: A negative number of rows, or a batch of none.
        """
        size = max(1, CELLS // self.columns) if batch is None else batch
        for name, value, least in (("rows", rows, 0), ("batch", size, 1)):
            if value < least:
                raise UsageError(f"{name} must be at least {least}", where=name)
        return (self._cells(start, min(size, rows - start)) for start in range(0, rows, size))

    def transactions(self, rows: int) -> Transactions:
        """So many rows as transactions; items are called by their places."""
        cells, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        for batch in self.batches(rows):
            lengths.append(batch.sum(axis=1))
            cells.append(np.nonzero(batch)[1].astype(np.int32))
        names = tuple(map(str, range(self.columns)))
        return Transactions(names, np.cumsum(np.concatenate(lengths)), np.concatenate(cells))

    def _cells(self, first: int, rows: int) -> Mask:
        """(rows, columns) the cells from row `first` on."""
        key = np.random.SeedSequence(self.seed).generate_state(2, np.uint64).astype(np.uint64)
        steps = -(-self.columns // _STEP)
        stream = np.random.Philox(key=key, counter=[first * steps, 0, 0, 0])
        words = stream.random_raw(rows * steps * _STEP).reshape(rows, -1)[:, : self.columns]
        return words >> np.uint64(64 - _BITS) < np.uint64(round(self.density * (1 << _BITS)))


def text(cells: Mask) -> bytes:
    r"""A line for each row, its cells separated by commas.

    >>> text(np.array([[True, False], [False, False]]))
    b'1,0\n0,0\n'
    """
    rows, columns = cells.shape
    line = np.full((rows, columns, 2), ord(","), np.uint8)
    line[:, :, 0] = cells
    line[:, :, 0] += ord("0")
    line[:, -1, 1] = ord("\n")
    return line.tobytes()
