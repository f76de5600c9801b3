"""What a suppression algorithm is given and what it gives back.

Whether a release exists at all: it does unless the empty set is a mole.

Whatever public items are suppressed, an attacker who knows nothing still has all transactions before him. So where
there are fewer than k of them, or a private item is in more than the share h of all, nothing helps; otherwise a release
without any public item is coherent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from kohort.errors import InfeasibleError
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Counts, Items, Mask
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Database
    from kohort.transactions.roles import Roles


#: Sets of items held at once where nothing is said: at 60 to 130 bytes each, about 1 GiB.
MOST = 10_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SuppressionProblem:
    """Which public items, or cells of them, to suppress so that the database becomes coherent and little is lost.

    Attributes:
        database: n transactions over m items.
        roles: Which items are public, which private.
        coherence: The promise.
        losses: (m,) int64, what dropping an item loses: its support, times its weight.
        most: The sets of items that may be held in memory at once.
    """

    database: Database
    roles: Roles
    coherence: Coherence
    losses: Counts
    most: int = MOST


@dataclass(frozen=True, slots=True, eq=False)
class ItemSuppression:
    """Items that leave every transaction.

    Attributes:
        items: (d,) the items in the order in which they were dropped; those that are moles alone come first.
    """

    items: Items


@dataclass(frozen=True, slots=True, eq=False)
class CellSuppression:
    """Items that leave some transactions and stay in others.

    Attributes:
        keep: (c,) the cells that stay.
    """

    keep: Mask


#: What is suppressed: a closed union.
Suppression: TypeAlias = ItemSuppression | CellSuppression


@dataclass(frozen=True, slots=True)
class Step:
    """One item dropped by a greedy search.

    Attributes:
        item: The item.
        moles: The minimal moles of two or more items that it was in when it was dropped.
        left: The minimal moles that are left after it.
    """

    item: int
    moles: int
    left: int


@dataclass(frozen=True, slots=True, eq=False)
class Moles:
    """The minimal moles of a database: those of which no part is a mole.

    Attributes:
        sets: For each size i = 1, 2, ... up to p or the longest transaction, (s, i) the minimal moles of i items, items
            ascending, sets in lexicographic order.
        rare: For each size, (s,) whether the cohort is below k; the others breach h.
        trace: What was counted.
    """

    sets: tuple[Items, ...]
    rare: tuple[Mask, ...]
    trace: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def singles(self) -> Items:
        """(s,) the items that are moles alone."""
        return self.sets[0][:, 0]


@dataclass(frozen=True, slots=True, eq=False)
class SuppressionSolution:
    """What an algorithm found.

    Attributes:
        suppression: What to suppress.
        moles: The minimal moles of the database as it was.
        steps: Of a greedy search, how it came about.
        returned: (r,) items that were dropped and given back.
        proven: Whether nothing less loses less.
        bound: The loss that no suppression of items goes below, where that is known.
        trace: What was counted.
    """

    suppression: Suppression
    moles: Moles
    steps: tuple[Step, ...] = ()
    returned: Items | None = None
    proven: bool = False
    bound: int | None = None
    trace: Mapping[str, int] = field(default_factory=dict[str, int])


class SuppressionAlgorithm(Protocol):
    """Turns a problem into a solution; pure."""

    @property
    def name(self) -> str:
        """The name on the command line."""
        ...

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """What to suppress.

        Raises:
            InfeasibleError: the empty set is a mole.
            LimitError: more sets than `problem.most` would have to be held.
        """
        ...


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
    """Refuse a database in which the empty set is a mole, or which has no transaction."""
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
