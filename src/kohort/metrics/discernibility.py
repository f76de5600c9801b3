"""Discernibility metric: how many records each record cannot be told from.

Bayardo, Agrawal: Data Privacy through Optimal k-Anonymization (ICDE 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def discernibility(outcome: Outcome) -> Shares:
    """C_DM: the sum of squared class sizes, and n for each suppressed record.

    It is at least k times the released records for every k-anonymous release, whatever its labels hide: reaching
    that proves nothing about utility. A record costs the size of its class, which only grows, or n, which is no less.
    """
    return np.asarray(float(int(np.dot(outcome.sizes, outcome.sizes)) + outcome.suppressed * outcome.records))


#: A suppressed record costs n, and as if released at most k - 1.
C_DM = Metric(
    Specification(
        key="c_dm",
        title="Discernibility (C_DM)",
        sentence=(
            "The sum of the class sizes of all records; a suppressed record counts as a class of the whole table."
        ),
        unit="C_DM: records in the class of each record, summed",
    ),
    discernibility,
    Display(symbol="C_DM", kind="count", wide=True, first=True),
    Disclosure(counted="input"),
    classes=True,
    surcharge=lambda records, k: records - (k - 1),
)
