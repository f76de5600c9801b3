"""Strict Mondrian where only class sizes count: memory, threads and the compiled loop.

The answer does not depend on the number of threads: they cut different partitions, and the leaves are put together
from left to right.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms._mondrian_forest import Forest
from kohort.algorithms._mondrian_kernel import PLACES, STRIDE, Buffer, Leaves, Rule, Work, carve
from kohort.recoding import Multidimensional

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.arrays import Codes, Counts, Positions
    from kohort.frequency import FrequencySet

#: Codes that make a whole number of 64-bit words, whether they have 16 or 32 bits.
CODES_PER_BLOCK = 4

#: Partitions of fewer rows are not worth handing to a thread.
LEAST_SHARE = 1 << 15

#: Partitions for each thread, so that none waits long for another.
SHARES_PER_THREAD = 4

#: More cuts than any path can have.
NO_LIMIT = 1 << 62


class Part(NamedTuple):
    """A partition on its way: its rows, how many records they are, which buffer has them, and how many cuts led here."""

    first: int
    last: int
    records: int
    side: int = 0
    depth: int = 0
    is_leaf: bool = False


def rule_for(positions: Sequence[Positions], factors: Sequence[Fraction], k: int, *, nearest: bool) -> Rule | None:
    """The rule as arrays; `None` where 63 bits do not hold the ratio of two factors exactly.

    Args:
        positions: (d,) the place of each code on its scale.
        factors: (d,) weight / width in the table.
        k: records that each side of a cut needs.
        nearest: whether both cuts beside the median are tried.
    """
    quotients = [[one / other for other in factors] for one in factors]
    if any(max(quotient.as_integer_ratio()) >= 1 << 63 for row in quotients for quotient in row):
        return None
    pairs = np.array([[quotient.as_integer_ratio() for quotient in row] for row in quotients], dtype=np.int64)
    starts = np.cumsum([0, *(len(scale) for scale in positions)], dtype=np.int64)
    shares = np.array([float(factor / max(factors)) for factor in factors])
    return Rule(np.concatenate(positions), starts[:-1], shares, pairs, k, nearest)


class Cutter(NamedTuple):
    """The rows, and the rule by which partitions of them are cut."""

    buffer: Buffer
    rule: Rule

    def once(self, part: Part) -> list[Part]:
        """Both parts of the partition's cut, or the leaf that it is."""
        if part.is_leaf:
            return [part]
        leaves = self._carve(part, levels=1)
        if leaves.ends.size == 1:
            return [part._replace(is_leaf=True)]
        middle, side = int(leaves.ends[0]), 1 - part.side
        counts = self.buffer.counts[side]
        left = int(counts[part.first : middle].sum()) if counts.size else middle - part.first
        return [
            Part(part.first, middle, left, side, part.depth + 1),
            Part(middle, part.last, part.records - left, side, part.depth + 1),
        ]

    def fully(self, part: Part) -> Leaves:
        """The leaves of the partition."""
        leaves = self._carve(part, levels=NO_LIMIT)
        return leaves._replace(depths=leaves.depths + part.depth)

    def _carve(self, part: Part, *, levels: int) -> Leaves:
        buffer, rows, most = self.buffer, part.last - part.first, max(part.records // self.rule.k, 1)
        codes, width = buffer.codes.dtype, buffer.codes.shape[1] // buffer.tuples.shape[1]
        most = min(rows, most)
        work = Work(
            np.empty(width, codes),
            np.empty(width, codes),
            np.empty(STRIDE * width, codes),
            np.empty(STRIDE * width, codes),
            np.empty(self.rule.starts.size, np.int64),
            np.empty(rows, codes),
            np.empty(min(rows, buffer.counts.shape[1]), np.int64),
            np.empty(PLACES, np.int64),
            np.empty(4 * (most + 1), np.int64),
        )
        room = Leaves(
            np.empty(most, np.int64),
            np.empty(most, np.int64),
            np.empty((most, width), codes),
            np.empty((most, width), codes),
        )
        found = carve(buffer, self.rule, work, room, part.first, part.last, part.records, part.side, levels)
        return Leaves(*(array[:found].copy() for array in room))


def strict_by_size(frequency: FrequencySet, rule: Rule, threads: int) -> Forest:
    """Strict Mondrian of the whole table."""
    tuples, dimensions = frequency.quasi.shape
    cutter = Cutter(_buffers(frequency.quasi, frequency.counts), rule)
    parts = [Part(0, tuples, frequency.records)]
    if threads > 1 and tuples > LEAST_SHARE:
        large = max(tuples // (threads * SHARES_PER_THREAD), LEAST_SHARE)
        with ThreadPoolExecutor(threads) as pool:
            while any(part.last - part.first > large and not part.is_leaf for part in parts):
                parts = list(chain.from_iterable(pool.map(cutter.once, parts)))
            found = list(pool.map(cutter.fully, parts))
    else:
        found = [cutter.fully(part) for part in parts]
    ends, depths, low, high = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    regions = np.empty(tuples, np.int64)
    of_rows = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    for part in parts:
        rows = slice(part.first, part.last)
        regions[cutter.buffer.tuples[part.side, rows]] = of_rows[rows]
    recoding = Multidimensional(np.arange(tuples), regions, frequency.counts, low[:, :dimensions], high[:, :dimensions])
    return Forest(recoding, depths)


def _buffers(quasi: Codes, counts: Counts) -> Buffer:
    """The table's rows on side 0, and room for them to move to."""
    tuples, dimensions = quasi.shape
    width = max(-(-dimensions // CODES_PER_BLOCK), 1) * CODES_PER_BLOCK
    rows = np.empty((2, tuples, width), quasi.dtype)
    rows[0, :, :dimensions] = quasi
    rows[0, :, dimensions:] = 0
    buffer = Buffer(
        rows.reshape(2, -1),
        rows.view(np.uint64),
        np.empty((2, tuples), np.uint32),
        np.empty((2, tuples if (counts != 1).any() else 0), np.int64),
    )
    buffer.tuples[0] = np.arange(tuples)
    if buffer.counts.size:
        buffer.counts[0] = counts
    return buffer
