"""Datafly: generalize the attribute with the most distinct values until few enough records stand out; suppress those.

Sweeney: Guaranteeing Anonymity when Sharing Medical Data, the Datafly System (AMIA 1997); Achieving k-Anonymity Privacy
Protection Using Generalization and Suppression (IJUFKS 2002). The paper stops where at most k records are
left to suppress; here the suppression limit takes the place of that k, and any models that of k-anonymity.

Invariant: no node passed on the way is releasable, for each is judged before the next step. Distinct values are those
that a column would release on the node's level, over all records; ties go to the attribute that comes first in the
schema; an attribute at its greatest level is left alone. No node is inferred from another, so no property of the
models is needed to be right about what is released.

The answer is some releasable node, and mostly not the best: the way upward never turns back. Where the models declare
`monotone_suppression`, no release exists if even the top of the lattice is not releasable; else other nodes may be.

Cost: at most height + 1 nodes judged, each rolled up from the one before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.answer import infeasible, listing
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.rollup import levels_of
from kohort.algorithms.method import OBJECTIVE, ON_LEVELS, Method
from kohort.core.suppression import SuppressionLimit
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.algorithms.problem import Problem, Solution
    from kohort.core.lattice import Lattice, Node
    from kohort.schema.domain import Domain


@dataclass(frozen=True, slots=True)
class Datafly:
    """Greedy generalization, the classic baseline.

    Attributes:
        limit: The suppression limit.
        objective: The metric that reports the cost of the release; it decides nothing.

    >>> Datafly(SuppressionLimit.of(20)).name
    'datafly'
    """

    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str = "lm"
    name = "datafly"
    distinct = False
    full_domain = True
    judges_nodes = True

    def solve(self, problem: Problem) -> Solution:
        """Walk upward from the bottom to the first releasable node.

        Raises:
            InfeasibleError: no node on the way is releasable.
        """
        judge = NodeEvaluator.asked(problem, self.limit, self.objective)
        values = [_distinct(domain) for domain in problem.domains]
        passed = [judge.judge(judge.lattice.bottom)]
        while not passed[-1].releasable:
            node = _step(passed[-1].node, judge.lattice, values)
            if node is None:
                raise infeasible(judge, passed, nodes="combination of levels" if judge.monotone else "level tried")
            passed.append(judge.judge(node))
        return listing(judge, passed[-1:], {"evaluated": len(passed)}, proven=False)


DATAFLY = Method(
    Specification(
        key="datafly",
        title="Datafly",
        sentence=(
            "Generalizes the attribute with most distinct values until the failing records fit the limit "
            "(Sweeney 1997)."
        ),
        parameters=ON_LEVELS,
        not_promised="Least loss: its release is allowed, and mostly not the best.",
        properties={"proven": "never: the first releasable node on one way up is taken"},
    ),
    lambda choices: Datafly(choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE),
)


def _distinct(domain: Domain) -> list[int]:
    return [np.unique(nodes).size for nodes in levels_of(domain, domain.leaves)]


def _step(node: Node, lattice: Lattice, values: list[list[int]]) -> Node | None:
    """The node that generalizes the attribute with the most distinct values one level; none where all are at the top.

    >>> from kohort.core.lattice import Lattice
    >>> _step((0, 1), Lattice((1, 2)), [[3, 1], [9, 4, 1]])
    (0, 2)
    """
    places = [place for place, greatest in enumerate(lattice.top) if node[place] < greatest]
    if not places:
        return None
    most = max(places, key=lambda place: values[place][node[place]])
    return (*node[:most], node[most] + 1, *node[most + 1 :])
