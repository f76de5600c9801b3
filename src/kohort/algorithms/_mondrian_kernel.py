"""Mondrian's strict cuts where only sizes count: the compiled loop, on rows moved between two buffers.

A partition is a range of rows. A cut moves them into the same range of the other buffer, the left side from the
front and the right side from the back, so that the sides are ranges again and no two partitions share memory:
threads may work on different ones. A row is padded to whole 64-bit words, to be moved in few steps.

Cost per tuple and level of the tree: one pass for the ranges of all dimensions, one or two over one column for its
median, one to move the rows; each in the order of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Positions, Shares

#: Rows whose ranges are taken side by side, so that the compiler can use whole vector registers.
STRIDE = 16

#: Up to so many values a median is found by counting, for each value, those below it.
FEW = 32

#: Places of the histogram in which a median is looked for: it fits the innermost cache.
PLACES = 1024

#: Relative difference of two float64 estimates from which they decide; their error is below 1e-15.
DECIDED = 1e-9


class Buffer(NamedTuple):
    """Rows of codes and what goes with them.

    Attributes:
        codes: (t * w,) the rows one after another, each padded with zeros to w codes.
        words: the same memory as 64-bit words.
        tuples: (t,) which tuple each row is.
        counts: (t,) how many records it stands for; (0,) where that is one for all.
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
        k: records that each side of a cut needs.
        nearest: whether the allowable cut nearest the middle is taken; else only the one after the median is tried.
    """

    positions: Positions
    starts: Index
    factors: Shares
    ratios: Index
    k: int
    nearest: bool


class Work(NamedTuple):
    """Memory of one thread.

    Attributes:
        low: (w,) least code of each column in the current partition.
        high: (w,) greatest code of each column.
        lows: (STRIDE * w,) least codes of every STRIDE-th row.
        highs: (STRIDE * w,) greatest codes of every STRIDE-th row.
        widths: (d,) width of each dimension that is still to be tried, else 0.
        values: codes of one column.
        counts: their records.
        histogram: (PLACES,) records by place.
        stack: partitions still to be cut, four numbers each: first and last row, records, depth.
    """

    low: Codes
    high: Codes
    lows: Codes
    highs: Codes
    widths: Index
    values: Codes
    counts: Counts
    histogram: Counts
    stack: Index


class Leaves(NamedTuple):
    """Leaves, left before right, or room for them.

    Attributes:
        ends: (r,) the row where each leaf ends; it begins where the one before it ends.
        depths: (r,) number of cuts that led to it.
        low: (r, w) least code of each column.
        high: (r, w) greatest code of each column.
    """

    ends: Index
    depths: Index
    low: Codes
    high: Codes


@kernel
def _fold(block: Codes, lows: Codes, highs: Codes) -> None:
    """Widen the ranges by a block of codes, place by place."""
    for place in range(lows.size):
        lows[place] = min(lows[place], block[place])
        highs[place] = max(highs[place], block[place])


@kernel
def _ranges(codes: Codes, first: int, last: int, work: Work) -> None:
    """Least and greatest code of every column of the rows, into `work`."""
    width = work.low.size
    row = first
    if last - first >= 4 * STRIDE:
        for place in range(STRIDE * width):
            work.lows[place] = work.highs[place] = codes[first * width + place]
        while row + STRIDE <= last:
            _fold(codes[row * width : (row + STRIDE) * width], work.lows, work.highs)
            row += STRIDE
    for column in range(width):
        low = high = codes[first * width + column]
        if row > first:
            for place in range(column, STRIDE * width, width):
                low = min(low, work.lows[place])
                high = max(high, work.highs[place])
        for place in range(row * width + column, last * width, width):
            low = min(low, codes[place])
            high = max(high, codes[place])
        work.low[column] = low
        work.high[column] = high


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
def _widest(rule: Rule, widths: Index) -> int:
    """R2: the dimension of the greatest relative width, the first of equals; -1 where every width is 0."""
    best = -1
    best_share = 0.0
    for dimension in range(widths.size):
        share = widths[dimension] * rule.factors[dimension]
        if share <= best_share * (1 - DECIDED):
            continue
        if share < best_share * (1 + DECIDED):
            over, under = rule.ratios[dimension, best, 0], rule.ratios[dimension, best, 1]
            if not _greater(widths[dimension], widths[best], under, over):
                continue
        best, best_share = dimension, share
    return best


@kernel
def _by_counting(work: Work, size: int, target: int, below: int) -> tuple[int, int, int]:
    """What `_median` answers, for few values, `below` records being less than all of them."""
    weighted = work.counts.size > 0
    for candidate in range(size):
        value = work.values[candidate]
        less = upto = below
        for other in range(size):
            count = work.counts[other] if weighted else 1
            less += count * (work.values[other] < value)
            upto += count * (work.values[other] <= value)
        if less <= target < upto:
            return np.int64(value), less, upto
    return 0, 0, 0


@kernel
def _median(work: Work, size: int, low: int, high: int, target: int) -> tuple[int, int, int]:
    """R3: the value of record number `target` in ascending order, how many records are below it, how many up to it.

    A histogram's places get narrower until one is one value; what is outside the median's place is forgotten.
    """
    weighted = work.counts.size > 0
    below = 0
    while size > FEW:
        shift = 0
        while (high - low) >> shift >= min(size, PLACES):
            shift += 1
        for place in range(((high - low) >> shift) + 1):
            work.histogram[place] = 0
        for row in range(size):
            work.histogram[(work.values[row] - low) >> shift] += work.counts[row] if weighted else 1
        place = 0
        while below + work.histogram[place] <= target:
            below += work.histogram[place]
            place += 1
        if shift == 0:
            return low + place, below, below + work.histogram[place]
        kept = 0
        for row in range(size):
            value = work.values[row]
            work.values[kept] = value
            if weighted:
                work.counts[kept] = work.counts[row]
            kept += (value - low) >> shift == place
        size = kept
        low += place << shift
        high = low + (1 << shift) - 1
    return _by_counting(work, size, target, below)


@kernel
def _cut(buffer: Buffer, rule: Rule, work: Work, first: int, last: int, records: int) -> tuple[int, int, int]:
    """R4: the cut as (dimension, code, records on the left), the left side being below the code; (-1, 0, 0) at a leaf.

    The cuts before and after the median are the nearest to the middle, and farther ones have a smaller side: where
    only sizes count, no other can be the nearest allowable one.
    """
    width, size = work.low.size, last - first
    for dimension in range(work.widths.size):
        start = rule.starts[dimension]
        low, high = start + work.low[dimension], start + work.high[dimension]
        work.widths[dimension] = rule.positions[high] - rule.positions[low]
    while records >= 2 * rule.k:
        dimension = _widest(rule, work.widths)
        if dimension < 0:
            break
        for row in range(size):
            work.values[row] = buffer.codes[(first + row) * width + dimension]
        if work.counts.size > 0:
            for row in range(size):
                work.counts[row] = buffer.counts[first + row]
        low, high = np.int64(work.low[dimension]), np.int64(work.high[dimension])
        median, less, upto = _median(work, size, low, high, (records - 1) // 2)
        before = rule.nearest and less >= rule.k
        after = upto >= rule.k and records - upto >= rule.k
        if before and not (after and 2 * upto - records < records - 2 * less):
            return dimension, median, less
        if after:
            return dimension, median + 1, upto
        work.widths[dimension] = 0
    return -1, 0, 0


@kernel
def _divide(source: Buffer, target: Buffer, first: int, last: int, dimension: int, code: int) -> int:
    """Move the rows to the same range of the other buffer, those below the code first; where the others begin."""
    rows = source.tuples.size
    width, words = source.codes.size // rows, source.words.size // rows
    weighted = source.counts.size > 0
    left, right = first, last - 1
    for row in range(first, last):
        is_left = source.codes[row * width + dimension] < code
        place = left if is_left else right
        for word in range(words):
            target.words[place * words + word] = source.words[row * words + word]
        target.tuples[place] = source.tuples[row]
        if weighted:
            target.counts[place] = source.counts[row]
        left += is_left
        right -= not is_left
    return left


@kernel
def carve(
    here: Buffer,
    there: Buffer,
    rule: Rule,
    work: Work,
    leaves: Leaves,
    first: int,
    last: int,
    records: int,
    levels: int,
) -> int:
    """Cut a partition, whose rows are `here`, down to its leaves, at most `levels` deep; left before right.

    The leaves' tuples end up `here`, all else of a row in `there` if an odd number of cuts led to it.

    Returns:
        The number of leaves.
    """
    stack = work.stack
    stack[0], stack[1], stack[2], stack[3] = first, last, records, 0
    found, top = 0, 4
    while top > 0:
        top -= 4
        first, last, records, depth = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
        source, target = (there, here) if depth & 1 else (here, there)
        _ranges(source.codes, first, last, work)
        dimension, code, left = _cut(source, rule, work, first, last, records) if depth < levels else (-1, 0, 0)
        if dimension >= 0:
            middle = _divide(source, target, first, last, dimension, code)
            stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = middle, last, records - left, depth + 1
            stack[top + 4], stack[top + 5], stack[top + 6], stack[top + 7] = first, middle, left, depth + 1
            top += 8
            continue
        for row in range(first, last):
            here.tuples[row] = source.tuples[row]
        for column in range(work.low.size):
            leaves.low[found, column] = work.low[column]
            leaves.high[found, column] = work.high[column]
        leaves.ends[found], leaves.depths[found] = last, depth
        found += 1
    return found
