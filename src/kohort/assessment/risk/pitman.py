"""Population uniques by Pitman's sampling formula, which has Ewens's as its border.

Pitman: Exchangeable and Partially Exchangeable Random Partitions (1995); Hoshino: Applying Pitman's Sampling Formula to
Microdata Disclosure Risk Assessment (Journal of Official Statistics 17, 2001). Classes arise as tables do in a
Chinese restaurant: of m people in u classes, the next opens a class with probability (theta + u·alpha) / (theta + m),
or joins a class of j with probability (j - alpha) / (theta + m). The parameters are those of greatest likelihood.
"""

from __future__ import annotations

from math import exp, lgamma
from typing import Final

import numpy as np

from kohort.assessment.risk.sample import Estimate, Sample
from kohort.assessment.risk.solving import harmonic, root

#: The least alpha that differs from 0, where the formula is Ewens's.
LEAST: Final = 1e-6

#: Logarithms of theta + alpha between which the maximum is sought.
LOGARITHMS: Final = (-30.0, 60.0)


def pitman(sample: Sample) -> Estimate:
    """The expected number of uniques in the population.

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
    """1/(x+1) + … with so many terms."""
    return float(harmonic(x, np.array([terms]))[0])
