"""What a suppression loses: cells, each by the weight of its item; in whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.errors import UsageError
from kohort.transactions.database import held, places_of, told_absent
from kohort.transactions.problem import CellSuppression, ItemSuppression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts
    from kohort.transactions.database import Database
    from kohort.transactions.problem import Suppression, SuppressionProblem

#: The loss of all items stays below this, so that sums of losses are exact in 64 bits.
_MOST = 2**63


def item_losses(database: Database, weights: Sequence[tuple[str, Fraction]] = ()) -> Counts:
    """(m,) what dropping each item loses: its support, times its weight; an item that is not named weighs 1.

    Weights are brought to their common denominator first, so that losses are whole numbers; they are the losses'
    proportions that matter.

    Raises:
        UsageError: an item is weighted twice or is in no transaction, a weight is not above 0, or losses leave 64 bits.

    >>> from kohort.transactions.database import Transactions
    >>> baskets = Transactions.of([["bread", "milk"], ["milk"]])
    >>> item_losses(baskets).tolist(), item_losses(baskets, [("milk", Fraction(3, 2))]).tolist()
    ([1, 2], [2, 6])
    """
    names = [name for name, _ in weights]
    places, missing = places_of(names, database.names)
    if missing:
        raise UsageError(told_absent(missing, names, "weighted"), where="weight", hint="correct the names")
    if len(places) < len(names):
        raise UsageError("an item has two weights", where="weight", hint="leave one out")
    if any(weight <= 0 for _, weight in weights):
        raise UsageError("a weight must be above 0", where="weight")
    one = lcm(*(weight.denominator for _, weight in weights))
    units = np.full(len(database.names), one, object)  # of Python's integers, which do not overflow
    units[places] = [int(weight * one) for _, weight in weights]
    losses = units * database.supports.astype(object)
    if losses.sum() >= _MOST:
        what = "the weights are too large, or too fine, for losses in 64 bits"
        raise UsageError(what, where="weight", hint="fewer digits")
    exact: Counts = losses.astype(np.int64)
    return exact


def lost(problem: SuppressionProblem, suppression: Suppression) -> int:
    """What a suppression loses, in the units of the problem's losses."""
    match suppression:
        case ItemSuppression(items):
            return int(problem.losses[items].sum())
        case CellSuppression(keep):
            gone = np.bincount(held(problem.database, "suppressing cells").cells[~keep], minlength=problem.losses.size)
            # Every cell of an item weighs the same, so its loss is a multiple of its support.
            return int((problem.losses // np.maximum(problem.database.supports, 1) * gone).sum())
        case _:
            assert_never(suppression)


def distortion(problem: SuppressionProblem, suppression: Suppression) -> Fraction:
    """The share of the loss of all items, whatever their roles, that a suppression loses; 0 where nothing can be lost.

    >>> import numpy as np
    >>> from kohort.transactions.coherence import Coherence
    >>> from kohort.transactions.database import Transactions
    >>> from kohort.transactions.problem import SuppressionProblem
    >>> from kohort.transactions.roles import Listed
    >>> baskets, model = Transactions.of([["bread", "milk"], ["milk"]]), Coherence.of(h=1, k=2, p=1)
    >>> problem = SuppressionProblem(baskets, Listed().over(baskets, model.h), model, item_losses(baskets))
    >>> distortion(problem, ItemSuppression(np.array([0], np.int32)))
    Fraction(1, 3)
    """
    return Fraction(lost(problem, suppression), int(problem.losses.sum()) or 1)
