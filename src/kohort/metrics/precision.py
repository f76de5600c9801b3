"""Precision: how far up their hierarchies the released values stand.

Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and Suppression (IJUFKS 2002), section 3.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Metric

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def precision(outcome: Outcome) -> Shares:
    """1 less the weighted mean over all cells of level/height, a suppressed cell counting 1: 1 for the identity."""
    full = outcome.full_domain
    assert full is not None  # noqa: S101  the metric declares it
    cells = (outcome.records - outcome.suppressed) * full.levels / full.heights + outcome.suppressed
    return np.asarray(1 - (cells * outcome.weights).sum(axis=-1) / (outcome.records * outcome.weights.sum()))


PRECISION = Metric("precision", precision, less_is_better=False, full_domain=True)
