"""Strict Mondrian of tuples that do not fit one memory: its first cuts from histograms, the others part by part.

A strict cut looks at nothing of a partition but, dimension by dimension, the records and sensitive values at each code:
its marginals. They are small however many tuples there are, and whoever holds these can add them up. So the tree is cut
from marginals as long as a part has more tuples than fit; then some parts at a time are cut as tables of their own are,
but in the space of the whole table: its widths, its models, the distribution of its sensitive values.

The leaves are those of the search over all tuples, in the same order, for a partition's cut depends on its own records
and on that space alone. So are the classes: regions that are released alike are one, in whatever parts they are.

Cost: one pass over all tuples for each level of the tree down to parts that fit, and one to fetch these. Of memory
`most` tuples, the marginals of some parts, and the classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kohort.algorithms.mondrian.dimension import WIDEST
from kohort.algorithms.mondrian.forest import Partition
from kohort.algorithms.mondrian.mondrian import Mondrian, require_feasible
from kohort.algorithms.mondrian.space import Space
from kohort.core.labels import labels_of
from kohort.core.recoding import Multidimensional, RegionClasses, classes_of, joined_classes
from kohort.models.base import judging_together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """A part of a table as each dimension sees it.

    Attributes:
        of: (d,) of each dimension a frequency set over it alone, with the sensitive codes.
        tuples: (d,) how many tuples of the part each of its tuples is.
    """

    of: tuple[FrequencySet, ...]
    tuples: tuple[Counts, ...]

    @property
    def ends(self) -> tuple[Codes, Codes]:
        """(d,) the least codes, and the greatest."""
        low = np.array([one.quasi.min() for one in self.of], np.uint32)
        return low, np.array([one.quasi.max() for one in self.of], np.uint32)

    @property
    def rows(self) -> int:
        """How many numbers of records these are."""
        return sum(one.size for one in self.tuples)


class PartCut(NamedTuple):
    """A cut of a part: what is up to the code `last` of a dimension becomes the part `left`, the rest `right`."""

    part: int
    dimension: int
    last: int
    left: int
    right: int


class Tuples(Protocol):
    """Distinct tuples that lie anywhere, each in a part; at first all are in part 0."""

    def marginals(self, parts: Sequence[int]) -> Mapping[int, Marginals]:
        """The marginals of some parts."""
        ...

    def divide(self, cuts: Sequence[PartCut]) -> None:
        """Cut some parts in two."""
        ...

    def gather(self, groups: Sequence[Sequence[int]]) -> Iterator[tuple[FrequencySet, Index]]:
        """The tuples of group after group of parts, and (t,) the part of each; after each, `place` is called."""
        ...

    def place(self, regions: Index) -> None:
        """Put the tuples that were gathered last into regions: (t,), in their order."""
        ...

    def place_part(self, part: int, region: int) -> None:
        """Put all tuples of a part into a region."""
        ...


def refused_in_parts(algorithm: Algorithm, models: Sequence[PrivacyModel]) -> str:
    """What of these needs all tuples at once; empty where nothing does."""
    if not isinstance(algorithm, Mondrian):
        return f"the method {algorithm.name}"
    if algorithm.relaxed:
        return "cuts between equal values (mondrian-relaxed)"
    if algorithm.cut == "loss":
        return "cuts chosen by loss (--cut loss)"
    return judging_together(models)


def solve_in_parts(
    tuples: Tuples, root: Marginals, problem: Problem, algorithm: Mondrian, most: int
) -> tuple[RegionClasses, dict[str, int]]:
    """Cut a table whose tuples lie anywhere: the classes of the regions, left before right, and what was counted.

    Which tuple lies in which region is known where they lie.

    Args:
        tuples: They; their order means nothing.
        root: The marginals of all of them.
        problem: What is asked; its frequency set is not looked at.
        algorithm: Nothing is `refused_in_parts` of it.
        most: Parts of no more tuples are fetched, several at a time where they are small.

    Raises:
        InfeasibleError: the table as a whole does not satisfy the models.
    """
    space = Space.between(root.ends, problem, algorithm.cut, relaxed=False, dimension=algorithm.dimension or WIDEST)
    require_feasible(replace(problem, frequency=root.of[0]), space)
    top = _Top(space, tuples, most)
    top.grow(root)
    below = _Below(space, tuples, problem, algorithm)
    below.carve([*_groups(top.parts, most)])
    found = {"parts": len(top.parts), "rounds": top.rounds, "histogram_rows": top.rows}
    return joined_classes(below.classes, problem.domains), below.trace | found


class _Part(NamedTuple):
    """A part on its way.

    Attributes:
        number: What it is called.
        tuples: How many it has.
        depth: The number of cuts that led to it.
        leaf: Its marginals, once it is known that it is not cut.
    """

    number: int
    tuples: int
    depth: int
    leaf: Marginals | None = None


class _Top:
    """The top of the tree: parts, left before right, and what was asked to find them."""

    def __init__(self, space: Space, tuples: Tuples, most: int) -> None:
        self._space, self._tuples, self._most, self._next = space, tuples, most, 1
        self.parts: list[_Part] = []
        self.rounds = self.rows = 0

    def grow(self, root: Marginals) -> None:
        """Cut parts until each is a leaf or has no more tuples than are fetched at once."""
        self.parts = [_Part(0, int(root.tuples[0].sum()), 0)]
        known: Iterable[Mapping[int, Marginals]] = [{0: root}]
        while large := [one for one in self.parts if one.tuples > self._most and one.leaf is None]:
            if self.rounds:
                numbers, step = [one.number for one in large], self._together
                some = (numbers[start : start + step] for start in range(0, len(numbers), step))
                known = map(self._tuples.marginals, some)
            self._round(known)

    def _round(self, known: Iterable[Mapping[int, Marginals]]) -> None:
        cuts: list[PartCut] = []
        became: dict[int, list[_Part]] = {}
        of = {one.number: one for one in self.parts}
        for number, marginals in chain.from_iterable(some.items() for some in known):
            self.rows += marginals.rows
            became[number] = self._cut(of[number], marginals, cuts)
        self.parts = [after for part in self.parts for after in became.get(part.number, [part])]
        self.rounds += 1
        if cuts:
            self._tuples.divide(cuts)

    def _cut(self, part: _Part, marginals: Marginals, cuts: list[PartCut]) -> list[_Part]:
        found = _chosen(self._space, marginals)
        if found is None:
            return [part._replace(leaf=marginals)]
        dimension, last = found
        is_left = marginals.of[dimension].quasi[:, 0] <= last
        left = int(marginals.tuples[dimension][is_left].sum())
        cuts.append(PartCut(part.number, dimension, last, self._next, self._next + 1))
        self._next += 2
        sides = ((cuts[-1].left, left), (cuts[-1].right, part.tuples - left))
        return [_Part(number, size, part.depth + 1) for number, size in sides]

    @property
    def _together(self) -> int:
        """Parts whose marginals are asked for at once: no more numbers than tuples that may be fetched, mostly."""
        return max(self._most // sum(map(len, self._space.domains)), 1)


def _chosen(space: Space, marginals: Marginals) -> tuple[int, int] | None:
    """The dimension of a part's cut, and the last code left of it; `None` at a leaf."""
    if marginals.of[0].records < 2 * space.least:
        return None
    none = np.empty(0, np.int64)
    for dimension in space.by_width(marginals.ends, lambda one: len(np.unique(marginals.of[one].quasi))):
        last = space.last(Partition(none, marginals.of[dimension]), 0)
        if last is not None:
            return dimension, last
    return None


