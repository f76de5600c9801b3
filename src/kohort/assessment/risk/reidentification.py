"""Re-identification risk: how surely a record is linked with the person it is of, by three attackers.

El Emam, Dankar: Protecting Privacy Using k-Anonymity (JAMIA 2008); Dankar, El Emam: A Method for Evaluating Marketer
Re-identification Risk (PAIS 2010). In a class of f released people and F people of the population

- the *prosecutor* knows that somebody is in the file: 1/f;
- the *journalist* does not, and would link any record with somebody of the population: 1/F;
- the *marketer* links all records at once, and counts how many are right: f · 1/F expected of the class, 1 where the
  file is all there is to know.

All three know every quasi-identifier of everybody and make no mistake, and files are true: the figures are upper
bounds for such attackers, and say nothing of what is learned without linking.

An attacker who knows only m attributes of a person finds larger classes; the risks of m show how much rests on the
assumption that all are known. As in k^m-anonymity (Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of
Set-valued Data, VLDB 2008), but with attributes in place of items. Any m may be known, so every subset is tried.
Knowing more never makes anybody safer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import ceil, comb, fsum
from random import Random
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from kohort.assessment.classes import file_classes
from kohort.errors import UsageError
from kohort.errors.display import NOT_ON_PAGES, First, Share

if TYPE_CHECKING:
    from kohort.arrays import Counts, Mask, Shares
    from kohort.assessment.classes import SizeDistribution
    from kohort.core.frequency import FrequencySet


#: The threshold where none is given: that of classes of five, which most custodians of health data ask for
#: (El Emam: Guide to the De-Identification of Personal Health Information, 2013, chapter 16). 0.05 is usual for
#: public files.
THRESHOLD: Final = Fraction(1, 5)


@dataclass(frozen=True, slots=True)
class Exposure:
    """The risks of all records, or people, in four figures.

    Attributes:
        highest: The greatest risk, 0..1.
        average: The mean risk.
        over: The share of records whose risk exceeds the threshold.
        at_highest: How many records have the highest risk.
    """

    highest: Share = field(metadata={"public": "one_over"})
    average: Share = field(metadata={"public": "share"})
    over: Share = field(metadata={"public": "part_of"})
    at_highest: int = field(metadata=NOT_ON_PAGES)


def threshold_of(value: object) -> Fraction:
    """A risk above which a record counts as exposed, exactly as it is written.

    >>> threshold_of("0.05"), threshold_of(0.2), threshold_of("1/3")
    (Fraction(1, 20), Fraction(1, 5), Fraction(1, 3))
    """
    return share_of(value, "the threshold", "0.2 for classes of five, 0.05 for classes of twenty", whole=False)


def share_of(value: object, what: str, hint: str, *, whole: bool = True) -> Fraction:
    """A share as it is written: above 0, at most 1 or, where it must not be the `whole`, below."""
    try:
        share = Fraction(str(value)) if not isinstance(value, bool) else Fraction(0)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1 or (share == 1 and not whole):
        raise UsageError(f"{what} must be above 0 and {'at most' if whole else 'below'} 1", hint=f"such as {hint}")
    return share


def by_size(found: SizeDistribution, threshold: Fraction) -> Exposure:
    """The exposure of those who hide among so many: a risk of one over the size.

    >>> from kohort.assessment.classes import SizeDistribution
    >>> by_size(SizeDistribution(np.array([1, 4]), np.array([2, 8])), Fraction(1, 5))
    Exposure(highest=1.0, average=0.4, over=1.0, at_highest=2)
    """
    enough = min(ceil(1 / threshold), np.iinfo(np.int64).max)  # the least size whose risk is not above the threshold
    return _exposure(1 / found.sizes, found.people, found.sizes < enough)


def by_estimate(found: SizeDistribution, risks: Shares, threshold: Fraction) -> Exposure:
    """The exposure where the risk of those who hide among `found.sizes` is estimated as `risks`."""
    return _exposure(risks, found.people, risks > float(threshold))


def _exposure(risks: Shares, weight: Counts, over: Mask) -> Exposure:
    """The figures of (j,) risks that so many have; sums are rounded once, so that no order matters."""
    everyone = int(weight.sum())
    highest = float(risks.max())
    return Exposure(
        highest=highest,
        average=fsum((risks * weight).tolist()) / everyone,
        over=int(weight[over].sum()) / everyone,
        at_highest=int(weight[risks == highest].sum()),
    )


def marketer(sizes: Counts) -> float:
    """The expected share of right links when all records are linked with everybody in the file at once.

    In each class one of the f! matchings of its people is guessed, and one of f links is right on average.

    >>> marketer(np.array([1, 4]))
    0.4
    """
    return sizes.size / int(sizes.sum())


def marketer_among(sizes: Counts, risks: Shares) -> float:
    """The same among the population, of whom each class fits F: the mean over all records of `risks`, their 1/F.

    >>> marketer_among(np.array([1, 4]), 1 / np.array([2, 8]))
    0.2
    """
    return fsum((sizes * risks).tolist()) / int(sizes.sum())


#: Tuples that may be visited, over all subsets, for every subset to be tried: some five seconds.
VISITS: Final = 100_000_000

#: Subsets drawn at random where there are too many, while they cost no more than the above.
DRAWN: Final = 200


#: Subsets of known columns, and sets that single out, that JSON lists: the worst of them.
LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class SubsetRisk:
    """The prosecutor's risks where an attacker knows some columns of everybody.

    Attributes:
        columns: Their names; in a search, their places.
        highest: The highest risk.
        average: The mean risk.
        over: The share of records over the threshold.
        uniques: Records, or people, that are alone in their class.
    """

    columns: tuple[int | str, ...]
    highest: Share
    average: Share
    over: Share
    uniques: int


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The risks of all subsets of m columns.

    Attributes:
        m: How many columns are known.
        subsets: How many subsets there are.
        tried: How many were tried.
        complete: Whether all were; if not, one was built greedily, column by column, and others drawn: the worst of
            them is then a lower bound.
        average: The mean of the average risks of those that were tried.
        worst: Those, the worst first: by average, then by uniques, then in the order of columns; JSON has ten.
    """

    m: int
    subsets: int
    tried: int
    complete: bool
    average: Share
    worst: Annotated[tuple[SubsetRisk, ...], First(LISTED)]


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
    >>> knowing(tuples_of(table, table.names), 1).worst[0]
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
    average = sum(sorted(one.average for one in found)) / len(found)
    return Knowledge(m, subsets, len(found), complete, average, tuple(sorted(found, key=_badness)))


def _risk_of(frequency: FrequencySet, columns: tuple[int, ...], threshold: Fraction) -> SubsetRisk:
    figures = by_size(file_classes(frequency, columns).people, threshold)
    alone = figures.at_highest if figures.highest == 1 else 0
    return SubsetRisk(columns, figures.highest, figures.average, figures.over, alone)


def _badness(one: SubsetRisk) -> tuple[float, int, tuple[int | str, ...]]:
    return -one.average, -one.uniques, one.columns


def _greedy(frequency: FrequencySet, m: int, threshold: Fraction) -> set[tuple[int, ...]]:
    """A subset of high risk: one column after the other, each time the one with the greatest average risk."""
    chosen: tuple[int, ...] = ()
    for _ in range(m):
        left = [column for column in range(frequency.quasi.shape[1]) if column not in chosen]
        larger = [tuple(sorted((*chosen, column))) for column in left]
        chosen = min(larger, key=lambda columns: _badness(_risk_of(frequency, columns, threshold)))
    return {chosen}


def _drawn(width: int, m: int, most: int, random: Random) -> set[tuple[int, ...]]:
    return {tuple(sorted(random.sample(range(width), m))) for _ in range(most)}
