"""Tuples in memory that are searched in parts: the plain way to do what engines do with SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.mondrian.in_parts import Gathered, Marginals
from kohort.core.frequency import FrequencySet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.in_parts import PartCut
    from kohort.arrays import Index


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

    def gather(self, groups: Sequence[Sequence[int]]) -> Iterator[Gathered]:
        """No group is larger than was agreed on, unless it is one part that no cut makes smaller."""
        for group in groups:
            self._last = np.flatnonzero(np.isin(self.part_of, group))[::-1]
            assert self._last.size <= self.most
            rows = self._last
            yield Gathered(self.frequency.take(rows, self.frequency.counts[rows]), self.part_of[rows])

    def place(self, regions: Index) -> None:
        """Nobody has a place yet."""
        assert (self.regions[self._last] == -1).all()
        self.regions[self._last] = regions

    def place_part(self, part: int, region: int) -> None:
        """Likewise."""
        assert (self.regions[self.part_of == part] == -1).all()
        self.regions[self.part_of == part] = region
