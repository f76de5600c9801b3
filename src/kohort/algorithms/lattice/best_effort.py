"""Best effort: a good node soon, a better one later, and at any time a bound on what may still be missed.

For lattices of any size: 25 quasi-identifiers of five levels have 10^17 nodes. Three searches, one after the other:

**Greedy descent** (`greedy`) from the top, which is releasable if any node is, and exchanges; then, again and again,
raise one attribute of the best node to its greatest level and descend with the others, or from
where a genetic search ends.

**Parts** (`parts`) of the quasi-identifiers, few enough for the optimum of each to be proven: where
the metric joins them, no release costs less than they do together. Larger ones by turns with descents.

**Best-first branch and bound**: best first, as Lightning looks at nodes (Prasser et al., Transactions on Data Privacy
2016), here over boxes of the lattice (`boxes`), OLA's sublattices. A failing least node of a box is
raised while it fails (Gunopulos et al., Discovering All Most Specific Sentences, TODS 2003); a releasable node
exceeds that maximal one in an attribute, and the box is split by whether it does in the first, the second and so on
(Reiter's tree of hitting sets, Artificial Intelligence 1987). Each step that relies on a declared property says so.

Invariant: every node has been judged, or lies in an open box, or cannot be better than the best one, or is below a
failing one where `monotone_suppression` is declared. The least floor of the open boxes hence bounds what any
releasable node costs, and when none is open the best is the optimum. Ties: equal cost to 12 digits, then less height,
then lexicographic order. Memory: a number of boxes and judged nodes that does not depend on the lattice.
"""

from __future__ import annotations

import heapq
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.lattice.answer import infeasible, rank, solution
from kohort.algorithms.lattice.boxes import (
    Box,
    Failing,
    classes_floor,
    least_of_parts,
    levels_floor,
    node_floor,
    raised_floors,
)
from kohort.algorithms.lattice.greedy import EnoughError, Greedy, moved
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.method import OBJECTIVE, ON_LEVELS, TIME_LIMIT, Method
from kohort.core.suppression import SuppressionLimit
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.problem import Problem, Solution
    from kohort.core.lattice import Node

#: Boxes that are kept open; the better half of them when there are more.
MOST_BOXES: Final = 100_000

#: Nodes of the lattices of parts for which descent is begun again once, so that the time is shared about equally.
TURN: Final = 1 << 15

#: How often in a row descent is begun again without gain before boxes are opened …
RESTARTS: Final = 2

#: … and nodes judged in boxes before it is begun again once more, at least.
PATIENCE: Final = 256

#: Nodes of the lattices of parts by which lattices larger than the first are bounded: four times as many take two to
#: four times as long, and prove 2 to 6 % of the answer more where 25 attributes have up to five levels.
PARTS: Final = (1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22)


@dataclass(frozen=True, slots=True)
class BestEffort:
    """The best node found until `Problem.should_stop` says to stop, and a lower bound on the cost of any other.

    Attributes:
        limit: The suppression limit.
        objective: The metric, by its name in `kohort.metrics`.
    """

    limit: SuppressionLimit = field(default_factory=SuppressionLimit)
    objective: str = "lm"
    name = "best-effort"
    distinct = False
    full_domain = True

    def solve(self, problem: Problem) -> Solution:
        """Search until the end, or until it is enough and a releasable node is known.

        Raises:
            InfeasibleError: no node is releasable.
            LimitError: the top is not releasable, the models are not monotone, and none was found in time.
        """
        judge = NodeEvaluator.asked(problem, self.limit, self.objective)
        search = _Search(Greedy(judge))
        with suppress(EnoughError):
            search.run()
        return search.solution()


BEST_EFFORT = Method(
    Specification(
        key="best-effort",
        title="Best effort",
        sentence="Finds a good release on a lattice of any size, then better ones, and bounds the cost of all others.",
        parameters=(*ON_LEVELS, TIME_LIMIT),
        not_promised="Equal releases: stopped by time, it may give another release of an equal job.",
        properties={"proven": "where it ended before it was stopped: no box of nodes is open"},
    ),
    lambda choices: BestEffort(choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE),
)


