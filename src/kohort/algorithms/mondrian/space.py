"""Mondrian's cuts one partition at a time: what NumPy does where the compiled loops do not, and for dealt cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

import numpy as np

from kohort.algorithms.mondrian.blocks import Columns
from kohort.algorithms.mondrian.dimension import WIDEST, AtRandom, MostValues, Widest, drawn
from kohort.algorithms.mondrian.forest import Partition, covered
from kohort.core.frequency import profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.algorithms.mondrian.dimension import Dimension
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Index, Mask, Positions
    from kohort.core.frequency import ClassProfile, FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: Which cuts are tried: the allowable one nearest the middle, only the median, or the allowable one that saves most.
Cut: TypeAlias = Literal["nearest", "median", "loss"]

#: Both sides of a cut.
Sides: TypeAlias = tuple[Partition, Partition]

#: Cuts of a dimension that are judged by the first call of the models; each further call judges twice as many.
FIRST_BATCH = 16


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Where partitions are cut, and what judges the cuts.

    Attributes:
        positions: (d,) the places of each dimension's codes on its scale.
        factors: (d,) what the measure of each dimension is multiplied by: weight / width in the table, for widths.
        models: the privacy models.
        least: no class of fewer records satisfies them.
        cut: which strict cuts are tried.
        strict: whether there are strict cuts.
        relaxed: whether there are dealt cuts, after the strict ones: not where a model compares classes with the
            population, of whom parts of one tuple fit the same people.
        domains: (d,) what the labels of a region are made from.
        alone: whether each side of a cut is counted by itself: people, or a population, are no sums.
        dimension: which dimension is tried first.
    """

    positions: tuple[Positions, ...]
    factors: tuple[Fraction, ...]
    models: tuple[PrivacyModel, ...]
    least: int
    cut: Cut
    strict: bool
    relaxed: bool
    domains: tuple[Domain, ...]
    alone: bool
    dimension: Dimension = WIDEST

    @classmethod
    def of(
        cls, problem: Problem, cut: Cut = "nearest", *, relaxed: bool = False, dimension: Dimension = WIDEST
    ) -> Space:
        """The space of a problem's table; who splits partitions in another way needs no rule for cuts."""
        quasi = problem.frequency.quasi
        ends = quasi.min(axis=0), quasi.max(axis=0)
        return cls.between(ends, problem, cut, relaxed=relaxed, dimension=dimension)

    @classmethod
    def between(
        cls, ends: tuple[Codes, Codes], problem: Problem, cut: Cut, *, relaxed: bool, dimension: Dimension = WIDEST
    ) -> Space:
        """The space of a problem whose table has these least and greatest codes: (d,) each."""
        positions = tuple(domain.positions for domain in problem.domains)
        widths = _widths(*ends, positions)
        weights = [Fraction(domain.attribute.weight) for domain in problem.domains]
        factors = tuple(map(_factor_of(dimension), weights, widths))
        declared = [model.declared for model in problem.models]
        least = max(1, *(one.smallest_class for one in declared))
        relaxed = relaxed and not any(one.population and not one.monotone_suppression for one in declared)
        strict = cut != "median" or not relaxed
        alone = problem.frequency.people is not None or problem.population is not None
        return cls(positions, factors, problem.models, least, cut, strict, relaxed, problem.domains, alone, dimension)

    def carve(self, partition: Partition, split: Callable[[Partition], Sides | None] | None = None) -> list[Partition]:
        """The leaves of a partition, left before right.

        Args:
            partition: What is cut.
            split: Both sides of the cut that is chosen, `None` at a leaf; Mondrian's where none is given.
        """
        split = split or self.sides
        leaves: list[Partition] = []
        unfinished = [partition]
        while unfinished:
            partition = self._narrowed(unfinished.pop())
            sides = split(partition)
            if sides is None:
                leaves.append(partition)
            else:
                unfinished += reversed(sides)
        return leaves

    def _narrowed(self, partition: Partition) -> Partition:
        """The partition with those of the population who fit its label: no others fit that of a part."""
        known = partition.known
        if known is None:
            return partition
        fits = covered(known, partition.rows.quasi, self.domains)
        return partition._replace(known=known.take(fits, known.counts[fits]))

    def sides(self, partition: Partition) -> Sides | None:
        """Both sides of the chosen cut; `None` at a leaf."""
        if partition.rows.records < 2 * self.least:
            return None
        quasi = partition.rows.quasi
        ends = quasi.min(axis=0), quasi.max(axis=0)
        dimensions = self.by_width(ends, lambda one: len(np.unique(quasi[:, one])))
        cuts = [self._strict] * self.strict + [self._dealt] * self.relaxed
        tried = (cut(partition, dimension) for cut in cuts for dimension in dimensions)
        return next((sides for sides in tried if sides is not None), None)

    def by_width(self, ends: tuple[Codes, Codes], values: Callable[[int], int]) -> list[int]:
        """The dimensions to try, widest first, or by another measure.

        Args:
            ends: (d,) the least and the greatest codes of a partition.
            values: Gives how many different codes it has in a dimension.
        """
        low, high = ends
        widths = _widths(low, high, self.positions)
        match self.dimension:
            case Widest():
                measures = widths
            case MostValues():
                measures = [values(one) * (width > 0) for one, width in enumerate(widths)]
            case AtRandom(seed):
                measures = [one * (width > 0) for one, width in zip(drawn(seed, low, high), widths, strict=True)]
            case _:
                assert_never(self.dimension)
        shares = [measure * factor for measure, factor in zip(measures, self.factors, strict=True)]
        return sorted((one for one, share in enumerate(shares) if share), key=lambda one: (-shares[one], one))

    def _strict(self, partition: Partition, dimension: int) -> Sides | None:
        """Both sides of the cut between values that `cut` asks for, if one is allowable."""
        last = self.last(partition, dimension)
        return None if last is None else parted(partition, partition.rows.quasi[:, dimension] <= last)

    def last(self, partition: Partition, dimension: int) -> int | None:
        """The greatest code left of the allowable cut that `cut` asks for; it looks at no other dimension."""
        rows, codes = partition.rows, partition.rows.quasi[:, dimension]
        values, of = np.unique(codes, return_inverse=True)
        upto = np.cumsum(np.bincount(of, weights=rows.counts).astype(np.int64))  # (v,) records up to each value
        records = int(upto[-1])
        large = np.minimum(upto, records - upto) >= self.least
        if self.cut == "median":
            large &= values == values[np.searchsorted(upto, (records - 1) // 2, side="right")]
        promising = np.flatnonzero(large)
        nearest = promising[np.lexsort((promising, np.abs(2 * upto[promising] - records)))]
        for batch in doubling(nearest, FIRST_BATCH):
            passed = np.isin(batch, self.allowable(partition, of, np.sort(batch)))
            if passed.any():
                return int(values[batch[passed.argmax()]])
        return None

    def allowable(self, partition: Partition, of: Index, cuts: Index) -> Index:
        """Those of the ascending cuts {<= v}, {> v} both sides of which satisfy the models."""
        if self.alone:
            return np.array([cut for cut in cuts.tolist() if self.fit(parted(partition, of <= cut))], np.int64)
        rows, between, none = partition.rows, np.searchsorted(cuts, of), np.zeros(cuts.size, np.int64)
        columns, codes = Columns.of(rows.sensitive_domains), rows.sensitive
        if len(codes) <= columns.few(self.models):
            codes = codes.copy()
            every, same = np.arange(len(codes)), np.zeros(len(codes), np.int64)
            columns = columns.narrowed(codes, (every, same, np.arange(columns.sizes.size)))
        sizes = np.bincount(between, weights=rows.counts, minlength=cuts.size + 1).astype(np.int64).cumsum()
        upto = columns.counted(codes, rows.counts, between, cuts.size + 1).cumsum(axis=0)
        left = columns.profile(sizes[:-1], upto[:-1], none)
        right = columns.profile(sizes[-1] - sizes[:-1], upto[-1] - upto[:-1], none)
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
        return sides if self.fit(sides) else None

    def fit(self, sides: Sides) -> bool:
        """Whether both sides satisfy all models."""
        return all(map(self.fits, sides))

    def fits(self, side: Partition) -> bool:
        """Whether one side satisfies all models."""
        return bool(self._satisfied(self.profile(side.rows, side.known)).all())

    def profile(self, rows: FrequencySet, known: FrequencySet | None) -> ClassProfile:
        """The profile of one class; `known` are people of the population, among them all who fit its label."""
        few = len(rows.quasi) <= Columns.of(rows.sensitive_domains).few(self.models)
        classes = profile(rows, np.zeros(len(rows.quasi), np.int64), 1, few=few)
        if known is None:
            return classes
        fits = known.counts[covered(known, rows.quasi, self.domains)]
        return replace(classes, population=fits.sum(keepdims=True), outside=int(known.counts.sum() - fits.sum()))

    def _satisfied(self, classes: ClassProfile) -> Mask:
        return reduce(np.logical_and, (model.satisfied(classes) for model in self.models))


def _factor_of(dimension: Dimension) -> Callable[[Fraction, int], Fraction]:
    """What the measure of a dimension is multiplied by, from its weight and its width in the table."""
    match dimension:
        case Widest():
            return lambda weight, width: weight / max(width, 1)
        case MostValues():
            return lambda weight, _: weight
        case AtRandom():
            return lambda _, __: Fraction(1)
        case _:
            assert_never(dimension)


def parted(partition: Partition, is_left: Mask) -> Sides:
    """Both sides of a strict cut."""
    counts = partition.rows.counts
    return partition.take(counts * is_left), partition.take(counts * ~is_left)


def _widths(low: Codes, high: Codes, positions: tuple[Positions, ...]) -> list[int]:
    return [int(scale[b]) - int(scale[a]) for a, b, scale in zip(low, high, positions, strict=True)]


def doubling(ordered: Index, first: int) -> Iterator[Index]:
    """Consecutive parts, `first` long and then each twice as long as the one before it."""
    start, length = 0, first
    while start < ordered.size:
        yield ordered[start : start + length]
        start, length = start + length, 2 * length


def _deal(partition: Partition, tied: Index, wanted: int) -> Index:
    """How many records of each tied tuple go left, `wanted` in all, in proportion from each sensitive value."""
    rows = partition.rows
    quasi, sensitive, counts = rows.quasi[tied], rows.sensitive[tied], rows.counts[tied]
    people = () if rows.people is None else (rows.people[tied],)
    order = np.lexsort((*people, *quasi.T[::-1], *sensitive.T[::-1]))
    starts_kind = np.append(True, (sensitive[order[1:]] != sensitive[order[:-1]]).any(axis=1))
    kind, ordered = np.cumsum(starts_kind) - 1, counts[order]
    of_kind = np.add.reduceat(ordered, np.flatnonzero(starts_kind))
    takes, remainders = np.divmod(wanted * of_kind, counts.sum())
    takes[np.argsort(-remainders, kind="stable")[: wanted - takes.sum()]] += 1
    before = np.cumsum(ordered) - ordered - (np.cumsum(of_kind) - of_kind)[kind]  # of the same kind, dealt earlier
    dealt = np.empty_like(counts)
    dealt[order] = np.clip(takes[kind] - before, 0, ordered)
    return dealt
