"""What a suppression algorithm is given and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Counts, Items, Mask
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Transactions
    from kohort.transactions.moles import Moles
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

    database: Transactions
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
class Remedy:
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
    """Turns a problem into a remedy; pure."""

    @property
    def name(self) -> str:
        """The name on the command line."""
        ...

    def solve(self, problem: SuppressionProblem) -> Remedy:
        """What to suppress.

        Raises:
            InfeasibleError: the empty set is a mole.
            LimitError: more sets than `problem.most` would have to be held.
        """
        ...
