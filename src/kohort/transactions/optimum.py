"""The least loss for which whole items can be suppressed, proven, or how far from proven the best that is known is.

Suppressing a set D of items changes no support of a set that has none of D. So the moles of what is left are the moles
of the whole that have no item of D, and every one of these contains a minimal one: what is left is coherent if and only
if D hits every minimal mole. An item that is a mole alone is in D then, and it is in no larger minimal mole. So D loses
least if and only if, beside these items, it is a hitting set of the larger minimal moles at the least weight, each item
weighing what it loses.

That is an integer program: an unknown of 0 or 1 for each item and a row for each mole, whose items' unknowns sum to at
least 1. It is reduced first; what is left is solved by branch and bound, beginning with the greedy answer. A solver's
arithmetic is in floating point, so nothing is taken from it unchecked: the items it names have to hit every mole, their
loss is counted in whole numbers, and its bound is lowered by more than it may err by, then rounded up. From a
loss of about 10^8 units on that matters: then an optimum has a bound just below it and is not called proven.

Hitting sets at the least weight by `kohort.solver`: the extra `optimal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import UsageError
from kohort.solver import Program, refuse_missing, solve
from kohort.transactions._greedy import give_back
from kohort.transactions._reduction import reduced
from kohort.transactions._rows import Incidence
from kohort.transactions.moles import mine
from kohort.transactions.problem import ItemSuppression, SuppressionSolution, refuse_infeasible
from kohort.transactions.suppression import items_of, steps

if TYPE_CHECKING:
    from kohort.arrays import Counts, Items
    from kohort.transactions.problem import Moles, SuppressionProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """Suppress the items that lose least, with a proof; or the best found in time, with a bound.

    Of several optima, that of the greedy search, less the items it can restore, is preferred. Otherwise it is the one
    that the solver finds; with one thread and a fixed seed, it depends only on the moles, the losses and the solver's
    version. If the time limit ends the search, the result also depends on the machine. Items that are moles by
    themselves come first, each part in item order.

    Attributes:
        time_limit: Seconds that the solver may take, without mining and the greedy search; `None`: no limit.

    Raises:
        UsageError: the limit is not above 0.
    """

    time_limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that is none."""
        if self.time_limit is not None and not 0 < self.time_limit < inf:
            raise UsageError("a time limit is a number of seconds above 0", where="time-limit")

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "optimal"

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """What to suppress.

        Raises:
            MissingExtraError: the solver is not installed.
            InfeasibleError: the empty set is a mole.
            LimitError: more sets than `problem.most` would have to be held.
        """
        refuse_missing()
        refuse_infeasible(problem)
        return self.suppress(problem, mine(problem))

    def suppress(self, problem: SuppressionProblem, moles: Moles) -> SuppressionSolution:
        """The same where the minimal moles are known, and that the empty set is none."""
        refuse_missing()
        losses = problem.losses
        sets = Incidence.of(moles.sets[1:], losses.size)
        core = reduced(sets, losses)
        answer = solved(core.sets, losses, _greedy(core.sets, losses), self.time_limit)
        items = _better(sets, losses, np.union1d(core.forced, answer.items))
        loss, bound = int(losses[items].sum()), int(losses[core.forced].sum()) + answer.bound
        alone = int(losses[moles.singles].sum())
        # A bound above what is known to do would be an error of the solver's: then it has said nothing.
        known = alone + bound if bound <= loss else None
        trace = {"open_items": int(np.count_nonzero(core.sets.degrees)), "open_moles": len(core.sets)}
        return SuppressionSolution(
            ItemSuppression(np.append(moles.singles, items)),
            moles,
            proven=bound == loss,
            bound=known,
            trace={**trace, "nodes": answer.nodes},
        )


def _greedy(sets: Incidence, losses: Counts) -> Items:
    """The greedy search's hitting set, ascending, less what it can give back."""
    return np.sort(give_back(sets, losses, items_of(steps(sets, losses)))[0])


def _better(sets: Incidence, losses: Counts, items: Items) -> Items:
    """These items, if they hit every set and lose less than the greedy search's; else those."""
    greedy = _greedy(sets, losses)
    hit = np.zeros(len(sets), np.bool_)
    for item in items.tolist():
        hit[sets.sets[sets.firsts[item] : sets.firsts[item + 1]]] = True
    return items if hit.all() and losses[items].sum() < losses[greedy].sum() else greedy


@dataclass(frozen=True, slots=True, eq=False)
class SolverAnswer:
    """What a solver says, in floating point: to be checked.

    Attributes:
        items: The items that it drops, ascending.
        bound: The loss that no hitting set goes below.
        nodes: The nodes of its search.
    """

    items: Items
    bound: int
    nodes: int


def solved(sets: Incidence, losses: Counts, start: Items, time_limit: float | None) -> SolverAnswer:
    """The hitting set of least loss that is found in so many seconds, beginning with `start`."""
    items = np.flatnonzero(sets.degrees).astype(np.int32)
    if not items.size:
        return SolverAnswer(items, 0, 0)
    unit = int(np.gcd.reduce(losses[items]))
    ones = np.ones(items.size, np.int64)
    each, enough = np.ones(sets.items.size, np.int64), np.ones(len(sets), np.int64)
    program = Program(losses[items] // unit, ones, sets.starts, np.searchsorted(items, sets.items), each, enough)
    answer = solve(program, np.isin(items, start).astype(np.int64), seconds=time_limit)
    chosen = items[answer.values > 1 / 2] if answer.values.size else items[:0]
    return SolverAnswer(chosen, answer.bound * unit, answer.nodes)
