"""The order of records by their content: keys packed into machine words, which sort fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from kohort.arrays import Index

#: Bits of a machine word.
WORD = 64

#: Records at a time: what is gathered for so many stays in the cache until it is used.
BLOCK = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class SortKey:
    """A number for each of n records: `ranks[codes]`; without codes, `ranks` itself.

    Attributes:
        ranks: (v,) or (n,) the numbers, not negative where they are looked up.
        codes: (n,) which of them each record has.
    """

    ranks: NDArray[np.integer]
    codes: NDArray[np.integer] | None = None

    @property
    def records(self) -> int:
        """How many there are numbers for."""
        return self.ranks.size if self.codes is None else self.codes.size

    @property
    def bits(self) -> int:
        """Bits that hold every number."""
        return int(self.ranks.max(initial=0)).bit_length()

    def of(self, rows: slice) -> NDArray[np.integer]:
        """The numbers of some records."""
        return self.ranks[rows] if self.codes is None else self.ranks[self.codes[rows]]


def blocks(records: int) -> Iterator[slice]:
    """The records, some at a time."""
    return (slice(start, start + BLOCK) for start in range(0, records, BLOCK))


def order_by(keys: Sequence[SortKey]) -> Index:
    """The records in the order of several keys, first key first. Equal ones may come in any order.

    Where one word holds all keys and the record's number behind them, sorting words is sorting records; else the
    words are sorted indirectly, which takes about ten times as long.

    >>> order_by([SortKey(np.array([1, 0, 1])), SortKey(np.array([7, 5]), np.array([0, 1, 1]))]).tolist()
    [1, 2, 0]
    """
    records = keys[0].records
    number = SortKey(np.arange(records))
    parts = _parted([*keys, number])
    if len(parts) > 1:
        return np.lexsort([_packed(part, records) for part in _parted(keys)][::-1])
    words = _packed(parts[0], records)
    words.sort()
    words &= np.uint64((1 << number.bits) - 1)
    return words.view(np.int64)


def _parted(keys: Sequence[SortKey]) -> list[list[SortKey]]:
    """The keys, in as few runs as fit a word each."""
    parts: list[list[SortKey]] = []
    room = 0
    for key in keys:
        bits = key.bits
        if bits > room or not parts:
            parts.append([])
            room = WORD
        parts[-1].append(key)
        room -= bits
    return parts


def _packed(keys: Sequence[SortKey], records: int) -> NDArray[np.uint64]:
    """One word per record, the first key in its highest bits."""
    words = np.zeros(records, np.uint64)
    widths = [np.uint64(key.bits) for key in keys]
    for rows in blocks(records):
        for key, bits in zip(keys, widths, strict=True):
            words[rows] <<= bits
            words[rows] |= key.of(rows).astype(np.uint64)
    return words


def ranks_of(values: pl.Series) -> Index:
    """(v,) the rank of each value as text, by its UTF-8 bytes, missing first."""
    ranks = np.empty(len(values), np.int64)
    ranks[values.arg_sort(nulls_last=False).to_numpy()] = np.arange(len(values))
    return ranks
