"""Boxes of the lattice: what the nodes between two others cost at least, and which of them are known to fail.

A box is all nodes above `low` and below `high`. Two things are known of it without judging its nodes:

**Floors.** Records that fail at `high` fail in the whole box: a class at `high` is a union of classes at each node
below, and if one of these met the models, merging it with the others would make more records fail, which
`monotone_suppression` excludes. So every node suppresses at least these S records, and what it releases loses at least
what `low` loses (`Hidden.least`, by `monotone` of the metric). If `low` is releasable and suppresses no others, then
all nodes of the box suppress the same records, and none costs less than `low`.

**Tags.** A node below a failing one fails (predictive tagging: El Emam et al., A Globally Optimal k-Anonymity Method
(OLA), JAMIA 2009). A releasable node is hence above no failing one, but exceeds *each* somewhere. Where only one
attribute can, it must: `low` rises. Where the metric joins what disjoint attributes cost (`join`), failing nodes that
can only be exceeded in different attributes add up: the cheapest way for each is the cheapest for all, as in disjoint
pattern databases (Korf, Felner, Artificial Intelligence 2002).

**Parts.** Some of the quasi-identifiers alone are the others generalized to their roots, so by `monotone_suppression`
they suppress no more records than all together, and none but these (the subset property of LeFevre, DeWitt,
Ramakrishnan, Incognito, SIGMOD 2005). A suppressed record costs a metric that joins parts no less than a released one.
Hence each part of a release costs at least its own optimum, and what disjoint parts cost at least joins to what the
whole does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.optimal import Search
from kohort.core.lattice import Lattice
from kohort.metrics.base import counting, rounded, rounded_floor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Index, Shares
    from kohort.core.lattice import Node

#: Failing nodes that are remembered: all are looked through for each box.
MOST_FAILING = 1 << 12


class Box(NamedTuple):
    """The nodes above `low` and below `high`; boxes compare by what comes first in a best-first search.

    Attributes:
        floor: What each node costs at least.
        depth: Less the height of `low`: of equal floors the deeper box comes first, which keeps the others few.
        low: The least node.
        high: The greatest node.
        suppressed: Records known to be suppressed in the whole box; -1 while `high` is not judged.
        judged: Whether `low` is.
    """

    floor: float
    depth: int
    low: Node
    high: Node
    suppressed: int = -1
    judged: bool = False

    @property
    def first(self) -> tuple[float, int, Node]:
        """What no node of the box ranks before: least cost, least height, lexicographically first."""
        return self.floor, -self.depth, self.low

    @property
    def size(self) -> int:
        """The number of nodes."""
        nodes = 1
        for least, greatest in zip(self.low, self.high, strict=True):
            nodes *= greatest - least + 1
        return nodes


def node_floor(judge: NodeEvaluator, node: Node) -> float:
    """What the node and all nodes above it cost at least."""
    if judge.bounded_by_classes:
        return classes_floor(judge, node, 0)
    return rounded_floor(judge.floor_of(node)) if judge.bounded_by_levels else -np.inf


def levels_floor(judge: NodeEvaluator, low: Index, suppressed: int, above: Index, high: Index) -> float:
    """What the nodes of a box that exceed all nodes of `above` cost at least, if they suppress so many records."""
    floor, node = judge.floors_of(low, suppressed), low.copy()
    if len(above) and judge.objective.join:
        attributes, levels = packed(raised_floors(judge, low, suppressed), above, high, float(floor))
        node[attributes] = levels
        floor = judge.floors_of(node, suppressed)
    return rounded_floor(float(floor))


def classes_floor(judge: NodeEvaluator, low: Node, suppressed: int) -> float:
    """What `low` and all nodes above it cost at least by a metric that looks at classes.

    A class above is a union of classes of `low`, and a released one has k records. So each holds a class of `low` that
    has k records itself, or takes k from smaller ones: no release has more classes, or a lesser sum of squares of
    released and suppressed records, than these large classes as they are, and classes of k of the small ones' records
    that are left. Those that are suppressed are of small classes only where sizes alone decide.

    Args:
        judge: Knows metric, models and classes.
        low: The node.
        suppressed: Records that each of the nodes suppresses at least.
    """
    sizes, k = judge.classes(low).rolled.sizes, judge.k
    small = sizes < k
    gone = suppressed if judge.by_records else 0  # else the records may be of larger classes too
    blocks = (int(sizes[small].sum()) - gone) // k
    merged: Counts = np.concatenate([sizes[~small], np.full(blocks, k, np.int64)])
    outcome = replace(
        judge.hidden.least(np.array(low)), sizes=merged, suppressed=gone + judge.hidden.suppressed_by_schema
    )
    return rounded_floor(float(judge.objective.costs(outcome)))


def raised_floors(judge: NodeEvaluator, low: Index, suppressed: int) -> Shares:
    """(d, levels) the floor of `low` with one attribute raised to one level."""
    top: Index = np.array(judge.lattice.top)
    attributes, levels = top.size, int(top.max()) + 1
    nodes = np.broadcast_to(low, (attributes, levels, attributes)).copy()
    every = np.minimum(np.arange(levels), top[:, None])
    nodes[np.arange(attributes), :, np.arange(attributes)] = np.maximum(every, low[:, None])
    return judge.floors_of(nodes, suppressed)


@dataclass(slots=True, eq=False)
class Failing:
    """Maximal nodes known to fail; only of use where all models are monotone.

    Attributes:
        learned: How many there were; the latest are remembered.
    """

    attributes: int
    learned: int = 0
    _nodes: Index = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Know none."""
        self._nodes = np.empty((MOST_FAILING, self.attributes), np.int64)

    def learn(self, node: Node) -> None:
        """Remember a failing node."""
        self._nodes[self.learned % MOST_FAILING] = node
        self.learned += 1

    def covers(self, node: Node) -> bool:
        """Whether the node is known to fail."""
        return bool((self._known >= np.array(node)).all(axis=1).any())

    def above(self, low: Index) -> Index:
        """(f, d) those that a releasable node above `low` has yet to exceed."""
        known = self._known
        return known[(known >= low).all(axis=1)]

    def lifted(self, low: Index, high: Index) -> Index | None:
        """The least node above which all releasable nodes of a box lie; `None` where it has none."""
        while True:
            above = self.above(low)
            free = above < high
            ways = free.sum(axis=1)
            if not ways.all():
                return None
            forced, attribute = np.nonzero(free & (ways == 1)[:, None])
            if not forced.size:
                return low
            low = low.copy()
            np.maximum.at(low, attribute, above[forced, attribute] + 1)

    @property
    def _known(self) -> Index:
        return self._nodes[: self.learned]


