"""From judged nodes to an answer, or to the reason why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.problem import Solution
from kohort.errors import InfeasibleError, LimitError
from kohort.errors.display import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.algorithms.lattice.judge import CheckedNode, NodeEvaluator
    from kohort.core.lattice import Lattice, Node
    from kohort.schema.domain import Domain

#: Nodes that a search which keeps a place for each will take on.
MOST_NODES: Final = 1 << 22

#: Quasi-identifiers of such a lattice: an array of NumPy has no more dimensions.
MOST_DIMENSIONS: Final = 64

#: Candidates that are listed.
LISTED: Final = 10

#: The closest nodes that an error names, and the quasi-identifiers beyond which it names one: they fill lines.
NEAREST: Final = 3
WIDE: Final = 12


def rank(judged: CheckedNode) -> tuple[float, int, Node]:
    """What decides between releasable nodes: cost, then height, then lexicographic order."""
    return judged.cost, sum(judged.node), judged.node


def solution(
    judge: NodeEvaluator,
    seen: Iterable[CheckedNode],
    trace: Mapping[str, int],
    *,
    proven: bool,
    bound: float | None = None,
) -> Solution:
    """The best of the nodes seen, and the next best as candidates.

    Raises:
        InfeasibleError: none of them is releasable; the message names the closest.
    """
    nodes = list(seen)
    best = sorted((one for one in nodes if one.releasable), key=rank)[:LISTED]
    if not best:
        raise infeasible(judge, nodes)
    return listing(judge, best, trace, proven=proven, bound=bound)


def listing(
    judge: NodeEvaluator,
    ordered: Sequence[CheckedNode],
    trace: Mapping[str, int],
    *,
    proven: bool,
    bound: float | None = None,
) -> Solution:
    """The first of these releasable nodes as the answer, all of them as candidates, in this order."""
    candidates = tuple(judge.candidate(one.node) for one in ordered)
    counts = {"lattice": judge.lattice.size, "classes_walked": judge.rollup.walked, **trace}
    return Solution(judge.recoding(ordered[0].node), counts, proven, candidates, bound)


def infeasible(
    judge: NodeEvaluator, seen: Iterable[CheckedNode], *, nodes: str = "combination of levels"
) -> InfeasibleError:
    """The error that says how close the closest nodes came, and what would make them releasable.

    Args:
        judge: Who judged them.
        seen: The nodes that were judged, at least one; none is releasable.
        nodes: Which nodes are known not to be releasable.
    """
    problem, people = judge.problem, judge.people
    names = " and ".join(model.name for model in problem.models)
    left = [one for one in seen if one.suppressed < problem.frequency.records]
    kept = sorted((one for one in left if one.together), key=lambda one: (one.suppressed, *rank(one)[1:]))
    hints = [f"allow {many(kept[0].suppressed, 'record')} to be suppressed"] if kept else []
    hints += _uncapped(judge)
    if judge.k > people:
        one, all_ = ("record", "records") if problem.frequency.people is None else ("person", "people")
        what = f"{names} needs at least {many(judge.k, one, all_)} in a class, but there are only {people:,}"
        hints = [f"bring more {all_}"]
    elif kept:
        shown = kept[: NEAREST if len(problem.domains) <= WIDE else 1]
        nearest = "; ".join(f"{by_name(one.node, problem.domains)} suppresses {one.suppressed:,}" for one in shown)
        allowed = f"at most {many(judge.limit, 'record')} suppressed"
        what = f"no {nodes} meets {names} with {allowed}; the closest: {nearest}"
    elif left:
        what = f"no {nodes} leaves classes that together meet {' and '.join(model.name for model in judge.joint)}"
    else:
        what = f"no {nodes} leaves any record in a class that meets {names}"
    less = _less(judge, kept)
    return InfeasibleError(what, hint=", ".join([*hints, f"or {less}"]) if hints else less)


def _less(judge: NodeEvaluator, kept: Sequence[CheckedNode]) -> str:
    """How much less to ask for: the greatest k that the closest node meets, where sizes are all that counts."""
    if judge.k > judge.people > 1:
        return f"ask for k = {judge.people:,} at most"
    if kept and judge.size_only:
        people, records = judge.spread(kept[0].node)
        k = int(people[np.searchsorted(np.cumsum(records), judge.limit, side="right")])
        if k > 1:
            return f"ask for {k:,}-anonymity at most"
    return "lower the requirement"


def _uncapped(judge: NodeEvaluator) -> list[str]:
    """The hint to allow higher levels, where the schema keeps some from the roots."""
    capped = [
        domain.attribute.name
        for domain, greatest in zip(judge.problem.domains, judge.lattice.top, strict=True)
        if domain.hierarchy is not None and greatest < domain.hierarchy.height
    ]
    return [f"allow a higher level of {' or '.join(capped)}"] if capped else []


def refuse_large(lattice: Lattice, name: str) -> None:
    """Refuse a lattice with more nodes, or quasi-identifiers, than there are places for.

    Raises:
        LimitError: there are too many.
    """
    if len(lattice.top) > MOST_DIMENSIONS:
        raise LimitError(
            f"there are {len(lattice.top)} quasi-identifiers; {name} takes at most {MOST_DIMENSIONS}",
            hint="use best-effort",
        )
    if lattice.size > MOST_NODES:
        raise LimitError(
            f"the hierarchies have {lattice.size:,} combinations of levels; {name} handles at most {MOST_NODES:,}",
            hint="use best-effort, or allow fewer levels: max-level on columns with high hierarchies",
        )


def by_name(node: Node, domains: Sequence[Domain]) -> str:
    """As on the command line, whatever the order of the attributes: `sex=0,age=2`."""
    return ",".join(f"{domain.attribute.name}={level}" for domain, level in zip(domains, node, strict=True))


def written(node: Node) -> str:
    """As on the command line: `0,1,2,1`."""
    return ",".join(map(str, node))
