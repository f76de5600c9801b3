"""Sums and roots that the estimators need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Counts, Shares

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
