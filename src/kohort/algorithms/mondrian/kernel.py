"""Mondrian's strict cuts: what is cut and by what rule, and the loops on rows moved to and fro in one buffer.

The buffer has room for the table twice. A partition is a range of rows in one half. A cut moves them into the same
range of the other half, those left of the cut from the front and the others from the back, so that both parts are
ranges again and no two partitions share memory: threads may work on different ones. A row is padded to whole 64-bit
words, to be moved in few steps.

Where only sizes count, the whole search is one loop of the compiled core (`kohort.native`, carve.h); the loops below
are those of other models. Cost per tuple and level of the tree: one pass for the ranges of all dimensions, one to three
over one column for its median, one to move the rows; each in the order of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.dimension import drawn
from kohort.kernels import kernel
from kohort.native.library import CARVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Positions, Shares

#: Rows whose ranges are taken side by side, so that the compiler can use whole vector registers; a power of two.
STRIDE = 16

#: Relative difference of two float64 estimates from which they decide; their error is below 1e-15.
DECIDED = 1e-9


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
    numbers = rule.k, rule.nearest, rule.by, rule.seed
    scales = rule.positions, rule.starts, rule.factors, rule.ratios
    return CARVE(buffer, scales, *numbers, work, leaves, *part, levels)


@kernel
def _widen(lows: Codes, highs: Codes, low: Codes, high: Codes) -> None:
    """Widen the ranges `low`..`high` by others, place by place."""
    for place in range(lows.size):
        low[place] = min(low[place], lows[place])
        high[place] = max(high[place], highs[place])


@kernel
def ranges(codes: Codes, width: int, part: Part, low: Codes, high: Codes) -> None:
    """Least and greatest code of every column of the rows, into the first of `low` and `high`.

    Of blocks of up to STRIDE rows first, the last overlapping the one before it; then the block is halved.
    """
    place, end = part.first * width, part.last * width
    block = width
    while block < low.size and 2 * block <= end - place:
        block *= 2
    for column in range(block):
        low[column] = high[column] = codes[place + column]
    while place + block < end:
        place = min(place + block, end - block)
        rows = codes[place : place + block]
        _widen(rows, rows, low, high)
    while block > width:
        block //= 2
        _widen(low[block : 2 * block], high[block : 2 * block], low, high)


@kernel
def measure(  # noqa: PLR0917  a kernel takes arrays by position
    rule: Rule, codes: Codes, width: int, part: Part, tally: Counts, low: Codes, high: Codes, dimension: int
) -> int | np.int64:
    """By what a dimension of a partition is compared with others; 0 where all its records are alike there."""
    start = rule.starts[dimension]
    span = np.int64(rule.positions[start + high[dimension]] - rule.positions[start + low[dimension]])
    if span == 0 or rule.by == BY_WIDTH:
        return span
    if rule.by == BY_CHANCE:
        return drawn(rule.seed, low, high, rule.starts.size, dimension)
    found = 0
    for row in range(part.first, part.last):
        tally[codes[row * width + dimension]] = 0
    for row in range(part.first, part.last):
        code = codes[row * width + dimension]
        found += 1 - int(tally[code])
        tally[code] = 1
    return found


@kernel
def _greater(p: int, q: int, r: int, s: int) -> bool:
    """Whether p/q > r/s, exactly: their continued fractions compared term by term, as Euclid's algorithm gives them."""
    while p // q == r // s:
        p, r = p % q, r % s
        if p == 0 or r == 0:
            return p > 0
        p, q, r, s = s, r, q, p
    return p // q > r // s


@kernel
def widest(widths: Index, factors: Shares, ratios: Index) -> int:
    """R2: the dimension of the greatest relative width, the first of equals; -1 where every width is 0."""
    best = -1
    best_share = 0.0
    for dimension in range(widths.size):
        share = widths[dimension] * factors[dimension]
        if share <= best_share * (1 - DECIDED):
            continue
        if share < best_share * (1 + DECIDED):
            over, under = ratios[dimension, best, 0], ratios[dimension, best, 1]
            if not _greater(widths[dimension], widths[best], under, over):
                continue
        best, best_share = dimension, share
    return best


@kernel
def divide(buffer: Buffer, part: Part, there: int, dimension: int, code: int | np.int64) -> int:
    """Move the rows to the other half, `there` rows on, those below the code first; where the others begin."""
    codes, words, tuples, counts = buffer
    width = codes.size // tuples.size
    left, right = part.first + there, part.last - 1 + there
    for row in range(part.first, part.last):
        is_left = int(codes[row * width + dimension] < code)
        place = right + (left - right) * is_left  # no branch, for no processor could predict it
        for word in range(words.shape[1]):
            words[place, word] = words[row, word]
        tuples[place] = tuples[row]
        if counts.size > 0:
            counts[place] = counts[row]
        left += is_left
        right -= 1 - is_left
    return left
