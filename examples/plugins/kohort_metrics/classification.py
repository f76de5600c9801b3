"""Classification metric: how many records a classifier trained on the release is bound to get wrong.

Iyengar: Transforming Data to Satisfy Privacy Constraints (KDD 2002), section 3.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def classification(outcome: Outcome) -> Shares:
    """CM: (released records without the most frequent response of their class + suppressed records) / n, in 0..1.

    The response is the first sensitive attribute that a model looks at; a missing value is a response of its own.
    CM = (S + the sum over classes E of |E| - max_v |{r in E: response of r is v}|) / n.

    Of merged classes the most frequent response has at most as many records as those of the parts together, and a
    suppressed record costs 1, as much as any can: the metric is monotone.
    """
    detail = outcome.detail
    assert detail is not None  # noqa: S101  the metric declares it
    assert detail.response is not None  # noqa: S101  likewise
    of, records = detail.joint(detail.response)
    most = np.zeros(outcome.sizes.size, np.int64)
    np.maximum.at(most, of[of >= 0], records[of >= 0])
    return np.asarray((outcome.suppressed + outcome.sizes.sum() - most.sum()) / outcome.records)


CLASSIFICATION = Metric(
    Specification(
        key="classification",
        title="Classification metric (CM)",
        sentence="The share of records that are suppressed or lack the most frequent sensitive value of their class.",
        unit="CM: records outside the majority of their class",
        not_promised="Other analyses: it measures the prediction of one sensitive column only.",
        properties={"monotone": "a majority of merged classes is no larger than the majorities of the parts together"},
    ),
    classification,
    Display(symbol="CM", kind="share"),
    detail=True,
    response=True,
)
