"""Loss metric: how much of its domain each released value may stand for.

Iyengar: Transforming Data to Satisfy Privacy Constraints (KDD 2002), section 3. Also known, divided by the number of
quasi-identifiers, as the (global) normalized certainty penalty: Xu et al., Utility-Based Anonymization Using Local
Recoding (KDD 2006).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def attribute_losses(outcome: Outcome) -> Shares:
    """(d,) mean over all n records of (M - 1)/(|A| - 1); a suppressed record counts 1."""
    return (outcome.losses + outcome.suppressed) / outcome.records


def loss(outcome: Outcome) -> float:
    """LM: the sum of the attribute losses, in 0..d; 0 for the identity, d where every record is suppressed."""
    return float(attribute_losses(outcome).sum())


def certainty_penalty(outcome: Outcome) -> float:
    """NCP: the mean of the attribute losses, in 0..1."""
    return float(attribute_losses(outcome).mean())
