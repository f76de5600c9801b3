"""Uniqueness: people with a combination of quasi-identifiers of their own, in the file and in its population.

Only a population unique that is in the file can be found with certainty by an attacker who knows the population. The
file does not show their number; three estimators infer it from the number of classes of each size, and none of them is
right everywhere. All assume that the file is a simple random sample and no algorithm has generalized its cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.risk.pitman import pitman
from kohort.assessment.risk.sample import Estimate, Sample
from kohort.assessment.risk.slide_negative_binomial import slide_negative_binomial
from kohort.assessment.risk.zayatz import zayatz

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts

#: Up to this sampling fraction Pitman's estimator is trusted; above it the others.
SMALL: Final = 0.1

#: Why no estimator answers where people have records in several classes.
SPREAD: Final = "some people have records in several classes, which no estimator knows of"


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """Uniques of the file and of its population.

    Attributes:
        sample: People, or records, alone in their class of the file.
        share: Their share of the people.
        population_size: People of the population; `None` where it is not known.
        population: How many of them are alone in their class of the population, by the trusted estimator; `None` where
            none was tried or has an answer.
        in_file: How many of those are in the file: counted, or expected by the estimate.
        trusted: The source of this figure: an estimator, `"population table"`, `"the whole population"`, or none.
        estimates: The answer of each estimator.
    """

    sample: int
    share: float
    population_size: int | None = None
    population: float | None = None
    in_file: float | None = None
    trusted: str = ""
    estimates: tuple[Estimate, ...] = ()


def sample_uniques(sizes: Counts) -> Uniqueness:
    """The uniqueness of a file whose classes have these sizes, and of which nothing else is known."""
    uniques = int((sizes == 1).sum())
    return Uniqueness(uniques, uniques / int(sizes.sum()))


def counted(sizes: Counts, population: Counts, people: int) -> Uniqueness:
    """The same where each class fits so many in a population table of so many people.

    >>> counted(np.array([1, 1, 2]), np.array([1, 5, 2]), 30).in_file
    1.0
    """
    both = int(((sizes == 1) & (population <= 1)).sum())
    return replace(sample_uniques(sizes), population_size=people, in_file=float(both), trusted="population table")


def estimated(sizes: Counts, population: int, *, spread: bool = False) -> Uniqueness:
    """The same where the file is drawn from so many people; `spread` says that some are in several classes.

    >>> found = estimated(np.repeat([1, 2, 3, 5, 9, 20, 40], [60, 20, 9, 6, 4, 2, 1]), 2_850)
    >>> found.sample, round(found.population), round(found.in_file), found.trusted
    (60, 201, 19, 'Pitman')
    """
    known = replace(sample_uniques(sizes), population_size=population)
    if spread:
        return replace(known, estimates=tuple(Estimate(name, None, SPREAD) for name in ("Pitman", "Zayatz", "SNB")))
    sample = Sample.of(sizes, population)
    if sample.people == population:
        uniques = float(sample.uniques)
        return replace(known, population=uniques, in_file=uniques, trusted="the whole population")
    estimates = (pitman(sample), zayatz(sample), slide_negative_binomial(sample))
    chosen = trusted(estimates, sample.fraction)
    uniques = chosen.uniques or 0.0
    expected = min(uniques * sample.fraction, float(sample.uniques))  # who is unique in the population is so here
    return replace(known, population=uniques, in_file=expected, trusted=chosen.estimator, estimates=estimates)


def trusted(estimates: Sequence[Estimate], fraction: float) -> Estimate:
    """The estimate to believe: the decision rule of Dankar et al.

    Dankar, El Emam, Neisa, Roffey: Estimating the Re-identification Risk of Clinical Data Sets (BMC Medical Informatics
    and Decision Making 12:66, 2012), from simulations: Pitman's up to a fraction of 0.1, where it has an answer; else
    the smaller of Zayatz's and SNB's, for both tend to find too many.

    >>> three = [Estimate("Pitman", 9.0), Estimate("Zayatz", 20.0), Estimate("SNB", None, "no solution")]
    >>> trusted(three, 0.05).estimator, trusted(three, 0.5).estimator
    ('Pitman', 'Zayatz')
    """
    small, *others = estimates
    if fraction <= SMALL and small.uniques is not None:
        return small
    return min(others, key=lambda one: np.inf if one.uniques is None else one.uniques)
