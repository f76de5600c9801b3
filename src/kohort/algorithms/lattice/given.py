"""The release of one node that a steward has chosen, by its levels: nothing is searched.

The node is judged like any other: at most `limit` records, and not all, may lie in classes that fail a model. Nothing
is inferred from it or from other nodes, so no property of the models is relied on.

Cost: one roll-up from the bottom of the lattice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kohort.algorithms.lattice.answer import listing, written
from kohort.algorithms.lattice.judge import NodeEvaluator, lattice_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, UsageError
from kohort.errors.display import many

if TYPE_CHECKING:
    from kohort.algorithms.lattice.judge import CheckedNode
    from kohort.algorithms.problem import Problem, Solution
    from kohort.core.lattice import Node


@dataclass(frozen=True, slots=True)
class GivenNode:
    """One node of the lattice, released if it may be.

    Attributes:
        node: The level of each quasi-identifier, in schema order or that of `names`.
        limit: The suppression limit.
        objective: The metric that reports the cost of the release; it decides nothing.
        names: The quasi-identifiers in the order of the levels; empty: in schema order, which is the table's.

    >>> GivenNode((0, 1, 2, 1), names=("sex", "race", "marital-status", "age")).name
    'given'
    """

    node: Node
    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str = "lm"
    names: tuple[str, ...] = ()
    name = "given"
    distinct = False
    full_domain = True
    judges_nodes = True

    def solve(self, problem: Problem) -> Solution:
        """Judge the node and release it.

        Raises:
            UsageError: it is no node of the lattice.
            InfeasibleError: it is not releasable; the message says how many records it would suppress.
        """
        node = self._in_schema_order(problem)
        _check(self.node, node, problem)
        judge = NodeEvaluator.asked(problem, self.limit, self.objective)
        judged = judge.judge(node)
        if not judged.releasable:
            raise _not_releasable(self.node, judge, judged)
        return listing(judge, [judged], {"evaluated": 1}, proven=False)

    def _in_schema_order(self, problem: Problem) -> Node:
        names = [domain.attribute.name for domain in problem.domains]
        if not self.names:
            return self.node
        if len(self.node) != len(self.names) or sorted(self.names) != sorted(names):
            raise UsageError(
                f"the node has {many(len(self.node), 'level')}, for {', '.join(self.names)}",
                where="node",
                hint=f"give one level for each quasi-identifier: {', '.join(names)}",
            )
        levels = dict(zip(self.names, self.node, strict=True))
        return tuple(levels[name] for name in names)


def _check(said: Node, node: Node, problem: Problem) -> None:
    """Validate a node of the problem's lattice, naming every attribute whose level is not among its own.

    Args:
        said: The node as it was said, for messages.
        node: The same in schema order.
        problem: What it is to be a node of.
    """
    names = [domain.attribute.name for domain in problem.domains]
    if len(node) != len(names):
        raise UsageError(
            f"the node {written(said)} has {many(len(node), 'level')}, but there are {len(names)} quasi-identifiers",
            where="node",
            hint=f"give one level for each, in this order: {', '.join(names)}",
        )
    wrong = [
        f"{name} has levels 0 to {greatest}, not {level}"
        for name, level, greatest in zip(names, node, lattice_of(problem).top, strict=True)
        if type(level) is not int or not 0 <= level <= greatest
    ]
    if wrong:
        raise UsageError(
            f"the node {written(said)} is not in the lattice: {'; '.join(wrong)}",
            where="node",
            hint="choose one that --dry-run lists, or raise the column's max-level if the hierarchy has more levels",
        )


def _not_releasable(said: Node, judge: NodeEvaluator, judged: CheckedNode) -> InfeasibleError:
    names = " and ".join(model.name for model in judge.problem.models)
    every, other = judge.problem.frequency.records, "choose another node"
    if judged.suppressed == every:
        return InfeasibleError(f"the node {written(said)} leaves no record that meets {names}", hint=other)
    if not judged.together:
        joint = " and ".join(model.name for model in judge.joint)
        what = f"the node {written(said)} leaves classes that together do not meet {joint}"
        return InfeasibleError(what, hint=other)
    return InfeasibleError(
        f"the node {written(said)} suppresses {judged.suppressed:,} of {many(every, 'record')} to meet {names}, "
        f"more than the {judge.limit:,} allowed",
        hint=f"allow {many(judged.suppressed, 'record')} to be suppressed, or {other}",
    )
