"""Statistics before and after: moments, quantiles and distance of one column, and how strongly two go together.

Numbers: a range counts as its midpoint, a set as its mean. Names with a hierarchy count as the codes 1, 2, … of the
nodes below the root, above them, or as codes of their own where there is no level between; a generalized value as the
mean code of its leaves, so that no record is left out because it was generalized.

Pairs: two columns of numbers have Pearson's correlation, of midpoints where there are ranges; two columns of names
Cramér's V, without correction for bias; numbers and names the correlation ratio, the root of the part of the numbers'
variance that lies between the names. Names are put together as in their distributions, the same before and after; a
generalized cell counts in parts for what it stands for. Records without a number are left out of pairs with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.errors.display import NOT_JSON, Share, Significant
from kohort.tables.table import narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Mask, Shares
    from kohort.assessment.comparison.distribution import NameGroups
    from kohort.assessment.comparison.line import ColumnLine, Places, Side, Stretches
    from kohort.tables.table import CellCodes


#: The quantiles that are reported, by their shares: from the least number to the greatest.
QUANTILES: Final = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and spread of some records.

    Attributes:
        records: How many there are; not in JSON.
        mean: Their mean.
        deviation: The standard deviation; `None` of a single record.
        variance: With one less than their number below; likewise.
    """

    records: int = field(metadata=NOT_JSON)
    mean: Significant
    deviation: Significant | None
    variance: Significant | None


@dataclass(frozen=True, slots=True)
class NumericStatistics(Moments):
    """Mean and spread of the records of one table that have a number.

    Attributes:
        quantiles: For each share of `QUANTILES`, as text; between two records, in proportion to where it lies.
    """

    quantiles: dict[str, Significant]


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """A column of one table.

    Attributes:
        missing: Records without a value.
        numeric: Of its numbers; `None` of names and dates, and where no record has a number.
        ordinal: Of the codes along the hierarchy's top level; `None` of numbers and without a hierarchy.
    """

    missing: int
    numeric: NumericStatistics | None = field(repr=False)  # its ends are values
    ordinal: Moments | None


def numeric_statistics(line: ColumnLine, side: Side) -> NumericStatistics | None:
    """The statistics of one side of a line of numbers; `None` where no record has one."""
    centres, unit = side.means.centres(), 10.0**line.digits
    order = np.argsort(centres, kind="stable")[: int(side.valued.sum())]  # labels without a number come last
    values, records = centres[order], side.records[order]
    found = moments(values, records)
    if found is None:
        return None
    variance = None if found.variance is None else found.variance / unit / unit
    quantiles = dict(zip(map("{:g}".format, QUANTILES), (_quantiles(values, records) / unit).tolist(), strict=True))
    return NumericStatistics(found.records, found.mean / unit, _root(variance), variance, quantiles)


def moments(values: Places, records: Counts) -> Moments | None:
    """Mean and variance of values of which each is of so many records; `None` where there are none.

    >>> moments(np.array([1.0, 4.0]), np.array([2, 1]))
    Moments(records=3, mean=2.0, deviation=1.7320508075688772, variance=3.0)
    """
    total = int(records.sum())
    if not total:
        return None
    start = float(values[np.argmax(records)])  # near the mean, so that few digits are lost
    mean = start + fsum(((values - start) * records).tolist()) / total
    variance = fsum(((values - mean) ** 2 * records).tolist()) / (total - 1) if total > 1 else None
    return Moments(total, mean, _root(variance), variance)


def _root(variance: float | None) -> float | None:
    return None if variance is None else variance**0.5


def _quantiles(values: Places, records: Counts) -> Places:
    """(q,) the quantiles of ascending values of which each is of so many records."""
    upto = np.cumsum(records)
    wanted = np.array(QUANTILES) * (upto[-1] - 1)
    below = np.floor(wanted)
    low, high = (values[np.searchsorted(upto, place, side="right")] for place in (below, np.ceil(wanted)))
    return np.asarray(low + (high - low) * (wanted - below))


