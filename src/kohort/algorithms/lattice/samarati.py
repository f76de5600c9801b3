"""Samarati's search: the least height of the lattice on which a node can be released, found by bisection.

Samarati: Protecting Respondents' Identities in Microdata Release (TKDE 2001). The paper takes the releases
of least height, the k-minimal generalizations, as the best ones, and any of them will do. Here all of them are found;
the metric chooses, or, as the paper's own program does, the lexicographic order.

A node is releasable if at most `limit` records, and not all, lie in classes that fail a model. A height passes as soon
as any node on it is releasable: to stop at a height where some nodes pass and others fail would be wrong.

Property relied on: `monotone_suppression` of every model, generalizing never makes more records fall into failing
classes. Every node above a releasable one is then releasable itself, which gives both inferences:

- *Bisection.* Each node below the top of the lattice has one above it on the next height, so above a passing height
  every height passes, and below a failing one every height fails.
- *Tagging.* A node below one that is known to fail fails too, and is not judged. (The other direction never arises:
  all heights that are still to be tried lie below the lowest known to pass.)

Without the property the heights are walked from the bottom up and every node on the way is judged.

Invariant: every height below `low` fails; `high` passes, or is the top, which is judged last. Ties of the metric go to
the lexicographically first node, for all candidates have the same height.

What it proves is the least height, not the least loss: `proven` is true where the objective is `None`, or `height`
with equal weights.

Cost: about log2(height) heights, all their nodes in the worst case; a place for each node of the lattice; and the class
sizes of every k-minimal node, since all are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.answer import infeasible, listing, rank, refuse_large
from kohort.algorithms.lattice.judge import NodeEvaluator, lattice_of
from kohort.algorithms.method import FIRST, OBJECTIVE, ON_LEVELS, Method
from kohort.core.lattice import downset
from kohort.core.suppression import SuppressionLimit
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.lattice.judge import CheckedNode
    from kohort.algorithms.method import Choices
    from kohort.algorithms.problem import Problem, Solution
    from kohort.arrays import Mask
    from kohort.core.lattice import Node


@dataclass(frozen=True, slots=True)
class Samarati:
    """All releases of least height, the preferred one first.

    Attributes:
        limit: The suppression limit.
        objective: The metric that prefers one of them, by its name in `kohort.metrics`; `None`: the first in
            lexicographic order.

    >>> Samarati(SuppressionLimit.of("5%"), objective=None).name
    'samarati'
    """

    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str | None = "lm"
    name = "samarati"
    distinct = False
    full_domain = True
    judges_nodes = True

    def solve(self, problem: Problem) -> Solution:
        """Find the least height that passes, and all releasable nodes on it.

        The trace tells `evaluated` and `tagged` nodes, `heights` tried, `minimal_height`, `minimal_nodes`, and by
        `monotone_suppression` whether that property was relied on (1) or not (0).

        Raises:
            InfeasibleError: no node is releasable; the first that the message names suppresses least of all.
            LimitError: the lattice has more than four million nodes.
        """
        refuse_large(lattice_of(problem), self.name)
        search = _Search(NodeEvaluator.asked(problem, self.limit, self.objective or "height"))
        height = search.least_height()
        minimal = [one for one in search.at(height) if one.releasable]
        if not minimal:
            raise infeasible(search.judge, search.judged.values())
        if self.objective is not None:
            minimal.sort(key=rank)
        proven = self.objective is None or (self.objective == "height" and len(set(search.judge.hidden.weights)) == 1)
        bound = minimal[0].cost if proven and self.objective is not None else None
        counts = search.counts() | {"minimal_height": height, "minimal_nodes": len(minimal)}
        return listing(search.judge, minimal, counts, proven=proven, bound=bound)


def _made(choices: Choices) -> Samarati:
    limit, objective = choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE
    return Samarati(limit, None if objective == FIRST else objective)


SAMARATI = Method(
    Specification(
        key="samarati",
        title="Samarati",
        sentence="Finds all releases of least height, by bisection, and takes the one of least cost (Samarati 2001).",
        parameters=ON_LEVELS,
        not_promised="Least loss: a release of the least height is mostly not one of the least loss.",
        properties={"proven": "where the objective is height with equal weights, or first: heights are bisected"},
    ),
    _made,
    first=True,
)


@dataclass(slots=True, eq=False)
class _Search:
    """What is known of the lattice so far.

    Attributes:
        judge: Judges nodes.
        judged: The nodes that were.
        heights: The heights that were tried.
        tagged: Nodes that were met and left out, because they are known to fail.
        failing: An array of the lattice's shape: the nodes known to fail by a node above them.
    """

    judge: NodeEvaluator
    judged: dict[Node, CheckedNode] = field(default_factory=dict["Node", "CheckedNode"])
    heights: set[int] = field(default_factory=set[int])
    tagged: set[Node] = field(default_factory=set["Node"])
    failing: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.failing = np.zeros(self.judge.lattice.shape, np.bool_)

    def least_height(self) -> int:
        """The lowest height that passes; the top where none below it does."""
        low, high = 0, self.judge.lattice.height
        while low < high:
            tried = (low + high) // 2 if self.judge.monotone else low
            if any(one.releasable for one in self.at(tried)):
                high = tried
            else:
                low = tried + 1
        return low

    def at(self, height: int) -> Iterator[CheckedNode]:
        """The nodes of one height in lexicographic order, judged, except those known to fail."""
        self.heights.add(height)
        for node in self.judge.lattice.at(height):
            if node not in self.judged and self.failing[node]:
                self.tagged.add(node)
            else:
                yield self._judged(node)

    def _judged(self, node: Node) -> CheckedNode:
        """The node, judged once; if it fails, so do all below it, where the models say so."""
        if node not in self.judged:
            self.judged[node] = judged = self.judge.judge(node)
            if self.judge.monotone and not judged.releasable:
                self.failing[downset(node)] = True
        return self.judged[node]

    def counts(self) -> dict[str, int]:
        return {
            "evaluated": len(self.judged),
            "tagged": len(self.tagged),
            "heights": len(self.heights),
            "monotone_suppression": int(self.judge.monotone),
        }
