"""Geometric mean of losses: a loss metric in which no column that loses nothing hides the others.

The mean that ARX calls Loss (Prasser et al.: Flexible data anonymization using ARX, Software: Practice and Experience
50, 2020), of the losses of Iyengar (KDD 2002), without ARX's cut after ten decimals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.metrics.base import Disclosure, Display, Metric, one_record
from kohort.metrics.loss import attribute_losses, geometric_mean
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def geometric_loss(outcome: Outcome) -> Shares:
    """The weighted geometric mean of (loss + 1), less 1, in 0..1: a loss of 0 does not hide the others."""
    return geometric_mean(attribute_losses(outcome), outcome.weights)


LM_GEOMETRIC = Metric(
    Specification(
        key="lm_geometric",
        title="Loss (geometric mean)",
        sentence=(
            "The geometric mean of 1 plus each quasi-identifier's loss, minus 1: from 0, nothing lost, to 1, all lost."
        ),
        unit="geometric mean of the losses",
    ),
    geometric_loss,
    Display(symbol="LM, geometric mean", kind="share"),
    Disclosure(worth=one_record),
    join=lambda costs, weights: float(geometric_mean(costs, weights)),
)
