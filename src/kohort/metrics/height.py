"""Height: how many steps of generalization were taken.

Samarati (TKDE 2001): the k-minimal generalizations are those of least height.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric, added
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def height(outcome: Outcome) -> Shares:
    """The weighted sum of the levels; suppressed records cost nothing."""
    assert outcome.full_domain is not None  # noqa: S101  the metric declares it
    return np.asarray((outcome.full_domain.levels * outcome.weights).sum(axis=-1))


HEIGHT = Metric(
    Specification(
        key="height",
        title="Height (sum of levels)",
        sentence="The sum of the levels of all quasi-identifiers: 0 for the original table.",
        unit="steps of generalization, summed",
    ),
    height,
    Display(symbol="Height", kind="count"),
    Disclosure(counted="release"),
    full_domain=True,
    join=added,
)
