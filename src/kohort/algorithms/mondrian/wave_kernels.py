"""Strict Mondrian for any model, the compiled part: propose cuts of many partitions, and make those that were allowed.

Rows lie in the buffer of `kernel`, behind each row's quasi-identifiers its sensitive codes. The models judge
class profiles in arrays, many at once, so cuts are proposed for many partitions before any is judged; a partition of
which no proposed cut was allowed proposes its next ones, farther from the middle or in its next dimension.

An open partition is a row of numbers: its first and last row, its records, its depth, how many cuts of its widest
dimension were not allowed, which block says what its sensitive codes mean, and the width of each dimension still to be
tried, else 0; -1 where they are not known yet.

Cost per round and partition: one pass over its rows to count a column's values, and one to count who has which
sensitive value before, between and after the cuts (`wave_profiles`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.kernel import Part, divide, measure, ranges, widest
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.kernel import Buffer, Rule
    from kohort.arrays import Codes, Counts, Index, Mask

#: Where an open partition has its depth, its cuts tried, its block, and its first width.
DEPTH: Final = 3
TRIED: Final = 4
BLOCK: Final = 5
WIDTHS: Final = 6

#: Codes per row from which a column's values are sorted rather than counted in a place for each code.
SPARSE: Final = 8

#: Cuts that a partition proposes first.
FIRST: Final = 4


class Rows(NamedTuple):
    """The rows that are cut.

    Attributes:
        codes: The rows of the buffer, one after another.
        counts: Records of each; (0,) where each is one.
        width: Codes of a row.
    """

    codes: Codes
    counts: Counts
    width: int


class Values(NamedTuple):
    """Memory of one thread.

    Attributes:
        codes: (m + 1,) a column's codes, then the different ones ascending.
        upto: (m + 1,) records of each, then records up to each.
        tally: (w,) records by code, from the least.
        low: (STRIDE * w,) the least code of each column.
        high: (STRIDE * w,) the greatest.
    """

    codes: Index
    upto: Counts
    tally: Counts
    low: Codes
    high: Codes


class Cuts(NamedTuple):
    """Proposed cuts, or room for them: those of one partition after another, in each by value.

    Attributes:
        of: (p, 3) where each partition would be cut, -1 for nowhere, it is a leaf; where its cuts end; whether the
            dimension has no more.
        at: (c, 2) a row is left of the cut if its code is less than this; the records that are left of it.
    """

    of: Index
    at: Index


@kernel
def propose(rows: Rows, rule: Rule, values: Values, open_: Index, asked: tuple[Cuts, int]) -> int:
    """Propose the next cuts of the open partitions, as far as there is room; how many partitions have their turn.

    Args:
        rows: The rows.
        rule: Where they may be cut.
        values: Memory.
        open_: (p, 6 + d) the partitions; a leaf proposes no cut.
        asked: Room for the cuts, and how many values a class profile has.
    """
    (of, at), cells = asked
    cut = partition = int(np.int64(0))
    while partition < len(open_):
        state = open_[partition]
        part = Part(state[0], state[1], state[2])
        dimension, first = int(np.int64(-1)), cut
        if part.records >= 2 * rule.k:
            if state[WIDTHS] < 0:
                _measure(rows, rule, values, part, state)
            dimension = widest(state[WIDTHS:], rule.factors, rule.ratios)
        while dimension >= 0 and cut == first:
            most = min(_batch(state[TRIED], part.last - part.first, cells), len(at))
            if cut + most > len(at):
                return partition
            _count_values(rows, part, dimension, values)
            cut = _choose(
                values.codes, values.upto, (part.records, rule.k, rule.nearest), (state[TRIED], most), (at, cut)
            )
            of[partition, 2] = cut - first < most
            if cut == first:
                state[WIDTHS + dimension] = state[TRIED] = 0
                dimension = widest(state[WIDTHS:], rule.factors, rule.ratios)
        of[partition, 0], of[partition, 1] = dimension, cut
        partition += 1
    return partition


@kernel
def _measure(rows: Rows, rule: Rule, values: Values, part: Part, state: Index) -> None:
    """The width, or other measure, of each dimension in the partition."""
    ranges(rows.codes, rows.width, part, values.low, values.high)
    for dimension in range(rule.starts.size):
        state[WIDTHS + dimension] = measure(
            rule, rows.codes, rows.width, part, values.tally, values.low, values.high, dimension
        )


@kernel
def _batch(tried: int, rows: int, cells: int) -> int:
    """How many cuts to propose: after the first, as many as take no longer to judge than a pass over the rows."""
    return FIRST if tried == 0 else max(2 * tried, rows // max(cells, FIRST))


@kernel
def _count_values(rows: Rows, part: Part, dimension: int, values: Values) -> None:
    """The different codes of a column, ascending, and the records up to each."""
    codes, upto, tally = values.codes, values.upto, values.tally
    weighted, size = rows.counts.size > 0, part.last - part.first
    low = high = rows.codes[part.first * rows.width + dimension]
    for row in range(part.first + 1, part.last):
        code = rows.codes[row * rows.width + dimension]
        low, high = min(low, code), max(high, code)
    least, span = int(low), int(high) - int(low) + 1
    if span > SPARSE * size or span > tally.size:
        span = 0
    for place in range(span):
        tally[place] = 0
    for row in range(part.first, part.last):
        code, count = rows.codes[row * rows.width + dimension], rows.counts[row] if weighted else 1
        if span > 0:
            tally[int(code) - least] += count
        else:
            codes[row - part.first], upto[row - part.first] = code, count
    found = total = int(np.int64(0))
    for place in range(span):  # without a branch, for no processor could predict it
        total += tally[place]
        codes[found], upto[found] = least + place, total
        found += tally[place] > 0
    if span == 0:
        _sort(codes, upto, size)
        for row in range(size):
            total += upto[row]
            codes[found], upto[found] = codes[row], total
            found += row + 1 == size or codes[row + 1] != codes[row]


@kernel
def _sort(codes: Index, counts: Counts, size: int) -> None:
    """Sort the first `size` codes, each with its count, by Shell's method: they are few."""
    gap = 1
    while 3 * gap < size:
        gap = 3 * gap + 1
    while gap > 0:
        for row in range(gap, size):
            code, count, place = codes[row], counts[row], row
            while place >= gap and codes[place - gap] > code:
                codes[place], counts[place] = codes[place - gap], counts[place - gap]
                place -= gap
            codes[place], counts[place] = code, count
        gap //= 3


