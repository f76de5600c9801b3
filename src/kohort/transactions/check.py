"""Checks (h,k,p)-coherence of a transaction database as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.errors.calls import called
from kohort.errors.display import Summary
from kohort.transactions.moles import mine
from kohort.transactions.problem import MOST, SuppressionProblem, responsible

if TYPE_CHECKING:
    from kohort.errors.display import Rows
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Database
    from kohort.transactions.problem import MoleCount
    from kohort.transactions.roles import Roles


@dataclass(frozen=True, slots=True, repr=False)
class CoherenceFinding(Summary):
    """The result of checking a transaction database for (h,k,p)-coherence.

    Attributes:
        model: The model's name.
        transactions: Number of transactions.
        too_few: Whether there are fewer than k transactions: the empty set is a mole.
        over: Private items in more than the share h of all transactions: they make the empty set a mole.
        moles: Minimal moles by size, from 1 to p; none if the empty set is a mole, because it is part of every set.
    """

    model: str
    transactions: int
    too_few: bool
    over: int
    moles: tuple[MoleCount, ...]

    @property
    def met(self) -> bool:
        """Whether no set is a mole."""
        return not (self.too_few or self.over or any(count.rare or count.breach for count in self.moles))

    def __bool__(self) -> bool:
        """Whether no set is a mole."""
        return self.met

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Model", self.model), ("Transactions", f"{self.transactions:,}")]
        rows += [("Fewer than k transactions", "yes")] if self.too_few else []
        rows += [("Private items above h in the whole", f"{self.over:,}")] if self.over else []
        rows += [(f"Minimal moles of {one.size}", f"{one.rare:,} rare, {one.breach:,} breaches") for one in self.moles]
        return f"CoherenceFinding, {'met' if self.met else 'NOT met'}", rows


@called(
    "check_transactions(database, Listed(private=('pill',)).over(database, h), Coherence.of(h='0.4', k=10, p=4))",
    database="Transactions",
    roles="Roles",
    coherence="Coherence",
)
def check_transactions(database: Database, roles: Roles, coherence: Coherence, *, most: int = MOST) -> CoherenceFinding:
    """Check the sets of public items that occur in `database`, at most `most` of them in memory.

    >>> import numpy as np
    >>> from kohort.transactions.coherence import Coherence
    >>> from kohort.transactions.database import Transactions
    >>> from kohort.transactions.roles import Roles
    >>> database = Transactions.of([["bread", "milk"], ["bread"], ["milk"], ["pill"]])
    >>> roles = Roles(np.array([True, True, False]), np.array([False, False, True]))
    >>> finding = check_transactions(database, roles, Coherence.of(h="0.5", k=2, p=2))
    >>> finding.met, finding.moles
    (False, (MoleCount(size=1, rare=0, breach=0), MoleCount(size=2, rare=1, breach=0)))
    """
    n = len(database)
    problem = SuppressionProblem(database, roles, coherence, database.supports, most)
    over = responsible(problem).size
    too_few = n > 0 and coherence.is_rare(n)
    if over or too_few:
        return CoherenceFinding(coherence.name, n, too_few, over, ())
    return CoherenceFinding(coherence.name, n, too_few, over, mine(problem).counts)
