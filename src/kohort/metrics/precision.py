"""Precision: how far up their hierarchies the released values stand.

Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and Suppression (IJUFKS 2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric, averaged, one_record
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def precision(outcome: Outcome) -> Shares:
    """1 less the weighted mean over all cells of level/height, a suppressed cell counting 1: 1 for the identity.

    Summed up as what is left of each cell, so that of a precision of almost nothing no digits are lost.
    """
    full = outcome.full_domain
    assert full is not None  # noqa: S101  the metric declares it
    kept = (full.heights - full.levels) / full.heights * (outcome.records - outcome.suppressed)
    return np.asarray((kept * outcome.weights).sum(axis=-1) / (outcome.records * outcome.weights.sum()))


PRECISION = Metric(
    Specification(
        key="precision",
        title="Precision",
        sentence="One minus the mean ratio of a value's level to the height of its hierarchy: 1 if nothing is lost.",
        unit="precision: 1 - mean level / height",
    ),
    precision,
    Display(symbol="Precision", kind="share", first=True),
    Disclosure(worth=one_record),
    less_is_better=False,
    full_domain=True,
    join=averaged,
)
