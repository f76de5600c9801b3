"""Strict Mondrian for any model, the compiled part: propose cuts of many partitions, and make those that were allowed.

Rows lie in the buffer of `_mondrian_kernel`, behind each row's quasi-identifiers its sensitive codes. The models judge
class profiles in arrays, many at once, so cuts are proposed for many partitions before any is judged; a partition of
which no proposed cut was allowed proposes its next ones, farther from the middle or in its next dimension.

Cost per round and partition: one pass over its rows to count a column's values, one to count who has which sensitive
value before, between and after the cuts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms._mondrian_kernel import Part, divide, ranges, widest
from kohort.algorithms._mondrian_wave_counts import count_values, profile, profile_people
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms._mondrian_kernel import Buffer, Rule, Work
    from kohort.algorithms._mondrian_wave_counts import Ground, Proposed, Values
    from kohort.arrays import Codes, Counts, Index, Mask

#: Cuts that a partition proposes first.
FIRST = 4


class Open(NamedTuple):
    """Partitions that may still be cut.

    Attributes:
        parts: (p, 4) first and last row, records, depth.
        widths: (p, d) width of each dimension still to be tried, else 0; -1 where they are not known yet.
        tried: (p,) cuts of the widest dimension that were not allowed.
    """

    parts: Index
    widths: Index
    tried: Index


@kernel
def _choose(upto: Counts, rule: Rule, records: int, tried: int, most: int) -> tuple[int, int, int, int]:
    """R4: which cuts come next, after the `tried` ones nearest to the middle; a cut is the place of the value below it.

    Returns:
        The cuts are those from the first to before the second place, and from the third to before the fourth.
    """
    middle = 0
    while 2 * upto[middle] < records:  # of R3: the value of the lower median
        middle += 1
    if not rule.nearest:
        allowed = tried == 0 and upto[middle] >= rule.k and records - upto[middle] >= rule.k
        return middle, middle, middle, middle + int(allowed)
    left, right, done = middle - 1, middle, 0
    inner_left, inner_right = left, right
    while done < tried + most:
        goes_left = left >= 0 and upto[left] >= rule.k
        goes_right = records - upto[right] >= rule.k  # which no cut above all values has
        if not (goes_left or goes_right):
            break
        if goes_left and not (goes_right and 2 * upto[right] - records < records - 2 * upto[left]):
            left -= 1
        else:
            right += 1
        done += 1
        if done == tried:
            inner_left, inner_right = left, right
    return left + 1, inner_left + 1, inner_right, right


@kernel
def propose(ground: Ground, values: Values, open_: Open, out: Proposed) -> int:
    """Propose the next cuts of the partitions, as far as there is room; how many have their turn.

    A partition that is a leaf proposes none.
    """
    cut, partition = 0, 0
    while partition < len(open_.parts):
        widths = open_.widths[partition]
        part = Part(open_.parts[partition, 0], open_.parts[partition, 1], open_.parts[partition, 2])
        dimension, first = -1, cut
        if part.records >= 2 * ground.rule.k:
            if widths[0] < 0:
                _measure(ground, part, values.work, widths)
            dimension = widest(widths, ground.rule.factors, ground.rule.ratios)
        while dimension >= 0 and cut == first:
            most = min(_batch(open_.tried[partition], part, out), out.codes.size)
            if cut + most > out.codes.size:
                return partition
            cut = _nearest(ground, part, (dimension, open_.tried[partition], most), values, (out, cut))
            out.last[partition] = cut - first < most
            if cut == first:
                widths[dimension], open_.tried[partition] = 0, 0
                dimension = widest(widths, ground.rule.factors, ground.rule.ratios)
        if cut > first and ground.sensitive.person < 0:
            profile(ground, part, (dimension, values), out, (first, cut))
        elif cut > first:
            profile_people(ground, part, dimension, out, (first, cut))
        out.dimension[partition], out.ends[partition] = dimension, cut
        partition += 1
    return partition


@kernel
def _batch(tried: int, part: Part, out: Proposed) -> int:
    """How many cuts to propose: after the first, as many as take no longer to judge than a pass over the rows."""
    if tried == 0:
        return FIRST
    return max(2 * tried, (part.last - part.first) // max(out.histograms.shape[1], FIRST))


@kernel
def _nearest(ground: Ground, part: Part, asked: tuple[int, int, int], values: Values, out: tuple[Proposed, int]) -> int:
    """Propose the cuts of a dimension that come after those tried, so many at most; how many there are now in all."""
    (dimension, tried, most), (proposed, cut) = asked, out
    count_values(ground.buffer, part, dimension, values)
    ends = _choose(values.upto, ground.rule, part.records, tried, most)
    for side in range(2):
        for place in range(ends[2 * side], ends[2 * side + 1]):
            proposed.codes[cut], proposed.left[cut] = values.codes[place] + 1, values.upto[place]
            cut += 1
    return cut


@kernel
def _measure(ground: Ground, part: Part, work: Work, widths: Index) -> None:
    """The width of each dimension in the partition."""
    rule = ground.rule
    ranges(ground.buffer.codes, ground.buffer.codes.size // ground.buffer.tuples.size, part, work)
    for dimension in range(widths.size):
        start = rule.starts[dimension]
        low, high = start + work.low[dimension], start + work.high[dimension]
        widths[dimension] = rule.positions[high] - rule.positions[low]


@kernel
def settle(buffer: Buffer, open_: Open, proposed: Proposed, allowed: Mask, out: Open) -> int:
    """Make the allowed cut nearest the middle of each partition that proposed some; how many are open after it."""
    half = buffer.tuples.size // 2
    found, first = 0, 0
    for partition in range(len(open_.parts)):
        parts, dimension, last = open_.parts[partition], proposed.dimension[partition], proposed.ends[partition]
        best, least = -1, np.int64(0)
        for cut in range(first, last):
            apart = abs(2 * proposed.left[cut] - parts[2])
            if allowed[cut] and (best < 0 or apart < least):
                best, least = cut, apart
        proposals, first = last - first, last
        if dimension < 0:
            continue
        if best < 0:
            for one in range(4):
                out.parts[found, one] = parts[one]
            for one in range(out.widths.shape[1]):
                out.widths[found, one] = open_.widths[partition, one]
            out.tried[found] = open_.tried[partition] + proposals
            if proposed.last[partition]:
                out.widths[found, dimension], out.tried[found] = 0, 0
            found += 1
            continue
        there = half if parts[0] < half else -half
        part = Part(parts[0], parts[1], parts[2])
        middle = divide(buffer, part, there, int(dimension), proposed.codes[best])
        left = proposed.left[best]
        out.parts[found, 0], out.parts[found, 1], out.parts[found, 2] = part.first + there, middle, left
        out.parts[found + 1, 0], out.parts[found + 1, 1] = middle, part.last + there
        out.parts[found + 1, 2] = part.records - left
        for side in range(2):
            out.parts[found + side, 3] = parts[3] + 1
            out.widths[found + side, 0] = -1
            out.tried[found + side] = 0
        found += 2
    return found


@kernel
def corners(ground: Ground, leaves: Index, work: Work, low: Codes, high: Codes) -> None:
    """The least and the greatest code of each leaf in each dimension."""
    width = ground.buffer.codes.size // ground.buffer.tuples.size
    for leaf in range(len(leaves)):
        ranges(ground.buffer.codes, width, Part(leaves[leaf, 0], leaves[leaf, 1], leaves[leaf, 2]), work)
        for dimension in range(low.shape[1]):
            low[leaf, dimension], high[leaf, dimension] = work.low[dimension], work.high[dimension]
