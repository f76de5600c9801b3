"""Loss metric: how much of its domain each released value may stand for.

Iyengar: Transforming Data to Satisfy Privacy Constraints (KDD 2002). Also known, divided by the number of
quasi-identifiers, as the normalized certainty penalty (Xu et al., KDD 2006), where papers write a set's loss as here.
Of the mean, attributes of one value are left out: they can lose nothing, and would only make it smaller.
Others write it as m/|A|: that is `kohort.metrics.global_certainty_penalty`, another measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric, added, averaged, counting, one_record
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome

#: What one unit of the tenth decimal is of: ARX cuts an attribute's loss off there. The noise of floating point, far
#: below it, must not turn 0.2 into 0.1999999999.
TENTH_DECIMAL, NOISE = 1e10, 1e-5


def attribute_losses(outcome: Outcome) -> Shares:
    """(..., d) mean over all n records of (M - 1)/(|A| - 1); a suppressed record counts 1."""
    return (outcome.losses + outcome.suppressed) / outcome.records


def loss(outcome: Outcome) -> Shares:
    """LM: the weighted sum of the attribute losses; 0 for the identity, and with weights of 1 at most d."""
    return np.asarray((attribute_losses(outcome) * outcome.weights).sum(axis=-1))


def certainty_penalty(outcome: Outcome) -> Shares:
    """NCP: the weighted mean of the losses of the attributes that have several values, in 0..1."""
    weights = counting(outcome.weights, outcome.varying)
    return np.asarray((attribute_losses(outcome) * weights).sum(axis=-1) / weights.sum())


def arx_loss(outcome: Outcome) -> Shares:
    """What ARX calls Loss: the same mean of losses that are cut off after ten decimals.

    ARX writes an attribute's loss as (sum of shares - n/|A|)/(n - n/|A|), a value's share being M/|A| and a suppressed
    record's 1; that is the attribute's LM.
    """
    return geometric_mean(np.floor(attribute_losses(outcome) * TENTH_DECIMAL + NOISE) / TENTH_DECIMAL, outcome.weights)


def geometric_mean(losses: Shares, weights: Shares) -> Shares:
    """The weighted geometric mean of (loss + 1), less 1; by logarithms, so that of a small loss no digits are lost."""
    return np.asarray(np.expm1((np.log1p(losses) * (weights / weights.sum())).sum(axis=-1)))


LM = Metric(
    Specification(
        key="lm",
        title="Loss (LM)",
        sentence=(
            "The sum of the mean losses of the quasi-identifiers: from 0, nothing lost, to their number, all lost."
        ),
        unit="LM: loss of the quasi-identifiers, 0..1 each, summed",
    ),
    loss,
    Display(symbol="LM", first=True),
    Disclosure(worth=lambda records, quasi: quasi / records),
    join=added,
)
NCP = Metric(
    Specification(
        key="ncp",
        title="Loss (NCP)",
        sentence=(
            "The mean loss of the quasi-identifiers that have several values: from 0, nothing lost, to 1, all lost."
        ),
        unit="NCP: mean loss of a quasi-identifier",
    ),
    certainty_penalty,
    Display(symbol="NCP", kind="share", first=True),
    Disclosure(worth=one_record),
    varying=True,
    join=averaged,
)
ARX_LOSS = Metric(
    Specification(
        key="arx_loss",
        title="Loss (ARX)",
        sentence="The metric that ARX calls Loss: from 0, nothing lost, to 1, all lost.",
        unit="geometric mean of the losses",
    ),
    arx_loss,
    Display(symbol="Loss (ARX)", kind="share"),
    Disclosure(worth=one_record),
    full_domain=True,
    join=lambda costs, weights: float(geometric_mean(costs, weights)),
)
