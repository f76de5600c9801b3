"""Exhaustive search: judge every node of the lattice, depth first, each rolled up from one a level finer.

The oracle of the other searches, and the judge of several goals at once: the classes of a node are made once, and
judged for every combination of k, limit and models that is asked for.

A landscape is the whole lattice, judged. A node is minimal where it is releasable and no node below it is. Where
generalizing never suppresses more, the minimal nodes are the frontier: what lies above one of them is releasable, and
nothing else is. Nothing here relies on that, so the landscape is true of models that promise nothing, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.lattice.answer import MOST_DIMENSIONS, rank, refuse_large, solution
from kohort.algorithms.lattice.judge import NodeEvaluator, lattice_of
from kohort.algorithms.lattice.rollup import RollUp
from kohort.core.suppression import SuppressionLimit
from kohort.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.lattice.classes import Rolled
    from kohort.algorithms.lattice.judge import CheckedNode
    from kohort.algorithms.problem import Problem, Solution
    from kohort.arrays import Counts, Mask, Shares
    from kohort.core.lattice import Lattice, Node
    from kohort.metrics.base import Metric


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Every node of the lattice, judged; the best by a metric.

    Attributes:
        limit: The suppression limit.
        objective: The metric, by its name in `kohort.metrics`; ties go to the lower, then to the lexicographically
            first node.
    """

    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str = "lm"
    name = "exhaustive"
    distinct = False
    full_domain = True

    def solve(self, problem: Problem) -> Solution:
        """Judge all nodes and take the best.

        Raises:
            InfeasibleError: no node is releasable.
            LimitError: the lattice has more than four million nodes.
        """
        judge = NodeEvaluator.asked(problem, self.limit, self.objective)
        seen = [judged for (judged,) in survey([judge])]
        best = min((one.cost for one in seen if one.releasable), default=None)
        return solution(judge, seen, {"evaluated": len(seen)}, proven=True, bound=best)


def survey(judges: Sequence[NodeEvaluator]) -> Iterator[tuple[CheckedNode, ...]]:
    """Every node, judged by each of several judges of the same frequency set, its classes made once.

    Memory: the classes of one path from the bottom to the top.
    """
    first = judges[0]
    refuse_large(first.lattice, "exhaustive search")
    assert isinstance(first.rollup, RollUp)  # noqa: S101  whoever looks at every node has all tuples
    for rolled in _walk(first, first.rollup, first.rollup.bottom, 0):
        yield tuple(judge.judged(rolled) for judge in judges)


def _walk(judge: NodeEvaluator, rollup: RollUp, rolled: Rolled, start: int) -> Iterator[Rolled]:
    """The node, and all nodes above it that generalize no attribute before place `start` further."""
    yield rolled
    for place in range(start, len(rolled.node)):
        if rolled.node[place] < judge.lattice.top[place]:
            node = (*rolled.node[:place], rolled.node[place] + 1, *rolled.node[place + 1 :])
            yield from _walk(judge, rollup, rollup.up(rolled, node), place)


#: Nodes of the largest landscape: all are judged, which takes some seconds for so many.
MOST_JUDGED: Final = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """Every node of a lattice, judged. Each array has the lattice's shape.

    Attributes:
        lattice: The nodes.
        models: The name of each privacy model.
        records: n, the records that the search sees.
        limit: How many of them may be suppressed.
        objective: What `cost` is the cost in.
        suppressed: Records in classes that fail a model.
        cost: The objective turned so that less is better; infinite where the node is not releasable.
        releasable: Where no more records are suppressed than may be, and some are left.
        minimal: Which releasable nodes have no releasable node below them.
        optimum: The releasable node of least cost, of the tied ones the lowest, then the lexicographically first;
            `None` where no node is releasable.
    """

    lattice: Lattice
    models: tuple[str, ...]
    records: int
    limit: int
    objective: Metric
    suppressed: Counts
    cost: Shares
    releasable: Mask
    minimal: Mask
    optimum: Node | None

    def figure(self, node: Node) -> float:
        """The objective of a releasable node, as reports print it."""
        cost = float(self.cost[node])
        return cost if self.objective.less_is_better else -cost


def landscape(problem: Problem, limit: SuppressionLimit, objective: str) -> Landscape:
    """Judge every node of the problem's lattice.

    Args:
        problem: What is asked.
        limit: How many records may be suppressed.
        objective: The metric, by its name in `kohort.metrics`.

    Cost: that of exhaustive search.

    Raises:
        LimitError: the lattice has more than 65,536 nodes, or more than 64 quasi-identifiers.
    """
    check_drawable(problem)
    judge = NodeEvaluator.asked(problem, limit, objective)
    shape = judge.lattice.shape
    suppressed, cost, releasable = np.zeros(shape, np.int64), np.full(shape, np.inf), np.zeros(shape, np.bool_)
    best = None
    for (judged,) in survey([judge]):
        node = judged.node
        suppressed[node], cost[node], releasable[node] = judged.suppressed, judged.cost, judged.releasable
        if judged.releasable and (best is None or rank(judged) < rank(best)):
            best = judged
    names = tuple(model.name for model in problem.models)
    optimum = None if best is None else best.node
    minimal = minima(releasable)
    return Landscape(
        judge.lattice,
        names,
        problem.frequency.records,
        judge.limit,
        judge.objective,
        suppressed,
        cost,
        releasable,
        minimal,
        optimum,
    )


def minima(releasable: Mask) -> Mask:
    """Where an array of the lattice's shape holds, and holds nowhere below.

    >>> minima(np.array([[False, False, True], [False, True, True]])).tolist()
    [[False, False, True], [False, True, False]]
    """
    up_to = releasable.astype(np.int64)  # how often it holds at the node or below it
    for axis in range(up_to.ndim):
        up_to = up_to.cumsum(axis=axis)
    minimal: Mask = releasable & (up_to == 1)
    return minimal


def check_drawable(problem: Problem) -> None:
    """Refuse a lattice that takes too long to judge whole, or has more attributes than an array has axes.

    Raises:
        LimitError: it does.
    """
    lattice = lattice_of(problem)
    if lattice.size > MOST_JUDGED:
        raise LimitError(
            f"the lattice has {lattice.size:,} nodes; a picture shows at most {MOST_JUDGED:,}",
            hint="leave the picture out, or allow fewer levels: max-level on columns with high hierarchies",
        )
    if len(lattice.top) > MOST_DIMENSIONS:
        raise LimitError(
            f"there are {len(lattice.top)} quasi-identifiers; a picture takes at most {MOST_DIMENSIONS}",
            hint="leave the picture out",
        )
