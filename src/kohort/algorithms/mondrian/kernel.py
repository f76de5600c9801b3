"""Mondrian's strict cuts where only sizes count: the compiled loop, on rows moved to and fro in one buffer.

The buffer has room for the table twice. A partition is a range of rows in one half. A cut moves them into the same
range of the other half, those left of the cut from the front and the others from the back, so that both parts are
ranges again and no two partitions share memory: threads may work on different ones. A row is padded to whole 64-bit
words, to be moved in few steps.

Cost per tuple and level of the tree: one pass for the ranges of all dimensions, one to three over one column for its
median, one to move the rows; each in the order of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kohort.algorithms.mondrian.dimension import drawn
from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Positions, Shares

#: Rows whose ranges are taken side by side, so that the compiler can use whole vector registers; a power of two.
STRIDE = 16

#: Up to so many values a median is found by counting, for each value, those below it.
FEW = 32

#: Places of the histogram in which a median is looked for: it fits the innermost cache.
PLACES = 1024

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
        low: (STRIDE * w,) the first w: least code of each column in the current partition; the others serve to find it.
        high: (STRIDE * w,) likewise the greatest.
        widths: (d,) width, or other measure, of each dimension that is still to be tried, else 0.
        values: codes of one column.
        counts: their records; (0,) where each is one.
        histogram: (PLACES,) records by place.
        tally: (w,) which codes of a column occur, of as many as all columns have.
        stack: partitions still to be cut, four numbers each: first and last row, records, depth.
    """

    low: Codes
    high: Codes
    widths: Index
    values: Codes
    counts: Counts
    histogram: Counts
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


class Room(NamedTuple):
    """Memory to work in, and for what is found."""

    work: Work
    leaves: Leaves


#: The median's value, the records below it, and the records up to it.
Median: TypeAlias = "tuple[int | np.int64, int, int]"


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
def _by_counting(values: Codes, counts: Counts, size: int, target: int, below: int) -> Median:
    """What `_median` answers, for few values, `below` records being less than all of them."""
    weighted = counts.size > 0
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
def _median(work: Work, size: int, low: int | np.int64, high: int | np.int64, target: int) -> Median:
    """R3: the value of record number `target` in ascending order, how many records are below it, how many up to it.

    A histogram's places get narrower until one is one value; what is outside the median's place is forgotten.
    """
    values, counts, histogram = work.values, work.counts, work.histogram
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
    return _by_counting(values, counts, size, target, below)


@kernel
def _cut(buffer: Buffer, width: int, rule: Rule, work: Work, part: Part) -> tuple[int, int | np.int64, int]:
    """R4: the cut as (dimension, code, records left of it), a row being left if below the code; (-1, 0, 0) at a leaf.

    The cuts before and after the median are the nearest to the middle, and of farther ones a part is smaller still:
    where only sizes count, no other can be the nearest allowable one.
    """
    first, size, widths = part.first, part.last - part.first, work.widths
    for dimension in range(widths.size):
        widths[dimension] = measure(rule, buffer.codes, width, part, work.tally, work.low, work.high, dimension)
    while True:
        dimension = widest(widths, rule.factors, rule.ratios)
        if dimension < 0:
            return -1, 0, 0
        for row in range(size):
            work.values[row] = buffer.codes[(first + row) * width + dimension]
        for row in range(min(size, work.counts.size)):
            work.counts[row] = buffer.counts[first + row]
        ends = np.int64(work.low[dimension]), np.int64(work.high[dimension])
        median, less, upto = _median(work, size, ends[0], ends[1], (part.records - 1) // 2)
        before = rule.nearest and less >= rule.k
        after = upto >= rule.k and part.records - upto >= rule.k
        if before and not (after and 2 * upto - part.records < part.records - 2 * less):
            return dimension, median, less
        if after:
            return dimension, median + 1, upto
        widths[dimension] = 0


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


@kernel
def carve(buffer: Buffer, rule: Rule, room: Room, part: Part, levels: int) -> int:
    """Cut a partition down to its leaves, at most `levels` deep; left before right.

    The leaves' tuples end up in the rows of the partition, all else of a row in the other half if an odd number of
    cuts led to it.

    Returns:
        The number of leaves.
    """
    work, leaves, stack = room.work, room.leaves, room.work.stack
    half, width = buffer.tuples.size // 2, leaves.low.shape[1]
    stack[0], stack[1], stack[2], stack[3] = part.first, part.last, part.records, 0
    found, top = 0, 4
    while top > 0:
        top -= 4
        current, depth = Part(stack[top], stack[top + 1], stack[top + 2]), stack[top + 3]
        ranges(buffer.codes, width, current, work.low, work.high)
        dimension, left = -1, 0
        code: int | np.int64 = 0
        if current.records >= 2 * rule.k and depth < levels:
            dimension, code, left = _cut(buffer, width, rule, work, current)
        there = half if current.first < half else -half
        if dimension >= 0:
            middle = divide(buffer, current, there, dimension, code)
            stack[top], stack[top + 1], stack[top + 2] = middle, current.last + there, current.records - left
            stack[top + 4], stack[top + 5], stack[top + 6] = current.first + there, middle, left
            stack[top + 3] = stack[top + 7] = depth + 1
            top += 8
            continue
        if depth & 1:
            for row in range(current.first, current.last):
                buffer.tuples[row + there] = buffer.tuples[row]
        for column in range(width):
            leaves.low[found, column] = work.low[column]
            leaves.high[found, column] = work.high[column]
        leaves.sizes[found], leaves.depths[found] = current.last - current.first, depth
        found += 1
    return found
