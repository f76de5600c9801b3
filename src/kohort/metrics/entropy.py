"""Non-uniform entropy: how many bits are missing to tell each record's own values.

De Waal, Willenborg: Information Loss Through Global Recoding and Local Suppression (Netherlands Official Statistics
1999); Gionis, Tassa: k-Anonymization with Minimal Loss of Information (TKDE 2009).
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric, added
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def entropy(outcome: Outcome) -> Shares:
    """Bits over all records: the weighted sum of -log2 P(original | released), P by the input's frequencies.

    0 for the identity; a suppressed record counts as one of whose values nothing is known.
    """
    assert outcome.full_domain is not None  # noqa: S101  the metric declares it
    return np.asarray((outcome.full_domain.bits * outcome.weights).sum(axis=-1))


ENTROPY = Metric(
    Specification(
        key="entropy",
        title="Entropy",
        sentence="The bits of information about the original values that the release lacks, summed over all records.",
        unit="bits lost, all records together",
    ),
    entropy,
    Display(symbol="Non-uniform entropy", wide=True),
    Disclosure(worth=lambda records, _: log2(2 * records)),
    full_domain=True,
    join=added,
)