@dataclass(eq=False)
class _Search:
    """The boxes that are open, and what was left out.

    Attributes:
        greedy: The judged nodes, and descents to better ones.
        boxes: Open boxes, a heap.
        floor: What the nodes that are being looked at cost at least.
        least: What parts of the attributes say that every node costs at least.
        dropped: What nodes of boxes that were dropped cost at least.
        opened: Boxes taken from the heap.
        tagged: Nodes left out because they are below a failing one.
        bounded: Nodes left out because they cost too much.
    """

    greedy: Greedy
    boxes: list[Box] = field(default_factory=list[Box])
    floor: float = -inf
    least: float = -inf
    dropped: float = inf
    opened: int = 0
    tagged: int = 0
    bounded: int = 0
    random: Random = field(default_factory=lambda: Random(0))  # noqa: S311  where to search; no secret hangs on it

    def __post_init__(self) -> None:
        self.judge = self.greedy.judge
        self.maximal = Failing(len(self.judge.lattice.top))

    def run(self) -> None:
        """Search to the end.

        Raises:
            InfeasibleError: even the top fails, and models are monotone.
            LimitError: no releasable node was found, but not all were looked at.
            EnoughError: it is enough.
        """
        bottom, highest = self.judge.lattice.bottom, self.judge.lattice.top
        self.floor = node_floor(self.judge, bottom)
        top = self.greedy.judged(highest)
        if top.releasable:
            self.greedy.exchange(self.greedy.descend(top))
            self.greedy.improve()
        elif self.judge.monotone:
            raise infeasible(self.judge, [top])
        for most in (one for one in PARTS if one < self.judge.lattice.size):
            self.bound_by_parts(most)
            self.restart(max(most // TURN, 1))
        self.restart(RESTARTS)
        self.boxes = [Box(self.floor, 0, bottom, highest)]
        next_restart = self.greedy.evaluated + PATIENCE
        while self.boxes:
            box = heapq.heappop(self.boxes)
            self.floor = box.floor
            self.greedy.ask()
            self.opened += 1
            self.open(box)
            if self.greedy.evaluated >= next_restart:
                before = self.greedy.evaluated
                self.restart()
                next_restart = self.greedy.evaluated + max(PATIENCE, self.greedy.evaluated - before)
            self.floor = inf
        if self.greedy.best is None and self.dropped < inf:
            raise self.greedy.not_found()

    def restart(self, most: int = 1) -> None:
        """Begin the descent again, until so often in a row no better node was found; not where boxes are soon done."""
        tried = 0
        while tried < most and self.judge.lattice.size > PARTS[0]:
            before = self.greedy.best
            self.greedy.restart(self.random)
            tried = tried + 1 if self.greedy.best is before else 0

    def bound_by_parts(self, most: int) -> None:
        """Bound what a node costs by what parts of the attributes do that have so many nodes."""
        judge, lattice, should_stop = self.judge, self.judge.lattice, self.judge.problem.should_stop
        if judge.monotone and judge.objective.join is not None and not should_stop():
            told = judge.hidden.bits[np.arange(len(lattice.top)), lattice.top]
            self.least = max(self.least, least_of_parts(judge, told, most, should_stop))

    def solution(self) -> Solution:
        best = self.greedy.best.cost if self.greedy.best else inf
        floor = min([self.floor, self.dropped, *(box.floor for box in self.boxes[:1])])
        bound = min(max(floor, self.least), best)
        trace = {
            "evaluated": self.greedy.evaluated,
            "boxes": self.opened,
            "tagged_by_monotone_suppression": self.tagged,
            "bounded_by_monotone_metric": self.bounded,
        }
        seen = self.greedy.seen.values()
        return solution(self.judge, seen, trace, proven=floor > best, bound=None if bound == -inf else bound)

    def cannot_win(self, box: Box) -> bool:
        """Whether no node of the box is better than the best."""
        best = self.greedy.best
        return best is not None and box.first >= rank(best)

    def open(self, box: Box) -> None:
        """Learn one more thing about the box: drop it, put it back, or split it."""
        tight = box if self.cannot_win(box) else self.tightened(box)
        if tight is not box:
            self.tagged += box.size - (tight.size if tight else 0)
        if tight is None:
            return
        if self.cannot_win(tight):
            self.bounded += tight.size
        elif self.boxes and tight > self.boxes[0] and tight > box:
            self.put(tight)
        elif self.judge.monotone and tight.suppressed < 0:
            self.judge_high(tight)
        elif not tight.judged and not (self.judge.bounded_by_levels and self.maximal.covers(tight.low)):
            self.judge_low(tight)
        elif tight.low != tight.high:
            self.split(tight)

    def tightened(self, box: Box) -> Box | None:
        """The box without nodes known to fail, and its floor; `None` where no node is left."""
        low, high = self.maximal.lifted(np.array(box.low), np.array(box.high)), np.array(box.high)
        if low is None:
            return None
        floor = box.floor
        if self.judge.bounded_by_levels:
            gone = max(box.suppressed, 0)
            floor = max(floor, levels_floor(self.judge, low, gone, self.maximal.above(low), high))
        least = tuple(low.tolist())
        return Box(floor, -sum(least), least, box.high, box.suppressed, box.judged and least == box.low)

    def judge_high(self, box: Box) -> None:
        """If the greatest node fails, so do all; else what it suppresses is suppressed in the whole box."""
        judged = self.greedy.judged(box.high)
        if judged.releasable:
            self.put(box._replace(suppressed=judged.suppressed))
        else:
            self.maximal.learn(self.grown(box.high, self.judge.lattice.top))
            self.tagged += box.size

    def judge_low(self, box: Box) -> None:
        """Judge the least node; if it fails, learn how far one can go and still fail."""
        judged, floor = self.greedy.judged(box.low), box.floor
        if judged.releasable and judged.suppressed == box.suppressed and self.judge.bounded:
            self.bounded += box.size - 1
            return
        if self.judge.bounded_by_classes:
            floor = max(floor, classes_floor(self.judge, box.low, max(box.suppressed, 0)))
        if not judged.releasable and self.judge.monotone and not self.maximal.covers(box.low):
            self.maximal.learn(self.grown(self.grown(box.low, box.high), self.judge.lattice.top))
        self.put(box._replace(floor=floor, judged=True))

    def grown(self, node: Node, ceiling: Node) -> Node:
        """From a failing node up, below `ceiling`, while it fails; attributes that tell least first."""
        places = np.argsort(self.judge.hidden.bits[np.arange(len(node)), ceiling], kind="stable")
        return self._grown(node, ceiling, places.tolist())

    def _grown(self, node: Node, ceiling: Node, places: Sequence[int]) -> Node:
        """The same for some attributes: all at once, or else each half on its own."""
        goal = tuple(ceiling[place] if place in places else level for place, level in enumerate(node))
        if goal == node or not self.greedy.judged(goal).releasable:
            return goal
        if len(places) > 1:
            half = len(places) // 2
            return self._grown(self._grown(node, ceiling, places[:half]), ceiling, places[half:])
        place, fails, passes = places[0], node[places[0]], ceiling[places[0]]
        while passes - fails > 1:
            level = (fails + passes) // 2
            if self.greedy.judged(moved(node, place, level - node[place])).releasable:
                passes = level
            else:
                fails = level
        return moved(node, place, fails - node[place])

    def split(self, box: Box) -> None:
        """Part the box in two: where a failing node is exceeded in one attribute, and where it is not."""
        low, high = np.array(box.low), np.array(box.high)
        above = self.maximal.above(low)
        if len(above):
            below = above[(above < high).sum(axis=1).argmin()]
            wanted = 1.0
        else:
            below, wanted = low, -1.0
        costs = (high - low) * -1.0
        if self.judge.bounded_by_levels:
            levels = np.minimum(below + 1, high)
            costs = raised_floors(self.judge, low, max(box.suppressed, 0))[np.arange(low.size), levels] * wanted
        place = int(np.where(below < high, costs, inf).argmin())
        level = int(below[place])
        above_low = moved(box.low, place, level + 1 - box.low[place])
        self.put(Box(box.floor, -sum(above_low), above_low, box.high, box.suppressed))
        self.put(box._replace(high=moved(box.high, place, level - box.high[place]), suppressed=-1))

    def put(self, box: Box) -> None:
        """Keep the box open; if there are too many, drop the worse half, but not what is known of it."""
        heapq.heappush(self.boxes, box)
        if len(self.boxes) > MOST_BOXES:
            self.boxes.sort()
            self.dropped = min(self.dropped, self.boxes[MOST_BOXES // 2].floor)
            del self.boxes[MOST_BOXES // 2 :]
