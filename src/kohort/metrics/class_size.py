"""Average class size metric: how far the classes are from the size that was asked for.

LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def average_class_size(outcome: Outcome) -> Shares:
    """C_AVG: released records / classes / k; at least 1 for every k-anonymous release, 0 where nothing is released.

    Generalizing merges classes, so the average over all records grows; suppressing classes that are too small leaves
    the larger ones. Models that look at more than size may suppress large classes, which lowers it.
    """
    return np.asarray(float(outcome.sizes.sum()) / max(outcome.sizes.size, 1) / outcome.k)


C_AVG = Metric(
    Specification(
        key="c_avg",
        title="Average class size (C_AVG)",
        sentence="The mean size of a class, divided by k: 1 is the least that k allows.",
        unit="C_AVG: mean class size / k; 1 is the least",
    ),
    average_class_size,
    Display(symbol="C_AVG", least=1.0, first=True),
    Disclosure(counted="release"),
    classes=True,
    size_only=True,
)
