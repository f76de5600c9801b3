"""Re-identification risk: how surely a record is linked with the person it is of, by three attackers.

El Emam, Dankar: Protecting Privacy Using k-Anonymity (JAMIA 2008); Dankar, El Emam: A Method for Evaluating Marketer
Re-identification Risk (PAIS 2010). In a class of f released people and F people of the population

- the *prosecutor* knows that somebody is in the file: 1/f;
- the *journalist* does not, and would link any record with somebody of the population: 1/F;
- the *marketer* links all records at once, and counts how many are right: f · 1/F expected of the class, 1 where the
  file is all there is to know.

All three know every quasi-identifier of everybody and make no mistake, and files are true: the figures are upper
bounds for such attackers, and say nothing of what is learned without linking.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, fsum
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.arrays import Counts, Mask, Shares
    from kohort.assessment.classes import SizeDistribution

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

    highest: float
    average: float
    over: float
    at_highest: int


def threshold_of(value: object) -> Fraction:
    """A risk above which a record counts as exposed, exactly as it is written.

    Raises:
        UsageError: it is no number above 0 and below 1.

    >>> threshold_of("0.05"), threshold_of(0.2), threshold_of("1/3")
    (Fraction(1, 20), Fraction(1, 5), Fraction(1, 3))
    """
    return share_of(value, "the threshold", "0.2 for classes of five, 0.05 for classes of twenty", whole=False)


def share_of(value: object, what: str, hint: str, *, whole: bool = True) -> Fraction:
    """A share as it is written: above 0, at most 1 or, where it must not be the `whole`, below.

    Raises:
        UsageError: it is none.
    """
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
