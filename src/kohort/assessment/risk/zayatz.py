"""Population uniques by Zayatz's equivalence class estimator.

Zayatz: Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample (Bureau of the
Census, Statistical Research Report 91/08, 1991). A class of F people shows one of them in a simple random sample with
a hypergeometric probability; by Bayes, so many sample uniques are population uniques. The sizes of the population's
classes, which Bayes' rule needs, are taken to be distributed as the sample's.
"""

from __future__ import annotations

import numpy as np

from kohort.assessment.risk.sample import Estimate, Sample


def zayatz(sample: Sample) -> Estimate:
    """The number of uniques of the population: that of the sample, times the share that are so, over the fraction.

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
    share = alone / float(sample.classes @ shown)
    return Estimate("Zayatz", alone * share / sample.fraction, "", {"share": share})