def _groups(parts: Sequence[_Part], most: int) -> Iterator[list[_Part]]:
    """Consecutive parts that are fetched together, `most` tuples at most; a leaf that is known is by itself."""
    group: list[_Part] = []
    for part in parts:
        if group and (part.leaf or group[0].leaf or sum(one.tuples for one in group) + part.tuples > most):
            yield group
            group = []
        group.append(part)
    yield group


class _Below:
    """The regions below the top of the tree, left before right."""

    def __init__(self, space: Space, tuples: Tuples, problem: Problem, algorithm: Mondrian) -> None:
        self._space, self._tuples, self._problem, self._algorithm = space, tuples, problem, algorithm
        self.classes: list[RegionClasses] = []
        self._regions = self._depth = 0

    @property
    def trace(self) -> dict[str, int]:
        return {"cuts": self._regions - 1, "leaves": self._regions, "depth": self._depth}

    def carve(self, groups: Sequence[Sequence[_Part]]) -> None:
        """Fetch group after group and cut it; leaves that are known stay where they are."""
        gathered = self._tuples.gather([[one.number for one in group] for group in groups if not group[0].leaf])
        for group in groups:
            leaf = group[0].leaf
            if leaf is None:
                self._carve(group, *next(gathered))
            else:
                self._tuples.place_part(group[0].number, self._regions)
                self._add(_leaf_classes(leaf, self._problem.domains), group[0].depth)
        next(gathered, None)  # whoever has the tuples may let go of what was fetched

    def _carve(self, group: Sequence[_Part], frequency: FrequencySet, parts: Index) -> None:
        """Cut the parts of a group as tables of their own, in the space of the whole one."""
        regions = np.empty(parts.size, np.int64)
        corners: list[tuple[Codes, Codes]] = []
        depth = found = 0
        for part in group:
            rows = np.flatnonzero(parts == part.number)
            one = replace(self._problem, frequency=frequency.take(rows, frequency.counts[rows]))
            forest = self._algorithm.forest(one, self._space)
            regions[rows[forest.recoding.tuples]] = forest.recoding.regions.astype(np.int64) + found
            corners.append((forest.recoding.low, forest.recoding.high))
            found, depth = found + forest.depths.size, max(depth, part.depth + int(forest.depths.max()))
        self._tuples.place(regions + self._regions)
        low, high = map(np.concatenate, zip(*corners, strict=True))
        recoding = Multidimensional(np.arange(regions.size), regions, frequency.counts, low, high)
        self._add(classes_of(recoding, frequency, self._problem.domains, self._problem.workspace), depth)

    def _add(self, classes: RegionClasses, depth: int) -> None:
        self.classes.append(classes)
        self._regions += classes.regions.size
        self._depth = max(self._depth, depth)


def _leaf_classes(leaf: Marginals, domains: tuple[Domain, ...]) -> RegionClasses:
    """The one class of a part that is a leaf: its labels depend on each dimension alone."""
    low, high = (ends[np.newaxis] for ends in leaf.ends)
    labels = tuple(
        labels_of(
            Multidimensional(np.arange(one.counts.size), np.zeros_like(one.counts), one.counts, low, high),
            one.quasi[:, 0],
            domain,
            column,
        )
        for column, (one, domain) in enumerate(zip(leaf.of, domains, strict=True))
    )
    records, first = np.array([leaf.of[0].records]), np.zeros(1, np.int64)
    return RegionClasses(labels, first, first, records, records)
