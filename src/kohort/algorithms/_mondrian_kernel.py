"""Mondrian's strict cuts where only sizes count: the compiled loop, on rows moved between two sides of a buffer.

A partition is a range of rows on one side. A cut moves them into the same range of the other side, those left of the
cut from the front and the others from the back, so that both parts are ranges again and no two partitions share
memory: threads may work on different ones. A row is padded to whole 64-bit words, to be moved in few steps.

Cost per tuple and level of the tree: one pass for the ranges of all dimensions, one to three over one column for its
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
    """Two sides for the rows and what goes with them.

    Attributes:
        codes: (2, t * w) the rows one after another, each padded to w codes.
        words: (2, t, w / 4 or w / 2) the same memory as 64-bit words.
        tuples: (2, t) which tuple each row is.
        counts: (2, t) how many records it stands for; (2, 0) where that is one for all.
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
        counts: their records; (0,) where each is one.
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
def _widen(lows: Codes, highs: Codes, low: Codes, high: Codes) -> None:
    """Widen the ranges `low`..`high` by others, place by place."""
    for place in range(low.size):
        low[place] = min(low[place], lows[place])
        high[place] = max(high[place], highs[place])


@kernel
def _ranges(codes: Codes, first: int, last: int, low: Codes, high: Codes, lows: Codes, highs: Codes) -> None:
    """Least and greatest code of every column of the rows; of many rows in blocks of STRIDE."""
    width, wide = low.size, lows.size
    place, end = first * width, last * width
    for column in range(width):
        low[column] = high[column] = codes[place + column]
    if end - place >= 4 * wide:
        for column in range(wide):
            lows[column] = highs[column] = codes[place + column]
        while place + wide <= end:
            block = codes[place : place + wide]
            _widen(block, block, lows, highs)
            place += wide
        for part in range(0, wide, width):
            _widen(lows[part : part + width], highs[part : part + width], low, high)
    while place < end:
        row = codes[place : place + width]
        _widen(row, row, low, high)
        place += width


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
def _widest(widths: Index, factors: Shares, ratios: Index) -> int:
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
def _median(
    values: Codes, counts: Counts, size: int, low: int, high: int, target: int, histogram: Counts
) -> tuple[int, int, int]:
    """R3: the value of record number `target` in ascending order, how many records are below it, how many up to it.

    A histogram's places get narrower until one is one value; what is outside the median's place is forgotten.
    """
    weighted = counts.size > 0
    below = 0
    while size > FEW:
        shift = 0
        while (high - low) >> shift >= min(size, PLACES):
            shift += 1
        for place in range(((high - low) >> shift) + 1):
            histogram[place] = 0
        for row in range(size):
            histogram[(values[row] - low) >> shift] += counts[row] if weighted else 1
        place = 0
        while below + histogram[place] <= target:
            below += histogram[place]
            place += 1
        if shift == 0:
            return low + place, below, below + histogram[place]
        kept = 0
        for row in range(size):
            value = values[row]
            values[kept] = value
            if weighted:
                counts[kept] = counts[row]
            kept += (value - low) >> shift == place
        size = kept
        low += place << shift
        high = low + (1 << shift) - 1
    for candidate in range(size):
        value = values[candidate]
        less = upto = below
        for row in range(size):
            count = counts[row] if weighted else 1
            less += count * (values[row] < value)
            upto += count * (values[row] <= value)
        if less <= target < upto:
            return np.int64(value), less, upto
    return 0, 0, 0


@kernel
def _cut(
    codes: Codes, counts: Counts, first: int, last: int, records: int, rule: Rule, work: Work
) -> tuple[int, int, int]:
    """R4: the cut as (dimension, code, records left of it), a row being left if below the code; (-1, 0, 0) at a leaf.

    The cuts before and after the median are the nearest to the middle, and of farther ones a part is smaller still:
    where only sizes count, no other can be the nearest allowable one.
    """
    positions, starts, factors, ratios, k, nearest = rule
    low, high, _, _, widths, values, weights, histogram, _ = work
    width, size = low.size, last - first
    for dimension in range(widths.size):
        start = starts[dimension]
        widths[dimension] = positions[start + high[dimension]] - positions[start + low[dimension]]
    while True:
        dimension = _widest(widths, factors, ratios)
        if dimension < 0:
            return -1, 0, 0
        for row in range(size):
            values[row] = codes[(first + row) * width + dimension]
        if weights.size > 0:
            for row in range(size):
                weights[row] = counts[first + row]
        ends = np.int64(low[dimension]), np.int64(high[dimension])
        median, less, upto = _median(values, weights, size, ends[0], ends[1], (records - 1) // 2, histogram)
        before = nearest and less >= k
        after = upto >= k and records - upto >= k
        if before and not (after and 2 * upto - records < records - 2 * less):
            return dimension, median, less
        if after:
            return dimension, median + 1, upto
        widths[dimension] = 0


@kernel
def _divide(buffer: Buffer, side: int, first: int, last: int, dimension: int, code: int) -> int:
    """Move the rows to the other side, those below the code to the front of the range; where the others begin."""
    codes, words, tuples, counts = buffer
    other, width = 1 - side, codes.shape[1] // tuples.shape[1]
    left, right = first, last - 1
    for row in range(first, last):
        is_left = np.int64(codes[side, row * width + dimension] < code)
        place = right + (left - right) * is_left  # no branch, for no processor could predict it
        for word in range(words.shape[2]):
            words[other, place, word] = words[side, row, word]
        tuples[other, place] = tuples[side, row]
        if counts.shape[1] > 0:
            counts[other, place] = counts[side, row]
        left += is_left
        right -= 1 - is_left
    return left


@kernel
def carve(
    buffer: Buffer,
    rule: Rule,
    work: Work,
    leaves: Leaves,
    first: int,
    last: int,
    records: int,
    start: int,
    levels: int,
) -> int:
    """Cut a partition on side `start` down to its leaves, at most `levels` deep; left before right.

    The leaves' tuples end up on the same side, all else of a row on the other if an odd number of cuts led to it.

    Returns:
        The number of leaves.
    """
    low, high, lows, highs, _, _, _, _, stack = work
    stack[0], stack[1], stack[2], stack[3] = first, last, records, 0
    found, top = 0, 4
    while top > 0:
        top -= 4
        first, last, records, depth = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
        side = start ^ (depth & 1)
        _ranges(buffer.codes[side], first, last, low, high, lows, highs)
        dimension, code, left = -1, 0, 0
        if records >= 2 * rule.k and depth < levels:
            dimension, code, left = _cut(buffer.codes[side], buffer.counts[side], first, last, records, rule, work)
        if dimension >= 0:
            middle = _divide(buffer, side, first, last, dimension, code)
            stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = middle, last, records - left, depth + 1
            stack[top + 4], stack[top + 5], stack[top + 6], stack[top + 7] = first, middle, left, depth + 1
            top += 8
            continue
        for row in range(first, last):
            buffer.tuples[start, row] = buffer.tuples[side, row]
        for column in range(low.size):
            leaves.low[found, column] = low[column]
            leaves.high[found, column] = high[column]
        leaves.ends[found], leaves.depths[found] = last, depth
        found += 1
    return found
