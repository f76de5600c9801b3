"""Mondrian's strict cuts: what is cut and by what rule, in rows that are moved to and fro in one buffer.

The buffer has room for the table twice. A partition is a range of rows in one half. A cut moves them into the same
range of the other half, those left of the cut from the front and the others from the back, so that both parts are
ranges again and no two partitions share memory: threads may work on different ones. A row is padded to whole 64-bit
words, to be moved in few steps.

Where only sizes count, the whole search is one loop of the compiled core (`kohort.native`, carve.h); `wave_kernels` has
those of other models. Cost per tuple and level of the tree: one pass for the ranges of all dimensions, one to three
over one column for its median, one to move the rows; each in the order of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kohort.native.library import CARVE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Positions, Shares

#: By what the dimensions of a partition are measured.
BY_WIDTH, BY_VALUES, BY_CHANCE = 0, 1, 2


class Buffer(NamedTuple):
    """Twice the t rows of a table, and what goes with them.

    Attributes:
        codes: (2t * w,) the rows one after another, each padded to w codes.
        words: (2t, w / 4 or w / 2) the same memory as 64-bit words.
        tuples: (2t,) which tuple each row is.
        counts: (2t,) how many records it stands for; (0,) where that is one for all.
    """

    codes: Codes
    words: NDArray[np.uint64]
    tuples: NDArray[np.uint32]
    counts: Counts


class Rule(NamedTuple):
    """What may be cut, and where.

    Attributes:
        positions: the places of all dimensions' codes on their scales, one dimension after another.
        starts: (d,) where each dimension's positions begin.
        factors: (d,) weight / width in the table, divided by the greatest of them.
        ratios: (d, d, 2) quotient of any two factors, exactly: numerator and denominator.
        k: records that each part needs.
        nearest: whether the allowable cut nearest the middle is taken; else only the one after the median is tried.
        by: by what dimensions are measured: BY_WIDTH, BY_VALUES, BY_CHANCE.
        seed: of chance.
    """

    positions: Positions
    starts: Index
    factors: Shares
    ratios: Index
    k: int
    nearest: bool
    by: int = BY_WIDTH
    seed: int = 0

    @property
    def arguments(self) -> tuple[tuple[Positions | Index | Shares, ...], int, bool, int, int]:
        """All of it as the compiled core takes it."""
        return (self.positions, self.starts, self.factors, self.ratios), self.k, self.nearest, self.by, self.seed


class Work(NamedTuple):
    """Memory of one thread.

    Attributes:
        low: (w,) least code of each column in the current partition.
        high: (w,) likewise the greatest.
        widths: (d,) width, or other measure, of each dimension that is still to be tried, else 0.
        values: codes of one column.
        counts: their records; (0,) where each is one.
        tally: (w,) which codes of a column occur, of as many as all columns have.
        stack: partitions still to be cut, four numbers each: first and last row, records, depth.
    """

    low: Codes
    high: Codes
    widths: Index
    values: Codes
    counts: Counts
    tally: Counts
    stack: Index


class Part(NamedTuple):
    """A partition: its range of rows, and how many records they are."""

    first: int
    last: int
    records: int


class Leaves(NamedTuple):
    """Leaves, left before right, or room for them.

    Attributes:
        sizes: (r,) rows of each leaf.
        depths: (r,) number of cuts that led to it.
        low: (r, w) least code of each column.
        high: (r, w) greatest code of each column.
    """

    sizes: Index
    depths: Index
    low: Codes
    high: Codes


def carve(buffer: Buffer, rule: Rule, work: Work, leaves: Leaves, part: Part, levels: int) -> int:  # noqa: PLR0917
    """Cut a partition down to its leaves, at most `levels` deep; left before right.

    The leaves' tuples end up in the rows of the partition, all else of a row in the other half if an odd number of
    cuts led to it.

    Returns:
        The number of leaves.
    """
    return CARVE(buffer, *rule.arguments, work, leaves, *part, levels)
