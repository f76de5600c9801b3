"""Exhaustive search: judge every node of the lattice, depth first, each rolled up from one a level finer.

The oracle of the other searches, and the judge of several goals at once: the classes of a node are made once, and
judged for every combination of k, limit and models that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kohort.algorithms.lattice.answer import refuse_large, solution
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.rollup import RollUp
from kohort.core.suppression import SuppressionLimit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.lattice.classes import Rolled
    from kohort.algorithms.lattice.judge import CheckedNode
    from kohort.algorithms.problem import Problem, Solution


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
    name: str = field(default="exhaustive", init=False, repr=False)
    distinct: bool = field(default=False, init=False, repr=False)
    full_domain: bool = field(default=True, init=False, repr=False)

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
