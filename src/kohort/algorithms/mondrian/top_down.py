"""Top-down greedy search: split the table again and again into two groups, grown around two far-apart records.

Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006), section 4.2. It starts from
one class of all records and specializes. Unlike Mondrian's, its groups are not the two sides of a cut through one
attribute: their boxes may overlap, which makes it a local recoding; the labels of a class still cover all of its
records. The paper leaves choices open; kohort's are these.

**Penalty.** Of a group: the sum over the quasi-identifiers of weight · width of the group / width of the table, as in
the normalized certainty penalty. The width of names is that in the order of their domain.

**Seeds.** From the first tuple in lexicographic order of codes the farthest is taken, from that the farthest again,
three times in all; ties go to the first. Distance is the penalty of the pair.

**Groups.** Every other tuple joins the group that has the lower penalty with it, ties the first seed's. Tuples whose
distances to the seeds differ most come first, where the paper's order is random. Equal tuples stay together.

**Adjustment.** Where one group fails the models, it takes tuples of the other, those first that raise its penalty
least: as many as it lacks for the least size, and then twice as many each time, until both groups satisfy the models.
If they never do, or both groups fail, nothing is split.

Invariant: the partitions on the way and the leaves cover every record once, and each satisfies all models; the table as
a whole does at the start, or there is no release. No step depends on the order of the records.

Cost: O(d · t · log t) a level of the tree, of which there are about log2(n/k) where groups are of similar size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.method import Method
from kohort.algorithms.mondrian.forest import Forest, require_together
from kohort.algorithms.mondrian.mondrian import require_feasible
from kohort.algorithms.mondrian.space import Space, parted
from kohort.algorithms.problem import Solution
from kohort.core.frequency import group
from kohort.native.library import GROW_BOXES
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.mondrian.forest import Partition
    from kohort.algorithms.mondrian.space import Sides
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Mask, Shares

#: How often the farthest tuple is looked for: more hardly finds a pair farther apart, says the paper.
ROUNDS: Final = 3


@dataclass(frozen=True, slots=True)
class TopDown:
    """Top-down greedy search, without choices.

    >>> TopDown().name
    'top-down'
    """

    name = "top-down"
    distinct = False
    full_domain = False
    limit = None
    objective = None

    def solve(self, problem: Problem) -> Solution:
        """Split the table down to leaves; regions are numbered first group before second.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
        """
        space = Space.of(problem)
        require_feasible(problem, space)
        carve = partial(space.carve, split=partial(_split, space))
        forest = Forest.uncut(problem.frequency, problem.workspace).grow(np.ones(1, np.bool_), problem, carve)
        require_together(problem, forest.recoding)
        leaves = forest.depths.size
        return Solution(forest.recoding, {"splits": leaves - 1, "leaves": leaves, "depth": int(forest.depths.max())})


TOP_DOWN = Method(
    Specification(
        key="top-down",
        title="Top-down greedy",
        sentence="Splits the table, again and again, into groups grown around two far-apart records (Xu et al. 2006).",
        not_promised="Classes that do not overlap: a record may fit the labels of several, though it is in one.",
        properties={"proven": "never: each split is greedy"},
    ),
    lambda _: TopDown(),
)


def _split(space: Space, partition: Partition) -> Sides | None:
    rows = partition.rows
    if rows.records < 2 * space.least:
        return None
    order = np.lexsort(rows.quasi.T[::-1])
    equal = group(rows.quasi[order])  # numbered as they appear: in lexicographic order
    of = np.empty_like(equal.of)
    of[order] = equal.of
    codes = rows.quasi[order[equal.first]]
    scaled = [scale[codes[:, place]] * float(space.factors[place]) for place, scale in enumerate(space.positions)]
    points = np.column_stack(scaled).astype(np.float64)  # (u, d) the distinct tuples
    if (points == points[0]).all():
        return None
    counts = np.bincount(of, rows.counts).astype(np.int64)
    first = _grown(points)
    sides = parted(partition, first[of])
    failing = [not space.fits(side) for side in sides]
    if all(failing):
        return None
    if not any(failing):
        return sides
    poor = first if failing[0] else ~first
    for adjusted in _adjusted(points, counts, poor, space.least):
        sides = parted(partition, (adjusted if failing[0] else ~adjusted)[of])
        if space.fit(sides):
            return sides
    return None


def _grown(points: Shares) -> Mask:
    """(u,) which tuples join the first group: in their order, each the one that has the lower penalty with it."""
    first, second = 0, 0
    for _ in range(ROUNDS):
        first, second = second, int(np.abs(points - points[second]).sum(axis=1).argmax())
    from_first, from_second = (np.abs(points - points[seed]).sum(axis=1) for seed in (first, second))
    order = np.argsort(-np.abs(from_first - from_second), kind="stable")
    is_first = np.zeros(len(points), np.bool_)
    GROW_BOXES(points, order, first, second, points[[first, second]], points[[first, second]], is_first)
    return is_first


def _adjusted(points: Shares, counts: Counts, poor: Mask, least: int) -> Iterator[Mask]:
    """The group `poor` with more and more tuples of the other, as long as that keeps `least` records."""
    low, high = points[poor].min(axis=0), points[poor].max(axis=0)
    others = np.flatnonzero(~poor)
    raised = (np.maximum(high, points[others]) - np.minimum(low, points[others])).sum(axis=1)
    others = others[np.argsort(raised, kind="stable")]
    upto = np.cumsum(counts[others])
    lacking = least - int(counts[poor].sum())
    taken = max(int(np.searchsorted(upto, lacking)) + 1, 1)
    while taken < others.size and upto[-1] - upto[taken - 1] >= least:
        adjusted = poor.copy()
        adjusted[others[:taken]] = True
        yield adjusted
        taken *= 2
