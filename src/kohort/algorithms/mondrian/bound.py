"""A bound: no release whose classes have k records loses less, however its classes are chosen.

A record's class holds the record and k - 1 others at least, so that the record loses no less than the cheapest group of
any k records that contain it would. The mean of that over all records is a lower bound of the mean loss of every
release with the same kinds of labels, for suppressed records lose more than any label. Gionis, Mazza, Tassa:
k-Anonymization Revisited (ICDE 2008) call such a release (k,1)-anonymous; classes that may not share records can be
far from it, so the bound is not sharp.

**Exactly, for one record:** branch and bound, the group of the least bound first. A group is grown by the tuple that is
cheapest to add, or that tuple is forbidden. What must be paid at least is the cost at which tuples that are cheap
enough to add make up k records: the final group holds that many, and costs no less than the group with any one of them.
A group into which a forbidden tuple fits for nothing is left: with the tuple it is looked at elsewhere.

**For the table:** the mean of a sample of the records, drawn by a seed, with its standard error. A search that has
looked at LOOKS tuples stops with the least bound of the groups that are left, which holds, too.

Cost: at most (u + LOOKS) · d for each record of the sample, of u different tuples.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.costs import Groups, Priced
from kohort.core.frequency import group
from kohort.native.library import COST_WITH_EACH

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index

#: Records that are drawn: the standard error is then some 8 % of the bound on UCI Adult.
SAMPLE: Final = 200

#: How often the search for one record looks at a tuple, and how many groups it keeps at most.
LOOKS: Final = 1 << 18
MOST_NODES: Final = 1000

#: More than any group costs.
NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class LeastLoss:
    """What no release loses less than, as a mean loss of the quasi-identifiers that have several values (`ncp`).

    Attributes:
        ncp: The bound; of a sample, its estimate.
        error: The standard error of that; 0 where every record was looked at.
        records: How many were.
        exact: Of how many of these the least cost is known, and not only a bound of it.
        columns: How many quasi-identifiers the mean is over.
    """

    ncp: float
    error: float
    records: int
    exact: int
    columns: int


def least_loss(problem: Problem, *, records: int = SAMPLE, seed: int = 0, looks: int = LOOKS) -> LeastLoss:
    """Bound the mean loss of any release of classes of k records from below.

    Args:
        problem: The table, and the models, of which k is what counts.
        records: How many records to draw; all where there are no more.
        seed: What to draw them by.
        looks: How often the search for one record looks at a tuple.
    """
    frequency, table = problem.frequency, Reach.of(problem)
    drawn = min(records, frequency.records)
    order = np.lexsort(table.priced.places[table.which].T[::-1])  # records are drawn by content, not by row
    ends = np.cumsum(frequency.counts[order])
    chosen = np.random.default_rng(seed).choice(frequency.records, drawn, replace=False)
    tuples, times = np.unique(table.which[order[np.searchsorted(ends, chosen, side="right")]], return_counts=True)
    found = [table.least(one, problem.k, looks) for one in tuples.tolist()]
    columns = sum(domain.varies for domain in problem.domains) or len(problem.domains)
    scale = float(table.priced.unit) * columns
    costs = np.sort(np.repeat([one.cost / scale for one in found], times))  # sums do not depend on the order of rows
    left_out = 1 - drawn / frequency.records
    error = float(np.sqrt(costs.var(ddof=1) / drawn * left_out)) if drawn > 1 else 0.0
    exact = sum(int(count) for one, count in zip(found, times, strict=True) if one.exact)
    return LeastLoss(float(costs.mean()), error, drawn, exact, columns)


class Least(NamedTuple):
    """What the cheapest group with a tuple costs, or a bound of that."""

    cost: int
    exact: bool


class Node(NamedTuple):
    """A group on its way, ordered by what must be paid at least.

    Attributes:
        bound: That.
        number: The group's, which decides between equals.
        nearest: The candidate that is cheapest to add.
        forbidden: The candidates that may not be added.
    """

    bound: int
    number: int
    nearest: int
    forbidden: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The different tuples of a table.

    Attributes:
        priced: (u tuples) what their groups cost, every attribute with a weight of 1.
        counts: (u,) their records.
        which: (t,) the one that each tuple of the table has.
    """

    priced: Priced
    counts: Counts
    which: Index

    @classmethod
    def of(cls, problem: Problem) -> Reach:
        """The different tuples of a problem's table."""
        frequency = problem.frequency
        found = group(frequency.quasi.copy())
        priced = Priced.of(frequency.quasi[found.first], problem.domains, frequency.records, reported=True)
        counts = np.bincount(found.of, frequency.counts).astype(np.int64)
        return cls(priced, counts, found.of)

    def least(self, one: int, k: int, looks: int) -> Least:
        """The cost of the cheapest group of k records that holds the tuple."""
        search = Search.of(self, one, k, looks)
        waiting: list[Node] = []
        search.open(waiting, 0, ())
        while waiting and waiting[0].bound < search.best[0]:
            if search.full:
                return Least(waiting[0].bound, exact=False)
            node = heappop(waiting)
            search.open(waiting, search.grown(node), node.forbidden)
            search.open(waiting, node.number, (*node.forbidden, node.nearest))
        return Least(search.best[0], exact=True)


