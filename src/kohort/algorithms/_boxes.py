"""Boxes of the lattice: what the nodes between two others cost at least, and which of them are known to fail.

A box is all nodes above `low` and below `high`. Two things are known of it without judging its nodes:

**Floors.** Records that fail at `high` fail in the whole box: a class at `high` is a union of classes at each node
below, and if one of these met the models, merging it with the others would make more records fail, which
`monotone_suppression` excludes. So every node suppresses at least these S records, and what it releases loses at least
what `low` loses. Which records they are need not be known: they lose at most S times the greatest loss of `low`.

**Tags.** A node below a failing one fails (predictive tagging: El Emam et al., A Globally Optimal k-Anonymity Method
(OLA), JAMIA 2009). A releasable node is hence above no failing one, but exceeds *each* somewhere. Where only one
attribute can, it must: `low` rises. Where the metric adds up over attributes, failing nodes that can only be exceeded
in different attributes add up too, as disjoint pattern databases do (Korf, Felner, Artificial Intelligence 2002).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms._judge import NO_CLASSES, Hidden
from kohort.metrics.base import Levels, Outcome

if TYPE_CHECKING:
    from kohort.algorithms._judge import Judge
    from kohort.arrays import Counts, Index, Shares
    from kohort.lattice import Node

#: Failing nodes that are remembered: all are looked through for each box.
MOST_FAILING = 1 << 12

#: How much less, relatively, a floor takes each loss to be, for sums of floats to stay under the costs they bound.
SLACK = 1e-13


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


@dataclass(frozen=True, slots=True, eq=False)
class Floors:
    """What nodes cost at least, by the metrics that are monotone.

    Attributes:
        judge: Knows metric, models and classes.
        hidden: What the values hide on each level.
        heights: (d,) height of each hierarchy.
        greatest: (d, levels, 2) the most that a value of the level hides: M - 1, and bits.
    """

    judge: Judge
    hidden: Hidden
    heights: Index
    greatest: Shares

    @classmethod
    def of(cls, judge: Judge) -> Floors:
        """Over the marginal counts of each quasi-identifier."""
        fields, domains = judge.rollup.fields, judge.problem.domains
        hidden = Hidden.of(judge.problem, fields)
        greatest = np.zeros((*fields.starts.shape, 2))
        heights = np.array([domain.hierarchy.height for domain in domains if domain.hierarchy is not None])
        for place, values in enumerate(fields.values):
            for level, start in enumerate(fields.starts[place, : heights[place] + 1]):
                greatest[place, level] = hidden.of_value[start : start + values].max(axis=0)
        return cls(judge, hidden, heights, greatest)

    @property
    def by_levels(self) -> bool:
        """Whether levels alone give a floor that adds up over attributes; else classes or nothing does."""
        return self.judge.bounded and not self.judge.objective.classes

    @property
    def by_classes(self) -> bool:
        """Whether the classes of a node give a floor."""
        return self.judge.bounded and self.judge.objective.classes

    def of_node(self, node: Node) -> float:
        """What the node and all nodes above it cost at least."""
        if self.by_classes:
            return self.of_classes(node, 0)
        return _rounded(self.at(np.array(node), 0)) if self.by_levels else -np.inf

    def of_levels(self, low: Index, suppressed: int, above: Index, high: Index) -> float:
        """What the nodes of a box that exceed all nodes of `above` cost at least, if they suppress so many records."""
        floor, node = self.at(low, suppressed), low.copy()
        if len(above):
            attributes, levels = packed(self.raised(low, suppressed), above, high, float(floor))
            node[attributes] = levels
            floor = self.at(node, suppressed)
        return _rounded(floor)

    def at(self, levels: Index, suppressed: int) -> Shares:
        """(...) what nodes above each of some nodes, (..., d), cost at least if they suppress so many records."""
        hidden, records = self.hidden, self.judge.problem.frequency.records
        places = np.arange(self.heights.size)
        most = suppressed * self.greatest[places, levels]
        widths = hidden.widths[places, levels]
        losses = (widths - np.minimum(widths, most[..., 0])) / hidden.others * (1 - SLACK)
        bits = hidden.bits[places, levels] + suppressed * np.log2(records) - most[..., 1]
        full = Levels(levels, self.heights, bits - SLACK * records * np.log2(records))
        k, weights = self.judge.problem.k, self.judge.weights
        return self._costs(Outcome(records, suppressed, k, NO_CLASSES, losses, weights, full))

    def of_classes(self, low: Node, suppressed: int) -> float:
        """The same for a metric that looks at classes: those of `low`, merged as little as must be.

        Records in classes of fewer than k are in no class above that is released and smaller than k.
        """
        judge = self.judge
        sizes, k = judge.rollup.at(low).sizes, judge.problem.k
        small = sizes < k
        size_only = all(model.size_only for model in judge.problem.models)
        gone = suppressed if size_only else 0  # else the records may be of larger classes too
        blocks = (int(sizes[small].sum()) - gone) // k
        merged: Counts = np.concatenate([sizes[~small], np.full(blocks, k, np.int64)])
        nothing = np.zeros(len(low))
        outcome = Outcome(judge.problem.frequency.records, gone, k, merged, nothing, judge.weights)
        return _rounded(self._costs(outcome))

    def raised(self, low: Index, suppressed: int) -> Shares:
        """(d, levels) the floor of `low` with one attribute raised to one level."""
        attributes, levels = self.heights.size, int(self.heights.max()) + 1
        nodes = np.broadcast_to(low, (attributes, levels, attributes)).copy()
        top: Index = np.array(self.judge.lattice.top)
        every = np.minimum(np.arange(levels), top[:, None])
        nodes[np.arange(attributes), :, np.arange(attributes)] = np.maximum(every, low[:, None])
        return self.at(nodes, suppressed)

    def _costs(self, outcome: Outcome) -> Shares:
        """Costs, a little less: their sums are rounded in other ways than those of nodes."""
        costs = self.judge.objective.costs(outcome)
        return costs - SLACK * np.abs(costs)


def _rounded(cost: Shares) -> float:
    """To 12 digits, as costs are."""
    return float(f"{float(cost):.12g}")


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
