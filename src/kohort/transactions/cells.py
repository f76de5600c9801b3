"""Local suppression: single cells go, so an item may stay in the transactions where it does no harm.

The promise is another one than that of suppressing items. In the release every set of at most p public items that
occurs has a cohort of at least k transactions, and no private item is in more than the share h of that cohort. But an
item that a released transaction lacks may have been there. So an attacker cannot conclude that the person he looks for
is among the transactions that show what he knows: their true cohort is larger, or, where the set does not occur any
more, is not seen at all; and in the true cohort a private item may have another share. Whoever knows how suppression
went about may also reason from what is missing.

For each item the greedy search drops, this method finds the transactions that may have it back. Let D be the
transactions that contained an item x. A set B with x occurs in just those transactions of D that keep x, so
B is a mole of the release if and only if B less x is a mole, for p - 1, of the transactions that keep x. Sets without x
do not change. So x is kept in all of D at first; from then on, while the transactions that keep it have a mole among
the sets of at most p - 1 of the other items that are released, x goes from every transaction that contains a minimal
one of them. If the empty set is one, x goes from all.

Invariants: what is released is coherent after each item, so the loss never exceeds that of the greedy search with
reverse deletion, with which this begins. Each round takes x from at least one transaction, so it ends. Where no private
item is involved, no transaction that lacks x could have it back: sets of transactions in which all cohorts are at least
k are closed under union, and what is left is the largest of them.

A breach takes the item from the whole cohort, not only from those transactions that have the private item: otherwise
its absence would tell of that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.native.library import MARK_COHORTS
from kohort.transactions._rows import Incidence, Rows
from kohort.transactions.database import Transactions, held
from kohort.transactions.moles import mine
from kohort.transactions.problem import CellSuppression, SuppressionSolution, is_feasible, refuse_infeasible
from kohort.transactions.suppression import by_loss, give_back, items_of, steps

if TYPE_CHECKING:
    from kohort.arrays import Index, Items, Mask
    from kohort.transactions.problem import Moles, SuppressionProblem


@dataclass(frozen=True, slots=True)
class LocalSuppression:
    """Suppress cells: the items that the greedy search drops stay where they do no harm.

    Items with the greatest loss come first, ties by item order. Items that are moles by themselves are suppressed
    everywhere.
    """

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "cells"

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """What to suppress; steps and returned items are those of the greedy search that this begins with."""
        refuse_infeasible(problem)
        return self.suppress(problem, mine(problem))

    def suppress(self, problem: SuppressionProblem, moles: Moles) -> SuppressionSolution:
        """The same where the minimal moles are known, and that the empty set is none."""
        sets = Incidence.of(moles.sets[1:], problem.losses.size)
        found = steps(sets, problem.losses)
        dropped, returned = give_back(sets, problem.losses, items_of(found))
        database = held(problem.database, "suppressing cells")
        search = _Search(problem, database, ~np.isin(database.cells, np.append(moles.singles, dropped)))
        for item in by_loss(problem.losses, dropped).tolist():
            search.restore(item)
        return SuppressionSolution(
            CellSuppression(search.keep), moles, found, returned, trace={"rounds": search.rounds}
        )


class _Search:
    """The cells that stay, so far.

    Attributes:
        keep: (c,) which they are.
        rounds: How often transactions that keep an item were mined.
    """

    def __init__(self, problem: SuppressionProblem, database: Transactions, keep: Mask) -> None:
        """Begin with the cells that stay in any case."""
        model = problem.coherence
        self.keep = keep
        self.rounds = 0
        self._database = database
        self._problem = replace(problem, coherence=replace(model, p=max(model.p - 1, 1)))
        self._firsts, self._tids = Rows(database.starts, database.cells, len(database.names)).inverted()

    def restore(self, item: int) -> None:
        """Put the item back into as many of its transactions as may have it."""
        tids = self._tids[self._firsts[item] : self._firsts[item + 1]]
        while tids.size:
            self.rounds += 1
            harmed = self._harmed(tids)
            if not harmed.any():
                break
            tids = tids[~harmed]
        cells = self._cells(tids)
        self.keep[cells[self._database.cells[cells] == item]] = True

    def _harmed(self, tids: Items) -> Mask:
        """(t,) which of these transactions, taken as a database, contain a mole of it."""
        part = self._part(tids)
        problem = replace(self._problem, database=part)
        if not is_feasible(problem):
            return np.ones(tids.size, np.bool_)
        harmed = np.zeros(tids.size, np.bool_)
        if moles := [sets for sets in mine(problem).sets if sets.size]:
            by_item, cohort = Rows(part.starts, part.cells, len(part.names)).inverted(), np.empty(tids.size, np.int32)
            for sets in moles:
                MARK_COHORTS(*by_item, sets, sets.shape[1], cohort, harmed)
        return harmed

    def _part(self, tids: Items) -> Transactions:
        """These transactions, with the cells that stay."""
        cells = self._cells(tids)
        lengths = self._database.lengths[tids]
        kept = self.keep[cells]
        ends = np.append(0, np.cumsum(kept))[np.append(0, np.cumsum(lengths))]
        return Transactions(self._database.names, ends, self._database.cells[cells[kept]])

    def _cells(self, tids: Items) -> Index:
        """The places of all cells of these transactions, in their order."""
        lengths, starts = self._database.lengths[tids], self._database.starts[tids]
        before = np.cumsum(lengths) - lengths
        return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
