"""The order of records by their content: keys packed into machine words, which sort fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from kohort.arrays import Index
    from kohort.workspace import Workspace

#: Bits of a machine word.
WORD = 64


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


def order_by(keys: Sequence[SortKey], workspace: Workspace = HEAP) -> NDArray[np.uint32]:
    """The records in the order of several keys, first key first. Equal ones may come in any order.

    Where one word holds all keys and the record's number behind them, sorting words is sorting records; else the
    words are sorted indirectly, which takes about ten times as long, and memory that no workspace has.

    Cost: 12 bytes a record.

    >>> order_by([SortKey(np.array([1, 0, 1])), SortKey(np.array([7, 5]), np.array([0, 1, 1]))]).tolist()
    [1, 2, 0]
    """
    records = keys[0].records
    parts, room = _parted(keys)
    number = max(records - 1, 0).bit_length()
    order = workspace.numbers(records)
    if len(parts) > 1 or number > room:
        order[:] = np.lexsort([_packed(part, records, workspace) for part in parts][::-1])
        return order
    words = _packed(keys, records, workspace, number)
    words.sort()
    for rows in blocks(records):
        order[rows] = words[rows] & np.uint64((1 << number) - 1)
    return order


def _parted(keys: Sequence[SortKey]) -> tuple[list[list[SortKey]], int]:
    """The keys, in as few runs as fit a word each, and the bits that the last word has left."""
    parts: list[list[SortKey]] = []
    room = 0
    for key in keys:
        bits = key.bits
        if bits > room or not parts:
            parts.append([])
            room = WORD
        parts[-1].append(key)
        room -= bits
    return parts, room


def _packed(keys: Sequence[SortKey], records: int, workspace: Workspace, number: int = 0) -> NDArray[np.uint64]:
    """One word per record, the first key in its highest bits, and the record's number in so many lowest ones."""
    words = workspace.empty(records, np.uint64)
    widths = [np.uint64(key.bits) for key in keys]
    for rows in blocks(records):
        some = words[rows]
        some[:] = 0
        for key, bits in zip(keys, widths, strict=True):
            some <<= bits
            some |= key.of(rows).astype(np.uint64)
        if number:
            some <<= np.uint64(number)
            some |= np.arange(rows.start, rows.stop, dtype=np.uint64)
    return words


def ranks_of(values: pl.Series) -> Index:
    """(v,) the rank of each value as text, by its UTF-8 bytes, missing first."""
    ranks = np.empty(len(values), np.int64)
    ranks[values.arg_sort(nulls_last=False).to_numpy()] = np.arange(len(values))
    return ranks


def content_keys(cells: Iterable[tuple[pl.Series, NDArray[np.integer]]]) -> list[SortKey]:
    """Keys that put records in the order of a release: by the text of their cells, a missing one as the empty text.

    CSV writes both alike. Where that is all by which records differ, the missing cell comes first.

    Args:
        cells: Of each column the distinct values, and which of them each record has.
    """
    texts: list[SortKey] = []
    ties: list[SortKey] = []
    for values, codes in cells:
        ranks, empty = ranks_of(values), (values == "").fill_null(value=False).to_numpy()
        if values.has_nulls() and empty.any():
            ties.append(SortKey(empty.astype(np.int64), codes))
            ranks[empty] = ranks[values.is_null().to_numpy()]
        texts.append(SortKey(ranks, codes))
    return [*texts, *ties]
