"""Risk by attackers who know only m of the quasi-identifiers, whichever they are.

An attacker who knows fewer attributes of a person finds larger classes: the risks of a file assume that all are known,
and those of m show how much rests on that assumption. As in k^m-anonymity (Terrovitis, Mamoulis, Kalnis:
Privacy-preserving Anonymization of Set-valued Data, VLDB 2008), but with attributes in place of items. Any m may be
known, so every subset is tried. Knowing more never makes anybody safer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from random import Random
from typing import TYPE_CHECKING, Final

from kohort.assessment.classes import classes_of, sizes_of
from kohort.assessment.risk.reidentification import THRESHOLD, by_size
from kohort.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from kohort.core.frequency import FrequencySet

#: Tuples that may be visited, over all subsets, for every subset to be tried: some five seconds.
VISITS: Final = 100_000_000

#: Subsets drawn at random where there are too many, while they cost no more than the above.
DRAWN: Final = 200


@dataclass(frozen=True, slots=True)
class SubsetRisk:
    """The prosecutor's risks where an attacker knows some columns of everybody.

    Attributes:
        columns: The places of the columns.
        highest: The highest risk.
        average: The mean risk.
        over: The share of records over the threshold.
        uniques: Records, or people, that are alone in their class.
    """

    columns: tuple[int, ...]
    highest: float
    average: float
    over: float
    uniques: int


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The risks of all subsets of m columns.

    Attributes:
        m: How many columns are known.
        subsets: How many subsets there are.
        complete: Whether all were tried; if not, one was built greedily, column by column, and others drawn: the worst
            of them is then a lower bound.
        known: Those that were tried, the worst first: by average, then by uniques, then in the order of columns.
    """

    m: int
    subsets: int
    complete: bool
    known: tuple[SubsetRisk, ...]

    @property
    def worst(self) -> SubsetRisk:
        """The subset with the greatest average risk."""
        return self.known[0]

    @property
    def average(self) -> float:
        """The mean of the average risks of those that were tried."""
        return sum(sorted(one.average for one in self.known)) / len(self.known)


def knowing(
    frequency: FrequencySet, m: int, *, threshold: Fraction = THRESHOLD, seed: int = 0, visits: int = VISITS
) -> Knowledge:
    """The risks of the people of `frequency` by attackers who know m of its columns.

    Cost: one grouping of the tuples for each subset that is tried.

    Raises:
        UsageError: m is not a number of columns from 1 on that there are.

    >>> from kohort.io import read
    >>> from kohort.assessment.classes import tuples_of
    >>> import polars as pl
    >>> table = read(pl.DataFrame({"city": ["Bari", "Bari", "Roma", "Roma"], "age": ["1", "2", "1", "1"]}))
    >>> knowing(tuples_of(table, table.names), 1).worst
    SubsetRisk(columns=(1,), highest=1.0, average=0.5, over=1.0, uniques=1)
    """
    width = frequency.quasi.shape[1]
    if type(m) is not int or not 1 <= m <= width:
        raise UsageError(f"m must be a whole number from 1 to {width}, the quasi-identifiers", where="known")
    subsets = comb(width, m)
    complete = subsets * frequency.counts.size <= visits
    if complete:
        tried = set(combinations(range(width), m))
    else:
        most = min(DRAWN, visits // frequency.counts.size)
        tried = _greedy(frequency, m, threshold) | _drawn(width, m, most, Random(seed))  # noqa: S311  drawn to look at, not to hide
    found = [_risk_of(frequency, columns, threshold) for columns in sorted(tried)]
    return Knowledge(m, subsets, complete, tuple(sorted(found, key=_badness)))


def _risk_of(frequency: FrequencySet, columns: tuple[int, ...], threshold: Fraction) -> SubsetRisk:
    """The risks by an attacker who knows these columns."""
    classes = classes_of(frequency, columns)
    found = sizes_of(frequency, classes.of, classes.sizes)
    figures = by_size(found, threshold)
    alone = figures.at_highest if figures.highest == 1 else 0
    return SubsetRisk(columns, figures.highest, figures.average, figures.over, alone)


def _badness(one: SubsetRisk) -> tuple[float, int, tuple[int, ...]]:
    return -one.average, -one.uniques, one.columns


def _greedy(frequency: FrequencySet, m: int, threshold: Fraction) -> set[tuple[int, ...]]:
    """A subset of high risk: one column after the other, each time the one with the greatest average risk."""
    chosen: tuple[int, ...] = ()
    for _ in range(m):
        left = [column for column in range(frequency.quasi.shape[1]) if column not in chosen]
        larger = [_risk_of(frequency, tuple(sorted((*chosen, column))), threshold) for column in left]
        chosen = min(larger, key=_badness).columns
    return {chosen}


def _drawn(width: int, m: int, most: int, random: Random) -> set[tuple[int, ...]]:
    """Up to so many different subsets."""
    return {tuple(sorted(random.sample(range(width), m))) for _ in range(most)}
