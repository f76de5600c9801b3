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

Hitting sets at the least weight by `kohort.algorithms.solver`: the extra `optimal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.solver import Program, refuse_missing, solve
from kohort.errors import UsageError
from kohort.native.library import MARK_DISPENSABLE
from kohort.transactions._rows import Incidence
from kohort.transactions.moles import mine
from kohort.transactions.problem import ItemSuppression, SuppressionSolution, refuse_infeasible
from kohort.transactions.suppression import give_back, items_of, steps

if TYPE_CHECKING:
    from kohort.arrays import Counts, Items, Mask
    from kohort.transactions.problem import Moles, SuppressionProblem


def reduced(sets: Incidence, losses: Counts) -> tuple[Items, Incidence]:
    """(f,) items that some optimum drops, and the sets that these do not hit, of two or more items, no two alike.

    Some optimum drops these items and an optimal choice for these sets.

    - An item of which every set also has one other item, the same for all, that loses no more is dispensable: that
      other one may be dropped in its stead. Of two with the same sets and losses the first in item order stays.
    - The only item left in a set must go, and takes all its sets with it.
    - Equal sets count once.

    Each makes room for the others, so they take turns until nothing changes.
    """
    forced: list[Items] = []
    while True:
        width = sets.items.size
        spare = np.zeros(losses.size, np.bool_)
        MARK_DISPENSABLE(*sets.sides, losses, np.zeros_like(losses), spare)
        sets = _without(sets, spare)
        lone = np.unique(sets.items[sets.starts[:-1]][np.diff(sets.starts) == 1])
        forced.append(lone)
        sizes, left = np.diff(sets.starts), ~_hit(sets, lone)
        sets = _distinct(Incidence.over(sizes[left], sets.items[np.repeat(left, sizes)], losses.size))
        if sets.items.size == width:
            return np.concatenate(forced), sets


def _without(sets: Incidence, spare: Mask) -> Incidence:
    """The sets less these items."""
    keep = ~spare[sets.items]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(keep)])[sets.starts]
    return Incidence.over(np.diff(ends), sets.items[keep], spare.size)


def _hit(sets: Incidence, items: Items) -> Mask:
    """(s,) the sets that have one of these items."""
    hit = np.zeros(len(sets), np.bool_)
    for item in items.tolist():
        hit[sets.sets[sets.firsts[item] : sets.firsts[item + 1]]] = True
    return hit


def _distinct(sets: Incidence) -> Incidence:
    """Each set once, the smaller ones first; items stay as they stand, ascending."""
    m, sizes = sets.firsts.size - 1, np.diff(sets.starts)
    groups = [
        np.unique(sets.items[np.repeat(sizes == size, sizes)].reshape(-1, size), axis=0)
        for size in np.unique(sizes).tolist()
    ]
    return Incidence.of(groups, m)


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """Suppress the items that lose least, with a proof; or the best found in time, with a bound.

    Of several optima, that of the greedy search, less the items it can restore, is preferred. Otherwise it is the one
    that the solver finds; with one thread and a fixed seed, it depends only on the moles, the losses and the solver's
    version. If the time limit ends the search, the result also depends on the machine. Items that are moles by
    themselves come first, each part in item order.

    Attributes:
        time_limit: Seconds that the solver may take, without mining and the greedy search; `None`: no limit.
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
        """What to suppress."""
        refuse_missing()
        refuse_infeasible(problem)
        return self.suppress(problem, mine(problem))

    def suppress(self, problem: SuppressionProblem, moles: Moles) -> SuppressionSolution:
        """The same where the minimal moles are known, and that the empty set is none."""
        refuse_missing()
        losses = problem.losses
        sets = Incidence.of(moles.sets[1:], losses.size)
        forced, left = reduced(sets, losses)
        chosen, least, nodes = solved(left, losses, _greedy(left, losses), self.time_limit)
        items = _better(sets, losses, np.union1d(forced, chosen))
        loss, bound = int(losses[items].sum()), int(losses[forced].sum()) + least
        alone = int(losses[moles.singles].sum())
        # A bound above what is known to do would be an error of the solver's: then it has said nothing.
        known = alone + bound if bound <= loss else None
        return SuppressionSolution(
            ItemSuppression(np.append(moles.singles, items)),
            moles,
            proven=bound == loss,
            bound=known,
            trace={"open_items": int(np.count_nonzero(left.degrees)), "open_moles": len(left), "nodes": nodes},
        )


def _greedy(sets: Incidence, losses: Counts) -> Items:
    """The greedy search's hitting set, ascending, less what it can give back."""
    return np.sort(give_back(sets, losses, items_of(steps(sets, losses)))[0])


def _better(sets: Incidence, losses: Counts, items: Items) -> Items:
    """These items, if they hit every set and lose less than the greedy search's; else those."""
    greedy = _greedy(sets, losses)
    return items if _hit(sets, items).all() and losses[items].sum() < losses[greedy].sum() else greedy


def solved(sets: Incidence, losses: Counts, start: Items, time_limit: float | None) -> tuple[Items, int, int]:
    """The hitting set of least loss found in so many seconds, beginning with `start`; its bound, and nodes searched.

    The solver's arithmetic is in floating point: all of it is to be checked.
    """
    items = np.flatnonzero(sets.degrees).astype(np.int32)
    if not items.size:
        return items, 0, 0
    unit = int(np.gcd.reduce(losses[items]))
    ones = np.ones(items.size, np.int64)
    each, enough = np.ones(sets.items.size, np.int64), np.ones(len(sets), np.int64)
    program = Program(losses[items] // unit, ones, sets.starts, np.searchsorted(items, sets.items), each, enough)
    answer = solve(program, np.isin(items, start).astype(np.int64), seconds=time_limit)
    chosen = items[answer.values > 1 / 2] if answer.values.size else items[:0]
    return chosen, answer.bound * unit, answer.nodes
