"""Uniqueness: people with a combination of quasi-identifiers of their own, in the file and in its population.

Only a population unique that is in the file can be found with certainty by an attacker who knows the population. The
file does not show their number; three estimators infer it from the number of classes of each size, and none of them is
right everywhere. All assume that the file is a simple random sample and no algorithm has generalized its cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from math import exp, fsum, lgamma, log
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import numpy as np

from kohort.errors.display import Named, Share, ToldAs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Counts, Shares


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The frequencies of the sizes of a sample's classes.

    Attributes:
        sizes: (j,) the different sizes, ascending.
        classes: (j,) how many classes have each.
        population: N, the people of the population, more than the sample's.
    """

    sizes: Counts
    classes: Counts
    population: int

    @classmethod
    def of(cls, sizes: Counts, population: int) -> Sample:
        """The sample with classes of these sizes.

        >>> sample = Sample.of(np.array([3, 1, 1]), 50)
        >>> sample.sizes.tolist(), sample.classes.tolist(), sample.people, sample.uniques
        ([1, 3], [2, 1], 5, 2)
        """
        values, classes = np.unique(sizes, return_counts=True)
        return cls(values, classes, population)

    @property
    def people(self) -> int:
        """The number n of people in the sample."""
        return int(self.sizes @ self.classes)

    @property
    def count(self) -> int:
        """The number u of classes."""
        return int(self.classes.sum())

    @property
    def uniques(self) -> int:
        """The number of classes of one."""
        return int(self.classes[self.sizes == 1].sum())

    @property
    def fraction(self) -> float:
        """The sampling fraction n/N."""
        return self.people / self.population


def _tenth(number: float) -> float:
    return round(number, 1)


def _six_digits(parameters: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.6g}") for name, value in parameters.items()}


