"""A good node soon: judged nodes that are remembered, and greedy descent among them until it is enough.

Descent starts at a releasable node: lower the attribute that gains most, or most per bit that it reveals, while that
costs less. Gains are taken to shrink on the way down, so that only the most promising is judged again (Minoux,
Accelerated Greedy Algorithms, 1978). What fails is not tried again below, where `monotone_suppression` is declared.

Where no attribute alone can be lowered, two are exchanged: one a level up, another down. Where that does not help
either, descent begins again from where a genetic search ends: nodes drawn at random are crossed and moved by a level,
and the best of them stay (Iyengar, Transforming Data to Satisfy Privacy Constraints, KDD 2002).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import permutations
from math import inf
from typing import TYPE_CHECKING, Final

from kohort.algorithms.lattice.answer import LISTED, rank
from kohort.algorithms.lattice.boxes import Failing
from kohort.errors import LimitError

if TYPE_CHECKING:
    from random import Random

    from kohort.algorithms.lattice.judge import CheckedNode, NodeEvaluator
    from kohort.core.lattice import Node

#: CheckedNode nodes that are remembered, lest they be judged again.
MOST_SEEN: Final = 1 << 16

#: Nodes of a genetic search; those of them that stay; and rounds in a row without a better node, after which it ends.
CROSSED: Final = 40
KEPT: Final = 10
STALE: Final = 30

#: Fewer bits than this are taken to be so many: some levels reveal nothing.
FEWEST_BITS: Final = 1e-9


class EnoughError(Exception):
    """It was asked to stop, and a releasable node is known."""


@dataclass(eq=False)
class Greedy:
    """The nodes judged so far, the best of them, and descents to better ones.

    Attributes:
        judge: Judges nodes.
        seen: CheckedNode nodes, not more than so many.
        best: The best releasable node.
        evaluated: Nodes judged.
    """

    judge: NodeEvaluator
    seen: dict[Node, CheckedNode] = field(default_factory=dict["Node", "CheckedNode"])
    best: CheckedNode | None = None
    evaluated: int = 0

    def __post_init__(self) -> None:
        """Know no failing node."""
        self._tried = Failing(len(self.judge.lattice.top))

    def judged(self, node: Node) -> CheckedNode:
        """The node, judged; remembered if it was before."""
        known = self.seen.get(node)
        if known is not None:
            return known
        if self.best is not None:
            self.ask()
        judged = self.judge.judge(node)
        self.evaluated += 1
        if len(self.seen) >= MOST_SEEN:
            self.seen = {one.node: one for one in heapq.nsmallest(LISTED, self.seen.values(), key=_worth)}
        self.seen[node] = judged
        if judged.releasable and (self.best is None or rank(judged) < rank(self.best)):
            self.best = judged
        return judged

    def ask(self) -> None:
        """Stop where it is enough.

        Raises:
            LimitError: it is, but no releasable node is known.
            EnoughError: it is.
        """
        if not self.judge.problem.should_stop():
            return
        if self.best is None:
            raise self.not_found()
        raise EnoughError

    def not_found(self) -> LimitError:
        """The error of a search that left off before it found a releasable node."""
        return LimitError(
            f"none of the {self.evaluated:,} combinations of levels tried can be released; others remain untried",
            hint="allow more time or more suppressed records",
        )

    def descend(self, node: CheckedNode, last: int = -1) -> CheckedNode:
        """Lower attributes a level at a time while that costs less, `last` at last: the better of two orders."""
        return min((self._descend(node, last, revealing=revealing) for revealing in (False, True)), key=rank)

    def restart(self, random: Random) -> None:
        """Cross and move nodes drawn at random until the best of them gets no better, and go down from that."""
        top, stale, best = self.judge.lattice.top, 0, inf
        nodes = [top, *(tuple(random.randint(0, most) for most in top) for _ in range(CROSSED - 1))]
        kept: list[CheckedNode] = []
        while stale < STALE:
            kept = sorted((self.judged(node) for node in {*nodes}), key=_worth)[:KEPT]
            stale, best = stale + 1 if kept[0].cost >= best else 0, kept[0].cost
            pairs = (random.choices(kept, k=2) for _ in range(CROSSED - KEPT))
            nodes = [*(one.node for one in kept), *(_child(one.node, other.node, top, random) for one, other in pairs)]
        self.exchange(self.descend(kept[0]))

    def exchange(self, node: CheckedNode) -> None:
        """Raise one attribute a level, lower another, and descend, while that costs less."""
        while (better := self._exchanged(node)) is not None:
            node = self.descend(better)

    def _exchanged(self, node: CheckedNode) -> CheckedNode | None:
        """The first better node that has one attribute a level higher, and another one a level lower."""
        places = range(len(node.node))
        for up, down in permutations(places, 2):
            if node.node[up] < self.judge.lattice.top[up]:
                found = self._lowered(node, moved(node.node, up, 1), down)
                if found is not None:
                    return found
        return None

    def improve(self) -> None:
        """Raise one attribute of the best node to its greatest level and descend, until that helps for none."""
        top, place, left = self.judge.lattice.top, 0, len(self.judge.lattice.top)
        while left and self.best is not None:
            before = self.best
            raised = self.judged((*before.node[:place], top[place], *before.node[place + 1 :]))
            if raised.releasable and raised is not before:
                self.descend(raised, place)
            left = len(top) if self.best is not before else left - 1
            place = (place + 1) % len(top)

    def _descend(self, node: CheckedNode, last: int, *, revealing: bool) -> CheckedNode:
        """The most promising first: what gains most, or most per bit revealed."""
        hopes = [(self._hope(node.node, place, revealing=revealing), place) for place in range(len(node.node))]
        hopes = [(inf if place == last else hope, place) for hope, place in hopes]
        heapq.heapify(hopes)
        while hopes:
            _, place = heapq.heappop(hopes)
            lower = self._lowered(node, node.node, place)
            if lower is None:
                continue
            gain = (node.cost - lower.cost) / self._revealed(lower.node, place, revealing=revealing)
            if hopes and -gain > hopes[0][0]:
                heapq.heappush(hopes, (-gain, place))
            else:
                node = lower
                heapq.heappush(hopes, (self._hope(node.node, place, revealing=revealing), place))
        return node

    def _lowered(self, node: CheckedNode, upper: Node, place: int) -> CheckedNode | None:
        """The node `upper` with one attribute a level lower; `None` where that is not better than `node`."""
        lower = moved(upper, place, -1)
        if lower[place] < 0:
            return None
        if lower not in self.seen and (self._tried.covers(lower) or self._floor(lower) > node.cost):
            return None
        judged = self.judged(lower)
        if not judged.releasable and self.judge.monotone:
            self._tried.learn(lower)
        return judged if rank(judged) < rank(node) else None

    def _floor(self, node: Node) -> float:
        return self.judge.floor_of(node) if self.judge.bounded_by_levels else -inf

    def _hope(self, node: Node, place: int, *, revealing: bool) -> float:
        """Less what lowering an attribute may gain, before it is judged."""
        lower = moved(node, place, -1)
        if lower[place] < 0 or not self.judge.bounded_by_levels:
            return -inf
        gain = self.judge.floor_of(node) - self.judge.floor_of(lower)
        return -gain / self._revealed(lower, place, revealing=revealing)

    def _revealed(self, lower: Node, place: int, *, revealing: bool) -> float:
        """Bits told about the records by lowering an attribute to where it is now; 1 where they do not count."""
        bits = self.judge.hidden.bits[place]
        return float(max(bits[lower[place] + 1] - bits[lower[place]], FEWEST_BITS)) if revealing else 1.0


def _worth(judged: CheckedNode) -> tuple[float, bool, int, int, Node]:
    """Which nodes to remember: the best, and if none is releasable those that came closest, which an error names."""
    cost, height, node = rank(judged)
    return cost, not judged.together, 0 if judged.releasable else judged.suppressed, height, node


def _child(one: Node, other: Node, top: Node, random: Random) -> Node:
    """Each level from one of two nodes; about one of them is then moved by 1."""
    levels = [random.choice(pair) for pair in zip(one, other, strict=True)]
    moves = [random.choice((-1, 1)) if random.random() * len(top) < 1 else 0 for _ in top]
    return tuple(min(max(level + by, 0), most) for level, by, most in zip(levels, moves, top, strict=True))


def moved(node: Node, place: int, levels: int) -> Node:
    """The node with one attribute raised by so many levels."""
    return (*node[:place], node[place] + levels, *node[place + 1 :])
