"""Maximum attribute loss: how much the quasi-identifier that loses most loses.

The greatest of the losses of Iyengar: Transforming Data to Satisfy Privacy Constraints (KDD 2002). A sum or a mean of
them is small, too, where one attribute is lost altogether and the others are untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.metrics.base import Disclosure, Display, Metric, one_record
from kohort.metrics.loss import attribute_losses
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Outcome


def maximum_loss(outcome: Outcome) -> Shares:
    """The greatest loss of a quasi-identifier, in 0..1; weights make no difference.

    Every attribute's loss only grows when values are generalized or records suppressed, and so does the greatest. Of
    disjoint sets of attributes it is the greatest of what each set loses.
    """
    return np.asarray(attribute_losses(outcome).max(axis=-1))


MAXIMUM_LOSS = Metric(
    Specification(
        key="max_loss",
        title="Maximum loss",
        sentence=(
            "The loss of the quasi-identifier that loses most: from 0, nothing lost, to 1, all of one column lost."
        ),
        unit="loss of the quasi-identifier that loses most",
        not_promised="Other quasi-identifiers: it says nothing about those that lose less.",
        properties={
            "monotone": "the loss of each attribute is monotone, and so is the greatest of them",
            "join": "the greatest loss of several sets of attributes is the greatest of theirs",
        },
    ),
    maximum_loss,
    Display(symbol="Maximum loss", kind="share"),
    Disclosure(worth=one_record),
    join=lambda costs, _: float(costs.max()),
)
