"""Mondrian: cut the table again and again in two, as long as both parts satisfy the privacy models.

LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006). The records are points in the space
of the quasi-identifiers; a partition's region is the smallest box around its records. The paper leaves choices open;
kohort's are these.

**Where a partition is cut.** The dimensions are tried widest first: width in the partition over width in the whole
table, times the attribute's weight, compared exactly; ties go to the attribute that comes first in the schema; a
dimension of width 0 is never tried. Widths are those of the values, not of their ranks.

**Strict cuts** part the values: {≤ v} and {> v}. A cut is allowable if both sides satisfy all models. `nearest` takes
the allowable cut that minimises |2·#{≤ v} - n|, ties to the smaller v, in the first dimension that has one: a
partition is a leaf if and only if no dimension has an allowable cut. `median`, the textbook form, tries in each
dimension only v = the lower median, the value of record (n - 1) // 2 in ascending order.

**Relaxed cuts** may part equal values: the left side gets {< m} and as many of {= m} as make it ⌈n/2⌉ records, m
being the lower median. The dealt records are taken in proportion from each combination of sensitive values (largest
remainder, ties to the smaller value), of each the lexicographically smallest tuples: never by the order of the rows.
With `nearest`, the recommended form, strict cuts come first and only a partition without an allowable one is dealt;
with `median`, the textbook form, every cut is. A dealt cut is judged by the models like any other, and the next
dimension is tried where it fails.

Invariant: the partitions on the way and the leaves found cover every record once, and each satisfies all models;
the table as a whole does at the start, or there is no release. For k-anonymity alone and strict nearest cuts no leaf
has more than 2d(k - 1) + m records, m being the count of its most frequent tuple (the paper's theorem 2); with
relaxed cuts no leaf of differing tuples has 2k or more.

Cost: O(d · t) a level of the tree, of which there are about log2(n/k). Where every model is a bound on size alone,
a compiled loop does the strict cuts, some 0.3 s per million near-unique tuples of 8 dimensions at k = 5; elsewhere
NumPy judges all cuts of a dimension in few calls of the models, nearest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kohort.algorithms._mondrian_forest import Forest, Partition
from kohort.algorithms._mondrian_sizes import rule_for, strict_by_size
from kohort.errors import InfeasibleError
from kohort.frequency import ClassProfile, Histogram, profile
from kohort.problem import Solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Index, Mask, Positions
    from kohort.models.base import PrivacyModel
    from kohort.problem import Problem

#: Which cuts are tried: the allowable one nearest the middle, or only the median.
Cut: TypeAlias = Literal["nearest", "median"]

#: Both sides of a cut.
Sides: TypeAlias = tuple[Partition, Partition]

#: Cuts of a dimension that are judged by the first call of the models; each further call judges twice as many.
FIRST_BATCH = 16


@dataclass(frozen=True, slots=True)
class Mondrian:
    """The algorithm with its two choices.

    Attributes:
        cut: `nearest` or `median`.
        relaxed: whether equal values may be parted.

    >>> Mondrian(relaxed=True).name
    'mondrian-relaxed'
    """

    cut: Cut = "nearest"
    relaxed: bool = False

    @property
    def name(self) -> str:
        """As on the command line."""
        return "mondrian-relaxed" if self.relaxed else "mondrian"

    @property
    def distinct(self) -> bool:
        """Dealing equal records needs them as one tuple; strict cuts never part them."""
        return self.relaxed

    @property
    def full_domain(self) -> bool:
        """It recodes regions, not whole domains."""
        return False

    @property
    def limit(self) -> None:
        """It suppresses no record."""
        return

    @property
    def objective(self) -> None:
        """It minimises no metric."""
        return

    def solve(self, problem: Problem) -> Solution:
        """Cut the table down to leaves; regions are numbered left before right.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
        """
        _require_feasible(problem)
        space = Space.of(problem, self)
        forest, unfinished = self._by_size(problem, space)
        forest = forest.grow(unfinished, problem.frequency, space.carve)
        leaves = forest.depths.size
        return Solution(forest.recoding, {"cuts": leaves - 1, "leaves": leaves, "depth": int(forest.depths.max())})

    def _by_size(self, problem: Problem, space: Space) -> tuple[Forest, Mask]:
        """As far as sizes alone can lead, and which leaves are not finished: the whole table, where they cannot."""
        rule = rule_for(space.positions, space.factors, space.least, nearest=self.cut == "nearest")
        if rule is None or not space.strict or not all(model.size_only for model in problem.models):
            return Forest.uncut(problem.frequency), np.ones(1, np.bool_)
        forest = strict_by_size(problem.frequency, rule, problem.threads)
        if not self.relaxed:
            return forest, np.zeros(forest.depths.size, np.bool_)
        recoding = forest.recoding
        records = np.bincount(recoding.regions, weights=recoding.counts)
        return forest, (records >= 2 * space.least) & (recoding.low != recoding.high).any(axis=1)


def _require_feasible(problem: Problem) -> None:
    frequency = problem.frequency
    whole = profile(frequency, np.zeros(len(frequency.quasi), np.int64), 1)
    failing = [model.name for model in problem.models if not model.satisfied(whole).all()]
    if failing:
        raise InfeasibleError(
            f"the whole table, {frequency.records} records, does not satisfy {' and '.join(failing)}",
            hint="no grouping of fewer records can be relied on to; lower the requirement or bring more records",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Where partitions are cut, and what judges the cuts.

    Attributes:
        positions: (d,) the places of each dimension's codes on its scale.
        factors: (d,) weight / width in the table.
        models: the privacy models.
        least: no class of fewer records satisfies them.
        cut: which strict cuts are tried.
        strict: whether there are strict cuts.
        relaxed: whether there are dealt cuts, after the strict ones.
    """

    positions: tuple[Positions, ...]
    factors: tuple[Fraction, ...]
    models: tuple[PrivacyModel, ...]
    least: int
    cut: Cut
    strict: bool
    relaxed: bool

    @classmethod
    def of(cls, problem: Problem, mondrian: Mondrian) -> Space:
        """The space of a problem's table."""
        quasi = problem.frequency.quasi
        positions = tuple(domain.positions for domain in problem.domains)
        factors = tuple(
            Fraction(domain.attribute.weight) / max(width, 1)
            for domain, width in zip(
                problem.domains, _widths(quasi.min(axis=0), quasi.max(axis=0), positions), strict=True
            )
        )
        least = max(1, *(model.smallest_class for model in problem.models))
        strict = mondrian.cut == "nearest" or not mondrian.relaxed
        return cls(positions, factors, problem.models, least, mondrian.cut, strict, mondrian.relaxed)

    def carve(self, partition: Partition) -> list[Partition]:
        """The leaves of a partition, left before right."""
        leaves: list[Partition] = []
        unfinished = [partition]
        while unfinished:
            partition = unfinished.pop()
            sides = self._sides(partition)
            if sides is None:
                leaves.append(partition)
            else:
                unfinished += reversed(sides)
        return leaves

    def _sides(self, partition: Partition) -> Sides | None:
        """Both sides of the chosen cut; `None` at a leaf."""
        if partition.rows.records < 2 * self.least:
            return None
        dimensions = self._by_width(partition)
        cuts = [self._strict] * self.strict + [self._dealt] * self.relaxed
        tried = (cut(partition, dimension) for cut in cuts for dimension in dimensions)
        return next((sides for sides in tried if sides is not None), None)

    def _by_width(self, partition: Partition) -> list[int]:
        """The dimensions to try, widest first."""
        quasi = partition.rows.quasi
        widths = _widths(quasi.min(axis=0), quasi.max(axis=0), self.positions)
        shares = [width * factor for width, factor in zip(widths, self.factors, strict=True)]
        return sorted((one for one, share in enumerate(shares) if share), key=lambda one: (-shares[one], one))

    def _strict(self, partition: Partition, dimension: int) -> Sides | None:
        """The allowable cut between values that `cut` asks for."""
        rows, codes = partition.rows, partition.rows.quasi[:, dimension]
        values, of = np.unique(codes, return_inverse=True)
        upto = np.cumsum(np.bincount(of, weights=rows.counts).astype(np.int64))  # (v,) records up to each value
        records = int(upto[-1])
        large = np.minimum(upto, records - upto) >= self.least
        if self.cut == "median":
            large &= values == values[np.searchsorted(upto, (records - 1) // 2, side="right")]
        promising = np.flatnonzero(large)
        nearest = promising[np.lexsort((promising, np.abs(2 * upto[promising] - records)))]
        for batch in _doubling(nearest):
            passed = np.isin(batch, self._allowable(partition, of, np.sort(batch)))
            if passed.any():
                is_left = of <= batch[passed.argmax()]
                return partition.take(rows.counts * is_left), partition.take(rows.counts * ~is_left)
        return None

    def _allowable(self, partition: Partition, of: Index, cuts: Index) -> Index:
        """Those of the ascending cuts {<= v}, {> v} both sides of which satisfy the models."""
        between = profile(partition.rows, np.searchsorted(cuts, of), cuts.size + 1)
        left, right = _accumulated(between)
        return cuts[self._satisfied(left) & self._satisfied(right)]

    def _dealt(self, partition: Partition, dimension: int) -> Sides | None:
        """Half the records to each side, those at the median dealt; `None` if a side does not satisfy the models."""
        rows, codes = partition.rows, partition.rows.quasi[:, dimension]
        order = np.argsort(codes, kind="stable")
        records = rows.records
        median = codes[order[np.searchsorted(np.cumsum(rows.counts[order]), (records - 1) // 2, side="right")]]
        counts = np.where(codes < median, rows.counts, 0)
        tied = np.flatnonzero(codes == median)
        counts[tied] = _deal(partition, tied, (records + 1) // 2 - int(counts.sum()))
        sides = partition.take(counts), partition.take(rows.counts - counts)
        wholes = (profile(side.rows, np.zeros(side.tuples.size, np.int64), 1) for side in sides)
        return sides if all(self._satisfied(whole).all() for whole in wholes) else None

    def _satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes satisfy all models."""
        return reduce(np.logical_and, (model.satisfied(classes) for model in self.models))


def _widths(low: Index, high: Index, positions: tuple[Positions, ...]) -> list[int]:
    return [int(scale[b]) - int(scale[a]) for a, b, scale in zip(low, high, positions, strict=True)]


def _doubling(ordered: Index) -> Iterator[Index]:
    """Consecutive parts, each twice as long as the one before it."""
    start, length = 0, FIRST_BATCH
    while start < ordered.size:
        yield ordered[start : start + length]
        start, length = start + length, 2 * length


def _accumulated(between: ClassProfile) -> tuple[ClassProfile, ClassProfile]:
    """The profiles of both sides of each cut, from those of what lies before, between and after the cuts."""
    sizes, upto = between.sizes.cumsum(), [(one.domain, one.counts.cumsum(axis=0)) for one in between.histograms]
    left = ClassProfile(sizes[:-1], tuple(Histogram(domain, part[:-1]) for domain, part in upto))
    rest = tuple(Histogram(domain, part[-1] - part[:-1]) for domain, part in upto)
    right = ClassProfile(sizes[-1] - sizes[:-1], rest)
    return left, right


def _deal(partition: Partition, tied: Index, wanted: int) -> Index:
    """How many records of each tied tuple go left, `wanted` in all, in proportion from each sensitive value."""
    rows = partition.rows
    quasi, sensitive, counts = rows.quasi[tied], rows.sensitive[tied], rows.counts[tied]
    order = np.lexsort((*quasi.T[::-1], *sensitive.T[::-1]))
    starts_kind = np.append(True, (sensitive[order[1:]] != sensitive[order[:-1]]).any(axis=1))
    kind, ordered = np.cumsum(starts_kind) - 1, counts[order]
    of_kind = np.add.reduceat(ordered, np.flatnonzero(starts_kind))
    takes, remainders = np.divmod(wanted * of_kind, counts.sum())
    takes[np.argsort(-remainders, kind="stable")[: wanted - takes.sum()]] += 1
    before = np.cumsum(ordered) - ordered - (np.cumsum(of_kind) - of_kind)[kind]  # of the same kind, dealt earlier
    dealt = np.empty_like(counts)
    dealt[order] = np.clip(takes[kind] - before, 0, ordered)
    return dealt
