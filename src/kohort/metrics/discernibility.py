"""Discernibility metric: how many records each record cannot be told from.

Bayardo, Agrawal: Data Privacy through Optimal k-Anonymization (ICDE 2005), section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kohort.metrics.base import Outcome


def discernibility(outcome: Outcome) -> float:
    """C_DM: the sum of squared class sizes, and n for each suppressed record.

    It is at least k times the released records for every k-anonymous release, whatever its labels hide: reaching
    that proves nothing about utility.
    """
    return float(int(np.dot(outcome.sizes, outcome.sizes)) + outcome.suppressed * outcome.records)