#: How many, to a tenth: no estimate is finer.
Tenth: TypeAlias = Annotated[float, ToldAs(_tenth)]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of population uniques by one estimator.

    Attributes:
        estimator: Its name.
        uniques: The number; `None` where the estimator has no answer.
        reason: Why it has none; empty where it has.
        parameters: What it fitted, by name.
    """

    estimator: str
    uniques: Tenth | None
    reason: Named = ""
    parameters: Annotated[dict[str, float], ToldAs(_six_digits)] = field(default_factory=dict[str, float])


#: Up to this sampling fraction Pitman's estimator is trusted; above it the others.
SMALL: Final = 0.1

#: Why no estimator answers where people have records in several classes.
SPREAD: Final = "some people have records in several classes, which no estimator covers"


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
    share: Share
    population_size: int | None = None
    population: Tenth | None = None
    in_file: Tenth | None = None
    trusted: Named = ""
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


def zayatz(sample: Sample) -> Estimate:
    """Population uniques by Zayatz's equivalence class estimator.

    Zayatz: Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample (Bureau of the
    Census, Statistical Research Report 91/08, 1991). A class of F people shows one of them in a simple random sample
    with a hypergeometric probability; by Bayes, so many sample uniques are population uniques. The sizes of the
    population's classes, which Bayes' rule needs, are taken to be distributed as the sample's. The estimate is the
    number of sample uniques, times the share of them that are unique in the population, over the sampling fraction.

    Limits: it always answers; but a small sample has smaller classes than the population, so that the smaller the
    fraction the more it finds too many.

    >>> round(zayatz(Sample.of(np.array([1, 1, 1, 1, 2, 2, 5]), 26)).uniques, 3)
    5.029
    """
    alone = sample.uniques
    if not alone:
        return Estimate("Zayatz", 0.0)
    people, population = sample.people, sample.population
    more = np.arange(1, int(sample.sizes[-1]))
    missed = np.cumprod(np.maximum(population - people - more + 1, 0) / (population - more))
    # (j,) P(one of the class is in the sample), over that for a class of one: F · prod of (N-n-i+1)/(N-i)
    shown = sample.sizes * np.append(1.0, missed)[sample.sizes - 1]
    share = alone / fsum((sample.classes * shown).tolist())
    return Estimate("Zayatz", alone * share / sample.fraction, "", {"share": share})


#: Numbers of classes, evenly spaced by their logarithms, between which a solution is sought.
TRIED: Final = 1_000


def slide_negative_binomial(sample: Sample) -> Estimate:
    """Population uniques by the slide negative binomial model (SNB).

    Chen, Keller-McNulty: Estimation of Identification Disclosure Risk in Microdata (Journal of Official Statistics 14,
    1998). Each of K classes of the population has 1 + X people, X negative binomial with shape alpha and probability
    p: no class is empty. With every person sampled with probability pi, the parameters are those under which the
    people N of the population, the classes u and the uniques s of the sample are expected to be what they are (method
    of moments):

        N/K = 1 + alpha·(1-p)/p        u/K = 1 - (1-pi)·A        s/K = pi·A·(1 + (1-pi)·B)
        x = p / (1 - (1-p)(1-pi))      A = x^alpha               B = alpha·(1-p)/p · x

    and K·p^alpha uniques are expected in the population.

    Limits: the equations have no solution where sizes vary less than the model's (then no number is given), and few
    people of a small sample share a class, so that little is known of how sizes vary: below a fraction of some 10 % the
    answer is often far too high. Where they have several solutions, that with the fewest classes is taken.

    >>> found = slide_negative_binomial(Sample.of(np.array([1, 1, 1, 1, 2, 2, 2, 3, 4, 6]), 46))
    >>> round(found.uniques, 2), round(found.parameters["classes"], 2)
    (2.58, 12.33)
    """
    misfit = partial(_misfit, sample)
    most = min(sample.population, sample.count / (sample.people / sample.population))
    tried = np.exp(np.linspace(log(sample.count), log(most), TRIED))[1:-1]
    misfits = np.array([misfit(classes) for classes in tried.tolist()])
    known = np.isfinite(misfits)
    changes = np.flatnonzero(known[:-1] & known[1:] & ((misfits[:-1] > 0) != (misfits[1:] > 0)))
    if not changes.size:
        return Estimate("SNB", None, "the equations have no solution for these class sizes")
    classes = root(misfit, float(tried[changes[0]]), float(tried[changes[0] + 1]))
    alpha, p = _shape(sample, classes, _unseen(sample, classes)[1])
    return Estimate("SNB", classes * p**alpha, "", {"classes": classes, "alpha": alpha, "p": p})


def _unseen(sample: Sample, classes: float) -> tuple[float, float]:
    """For K classes, A from the second equation, and x from the third.

    B is the share of a class's others that stand for its unsampled ones.
    """
    sampled = sample.people / sample.population
    unseen = (1 - sample.count / classes) / (1 - sampled)
    twice = (sample.uniques / (classes * sampled * unseen) - 1) / (1 - sampled)
    return unseen, twice / (sample.population / classes - 1)


def _shape(sample: Sample, classes: float, x: float) -> tuple[float, float]:
    """The shape and p, from x and the first equation."""
    sampled = sample.people / sample.population
    p = x * sampled / (1 - x * (1 - sampled))
    return (sample.population / classes - 1) * p / (1 - p), p


def _misfit(sample: Sample, classes: float) -> float:
    """How far x^alpha is from A, by their logarithms; no number where there is no such model."""
    unseen, x = _unseen(sample, classes)
    return _shape(sample, classes, x)[0] * log(x) - log(unseen) if 0 < x < 1 else float("nan")


#: Terms of a harmonic sum that are added one by one; the error of the rest's expansion is then below 1e-11.
ADDED: Final = 16

#: Halvings: a float has 53 binary digits, and the bracket's ends a few more.
HALVINGS: Final = 80


def harmonic(x: float, terms: Counts) -> Shares:
    """For each number of terms, 1/(x+1) + 1/(x+2) + …; x above -1.

    The first are added, the rest is the integral between midpoints with two terms of Euler and Maclaurin's correction:
    stable also where x is huge and a difference of logarithms would cancel.

    >>> harmonic(0.0, np.array([0, 1, 3])).round(6).tolist()
    [0.0, 1.0, 1.833333]
    """
    head = np.concatenate([[0.0], np.cumsum(1 / (x + np.arange(1, ADDED + 1)))])
    low = x + ADDED + 0.5
    high = x + np.maximum(terms, ADDED) + 0.5
    rest = np.log1p((high - low) / low) + (high**-2 - low**-2) / 24 - 7 / 960 * (high**-4 - low**-4)
    return head[np.minimum(terms, ADDED)] + rest


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where `function` changes its sign between `low` and `high`, by bisection.

    >>> round(root(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    below = function(low) > 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if (function(middle) > 0) == below:
            low = middle
        else:
            high = middle
    return (low + high) / 2


#: The least alpha that differs from 0, where the formula is Ewens's.
LEAST: Final = 1e-6

#: Logarithms of theta + alpha between which the maximum is sought.
LOGARITHMS: Final = (-30.0, 60.0)


def pitman(sample: Sample) -> Estimate:
    """Population uniques by Pitman's sampling formula, which has Ewens's as its border.

    Pitman: Exchangeable and Partially Exchangeable Random Partitions (1995); Hoshino: Applying Pitman's Sampling
    Formula to Microdata Disclosure Risk Assessment (Journal of Official Statistics 17, 2001). Classes arise as tables
    do in a Chinese restaurant: of m people in u classes, the next opens a class with probability
    (theta + u·alpha) / (theta + m), or joins a class of j with probability (j - alpha) / (theta + m). The parameters
    are those of greatest likelihood.

    Limits: no maximum of the likelihood exists where every class has one person, or where there is one class. The model
    lets classes arise for ever; where the population has few classes, most of them in the sample, it finds too many.

    >>> sizes = np.repeat([1, 2, 3, 5, 9, 20, 40], [60, 20, 9, 6, 4, 2, 1])
    >>> found = pitman(Sample.of(sizes, 2_850))
    >>> round(found.uniques), {name: round(value, 2) for name, value in found.parameters.items()}
    (201, {'alpha': 0.49, 'theta': 15.99})
    """
    name = "Pitman"
    if sample.count == sample.people:
        return Estimate(name, None, "every class has one person: the likelihood has no maximum")
    if sample.count == 1:
        return Estimate(name, None, "there is one class: the likelihood has no maximum")
    alpha = 0.0 if _slope(sample, LEAST) <= 0 else root(lambda alpha: _slope(sample, alpha), LEAST, 1 - LEAST)
    theta = _theta(sample, alpha)
    return Estimate(name, expected_uniques(sample.population, alpha, theta), "", {"alpha": alpha, "theta": theta})


def expected_uniques(people: int, alpha: float, theta: float) -> float:
    """The expected number of classes of one among so many people.

    The first of them stays alone if no later one joins: the product over m = 1, … of (theta+alpha+m-1) / (theta+m).
    All are alike, so the number is that probability times the people.
    """
    grown = lgamma(theta + alpha + people - 1) - lgamma(theta + people)
    return people * exp(grown + lgamma(theta + 1) - lgamma(theta + alpha))


def _slope(sample: Sample, alpha: float) -> float:
    """How the logarithm of the likelihood, greatest in theta, changes with alpha."""
    theta = _theta(sample, alpha)
    ratio, later = theta / alpha, sample.count - 1
    opened = (later - ratio * _harmonic(ratio, later)) / alpha
    joined = sample.classes @ harmonic(-alpha, sample.sizes - 1)
    return float(opened - joined)


def _theta(sample: Sample, alpha: float) -> float:
    """The theta of greatest likelihood, given alpha: it lies above -alpha."""
    later = sample.count - 1

    def slope(logarithm: float) -> float:
        theta = exp(logarithm) - alpha
        opened = _harmonic(theta / alpha, later) / alpha if alpha else later / theta
        return opened - _harmonic(theta, sample.people - 1)

    return exp(root(slope, *LOGARITHMS)) - alpha


def _harmonic(x: float, terms: int) -> float:
    return float(harmonic(x, np.array([terms]))[0])
