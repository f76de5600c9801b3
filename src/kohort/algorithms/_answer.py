"""From judged nodes to an answer, or to the reason why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.algorithms._full_domain import full_domain
from kohort.errors import InfeasibleError, LimitError
from kohort.problem import Solution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.algorithms._judge import Judge, Judged
    from kohort.domain import Domain
    from kohort.lattice import Lattice, Node

#: Nodes that a search which keeps a place for each will take on.
MOST_NODES: Final = 1 << 22

#: Quasi-identifiers of such a lattice: an array of NumPy has no more dimensions.
MOST_DIMENSIONS: Final = 64

#: Candidates that are listed.
LISTED: Final = 10


def rank(judged: Judged) -> tuple[float, int, Node]:
    """What decides between releasable nodes: cost, then height, then lexicographic order."""
    return judged.cost, sum(judged.node), judged.node


def solution(
    judge: Judge, seen: Iterable[Judged], trace: Mapping[str, int], *, proven: bool, bound: float | None = None
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
    judge: Judge, ordered: Sequence[Judged], trace: Mapping[str, int], *, proven: bool, bound: float | None = None
) -> Solution:
    """The first of these releasable nodes as the answer, all of them as candidates, in this order."""
    candidates = tuple(judge.candidate(one.node) for one in ordered)
    counts = {"lattice": judge.lattice.size, "classes_walked": judge.rollup.walked, **trace}
    return Solution(full_domain(judge.problem, ordered[0].node), counts, proven, candidates, bound)


def infeasible(judge: Judge, seen: Iterable[Judged], *, nodes: str = "node of the lattice") -> InfeasibleError:
    """The error that says how close the closest nodes came, and what would make them releasable.

    Args:
        judge: Who judged them.
        seen: The nodes that were judged, at least one; none is releasable.
        nodes: Which nodes are known not to be releasable.
    """
    closest = sorted(seen, key=lambda one: (one.suppressed, sum(one.node), one.node))[:3]
    names = " and ".join(model.name for model in judge.problem.models)
    lattice, domains = judge.lattice, judge.problem.domains
    nearest = "; ".join(f"{by_name(one.node, domains)} suppresses {one.suppressed:,}" for one in closest)
    capped = [
        domain.attribute.name
        for domain, greatest in zip(domains, lattice.top, strict=True)
        if domain.hierarchy is not None and greatest < domain.hierarchy.height
    ]
    least = closest[0].suppressed
    hints = [f"allow {least:,} suppressed records"] if least < judge.problem.frequency.records else []
    hints += [f"allow a higher level of {', '.join(capped)}"] if capped else []
    hints += ["ask for less"]
    return InfeasibleError(
        f"no {nodes} meets {names} with at most {judge.limit:,} records suppressed; the closest: {nearest}",
        hint=" or ".join(hints),
    )


def refuse_large(lattice: Lattice, name: str) -> None:
    """Refuse a lattice with more nodes, or quasi-identifiers, than there are places for.

    Raises:
        LimitError: there are too many.
    """
    if len(lattice.top) > MOST_DIMENSIONS:
        raise LimitError(
            f"there are {len(lattice.top)} quasi-identifiers, and {name} takes at most {MOST_DIMENSIONS}",
            hint="use best-effort",
        )
    if lattice.size > MOST_NODES:
        raise LimitError(
            f"the lattice has {lattice.size:,} nodes, and {name} keeps a place for each of at most {MOST_NODES:,}",
            hint="use best-effort, or allow fewer levels: max-level on columns with high hierarchies",
        )


def by_name(node: Node, domains: Sequence[Domain]) -> str:
    """As on the command line, whatever the order of the attributes: `sex=0,age=2`."""
    return ",".join(f"{domain.attribute.name}={level}" for domain, level in zip(domains, node, strict=True))


def written(node: Node) -> str:
    """As on the command line: `0,1,2,1`."""
    return ",".join(map(str, node))