def ordinal_codes(line: ColumnLine) -> Places:
    """(v,) the code of each place of a line of names with a hierarchy; not a number of what is no leaf, or missing."""
    hierarchy = line.known.hierarchy
    codes = np.full(len(line.places), np.nan)
    if hierarchy is not None:
        codes[: line.leaves] = hierarchy.maps[hierarchy.height - 1] + 1
        if "" in hierarchy.index:
            codes[hierarchy.index[""]] = np.nan
    return codes


def ordinal_moments(line: ColumnLine, side: Side) -> Moments | None:
    """Mean and variance of the codes of one side; `None` without a hierarchy, or where no record has one.

    A record counts if its label stands for some value that has a code, with the mean code of these.
    """
    codes = ordinal_codes(line)
    coded = ~np.isnan(codes)
    counts = np.concatenate([[0.0], np.cumsum(coded)])
    sums = np.concatenate([[0.0], np.cumsum(np.where(coded, codes, 0.0))])
    first, after = side.means.low.astype(np.int64), side.means.high.astype(np.int64) + 1
    places = summed(side.means.of, counts[after] - counts[first], side.means.labels)
    total = summed(side.means.of, sums[after] - sums[first], side.means.labels)
    labels = np.flatnonzero(places)
    means = total[labels] / places[labels]
    order = np.argsort(means, kind="stable")
    return moments(means[order], side.records[labels[order]])


