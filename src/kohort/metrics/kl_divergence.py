"""KL divergence: how far the distribution that a release describes is from that of the table.

Kifer, Gehrke: Injecting Utility into Anonymized Datasets (SIGMOD 2006), section 4; in ARX it is a quality model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Display, Metric
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Counts, Shares
    from kohort.metrics.base import Outcome


def kl_divergence(outcome: Outcome) -> Shares:
    """KL(p || q) in bits, at least 0: the sum over classes E and combinations x in them of p(E, x) log2(p / q).

    p(E, x) is the share of the records that have the combination x of quasi-identifying values and are in the class E;
    q(E, x) spreads the records of each class evenly over the combinations that its label may stand for:
    q(E, x) = |E| / n / (M_1 · … · M_d). Suppressed records are one class that may stand for everything; records that
    the schema suppressed before the search have no combination and are not counted. Of a number on a grid the cell is
    known, within which the table's records are spread evenly, too. Where the labels of classes do not overlap, as in
    every full-domain recoding, this is the divergence between the two distributions of x; else it is at least that.

    A suppressed class joins the others that are suppressed, whose records it makes more: that may lower the divergence,
    so the metric is not monotone.
    """
    detail = outcome.detail
    assert detail is not None  # noqa: S101  the metric declares it
    of, records = detail.joint(detail.quasi)
    sizes = np.bincount(of + 1, records).astype(np.int64)  # the suppressed come first
    volumes = np.append(np.log2(detail.whole).sum(), np.log2(detail.covered).sum(axis=1))
    bits = _log_sum(records) - _log_sum(sizes[sizes > 0]) + np.sort(sizes * volumes).sum() - detail.cell_bits
    return np.asarray(max(float(bits) / sizes.sum(), 0.0))


def _log_sum(counts: Counts) -> float:
    """The sum of c log2(c), the same for any order of the counts."""
    values, times = np.unique(counts, return_counts=True)
    return float((times * values * np.log2(values)).sum())


KL_DIVERGENCE = Metric(
    Specification(
        key="kl",
        title="KL divergence",
        sentence=(
            "The divergence of the table's distribution from that of its release, in bits, if the values "
            "of a class are spread evenly over its label."
        ),
        unit="KL divergence from the table, bits",
        properties={"not monotone": "suppressing one more class may lower the divergence of all suppressed records"},
    ),
    kl_divergence,
    Display(symbol="KL divergence"),
    detail=True,
    monotone=False,
)
