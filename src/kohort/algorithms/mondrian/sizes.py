"""Mondrian's strict cuts where only class sizes count: what is cut and by what rule, memory and threads.

The rows are moved to and fro in one buffer, which has room for the table twice. A partition is a range of rows in one
half. A cut moves them into the same range of the other half, those left of the cut from the front and the others from
the back, so that both parts are ranges again and no two partitions share memory: threads may work on different ones. A
row is padded to whole 64-bit words, to be moved in few steps.

The search is one loop of the compiled core (`kohort.native`, carve.h); `waves` has those of other models. Cost per
tuple and level of the tree: one pass for the ranges of all dimensions, one to three over one column for its median, one
to move the rows; each in the order of memory.

The answer does not depend on the number of threads: they cut different partitions, and the leaves are put together
from left to right.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.dimension import WIDEST, AtRandom, MostValues, Widest
from kohort.algorithms.mondrian.forest import Forest
from kohort.core.recoding import Multidimensional
from kohort.native.library import CARVE
from kohort.system.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from kohort.algorithms.mondrian.dimension import Dimension
    from kohort.arrays import Codes, Counts, Index, Positions, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.system.workspace import Workspace

#: Codes that make a whole number of 64-bit words, whether they have 16 or 32 bits.
CODES_PER_BLOCK = 4

#: Partitions of fewer rows are not worth handing to a thread.
LEAST_SHARE = 1 << 15

#: Partitions for each thread, so that none waits long for another.
SHARES_PER_THREAD = 4

#: More cuts than any path can have.
NO_LIMIT = 1 << 62

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


class Branch(NamedTuple):
    """A partition on its way: the number of cuts that led to it, and whether it is known to be a leaf."""

    part: Part
    depth: int = 0
    is_leaf: bool = False


def rule_for(
    positions: Sequence[Positions],
    factors: Sequence[Fraction],
    k: int,
    *,
    nearest: bool,
    dimension: Dimension = WIDEST,
) -> Rule | None:
    """The rule as arrays; `None` where 63 bits do not hold the ratio of two factors exactly.

    Args:
        positions: (d,) the place of each code on its scale.
        factors: (d,) weight / width in the table.
        k: records that each side of a cut needs.
        nearest: whether both cuts beside the median are tried.
        dimension: which dimension is tried first.
    """
    quotients = [[one / other for other in factors] for one in factors]
    if any(max(quotient.as_integer_ratio()) >= 1 << 63 for row in quotients for quotient in row):
        return None
    pairs = np.array([[quotient.as_integer_ratio() for quotient in row] for row in quotients], dtype=np.int64)
    starts = np.cumsum([0, *(len(scale) for scale in positions)], dtype=np.int64)
    shares = np.array([float(factor / max(factors)) for factor in factors])
    by = {Widest: BY_WIDTH, MostValues: BY_VALUES, AtRandom: BY_CHANCE}[type(dimension)]
    seed = dimension.seed if isinstance(dimension, AtRandom) else 0
    return Rule(np.concatenate(positions), starts[:-1], shares, pairs, k, nearest, by, seed)


class Cutter(NamedTuple):
    """The rows, and the rule by which partitions of them are cut."""

    buffer: Buffer
    rule: Rule

    def once(self, branch: Branch) -> list[Branch]:
        """Both parts of the partition's cut, or the leaf that it is."""
        if branch.is_leaf:
            return [branch]
        leaves = self._carve(branch.part, levels=1)
        if leaves.sizes.size == 1:
            return [branch._replace(is_leaf=True)]
        tuples, counts = self.buffer.tuples, self.buffer.counts
        first, last, records = branch.part
        there = tuples.size // 2 * (1 if first < tuples.size // 2 else -1)
        first, middle, last = first + there, first + there + int(leaves.sizes[0]), last + there
        left = int(counts[first:middle].sum()) if counts.size else middle - first
        parts = Part(first, middle, left), Part(middle, last, records - left)
        return [Branch(part, branch.depth + 1) for part in parts]

    def fully(self, branch: Branch) -> Leaves:
        """The leaves of the partition."""
        leaves = self._carve(branch.part, levels=NO_LIMIT)
        return leaves._replace(depths=leaves.depths + branch.depth)

    def _carve(self, part: Part, *, levels: int) -> Leaves:
        """The leaves of the partition, at most `levels` deep, left before right.

        Their tuples end up in the rows of the partition, all else of a row in the other half if an odd number of cuts
        led to it.
        """
        work, leaves = self._room(part, levels)
        found = CARVE(self.buffer, *self.rule.arguments, work, leaves, *part, levels)
        sizes, depths, low, high = leaves
        return Leaves(sizes[:found].copy(), depths[:found].copy(), low[:found].copy(), high[:found].copy())

    def _room(self, part: Part, levels: int) -> tuple[Work, Leaves]:
        """Memory for cutting a partition so often; what is not needed of it is never touched and so costs nothing."""
        codes, rows = self.buffer.codes, part.last - part.first
        width = codes.size // self.buffer.tuples.size
        most = max(min(rows, part.records // self.rule.k, 1 << min(levels, rows.bit_length())), 1)
        work = Work(
            low=np.empty_like(codes, shape=width),
            high=np.empty_like(codes, shape=width),
            widths=np.empty(self.rule.starts.size, np.int64),
            values=np.empty_like(codes, shape=rows),
            counts=np.empty(min(rows, self.buffer.counts.size), np.int64),
            tally=np.empty(self.rule.positions.size, np.int64),
            stack=np.empty(4 * (most + 1), np.int64),
        )
        leaves = Leaves(
            sizes=np.empty(most, np.int64),
            depths=np.empty(most, np.int64),
            low=np.empty_like(codes, shape=(most, width)),
            high=np.empty_like(codes, shape=(most, width)),
        )
        return work, leaves


def strict_by_size(frequency: FrequencySet, rule: Rule, threads: int, workspace: Workspace = HEAP) -> Forest:
    """Strict Mondrian of the whole table."""
    return _joined(frequency, *_leaves(frequency, rule, threads, workspace), workspace)


def _leaves(
    frequency: FrequencySet, rule: Rule, threads: int, workspace: Workspace
) -> tuple[list[NDArray[np.uint32]], list[Leaves]]:
    """The tuples of each branch, in the order of its leaves, and these; the buffer's rows end with this function."""
    cutter = Cutter(buffer_of(frequency.quasi, frequency.counts, workspace), rule)
    rows = len(frequency.quasi)
    branches = [Branch(Part(0, rows, frequency.records))]
    if threads > 1 and rows > LEAST_SHARE:
        large = max(rows // (threads * SHARES_PER_THREAD), LEAST_SHARE)
        with ThreadPoolExecutor(threads) as pool:
            while any(part.last - part.first > large and not is_leaf for part, _, is_leaf in branches):
                branches = list(chain.from_iterable(pool.map(cutter.once, branches)))
            found = list(pool.map(cutter.fully, branches))
    else:
        found = [cutter.fully(branch) for branch in branches]
    return [cutter.buffer.tuples[part.first : part.last] for part, _, _ in branches], found


def _joined(
    frequency: FrequencySet, tuples: list[NDArray[np.uint32]], found: list[Leaves], workspace: Workspace
) -> Forest:
    quasi = frequency.quasi
    ends = list(accumulate((leaves.sizes.size for leaves in found), initial=0))
    regions = workspace.numbers(len(quasi))
    low, high = (np.empty_like(quasi, shape=(ends[-1], quasi.shape[1])) for _ in range(2))
    for first, last, inside, leaves in zip(ends, ends[1:], tuples, found, strict=False):
        regions[inside] = np.repeat(np.arange(first, last, dtype=np.uint32), leaves.sizes)
        low[first:last] = leaves.low[:, : quasi.shape[1]]
        high[first:last] = leaves.high[:, : quasi.shape[1]]
    recoding = Multidimensional(workspace.ascending(len(quasi)), regions, frequency.counts, low, high)
    return Forest(recoding, np.concatenate([leaves.depths for leaves in found]))


def buffer_of(quasi: Codes, counts: Counts, workspace: Workspace = HEAP) -> Buffer:
    """The table's rows in the first half, and room for them to move to."""
    tuples, dimensions = quasi.shape
    width = max(-(-dimensions // CODES_PER_BLOCK), 1) * CODES_PER_BLOCK
    rows = workspace.like(quasi, (2 * tuples, width))
    rows[:tuples, :dimensions] = quasi
    rows[:tuples, dimensions:] = 0
    numbers = workspace.empty(2 * tuples, np.uint32)
    for some in blocks(tuples):
        numbers[some] = np.arange(some.start, some.stop)
    weights = workspace.empty(2 * tuples if counts.max(initial=1) > 1 else 0, np.int64)
    weights[:tuples] = counts[: weights.size]
    return Buffer(rows.reshape(-1), rows.view(np.uint64), numbers, weights)