DistanceKind: TypeAlias = Literal["total variation", "wasserstein"]


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the distribution after is from that before.

    Attributes:
        kind: How it is measured.
        value: The distance; of numbers in their own unit.
        relative: Of numbers, the distance over the range of the domain, `None` where that is one number; perturbed
            numbers can move by more.
    """

    kind: DistanceKind
    value: Significant
    relative: Significant | None


def distance_of(line: ColumnLine) -> Distance | None:
    """The distance between the two sides of a line; `None` where one has no value."""
    if not all(side.present for side in line.sides):
        return None
    if not line.numeric:
        moved = total_variation(line.expected(line.before), line.expected(line.after))
        return Distance("total variation", moved, moved)
    (old, had), (new, has) = ((side.means, side.means.weights(side.records) / side.present) for side in line.sides)
    moved = wasserstein(old, had, new, has)
    span = _range(line)
    moved /= 10.0**line.digits
    return Distance("wasserstein", moved, moved / span if span else None)


def _range(line: ColumnLine) -> float:
    domain, old = line.known.domain, line.before.means
    if domain is not None:
        return domain.extent * float(domain.unit)
    return float(old.high.max() - old.low.min()) / 10.0**line.digits


def total_variation(before: Shares, after: Shares) -> float:
    """Half the sum of the differences of shares, by how many records have each value.

    >>> total_variation(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    0.25
    """
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def wasserstein(before: Stretches, had: Shares, after: Stretches, has: Shares) -> float:
    """Wasserstein's distance, in steps, between two distributions; `had` and `has` are the stretches' shares.

    It is the area between the two distribution functions. Between two ends of stretches their difference grows by the
    same amount at every step, so that the area is a sum of absolute values of an arithmetic series: exact, however
    many steps a stretch has. Cost: a sort of the ends.
    """
    low, high = np.concatenate([before.low, after.low]), np.concatenate([before.high, after.high])
    share = np.concatenate([had, -has])
    each = share / (high - low + 1)
    between = low[low != np.floor(low)]
    ends = np.unique(np.concatenate([low, high[low < high], np.floor(between), np.ceil(between)]))
    first, last = np.searchsorted(ends, low), np.searchsorted(ends, high)
    growing = np.where(low < high, each, 0)
    slope = np.cumsum(summed(first, growing, ends.size) - summed(last, growing, ends.size))
    steps = np.diff(np.floor(ends))
    gained = np.append(0.0, slope[:-1] * steps)
    difference = np.cumsum(summed(first, each, ends.size) + gained)
    return float(_areas(difference[:-1], slope[:-1], np.diff(ends)).sum())


def _areas(start: Shares, slope: Shares, widths: Places) -> Shares:
    """(e,) between neighbouring ends: the sum of |start + i·slope| over i = 0, 1, … below the steps between them.

    Of ends less than a step apart it is the part of a step that they are.

    >>> _areas(np.array([1.0, -1.0]), np.array([0.0, 1.0]), np.array([0.5, 4.0])).tolist()
    [0.5, 4.0]
    """
    steps = np.maximum(np.rint(widths), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(slope == 0, steps, np.clip(np.ceil(-start / slope), 0.0, steps))
    one, other = _series(start, slope, turn), _series(start + turn * slope, slope, steps - turn)
    return (np.abs(one) + np.abs(other)) * (widths / steps)


def _series(start: Shares, slope: Shares, terms: Places) -> Shares:
    """Sum of start + i·slope over i = 0, 1, … below `terms`."""
    return terms * start + slope * terms * (terms - 1) / 2


Measure: TypeAlias = Literal["correlation", "cramers v", "correlation ratio"]

#: By how many of the two are numbers.
_MEASURES: Final[tuple[Measure, ...]] = ("cramers v", "correlation ratio", "correlation")

#: Columns whose pairs are measured.
COLUMNS: Final = 12

#: Cells of a table of two columns' labels that are counted one by one; beyond, those that occur are sorted out.
_CELLS: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Association:
    """Two columns.

    Attributes:
        columns: Their names.
        measure: How it is measured: in -1..1 for two columns of numbers, else in 0..1.
        before: How strongly they went together; `None` where one of them does not vary.
        after: How strongly they do in the release; likewise.
        change: After less before.
    """

    columns: tuple[str, str]
    measure: Measure
    before: Share | None
    after: Share | None
    change: Share | None


def associations(lines: Sequence[ColumnLine], groups: Sequence[NameGroups | None]) -> tuple[Association, ...]:
    """Every pair of the lines; `groups` are those of lines of names, `None` of numbers.

    Cost: some passes over the records for each pair.
    """
    sides = [
        [_column(side, names) for side, names in zip(both, groups, strict=True)]
        for both in zip(*(line.sides for line in lines), strict=True)
    ]
    found: list[Association] = []
    for one, other in combinations(range(len(lines)), 2):
        before, after = (strength(columns[one], columns[other]) for columns in sides)
        change = None if before is None or after is None else after - before
        measure = _MEASURES[lines[one].numeric + lines[other].numeric]
        found.append(Association((lines[one].name, lines[other].name), measure, before, after, change))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers.

    Attributes:
        amounts: (n,) less a whole number near their mean, so that sums of whole and half steps are exact and do not
            depend on the order of the records; not a number where a record has none.
        complete: Whether every record has one.
        total: Their sum; this and what follows only where they are complete.
        square: The sum of the squares of how far they are from their mean; 0 where they do not vary.
    """

    amounts: Places
    complete: bool = True
    total: float = field(init=False, default=0.0)
    square: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        """Add up."""
        if self.complete and self.amounts.size:
            object.__setattr__(self, "total", float(self.amounts.sum()))
            varies = self.amounts.min() < self.amounts.max()
            object.__setattr__(self, "square", self.times(self) if varies else 0.0)

    @classmethod
    def of(cls, side: Side) -> NumberColumn:
        """The column of one side of a line of numbers."""
        centres, valued = side.means.centres(), side.valued
        middle = np.rint(np.average(centres[valued], weights=side.records[valued])) if side.present else 0.0
        return cls((centres - middle)[side.codes], side.present == side.total)

    def where(self, chosen: Mask) -> NumberColumn:
        """The column of some records, all of which have a number."""
        return NumberColumn(self.amounts[chosen])

    def times(self, other: NumberColumn) -> float:
        """The sum of the products of how far both are from their means."""
        both = float(np.einsum("i,i->", self.amounts, other.amounts))  # in one thread, unlike a matrix product
        return both - self.total * other.total / self.amounts.size


@dataclass(frozen=True, slots=True, eq=False)
class NameColumn:
    """A column of names.

    Attributes:
        codes: (n,) the label of each record.
        records: (l,) records with each label.
        parts: (l, g) which share of each label is in each group.
    """

    codes: CellCodes
    records: Counts
    parts: Shares


def _column(side: Side, groups: NameGroups | None) -> NumberColumn | NameColumn:
    """What pairs need of a column; labels that stand for the same parts are one."""
    if groups is None:
        return NumberColumn.of(side)
    rows, parts = groups.parts(side.means)
    records = summed(rows, side.records, len(parts)).astype(np.int64)
    return NameColumn(narrow(rows, len(parts))[side.codes], records, parts)


def strength(one: NumberColumn | NameColumn, other: NumberColumn | NameColumn) -> float | None:
    """How strongly two columns go together; `None` where one of them does not vary."""
    if isinstance(one, NameColumn):
        return cramers_v(joint(one, other)) if isinstance(other, NameColumn) else correlation_ratio(other, one)
    return correlation_ratio(one, other) if isinstance(other, NameColumn) else pearson(one, other)


def pearson(one: NumberColumn, other: NumberColumn) -> float | None:
    """Pearson's correlation of the records that have both numbers; `None` where either does not vary.

    >>> column = NumberColumn(np.array([1.0, 2.0, 3.0]))
    >>> pearson(column, NumberColumn(np.array([7.0, 5.0, np.nan]), complete=False))
    -1.0
    """
    if not (one.complete and other.complete):
        both = ~(np.isnan(one.amounts) | np.isnan(other.amounts))
        one, other = one.where(both), other.where(both)
    if not (one.square and other.square):
        return None
    return float(np.clip(one.times(other) / np.sqrt(one.square * other.square), -1.0, 1.0))


def correlation_ratio(numbers: NumberColumn, names: NameColumn) -> float | None:
    """The correlation ratio of numbers by names; `None` where either does not vary."""
    codes, counts = names.codes, names.records
    if not numbers.complete:
        valued = ~np.isnan(numbers.amounts)
        numbers, codes = numbers.where(valued), codes[valued]
        counts = np.bincount(codes, minlength=counts.size)
    records, sums = names.parts.T @ counts, names.parts.T @ summed(codes, numbers.amounts, counts.size)
    some = records > 0
    if some.sum() <= 1 or not numbers.square:
        return None
    between = float((sums[some] ** 2 / records[some]).sum() - sums.sum() ** 2 / records.sum())
    return float(np.sqrt(np.clip(between / numbers.square, 0.0, 1.0)))


def joint(one: NameColumn, other: NameColumn) -> Shares:
    """(g, h) records expected in each group of one and each group of the other."""
    labels, others = len(one.parts), len(other.parts)
    if labels * others <= _CELLS:
        cells = np.multiply(one.codes, others, dtype=np.uint32)
        cells += other.codes
        table = np.bincount(cells, minlength=labels * others).reshape(labels, others) @ other.parts
    else:
        columns = [summed(one.codes, part[other.codes], labels) for part in other.parts.T]
        table = np.stack(columns, axis=1)
    return np.asarray(one.parts.T @ table)


def cramers_v(table: Shares) -> float | None:
    """Cramér's V of a table of counts, without correction for bias; `None` where a side has one group.

    >>> cramers_v(np.array([[3.0, 0.0], [0.0, 2.0]])), cramers_v(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    free = min(table.shape) - 1
    if free < 1:
        return None
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(np.sqrt(np.clip(((table - expected) ** 2 / expected).sum() / total / free, 0.0, 1.0)))
