"""Greedy suppression of items (Xu, Wang, Fu, Yu, KDD 2008, section 4).

Suppressing items changes no support of a set that has none of them. So the moles of what is left are those moles of the
whole that have no suppressed item; and as every mole contains a minimal one, what is left is coherent if and only if
every minimal mole has a suppressed item. An item that is a mole alone must go; it is in no other minimal mole. For the
rest, to lose as little as can be is to hit sets at the least weight, which is NP-hard; the greedy search drops the item
that hits most for what it loses, again and again, and loses at most 1 + ln(s) times what it must, where s minimal
moles are to be hit (Chvatal, A Greedy Heuristic for the Set-Covering Problem, 1979).

A score is a gain over a cost, gain = min(max(moles, least), most), where `moles` are the moles left that contain the
item: so one loop serves every score. Moles only become fewer and costs stay, so scores only fall. An item whose score,
counted anew, is still the highest of those last known is therefore the highest of all: the heap is lazy.

Invariant: the counts of moles are exact after each step. Scores are compared as exact fractions; ties go by item order.
Cost beyond mining: linear in the items of all minimal moles, and a logarithm of the items for every score counted anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.native.library import DROP, GIVE_BACK
from kohort.transactions._rows import Incidence
from kohort.transactions.moles import mine
from kohort.transactions.problem import ItemSuppression, Step, SuppressionSolution, refuse_infeasible

if TYPE_CHECKING:
    from kohort.arrays import Counts, Items, Mask
    from kohort.transactions.problem import Moles, SuppressionProblem

#: No bound to what an item gains.
_ANY: Final = 2**62


class Score(StrEnum):
    """The score that selects the next item to drop."""

    MMIL = "mmil"
    """The minimal moles that contain it, for each unit of loss (MM/IL)."""
    MM = "mm"
    """The minimal moles that contain it."""
    ONE_IL = "1il"
    """The least loss, among items that are in a mole."""
    ALL = "all"
    """Every public item is dropped: the baseline."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the most that an item gains by the moles it is in."""
        return {Score.ONE_IL: (0, 1), Score.ALL: (1, 1)}.get(self, (0, _ANY))

    @property
    def weighs(self) -> bool:
        """Whether what an item loses counts."""
        return self in {Score.MMIL, Score.ONE_IL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """Drop the item of the highest score until no mole is left.

    Attributes:
        score: The score that selects the next item to drop.
        give_back: Whether items whose suppression proves unnecessary are restored at the end (reverse deletion).

    >>> from kohort.transactions.coherence import Coherence
    >>> from kohort.transactions.database import Transactions
    >>> from kohort.transactions.problem import item_losses
    >>> from kohort.transactions.problem import SuppressionProblem
    >>> from kohort.transactions.roles import Listed
    >>> baskets = Transactions.of([["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["bread", "milk"]])
    >>> model = Coherence.of(h=1, k=2, p=2)
    >>> roles = Listed().over(baskets, model.h)
    >>> solution = Greedy().solve(SuppressionProblem(baskets, roles, model, item_losses(baskets)))
    >>> [baskets.names[item] for item in solution.suppression.items]
    ['beer']
    """

    score: Score = Score.MMIL
    give_back: bool = False

    @property
    def name(self) -> str:
        """The name on the command line."""
        return str(self.score)

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """What to suppress."""
        refuse_infeasible(problem)
        return self.suppress(problem, mine(problem))

    def suppress(self, problem: SuppressionProblem, moles: Moles) -> SuppressionSolution:
        """The same where the minimal moles are known, and that the empty set is none."""
        others = np.zeros_like(problem.roles.public)
        if self.score is Score.ALL:
            others = problem.roles.public.copy()
            others[moles.singles] = False
        sets = Incidence.of(moles.sets[1:], problem.losses.size)
        found = steps(sets, problem.losses, self.score, others)
        dropped, returned = items_of(found), None
        if self.give_back:
            dropped, returned = give_back(sets, problem.losses, dropped)
        return SuppressionSolution(ItemSuppression(np.append(moles.singles, dropped)), moles, found, returned)


def items_of(found: tuple[Step, ...]) -> Items:
    """The items of these steps, in their order."""
    return np.array([step.item for step in found], np.int32)


def steps(moles: Incidence, losses: Counts, score: Score = Score.MMIL, others: Mask | None = None) -> tuple[Step, ...]:
    """The items dropped, one after the other, until no mole is left: items of moles, and `others` (m,)."""
    counts = moles.degrees.copy()
    heap = np.flatnonzero(counts if others is None else (counts > 0) | others).astype(np.int32)
    costs = losses if score.weighs else np.ones_like(losses)
    work = heap, counts, np.zeros_like(counts), np.zeros(len(moles), np.bool_)
    out = np.empty((heap.size, 3), np.int64)
    size = DROP(*moles.sides, costs, *score.bounds, *work, out)
    return tuple(Step(item, found, left) for item, found, left in out[:size].tolist())


def give_back(moles: Incidence, losses: Counts, dropped: Items) -> tuple[Items, Items]:
    """The dropped items that are needed, in their order, and those that are given back, in theirs.

    A greedy search may drop an item whose moles the items dropped later hit too. Items are tried by their loss, the
    largest first, ties by item order. One is given back if every mole that contains it has another item that stays
    dropped. That the moles are hit is all that coherence asks for; and as what is dropped only becomes less, an item
    that was needed when it was tried stays needed: no single item of the result can be spared.

    Args:
        moles: The minimal moles that have to be hit.
        losses: (m,) what dropping an item loses.
        dropped: Items that hit every mole.
    """
    order = by_loss(losses, dropped)
    returned = np.zeros(order.size, np.bool_)
    GIVE_BACK(*moles.sides, order, np.zeros(len(moles), np.int64), returned)
    return dropped[~np.isin(dropped, order[returned])], order[returned]


def by_loss(losses: Counts, items: Items) -> Items:
    """The items with the largest loss first, ties by item order."""
    return items[np.lexsort((items, -losses[items]))]
