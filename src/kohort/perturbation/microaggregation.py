"""Microaggregation: every record bears the means of a small group of records like it.

Domingo-Ferrer, Mateo-Sanz: Practical Data-Oriented Microaggregation for Statistical Disclosure Control (IEEE
Transactions on Knowledge and Data Engineering, 2002); the steps as in Domingo-Ferrer, Torra: Ordinal, Continuous and
Heterogeneous k-Anonymity Through Microaggregation (Data Mining and Knowledge Discovery, 2005): MDAV, maximum distance
to average vector. Of all records that are left, the one farthest from their mean and the one farthest from that one
each take the k records nearest to them, again and again; fewer than 2k at the end are one group.

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
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import UsageError
from kohort.native.library import FORM_GROUPS, HALVE
from kohort.perturbation.base import Perturbation
from kohort.perturbation.moments import centred, variance
from kohort.specification import AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts


#: Records as points: (n, d) float64.
Points: TypeAlias = NDArray[np.float64]

#: Places of a leaf, at most: looking at so many costs as much as a few boxes.
_LEAF: Final = 8


@dataclass(frozen=True, slots=True)
class Microaggregation(Perturbation):
    """MDAV, maximum distance to average vector: groups of k records that lie close together, replaced by their means.

    Around the record farthest from the mean of all that are left, and around the one farthest from that, groups of the
    k nearest are formed, again and again; the last group has up to 2k - 1. Distances are Euclidean on the columns
    divided by their standard deviations. Means stay, variances shrink. Of one column, groups are runs of the sorted
    numbers.

    Attributes:
        columns: The columns to change together.
        k: The smallest size of a group.

    >>> import numpy as np
    >>> made, = Microaggregation(("age",), 3).perturb([np.array([20.0, 61.0, 24.0, 22.0, 60.0, 62.0])], [])
    >>> made.tolist()
    [22.0, 61.0, 22.0, 22.0, 61.0, 61.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="microaggregation",
        title="Microaggregation",
        technique="randomization: microaggregation",
        sentence="Gives every record the means of a small group of records like it.",
        outcome="microaggregated",
        parameters=(Parameter("k", AT_LEAST_2, "the least size of a group.", (3,)),),
        not_promised="Anyone who knows all but one number of a group knows the last.",
        properties={"random": "not: groups depend on the numbers alone"},
    )

    columns: tuple[str, ...]  # pyright: ignore[reportIncompatibleMethodOverride]  a frozen field is a property
    k: int = 3

    def __post_init__(self) -> None:
        """Refuse groups that hide nobody."""
        if type(self.k) is not int or self.k < 2:  # noqa: PLR2004
            raise UsageError("a group has at least 2 records", where="k", hint="3 is usual")
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise UsageError("columns must be named, each once", where="columns", hint="name each column once")

    @property
    def name(self) -> str:
        """With the size of its groups, and of how many columns."""
        together = f" over {len(self.columns)} columns" if len(self.columns) > 1 else ""
        return f"microaggregation in groups of {self.k}{together}"

    @property
    def random(self) -> bool:
        """It draws nothing."""
        return False

    def check(self, amounts: Sequence[Amounts], step: float) -> None:  # noqa: ARG002  groups do not depend on it
        """Refuse fewer records than a group has."""
        records = amounts[0].size
        if records < self.k:
            raise UsageError(
                f"{records:,} records have a value, but a group needs at least {self.k}",
                where=f"column {', '.join(self.columns)}",
                hint="choose a smaller k",
            )

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:  # noqa: ARG002
        """The means of each record's group."""
        order = np.lexsort(amounts[::-1])
        sorted_ = [numbers[order] for numbers in amounts]
        if len(amounts) == 1:
            groups = runs(sorted_[0], self.k)
        else:
            groups = mdav(np.stack([*map(standardised, sorted_)], axis=1), self.k)
        _, first, groups, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
        made = [np.empty_like(numbers) for numbers in amounts]
        for cells, numbers in zip(made, sorted_, strict=True):
            base = numbers[first]  # sums of differences lose no digits of offsets
            cells[order] = (base + np.bincount(groups, numbers - base[groups]) / sizes)[groups]
        return made


def runs(numbers: Amounts, k: int) -> Index:
    """(n,) the groups of sorted numbers: k from either end by turns, and what is left in the middle.

    In one dimension the farthest from the mean is an end, its neighbours are the run there, and the farthest from it
    is the other end.

    >>> runs(np.array([0.0, 1, 2, 10, 11, 12, 13, 15, 20, 21, 22]), 3).tolist()
    [0, 0, 0, 2, 2, 2, 2, 2, 1, 1, 1]
    """
    records = numbers.size
    turns = max(records - k, 0) // (2 * k)  # as long as 3k are left
    groups = np.full(records, 2 * turns)
    ends = turns * k
    groups[:ends] = np.arange(ends) // k * 2
    groups[records - ends :] = (np.arange(ends) // k * 2 + 1)[::-1]
    middle = numbers[ends : records - ends]
    if middle.size >= 2 * k:
        mean = middle[0] + (middle - middle[0]).mean()
        low = mean - middle[0] >= middle[-1] - mean
        groups[slice(ends + k, records - ends) if low else slice(ends, records - ends - k)] += 1
    return groups


def standardised(numbers: Amounts) -> Amounts:
    """Distances from the mean in standard deviations; all 0 of a constant column.

    >>> standardised(np.array([1.0, 2.0, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    _, around = centred(numbers)
    largest = float(np.abs(around).max())
    if not largest:
        return around
    around /= largest  # about 1, so that no square is too small to be a number
    made: Amounts = around / np.sqrt(variance(around))
    return made


# --- the groups of several columns ------------------------------------------------------------------------------------


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
