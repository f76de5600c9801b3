"""What a suppression algorithm is given and what it gives back.

Whether a release exists at all: it does unless the empty set is a mole.

Whatever public items are suppressed, an attacker who knows nothing still has all transactions before him. So where
there are fewer than k of them, or a private item is in more than the share h of all, nothing helps; otherwise a release
without any public item is coherent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Protocol, TypeAlias, assert_never

import numpy as np

from kohort.errors import InfeasibleError, UsageError
from kohort.schema.numbers import said
from kohort.transactions.database import held, places_of, told_absent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


@dataclass(frozen=True, slots=True)
class MoleCount:
    """Minimal moles of one size.

    Attributes:
        size: Their items.
        rare: Those whose cohort is below k.
        breach: Those in whose cohort a private item is in more than the share h.
    """

    size: int
    rare: int
    breach: int


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

    @property
    def counts(self) -> tuple[MoleCount, ...]:
        """How many there are of each size from 1."""
        return tuple(MoleCount(size, int(rare.sum()), int((~rare).sum())) for size, rare in enumerate(self.rare, 1))


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
        what = "the weights are too large or have too many digits"
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
