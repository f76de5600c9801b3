"""Whether a release exists at all: it does unless the empty set is a mole.

Whatever public items are suppressed, an attacker who knows nothing still has all transactions before him. So where
there are fewer than k of them, or a private item is in more than the share h of all, nothing helps; otherwise a release
without any public item is coherent.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InfeasibleError
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from kohort.arrays import Items
    from kohort.transactions.problem import SuppressionProblem

#: Decimals of the h that is recommended, rounded up.
_DECIMALS = 4


def responsible(problem: SuppressionProblem) -> Items:
    """(r,) the private items that are in more than the share h of all transactions, in item order."""
    database, model = problem.database, problem.coherence
    everyone = np.full(len(database.names), len(database), np.int64)
    return np.flatnonzero(problem.roles.private & model.is_breached(everyone, database.supports)).astype(np.int32)


def is_feasible(problem: SuppressionProblem) -> bool:
    """Whether the empty set is no mole."""
    return not problem.coherence.is_rare(len(problem.database)) and responsible(problem).size == 0


def refuse_infeasible(problem: SuppressionProblem) -> None:
    """Refuse a database in which the empty set is a mole, or which has no transaction.

    Raises:
        InfeasibleError: it is; `responsible` has the private items that make it one.
    """
    database, model = problem.database, problem.coherence
    n = len(database)
    if not n:
        raise InfeasibleError("there are no transactions, so there is nothing to release", where="transactions")
    if model.is_rare(n):
        few = "is only 1 transaction" if n == 1 else f"are only {n:,} transactions"
        what = f"there {few}, fewer than k = {model.k:,}"
        raise InfeasibleError(what, where="k", hint=f"a k of at most {n:,}, or more transactions")
    items = responsible(problem)
    if items.size:
        many = f"{items.size:,} private item{' is' if items.size == 1 else 's are'}"
        what = f"{many} in more than h = {said(model.h)} of all transactions, whatever is suppressed"
        least = Fraction(int(database.supports[items].max()), n)
        hint = f"an h of at least {_at_least(least)}, or leave such items out of the database"
        raise InfeasibleError(what, where="h", hint=hint)


def _at_least(share: Fraction) -> str:
    """A share as a decimal, and where that is not exact as a fraction and the next decimal above it."""
    scale = 10**_DECIMALS
    above = Fraction(-(-share.numerator * scale // share.denominator), scale)
    return str(float(share)) if above == share else f"{share} (that is, {float(above)})"
