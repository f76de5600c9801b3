"""Ambiguity metric: how many different records each released record may stand for.

Nergiz, Clifton: Thoughts on k-Anonymization (Data & Knowledge Engineering 63, 2007), section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def ambiguity(outcome: Outcome) -> Shares:
    """AM: the mean over all n records of M_1 · … · M_d, 1 for the identity.

    M_j is the number of values of its domain that the released value of quasi-identifier j may stand for; a suppressed
    record may stand for every combination, |A_1| · … · |A_d|. Neither generalizing nor suppressing makes a record stand
    for less: the metric is monotone. Products beyond the largest float are infinite.
    """
    detail = outcome.detail
    assert detail is not None  # noqa: S101  the metric declares it
    with np.errstate(over="ignore"):
        each = detail.covered.prod(axis=1) * outcome.sizes
        hidden = detail.whole.prod() * outcome.suppressed if outcome.suppressed else 0.0
        return np.asarray((np.sort(each).sum() + hidden) / outcome.records)  # sorted: the same for any order of classes


AMBIGUITY = Metric(
    Specification(
        key="ambiguity",
        title="Ambiguity (AM)",
        sentence="The mean number of combinations of values that a record may stand for: 1 if nothing is lost.",
        unit="AM: combinations of values a record may stand for",
        properties={"monotone": "a more general value stands for no fewer values, and a suppressed record for all"},
    ),
    ambiguity,
    Display(symbol="AM", least=1.0, wide=True),
    detail=True,
)