@kernel
def _choose(
    codes: Index, upto: Counts, rule: tuple[int, int, bool], asked: tuple[int, int], out: tuple[Index, int]
) -> int:
    """R4: the cuts that come next, after those already tried, nearest to the middle; written by value.

    Args:
        codes: The different values of the dimension, ascending.
        upto: The records up to each.
        rule: The records of the partition, those that each part needs, and whether all cuts are tried.
        asked: How many cuts were tried, and how many more may be proposed.
        out: Room, and how much of it is taken; how much then is, is returned.
    """
    (records, k, nearest), (tried, most), (at, cut) = rule, asked, out
    middle = int(np.int64(0))
    while 2 * upto[middle] < records:  # of R3: the value of the lower median
        middle += 1
    left, right, done = middle - 1, middle, int(np.int64(0))
    inner_left, inner_right = left, right
    while done < tried + most:
        goes_left = nearest and left >= 0 and upto[left] >= k
        goes_right = records - upto[right] >= k and (nearest or (done == 0 and upto[right] >= k))
        if not (goes_left or goes_right):
            break
        if goes_left and not (goes_right and 2 * upto[right] - records < records - 2 * upto[left]):
            left -= 1
        else:
            right += 1
        done += 1
        if done == tried:
            inner_left, inner_right = left, right
    for place in range(left + 1, right):
        if place <= inner_left or place >= inner_right:
            at[cut, 0], at[cut, 1] = codes[place] + 1, upto[place]
            cut += 1
    return cut


@kernel
def settle(buffer: Buffer, open_: Index, cuts: Cuts, allowed: Mask, out: Index) -> int:
    """Make the allowed cut nearest the middle of each partition that proposed some; how many are open after it."""
    half = buffer.tuples.size // 2
    found = first = int(np.int64(0))
    for partition in range(len(open_)):
        state, dimension, last = open_[partition], cuts.of[partition, 0], cuts.of[partition, 1]
        best = least = int(np.int64(-1))
        for cut in range(first, last):
            apart = abs(2 * cuts.at[cut, 1] - state[2])
            if allowed[cut] and (best < 0 or apart < least):
                best, least = cut, apart
        if best >= 0:
            there = half if state[0] < half else -half
            left, part = cuts.at[best, 1], Part(state[0], state[1], state[2])
            middle = divide(buffer, part, there, dimension, cuts.at[best, 0])
            for side in range(2):
                out[found, 0], out[found, 1] = (
                    (part.first + there, middle) if side == 0 else (middle, part.last + there)
                )
                out[found, 2] = left if side == 0 else part.records - left
                out[found, DEPTH], out[found, TRIED], out[found, WIDTHS] = state[DEPTH] + 1, 0, -1
                out[found, BLOCK] = state[BLOCK]
                found += 1
        elif dimension >= 0:
            for place in range(open_.shape[1]):
                out[found, place] = state[place]
            out[found, TRIED] += last - first
            if cuts.of[partition, 2] > 0:
                out[found, WIDTHS + dimension] = out[found, TRIED] = 0
            found += 1
        first = last
    return found


@kernel
def corners(rows: Rows, leaves: Index, values: Values, low: Codes, high: Codes) -> None:
    """The least and the greatest code of each leaf in each dimension."""
    for leaf in range(len(leaves)):
        ranges(rows.codes, rows.width, Part(leaves[leaf, 0], leaves[leaf, 1], leaves[leaf, 2]), values.low, values.high)
        for dimension in range(low.shape[1]):
            low[leaf, dimension], high[leaf, dimension] = values.low[dimension], values.high[dimension]
