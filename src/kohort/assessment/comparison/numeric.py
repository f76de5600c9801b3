"""Statistics of a column of numbers before and after: a range counts as its midpoint, a set as its mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kohort.arrays import Counts
    from kohort.assessment.comparison.line import Line, Places, Side

#: The quantiles that are told, by their shares: from the least number to the greatest.
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
    order = np.argsort(centres, kind="stable")[: int(side.told.sum())]  # what is no number comes last
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
