"""The provable optimum: the releasable node of the whole lattice that costs least, found without judging most nodes.

Three published ideas, each of which holds only where a property is declared:

**Predictive tagging** (El Emam et al., A Globally Optimal k-Anonymity Method (OLA), JAMIA 2009; Kohlmayer, Prasser et
al., Flash, PASSAT 2012): what is releasable stays so above, what is not is not below. It relies on
`monotone_suppression` of every model. Whether a chain of nodes turns releasable somewhere is found by bisection.

**Subset pruning** (LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005): what fails on some of the quasi-identifiers
alone fails together with others. A node that generalizes the others to their roots has the same classes, so this is
tagging from high nodes, which have few classes; chains therefore climb where most is lost, and leave the few
attributes that tell people apart for last. It relies on the same property.

**Bounds**: a node taken as if it released every record costs no more than any node above it (`monotone` of the metric;
for `size_only` metrics also of the models), and a node below one that suppresses S records suppresses these too
(`monotone_suppression`). Each of them costs what `surcharge` of the metric says more than if it were released, or all
together what `Hidden.least` says. Where the metric looks at no classes, the first bound is known for the whole lattice
before any node is judged. As the best cost falls, so does the number of records that a better node can suppress: what
the bottom costs at least only grows with that number.

Invariant: every node is judged, tagged as failing, or bounded so that the best comes before it, or still open. The open
node that hides least comes first; when none is open, the best is the optimum. Without the properties every node is
judged. Ties: equal cost to 12 digits, then less height, then lexicographic order.

Cost: one roll-up for each node judged, and for each a pass over an array with a place for every node.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.answer import rank, refuse_large, solution
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.method import OBJECTIVE, ON_LEVELS, Method
from kohort.algorithms.problem import never_stop
from kohort.core.lattice import downset, node_at, upset
from kohort.core.suppression import SuppressionLimit
from kohort.metrics.base import rounded_floor
from kohort.metrics.known import METRICS
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.lattice.judge import CheckedNode
    from kohort.algorithms.problem import Problem, Solution
    from kohort.arrays import Counts, Shares
    from kohort.core.lattice import Node

#: A bound this much above the best cost, relatively, is above it, however either is rounded.
ABOVE = 1e-11


@dataclass(frozen=True, slots=True)
class Optimal:
    """The node of least cost.

    Attributes:
        limit: The suppression limit.
        objective: The metric, by its name in `kohort.metrics`, in which quasi-identifiers count by their weights.

    >>> Optimal(SuppressionLimit.of("5%"), "c_dm").name
    'optimal'
    """

    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str = "lm"
    name = "optimal"
    distinct = False
    full_domain = True
    judges_nodes = True

    def solve(self, problem: Problem) -> Solution:
        """Search until no node is open.

        Raises:
            InfeasibleError: no node is releasable.
            LimitError: the lattice has more than four million nodes.
        """
        judge = NodeEvaluator.asked(problem, self.limit, self.objective)
        refuse_large(judge.lattice, self.name)
        search = Search.of(judge)
        search.run()
        best = search.best.cost if search.best else None
        return solution(judge, search.seen.values(), search.trace(), proven=True, bound=best)


OPTIMAL = Method(
    Specification(
        key="optimal",
        title="Optimal",
        sentence="Finds the release of least cost and proves it, pruning the lattice as OLA, Flash and Incognito do.",
        parameters=ON_LEVELS,
        properties={"proven": "always: every node is judged, inferred to fail, or bounded"},
    ),
    lambda choices: Optimal(choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE),
)


@dataclass(slots=True, eq=False)
class Search:
    """What is known of every node, in arrays of the lattice's shape.

    Attributes:
        judge: Judges nodes.
        guide: How much each node hides: where a chain climbs.
        floors: What each node costs at least; infinite where it is not open any more.
        least: How many records each node suppresses at least, for a node above it does.
        most: How many it suppresses at most, for a node below it suppresses no more.
        limit: More suppressed records are not allowed, or cost more than the best.
        seen: The nodes judged.
        best: The best of them.
    """

    judge: NodeEvaluator
    guide: Shares
    floors: Shares
    least: Counts
    most: Counts
    limit: int
    seen: dict[Node, CheckedNode] = field(default_factory=dict["Node", "CheckedNode"])
    best: CheckedNode | None = None

    @classmethod
    def of(cls, judge: NodeEvaluator) -> Search:
        """Before any node is judged."""
        guide = judge.everywhere(METRICS["ncp"] if judge.objective.classes else judge.objective)
        floors = np.full_like(guide, -np.inf) if judge.objective.classes or not judge.bounded else guide.copy()
        least, most = np.zeros(guide.shape, np.int64), np.full(guide.shape, judge.hidden.records)
        return cls(judge, guide, floors, least, most, judge.allowed)

    def run(self, should_stop: Callable[[], bool] = never_stop) -> bool:
        """Look at the nodes from those that hide least on, until none is open; whether it was not enough before."""
        for place in np.argsort(self.guide, axis=None, kind="stable").tolist():
            if self.floors.flat[place] < np.inf:
                if should_stop():
                    return False
                self._close(node_at(place, self.judge.lattice))
        return True

    def _close(self, node: Node) -> None:
        """Learn enough of an open node: that it cannot win, or what it costs."""
        if self.judge.monotone and self.most[node] > self.limit and self._may_win(node):
            self._bisect(self._chain(node))
        if self.floors[node] < np.inf and self._may_win(node):
            self._see(node)

    def trace(self) -> dict[str, int]:
        """How many nodes were judged, and what spared the others."""
        allowed = self.judge.allowed
        failing = sum(one.suppressed > allowed for one in self.seen.values())
        tagged = int((self.least > allowed).sum()) - failing if self.judge.monotone else 0
        return {
            "evaluated": len(self.seen),
            "tagged_by_monotone_suppression": tagged,
            "bounded_by_monotone_metric": self.judge.lattice.size - len(self.seen) - tagged,
        }

    def _may_win(self, node: Node) -> bool:
        if self.best is None:
            return True
        least = int(self.least[node])
        floor = max(float(self.floors[node]) + self.judge.surcharge * least, self.judge.floor_of(node, least))
        return (rounded_floor(floor), sum(node), node) < rank(self.best)

    def _chain(self, node: Node) -> list[Node]:
        """Nodes of which nothing is known, each right above the one before, climbing where most is hidden."""
        chain, above = list["Node"](), [node]
        while above:
            chain.append(max(above, key=self.guide.__getitem__))
            above = [
                one
                for one in self.judge.lattice.successors(chain[-1])
                if self.most[one] > self.limit and self.floors[one] < np.inf
            ]
        return chain

    def _bisect(self, chain: list[Node]) -> None:
        """Find where few enough are suppressed; each node judged tells of all above or of all below it."""
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            if self._see(chain[middle]).suppressed <= self.limit:
                high = middle
            else:
                low = middle + 1

    def _see(self, node: Node) -> CheckedNode:
        judged = self.seen[node] = self.judge.judge(node)
        self.floors[node] = np.inf
        if judged.releasable and (self.best is None or rank(judged) < rank(self.best)):
            self._prefer(judged)
        if self.judge.bounded and self.judge.objective.classes:
            self._raise(upset(node), judged.floor)
        if self.judge.monotone:
            above, below = self.most[upset(node)], self.least[downset(node)]
            np.minimum(above, judged.suppressed, out=above)
            np.maximum(below, judged.suppressed, out=below)
            if judged.suppressed > self.limit:
                self.floors[downset(node)] = np.inf
        return judged

    def _prefer(self, judged: CheckedNode) -> None:
        """Take a better node; close what costs more, and tighten the limit to what costs no more."""
        self.best = judged
        self.floors[self.floors > self._ceiling(judged)] = np.inf
        if self.judge.bounded and self.judge.monotone:
            bottom = self.judge.lattice.bottom
            allowed = range(self.limit + 1)
            fits = bisect_right(allowed, self._ceiling(judged), key=lambda count: self.judge.floor_of(bottom, count))
            self.limit = max(fits - 1, judged.suppressed)
            self.floors[self.least > self.limit] = np.inf

    def _ceiling(self, judged: CheckedNode) -> float:
        """What nothing costs that is as good as a node, whatever its rounding."""
        return judged.cost + ABOVE * abs(judged.cost)

    def _raise(self, nodes: tuple[slice, ...], floor: float) -> None:
        """Note that these nodes cost at least `floor`; close those that cost more than the best."""
        part = self.floors[nodes]
        beyond = self.best is not None and floor > self._ceiling(self.best)
        np.maximum(part, np.inf if beyond else floor, out=part)
