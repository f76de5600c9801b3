"""The journalist's risk where nobody has the population: estimated from the file and its sampling fraction.

Benedetti, Franconi: Statistical and Technological Solutions for Controlled Data Dissemination (1998); Polettini: Some
Remarks on the Individual Risk Methodology (2003); with one sampling weight, as in a simple random sample. Given f
people of the file in a class, the number F of the population is taken for negative binomial: the draws that it takes
to see f successes of probability pi, the sampling fraction. The risk is the mean of 1/F.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from kohort.arrays import Counts, Shares

#: Terms of the series: each is at most half the one before, and a float has 53 binary digits.
TERMS: Final = 60


def individual_risks(among: Counts, fraction: Fraction) -> Shares:
    """(j,) the mean of 1/F given each of the sizes `among`.

    With s between 0 and 1 the mean is the integral of pi·s^(f-1) / (pi + (1-pi)·s). The one of f follows from that of
    f-1, whose error a small fraction divides; of a large fraction its series falls quickly.

    >>> from fractions import Fraction
    >>> individual_risks(np.array([1, 5]), Fraction(1)).tolist()
    [1.0, 0.2]
    >>> individual_risks(np.array([1, 5]), Fraction(1, 10)).round(4).tolist()
    [0.2558, 0.0242]
    """
    sampled = float(fraction)
    return _by_steps(among, sampled) if fraction <= 0.5 else _by_series(among, sampled)  # noqa: PLR2004  one half


def _by_steps(among: Counts, sampled: float) -> Shares:
    """From f = 1 upward: risk(f+1) = ratio · (1/f - risk(f))."""
    ratio = sampled / (1 - sampled)
    risk = -ratio * log(sampled)
    risks = np.empty(int(among.max()))
    for size in range(1, risks.size + 1):
        risks[size - 1] = risk
        risk = ratio * (1 / size - risk)
    return risks[among - 1]


def _by_series(among: Counts, sampled: float) -> Shares:
    """pi/f times the sum over i of (1-pi)^i · i! / ((f+1)…(f+i))."""
    term = sampled / among
    total = term.copy()
    for step in range(1, TERMS):
        term = term * ((1 - sampled) * step / (among + step))
        total += term
    return total
