"""Global certainty penalty: the loss as many other programs count it, with m of |A| names as a share of m/|A|.

Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006); Ghinita, Karras, Kalnis,
Mamoulis: Fast Data Anonymization with Low Information Loss (VLDB 2007). It is another measure than LM and NCP, where
the same label loses (m - 1)/(|A| - 1): figures of the two are not to be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def global_certainty_penalty(outcome: Outcome) -> Shares:
    """GCP: the weighted mean penalty of a record's quasi-identifiers, in 0..1.

    A label that stands for m of the |A| values of its domain costs m/|A|, and nothing if m = 1; a range of numbers
    (max - min)/width, as in LM; a suppressed record 1. More general labels stand for no fewer values: it is monotone.
    """
    detail = outcome.detail
    assert detail is not None  # noqa: S101  the metric declares it
    covered, whole = detail.covered, detail.whole
    parts = np.where(covered > 1, covered / whole, 0.0)
    width = (covered - 1) / np.maximum(whole - 1, 1)
    each = np.where(detail.spans, width, parts)
    penalties = (
        np.sort(each * detail.classes.sizes[:, np.newaxis], axis=0).sum(axis=0) + outcome.suppressed
    ) / outcome.records
    return np.asarray((penalties * outcome.weights).sum() / outcome.weights.sum())


GCP = Metric(
    Specification(
        key="gcp",
        title="Certainty penalty (GCP)",
        sentence="The mean loss of a quasi-identifier, where m of |A| names count as m/|A|: 0 if nothing is lost.",
        unit="GCP: mean penalty of a quasi-identifier",
        properties={"monotone": "a more general value stands for no fewer values, and a suppressed record for all"},
    ),
    global_certainty_penalty,
    Display(symbol="GCP", kind="share"),
    detail=True,
)