def packed(raised: Shares, above: Index, high: Index, floor: float) -> tuple[Index, Index]:
    """Attributes to raise, and where to, so that no node that exceeds all of `above` costs less.

    Some failing nodes that no attribute can exceed two of, those first that cost most per attribute; of each the
    cheapest way.
    """
    free = above < high
    levels = np.minimum(above + 1, high)
    costs = np.where(free, raised[np.arange(high.size), levels], np.inf)
    cheapest = costs.argmin(axis=1)
    rows = np.arange(len(above))
    worth = (costs[rows, cheapest] - floor) / free.sum(axis=1)
    chosen, open_rows = list[int](), worth > 0
    while open_rows.any():
        row = int(np.where(open_rows, worth, -1.0).argmax())
        chosen.append(row)
        open_rows &= ~(free & free[row]).any(axis=1)
    return cheapest[chosen], levels[chosen, cheapest[chosen]]


#: How much less, relatively, the parts are taken to cost: each is rounded, and so is their sum.
SLACK = 1e-11


def least_of_parts(judge: NodeEvaluator, told: Shares, most: int, should_stop: Callable[[], bool]) -> float:
    """What every releasable node costs at least.

    Args:
        judge: The whole problem; its models are monotone, and its objective joins parts.
        told: (d,) how much each attribute tells of a record.
        most: Nodes of the largest lattice that a part may have; a single attribute may have more.
        should_stop: Whether to stop; then nothing is known.
    """
    join = judge.objective.join
    assert join is not None  # noqa: S101  the caller sees to it
    every = counting(judge.hidden.weights, judge.hidden.varying if judge.objective.varying else None)
    costs, weights = list[float](), list[float]()
    for places in _parts(judge.lattice.top, told, most):
        search = Search.of(NodeEvaluator.of(_part(judge.problem, places), judge.limit, judge.objective))
        if not search.run(should_stop):
            return -inf
        if search.best is None:
            return inf
        costs.append(search.best.cost)
        weights.append(float(every[places].sum()))
    joined = join(np.array(costs), np.array(weights))
    return rounded(joined - SLACK * abs(joined))


def _parts(top: Node, told: Shares, most: int) -> Iterator[Index]:
    """The attributes in parts: those that tell most of a record together, as many as the lattice of a part allows."""
    places: list[int] = []
    for place in np.argsort(-told, kind="stable").tolist():
        if places and Lattice(tuple(top[one] for one in (*places, place))).size > most:
            yield np.array(sorted(places))
            places = []
        places.append(place)
    yield np.array(sorted(places))


def _part(problem: Problem, places: Index) -> Problem:
    whole = problem.frequency
    kept: list[int] = places.tolist()
    population = problem.population
    return replace(
        problem,
        frequency=replace(whole, quasi=whole.quasi[:, places]),
        domains=tuple(problem.domains[place] for place in kept),
        population=None if population is None else replace(population, quasi=population.quasi[:, places]),
    )
