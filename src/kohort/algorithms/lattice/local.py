"""Local recoding over levels: the classes of a full-domain release get finer nodes wherever they can afford them.

A full-domain release puts every value of an attribute on one level, and pays for its rarest combination everywhere.
Here that release is only where the search begins: its classes are taken apart on the levels below. ARX calls it local
recoding when it transforms anew, again and again, what a first transformation left out (Prasser, Eicher, Spengler,
Bild, Kuhn: Flexible Data Anonymization Using ARX, 2020); hierarchies and labels are the same.

**Labels.** A class is released, in each attribute, as the lowest node that covers all of its records: a node of the
hierarchy, on the level of the full-domain release or below it. Classes may be on different levels, so labels may
overlap: somebody of 35 may be in a class `35` or in a class `30-39`. Every label covers the values of its own records.

**A step.** Take a class C and any node N, of any attribute and level, that lies below the class's own: the records of C
below N become a class, and so do all others of C. That saves |C| · cost(C) - |N| · cost(N) - |C - N| · cost(C - N),
cost being the weighted sum of what labels lose (`kohort.algorithms.mondrian.costs`), in integers. Of the nodes that
save something, with both classes satisfying every model, the one that saves most is taken. Ties go to the attribute
that comes first in the schema, then to the lowest level, then to the first leaf. A class without such a node is
finished.

Invariant: the classes cover every record that the full-domain release has, once; each satisfies the models, and lies
inside one class of that release. What that release suppresses stays suppressed. Labels are never coarser than before a
step, so LM is never above that of the full-domain release. No step depends on the order of the records.

Classes that end with the same labels, which takes nodes of the same name on two levels, are one class. Where the
classes fail together as they are released, which no single step can see (a model that judges them jointly, people with
records in several classes, a population), the full-domain release itself is the answer.

Cost: a step O(m · d · (d + height) + m · d · log m) for a class of m tuples; there are fewer steps than classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.costs import Priced
from kohort.algorithms.mondrian.forest import Forest, failing
from kohort.algorithms.mondrian.space import Space, doubling, parted
from kohort.algorithms.problem import Solution
from kohort.core.frequency import ClassProfile, Histogram, profile
from kohort.core.recoding import FullDomain, Multidimensional
from kohort.native.library import PROPOSE_NODES
from kohort.schema import Label

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.forest import Partition
    from kohort.algorithms.mondrian.space import Sides
    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.suppression import SuppressionLimit


class Rows(NamedTuple):
    """The tuples of a class.

    Attributes:
        places: (m, d) the leaf of each in each attribute.
        counts: (m,) its records.
        order: (m, d) the tuples by their leaf in each attribute.
    """

    places: Codes
    counts: Counts
    order: Index


class Nodes(NamedTuple):
    """Nodes whose records can be parted from the rest of the class.

    Attributes:
        at: (c, 3) the attribute, and the first and the last of the order's tuples below it, which is left out.
        gains: (c,) what the parting saves.
    """

    at: Index
    gains: Counts


#: Nodes that the models are asked about first; each further question is about twice as many.
FIRST_BATCH: Final = 8


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """A full-domain search, and finer levels for the classes that it finds.

    Attributes:
        search: Finds the full-domain release.

    >>> from kohort.algorithms.lattice.optimal import Optimal
    >>> LocalRecoding(Optimal()).name
    'optimal-local'
    """

    search: Algorithm
    full_domain = False
    nodes = True

    @property
    def name(self) -> str:
        """As its search, and what follows it."""
        return f"{self.search.name}-local"

    @property
    def distinct(self) -> bool:
        """As its search needs it: tuples are never parted."""
        return self.search.distinct

    @property
    def limit(self) -> SuppressionLimit | None:
        """How many records its search may suppress; nothing else suppresses any."""
        return self.search.limit

    @property
    def objective(self) -> str | None:
        """What its search prefers releases by; what follows saves LM."""
        return self.search.objective

    def solve(self, problem: Problem) -> Solution:
        """Search, then refine the classes; regions are in the order of the search's, each in place of the one it parts.

        Raises:
            InfeasibleError: the search finds no release.
        """
        problem = released_as_nodes(problem)
        found = self.search.solve(problem)
        start = found.recoding
        assert isinstance(start, FullDomain)  # noqa: S101  it is only made of searches on levels
        recoding = _with_suppressed(refined(problem, _classes(problem, start)), problem, start)
        trace = {**found.trace, "classes_before": len(start.nodes), "classes_after": len(recoding.low)}
        if failing(problem, recoding):
            return Solution(start, trace, refined=start.levels)
        return Solution(recoding, trace, refined=start.levels)


def released_as_nodes(problem: Problem) -> Problem:
    """The problem with labels that are nodes of the hierarchies, whatever its attributes ask for."""
    domains = (replace(one, attribute=replace(one.attribute, label=Label.ANCESTOR)) for one in problem.domains)
    return replace(problem, domains=tuple(domains))


def refined(problem: Problem, forest: Forest) -> Multidimensional:
    """Take every class of a forest apart as far as it saves something and the models allow; labels are nodes."""
    space = Space.of(problem)
    priced = Priced.of(problem.frequency.quasi, problem.domains, problem.frequency.records)
    every = np.ones(forest.depths.size, np.bool_)
    grown = forest.grow(every, problem, partial(space.carve, split=partial(_split, space, priced)))
    return replace(grown.recoding, nodes=True)


def _classes(problem: Problem, start: FullDomain) -> Forest:
    kept, quasi = np.flatnonzero(start.of >= 0), problem.frequency.quasi
    regions, number = start.of[kept], len(start.nodes)
    by_region = np.argsort(regions, kind="stable")
    ordered, starts = quasi[kept[by_region]], np.searchsorted(regions[by_region], np.arange(number))
    low, high = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
    recoding = Multidimensional(kept, regions, problem.frequency.counts[kept], low, high)
    return Forest(recoding, np.zeros(number, np.int64))


def _with_suppressed(recoding: Multidimensional, problem: Problem, start: FullDomain) -> Multidimensional:
    """The recoding of all tuples: every one is a piece, of no region where it is suppressed."""
    regions = np.full(start.of.size, -1)
    regions[recoding.tuples] = recoding.regions
    return replace(recoding, tuples=np.arange(regions.size), regions=regions, counts=problem.frequency.counts)


def _split(space: Space, priced: Priced, partition: Partition) -> Sides | None:
    """The records below the node that saves most, and the others; `None` where a class is finished."""
    if partition.rows.records < 2 * space.least:
        return None
    places = priced.places[partition.tuples]
    rows = Rows(places, partition.rows.counts, np.argsort(places, axis=0, kind="stable"))
    found = _found(rows, space, priced)
    order = np.argsort(-found.gains, kind="stable")
    for batch in doubling(order, FIRST_BATCH):
        allowed = _allowed(space, partition, rows, found, batch)
        if allowed.any():
            return parted(partition, _is_below(rows, found, batch[allowed.argmax()]))
    return None


def _found(rows: Rows, space: Space, priced: Priced) -> Nodes:
    """The nodes that save something, attribute by attribute, from the leaves up, and in leaf order.

    A node that has the same records below it as one of its children is left out.
    """
    tuples, varied = rows.counts.size, np.flatnonzero(rows.places.min(axis=0) < rows.places.max(axis=0))
    most = 2 * tuples * varied.size  # nodes with different records below them are no more than twice the leaves
    out = Nodes(np.empty((most, 3), np.int64), np.empty(most, np.int64))
    hulls, costs = np.empty((2 * tuples + 3, varied.size, 2), np.uint32), priced.costs
    trees = costs.nodes, costs.above, costs.levels
    number = PROPOSE_NODES(rows.places, rows.counts, rows.order, varied, *trees, hulls, space.least, *out)
    return Nodes(out.at[:number], out.gains[:number])


def _is_below(rows: Rows, found: Nodes, one: int) -> Mask:
    """(m,) which tuples are below a node."""
    attribute, first, last = found.at[one].tolist()
    is_below = np.zeros(rows.counts.size, np.bool_)
    is_below[rows.order[first:last, attribute]] = True
    return is_below


def _allowed(space: Space, partition: Partition, rows: Rows, found: Nodes, batch: Index) -> Mask:
    """(b,) which of these nodes satisfy the models, both those below them and the rest."""
    if space.alone:
        return np.array([space.fit(parted(partition, _is_below(rows, found, one))) for one in batch.tolist()])
    if all(model.declared.size_only for model in space.models):
        return np.ones(batch.size, np.bool_)
    tuples = [rows.order[first:last, attribute] for attribute, first, last in found.at[batch].tolist()]
    of = np.repeat(np.arange(batch.size), [one.size for one in tuples])
    pieces = np.concatenate(tuples)
    below = profile(partition.rows.take(pieces, rows.counts[pieces]), of, batch.size)
    whole = profile(partition.rows, np.zeros(rows.counts.size, np.int64), 1)
    histograms = zip(whole.histograms, below.histograms, strict=True)
    others = (Histogram(part.domain, all_.counts - part.counts) for all_, part in histograms)
    rest = ClassProfile(whole.sizes - below.sizes, tuple(others))
    sides = [model.satisfied(side) for model in space.models for side in (below, rest)]
    allowed: Mask = reduce(np.logical_and, sides)
    return allowed
