"""Tuples in memory that are searched as if they were not: the plain way to do what engines do with SQL."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.mondrian.in_parts import Marginals
from kohort.core.frequency import FrequencySet
from kohort.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kohort.algorithms.mondrian.in_parts import PartCut
    from kohort.arrays import Counts, Index
    from kohort.core.lattice import Node
    from kohort.schema.domain import Domain


@dataclass
class TuplesInMemory:
    """A frequency set whose tuples are given away only as marginals, and in groups of parts.

    Attributes:
        frequency: All tuples.
        most: No group may have more of them.
        part_of: (t,) the part of each.
        regions: (t,) the region that each was put into; -1 before that.
    """

    frequency: FrequencySet
    most: int
    part_of: Index = field(init=False)
    regions: Index = field(init=False)

    def __post_init__(self) -> None:
        """At first all are in one part."""
        self.part_of = np.zeros(len(self.frequency.quasi), np.int64)
        self.regions = np.full(len(self.frequency.quasi), -1)
        self._last = self.part_of

    def marginals(self, parts: Sequence[int]) -> dict[int, Marginals]:
        """One row for each code, and combination of sensitive codes."""
        return {part: self._marginals(np.flatnonzero(self.part_of == part)) for part in parts}

    def _marginals(self, rows: Index) -> Marginals:
        of: list[FrequencySet] = []
        tuples: list[Index] = []
        whole = self.frequency
        for column in range(whole.quasi.shape[1]):
            codes = np.column_stack([whole.quasi[rows, column], whole.sensitive[rows]]).astype(np.uint32)
            found, place = np.unique(codes, axis=0, return_inverse=True)
            counts = np.bincount(place, whole.counts[rows]).astype(np.int64)
            of.append(FrequencySet(found[:, :1], found[:, 1:], counts, whole.sensitive_domains))
            tuples.append(np.bincount(place))
        return Marginals(tuple(of), tuple(tuples))

    def divide(self, cuts: Sequence[PartCut]) -> None:
        """Every tuple of a part goes to one of its sides."""
        for cut in cuts:
            inside = self.part_of == cut.part
            is_left = self.frequency.quasi[:, cut.dimension] <= cut.last
            self.part_of[inside] = np.where(is_left, cut.left, cut.right)[inside]

    def gather(self, groups: Sequence[Sequence[int]]) -> Iterator[tuple[FrequencySet, Index]]:
        """No group is larger than was agreed on, unless it is one part that no cut makes smaller."""
        for group in groups:
            self._last = np.flatnonzero(np.isin(self.part_of, group))[::-1]
            assert self._last.size <= self.most
            rows = self._last
            yield self.frequency.take(rows, self.frequency.counts[rows]), self.part_of[rows]

    def place(self, regions: Index) -> None:
        """Nobody has a place yet."""
        assert (self.regions[self._last] == -1).all()
        self.regions[self._last] = regions

    def place_part(self, part: int, region: int) -> None:
        """Likewise."""
        assert (self.regions[self.part_of == part] == -1).all()
        self.regions[self.part_of == part] = region


@dataclass
class LevelsInMemory:
    """A frequency set whose tuples are given away only as classes on levels, if there are few enough.

    Attributes:
        frequency: All tuples.
        domains: What their codes mean.
        most: No more classes, each as often as it has sensitive values, are given away.
        asked: The nodes whose classes were asked for.
    """

    frequency: FrequencySet
    domains: tuple[Domain, ...]
    most: int
    asked: list[Node] = field(default_factory=list["Node"])

    @property
    def marginals(self) -> tuple[FrequencySet, ...]:
        """Each quasi-identifier alone."""
        return TuplesInMemory(self.frequency, 0).marginals([0])[0].of

    @contextmanager
    def on(self, node: Node) -> Generator[ClassesInMemory]:
        """The classes, by the last code of each node of the hierarchies: any will do."""
        self.asked.append(node)
        whole, quasi = self.frequency, self.frequency.quasi.copy()
        for place, (domain, level) in enumerate(zip(self.domains, node, strict=True)):
            assert domain.hierarchy is not None
            of = domain.hierarchy.maps[level][domain.leaves]
            last = {int(one): code for code, one in enumerate(of)}
            quasi[:, place] = [last[int(of[code])] for code in quasi[:, place]]
        yield ClassesInMemory(FrequencySet(quasi, whole.sensitive, whole.counts, whole.sensitive_domains), self.most)

    def released(self, node: Node) -> FrequencySet:
        """The same."""
        with self.on(node) as there:
            found = there.fetched()
        assert found is not None
        return found


@dataclass
class ClassesInMemory:
    """The classes of a node.

    Attributes:
        tuples: They, some several times.
        most: No more are given away.
    """

    tuples: FrequencySet
    most: int

    @property
    def spread(self) -> tuple[Counts, Counts]:
        """How many classes have how many records."""
        _, place = np.unique(self.tuples.quasi, axis=0, return_inverse=True)
        sizes, classes = np.unique(np.bincount(place, self.tuples.counts).astype(np.int64), return_counts=True)
        return sizes, classes

    def fetched(self) -> FrequencySet | None:
        """All, or nothing."""
        codes = np.column_stack([self.tuples.quasi, self.tuples.sensitive])
        return self.tuples if len(np.unique(codes, axis=0)) <= self.most else None

    def large(self, least: int) -> Iterator[FrequencySet]:
        """One after the other."""
        _, place = np.unique(self.tuples.quasi, axis=0, return_inverse=True)
        for rows in (np.flatnonzero(place == one) for one in range(place.max() + 1)):
            if self.tuples.counts[rows].sum() >= least:
                yield self.tuples.take(rows, self.tuples.counts[rows])

    @property
    def refused(self) -> LimitError:
        """Too many."""
        return LimitError("there are too many classes")
