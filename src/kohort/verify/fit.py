"""How the records of a release fit into their labels: one walk over a column, some records at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask
    from kohort.tables.table import CellCodes
    from kohort.verify.labels import Meaning

#: Records walked at a time: what is made of them stays in the processor's cache.
BLOCK: Final = 1 << 16

#: Pairs of a value and a label that may have a byte each; of more, the listed ones are searched.
_TABLE: Final = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How the records fit.

    Attributes:
        outside: How many have a value that does not lie inside their label.
        at_low: Which have the least number of their label, a range of numbers; eight to a byte.
        at_high: Which have the greatest.
    """

    outside: int
    at_low: NDArray[np.uint8]
    at_high: NDArray[np.uint8]

    @staticmethod
    def places(at_end: NDArray[np.uint8]) -> Index:
        """The records of `at_low` or `at_high`."""
        return np.flatnonzero(np.unpackbits(at_end))


def blocks(records: int) -> Iterator[slice]:
    """All records, some at a time."""
    return (slice(start, min(start + BLOCK, records)) for start in range(0, records, BLOCK))


def fit(meaning: Meaning, values: CellCodes, lineage: Index, labels: CellCodes) -> Fit:
    """How records fit into their labels.

    Args:
        meaning: What the labels stand for.
        values: (n,) the value of each record of the source.
        lineage: (m,) the record of the source that each released one is.
        labels: (m,) its label.
    """
    outside = 0
    at_low, at_high = np.zeros(labels.size, np.bool_), np.zeros(labels.size, np.bool_)
    spanned, listed = bool((meaning.low <= meaning.high).any()), _listed(meaning)
    for block in blocks(labels.size):
        value, label = values.take(lineage[block]), labels[block].astype(np.intp)
        rest = np.arange(label.size)
        if spanned:
            rank, low, high = meaning.ranks.take(value), meaning.low.take(label), meaning.high.take(label)
            rest = np.flatnonzero((rank < low) | (high < rank))
            is_range = (low >= 0) & (low < high) & meaning.ranged
            at_low[block], at_high[block] = is_range & (rank == low), is_range & (rank == high)
        if rest.size:
            outside += int(np.count_nonzero(~listed(value.take(rest) * np.int64(meaning.low.size) + label.take(rest))))
    return Fit(outside, np.packbits(at_low), np.packbits(at_high))


def _listed(meaning: Meaning) -> Callable[[Index], Mask]:
    """What tells whether pairs of a value and a label are listed."""
    pairs = meaning.ranks.size * meaning.low.size
    if pairs <= _TABLE:
        table = np.zeros(pairs, np.bool_)
        table[meaning.listed] = True
        return table.take
    padded = np.append(meaning.listed, pairs)  # what is searched is below the last
    return lambda asked: padded.take(np.searchsorted(padded, asked)) == asked
