"""Population uniques by the slide negative binomial model (SNB).

Chen, Keller-McNulty: Estimation of Identification Disclosure Risk in Microdata (Journal of Official Statistics 14,
1998). Each of K classes of the population has 1 + X people, X negative binomial with shape alpha and probability p: no
class is empty. With every person sampled with probability pi, the parameters are those under which the people N of the
population, the classes u and the uniques of the sample are expected to be what they are (method of moments):

    N/K = 1 + alpha·(1-p)/p        u/K = 1 - (1-pi)·A        s/K = pi·A·(1 + (1-pi)·B)
    x = p / (1 - (1-p)(1-pi))      A = x^alpha               B = alpha·(1-p)/p · x

and K·p^alpha uniques are expected in the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from kohort.assessment.risk.sample import Estimate, Sample
from kohort.assessment.risk.solving import root

#: Numbers of classes, evenly spaced by their logarithms, between which a solution is sought.
TRIED: Final = 1_000


def slide_negative_binomial(sample: Sample) -> Estimate:
    """The expected number of uniques in the population.

    Limits: the equations have no solution where sizes vary less than the model's (then no number is given), and few
    people of a small sample share a class, so that little is known of how sizes vary: below a fraction of some 10 % the
    answer is often far too high. Where they have several solutions, that with the fewest classes is taken.

    >>> found = slide_negative_binomial(Sample.of(np.array([1, 1, 1, 1, 2, 2, 2, 3, 4, 6]), 46))
    >>> round(found.uniques, 2), round(found.parameters["classes"], 2)
    (2.58, 12.33)
    """
    equations = _Equations(sample.population, sample.people / sample.population, sample.count, sample.uniques)
    most = min(sample.population, sample.count / equations.sampled)
    tried = np.exp(np.linspace(log(sample.count), log(most), TRIED))[1:-1]
    misfits = np.array([equations.misfit(classes) for classes in tried.tolist()])
    known = np.isfinite(misfits)
    changes = np.flatnonzero(known[:-1] & known[1:] & ((misfits[:-1] > 0) != (misfits[1:] > 0)))
    if not changes.size:
        return Estimate("SNB", None, "its equations have no solution for these class sizes")
    classes = root(equations.misfit, float(tried[changes[0]]), float(tried[changes[0] + 1]))
    alpha, p = equations.shape(classes)
    return Estimate("SNB", classes * p**alpha, "", {"classes": classes, "alpha": alpha, "p": p})


@dataclass(frozen=True, slots=True)
class _Equations:
    """The three equations, reduced to one for the number K of classes."""

    population: int
    sampled: float
    count: int
    uniques: int

    def unseen(self, classes: float) -> float:
        """A, from the second equation."""
        return (1 - self.count / classes) / (1 - self.sampled)

    def ratio(self, classes: float) -> float:
        """x, from the third equation, by B: the share of a class's others that stand for its unsampled ones."""
        twice = (self.uniques / (classes * self.sampled * self.unseen(classes)) - 1) / (1 - self.sampled)
        return twice / (self.population / classes - 1)

    def shape(self, classes: float) -> tuple[float, float]:
        """The shape and p, from x and the first equation."""
        x = self.ratio(classes)
        p = x * self.sampled / (1 - x * (1 - self.sampled))
        return (self.population / classes - 1) * p / (1 - p), p

    def misfit(self, classes: float) -> float:
        """How far x^alpha is from A, by their logarithms; no number where there is no such model."""
        if not 0 < self.ratio(classes) < 1:
            return float("nan")
        alpha, _ = self.shape(classes)
        return alpha * log(self.ratio(classes)) - log(self.unseen(classes))
