"""MDAV, maximum distance to average vector: groups of k points that lie close together.

Domingo-Ferrer, Torra: Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation (Data Mining and
Knowledge Discovery, 2005). Of all records that are left, the one farthest from their mean and the one farthest from
that one each take the k records nearest to them, again and again; fewer than 2k at the end are one group.

The groups are those of looking at every record; three things save the looking.

- Records of the same numbers are one *place*. Ties go to the record that comes first, so a place gives its records away
  in their order.
- Places are the leaves of a tree of boxes, halves of halves, each box no larger than what is left in it. A search
  passes over the boxes that are nowhere far or near enough. What a box promises holds for the floating-point distances
  too, since each step of them is monotone.
- The mean moves little from turn to turn. Places are put in the order of their distance from where the mean was; with
  the mean moved by s, a place's distance differs by s at most, so a turn looks at the first few only. Once turns have
  looked at more places than sorting again costs, those that are left are sorted again.

Cost: a search looks at the boxes that a sphere through the found record cuts: about log n of them in two columns, more
in many. Of n records, places are sorted some 10 to 100 times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.native.library import FORM_GROUPS, HALVE

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts

#: Records as points: (n, d) float64.
Points: TypeAlias = NDArray[np.float64]

#: Places of a leaf, at most: looking at so many costs as much as a few boxes.
_LEAF: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The distinct points, in a tree of boxes: box 1 is all, boxes 2i and 2i + 1 are the halves of box i.

    Attributes:
        points: (m, d) the places, those of a leaf side by side.
        members: (n,) the records, those of a place side by side, in their order.
        next: (m,) where the records of each place start that have no group yet.
        ends: (m,) where its records end.
        place_of: (n,) the place of each record.
        low: (b, d) the lower ends of each box; infinite where nothing is left.
        high: (b, d) the upper ends.
    """

    points: Points
    members: Index
    next: Index
    ends: Index
    place_of: Index
    low: Points
    high: Points

    @classmethod
    def of(cls, points: Points) -> Places:
        """The places of all records."""
        order = np.lexsort(points.T)
        starts = np.flatnonzero(np.append(True, (points[order][1:] != points[order][:-1]).any(axis=1)))
        sizes, distinct = np.diff(starts, append=order.size), points[order[starts]]
        leaves = 1
        while leaves * _LEAF < starts.size:
            leaves *= 2
        turned = np.empty(starts.size, np.int64)
        low, high = np.zeros((2, 2 * leaves, points.shape[1]))  # there is no box 0
        HALVE(distinct, points.shape[1], turned, low, high)
        ends = np.cumsum(sizes[turned])
        place_of = np.empty_like(order)
        place_of[order] = np.repeat(np.argsort(turned), sizes)
        return cls(
            distinct[turned], np.argsort(place_of, kind="stable"), ends - sizes[turned], ends, place_of, low, high
        )

    def farthest_first(self, centre: Amounts) -> tuple[Index, Amounts]:
        """The places that are left in falling order of their distance from a point, and these distances."""
        left = np.flatnonzero(self.next < self.ends)
        distances = np.sqrt(((self.points[left] - centre) ** 2).sum(axis=1))
        order = np.argsort(-distances, kind="stable")
        return left[order], distances[order]


def mdav(points: Points, k: int) -> Index:
    """(n,) the group of each record; ties go to the record that comes first.

    >>> mdav(np.array([[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0], [9, 8], [4, 4]]), 3).tolist()
    [1, 0, 1, 0, 1, 0, 1]
    """
    records, columns = points.shape
    groups, group, sums = np.full(records, -1), 0, points.sum(axis=0)
    places = Places.of(points)
    held = places.points, places.members, places.next, places.ends, places.place_of, places.low, places.high
    room = np.empty(columns), np.empty(k), np.empty(k, np.int64)
    while records - group * k >= 2 * k:
        middle = sums / (records - group * k)
        group = FORM_GROUPS(held, group, groups, sums, middle, *places.farthest_first(middle), *room)
    groups[groups < 0] = group
    return groups
