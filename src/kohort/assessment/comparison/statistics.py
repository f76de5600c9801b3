"""Statistics of one column before and after: moments, quantiles, and how far its distribution moved.

Numbers: a range counts as its midpoint, a set as its mean. Names with a hierarchy count as the codes 1, 2, … of the
nodes below the root, above them, or as codes of their own where there is no level between; a generalized value as the
mean code of its leaves, so that no record is left out because it was generalized.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed

if TYPE_CHECKING:
    from kohort.arrays import Counts, Shares
    from kohort.assessment.comparison.line import Line, Places, Side, Stretches

#: The quantiles that are reported, by their shares: from the least number to the greatest.
QUANTILES: Final = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and spread of some records.

    Attributes:
        records: How many there are.
        mean: Their mean.
        variance: With one less than their number below; `None` of a single record.
    """

    records: int
    mean: float
    variance: float | None

    @property
    def deviation(self) -> float | None:
        """The standard deviation."""
        return None if self.variance is None else self.variance**0.5


@dataclass(frozen=True, slots=True)
class NumericStatistics:
    """The records of one table that have a number.

    Attributes:
        moments: Mean and spread.
        quantiles: One for each of `QUANTILES`; between two records, in proportion to where it lies.
    """

    moments: Moments
    quantiles: tuple[float, ...]


def numeric_statistics(line: Line, side: Side) -> NumericStatistics | None:
    """The statistics of one side of a line of numbers; `None` where no record has one."""
    centres, unit = side.means.centres(), 10.0**line.digits
    order = np.argsort(centres, kind="stable")[: int(side.valued.sum())]  # labels without a number come last
    values, records = centres[order], side.records[order]
    found = moments(values, records)
    if found is None:
        return None
    variance = None if found.variance is None else found.variance / unit / unit
    quantiles = _quantiles(values, records) / unit
    return NumericStatistics(Moments(found.records, found.mean / unit, variance), tuple(quantiles.tolist()))


def moments(values: Places, records: Counts) -> Moments | None:
    """Mean and variance of values of which each is of so many records; `None` where there are none.

    The last digit depends on the order of the values: give them in one that the records do not decide.

    >>> moments(np.array([1.0, 4.0]), np.array([2, 1]))
    Moments(records=3, mean=2.0, variance=3.0)
    """
    total = int(records.sum())
    if not total:
        return None
    start = float(values[np.argmax(records)])  # near the mean, so that few digits are lost
    mean = start + float((values - start) @ records) / total
    variance = float((values - mean) ** 2 @ records) / (total - 1) if total > 1 else None
    return Moments(total, mean, variance)


def _quantiles(values: Places, records: Counts) -> Places:
    """(q,) the quantiles of ascending values of which each is of so many records."""
    upto = np.cumsum(records)
    wanted = np.array(QUANTILES) * (upto[-1] - 1)
    below = np.floor(wanted)
    low, high = (values[np.searchsorted(upto, place, side="right")] for place in (below, np.ceil(wanted)))
    return np.asarray(low + (high - low) * (wanted - below))


def ordinal_codes(line: Line) -> Places:
    """(v,) the code of each place of a line of names with a hierarchy; not a number of what is no leaf, or missing."""
    hierarchy = line.known.hierarchy
    codes = np.full(len(line.places), np.nan)
    if hierarchy is not None:
        codes[: line.leaves] = hierarchy.maps[hierarchy.height - 1] + 1
        if "" in hierarchy.index:
            codes[hierarchy.index[""]] = np.nan
    return codes


def ordinal_moments(line: Line, side: Side) -> Moments | None:
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
    value: float
    relative: float | None


def distance_of(line: Line) -> Distance | None:
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


def _range(line: Line) -> float:
    """From the least to the greatest number of the domain, declared or observed."""
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