class Search(NamedTuple):
    """The search for the cheapest group with one tuple.

    Attributes:
        places: (m, d) of the tuples that a cheaper group than the best may hold.
        counts: (m,) their records.
        k: Records that a group needs.
        some: The groups, and room for more.
        costs: What groups cost.
        dear: (m,) room for what the group costs with each candidate.
        taken: (1,) how many groups there are.
        best: (1) what the cheapest group found costs.
    """

    places: Codes
    counts: Counts
    k: int
    some: Groups
    costs: Costs
    dear: Index
    taken: Index
    best: list[int]

    @classmethod
    def of(cls, table: Reach, one: int, k: int, looks: int) -> Search:
        """Group the tuples that cost least with the given one; only tuples that cost less with it can be cheaper."""
        costs, places = table.priced.costs, table.priced.places
        nearest, dear = Groups.empty(1, costs), np.empty(len(places), np.int64)
        nearest.add(places, [one], costs)
        COST_WITH_EACH(costs, nearest, places, dear)
        order = np.argsort(dear, kind="stable")
        nearest.add(places, order[: int(np.searchsorted(np.cumsum(table.counts[order]), k)) + 1].tolist(), costs)
        best = int(nearest.cost(costs)[0])
        near = dear < best
        some = Groups.empty(min(looks // max(int(near.sum()), 1), MOST_NODES) + 1, costs)
        some.one(0).add(places, [one], costs)
        return cls(places[near], table.counts[near], k, some, costs, dear[near], np.ones(1, np.int64), [best])

    @property
    def full(self) -> bool:
        """Whether there is no room for another group."""
        return bool(self.taken[0] == len(self.some.low))

    def grown(self, node: Node) -> int:
        """The number of the group with its nearest candidate."""
        number = int(self.taken[0])
        for part in self.some:
            part[number] = part[node.number]
        self.some.one(number).add(self.places, [node.nearest], self.costs)
        self.taken[0] += 1
        return number

    def open(self, waiting: list[Node], number: int, forbidden: tuple[int, ...]) -> None:
        """Put a group among those that wait, unless it is complete or cannot lead to a cheaper one."""
        group = self.some.one(number)
        own = int(group.cost(self.costs)[0])
        COST_WITH_EACH(self.costs, group, self.places, self.dear)
        dear = self.dear
        if own >= self.best[0] or any(dear[one] <= own for one in forbidden):
            return
        free = dear <= own
        if self.counts[free].sum() >= self.k:
            self.best[0] = own
            return
        dear[list(forbidden)] = NEVER
        order = np.argsort(dear, kind="stable")
        upto = np.cumsum(self.counts[order])
        enough = int(np.searchsorted(upto, self.k))
        bound = int(dear[order[enough]]) if enough < order.size else NEVER
        if bound < self.best[0]:
            heappush(waiting, Node(bound, number, int(order[np.count_nonzero(free)]), forbidden))
