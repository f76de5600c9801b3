"""Non-uniform entropy: how many bits are missing to tell each record's own values.

De Waal, Willenborg: Information Loss Through Global Recoding and Local Suppression (Netherlands Official Statistics
1999); Gionis, Tassa: k-Anonymization with Minimal Loss of Information (TKDE 2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Metric, added

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def entropy(outcome: Outcome) -> Shares:
    """Bits over all records: the weighted sum of -log2 P(original | released), P by the input's frequencies.

    0 for the identity; a suppressed record counts as one of whose values nothing is known.
    """
    assert outcome.full_domain is not None  # noqa: S101  the metric declares it
    return np.asarray((outcome.full_domain.bits * outcome.weights).sum(axis=-1))


ENTROPY = Metric("entropy", entropy, full_domain=True, join=added)
