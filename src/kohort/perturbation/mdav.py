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

from kohort.kernels import inlined, kernel

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts

#: Records as points: (n, d) float64.
Points: TypeAlias = NDArray[np.float64]

#: Places of a leaf, at most: looking at so many costs as much as a few boxes.
_LEAF: Final = 8

#: Places that may be looked at, as a multiple of those left, before they are sorted again.
_PATIENCE: Final = 4

#: More than distances differ by rounding.
_ROUNDING: Final = 1 + 1e-11


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
        turned = np.arange(starts.size, dtype=np.int64)
        low, high = np.empty((2, 2 * leaves, points.shape[1]))
        halve(distinct, turned, low, high)
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
    of = places.points, places.members, places.next, places.ends, places.place_of, places.low, places.high
    rooms = np.empty(columns), np.empty(k), np.empty(k, np.int64), np.empty(64, np.int64), np.empty(64)
    while records - group * k >= 2 * k:
        middle = sums / (records - group * k)
        order, reaches = places.farthest_first(middle)
        group = form_groups(k, group, groups, sums, *of, middle, order, reaches, *rooms)
    groups[groups < 0] = group
    return groups


@kernel
def halve(points: Points, order: Index, low: Points, high: Points) -> None:
    """Put places in order, box by box in halves across the widest side, and note the boxes.

    Args:
        points: (m, d) the places.
        order: (m,) all of them. Overwritten.
        low: (b, d) written: the lower ends of the boxes. The last b / 2 are the leaves.
        high: (b, d) written: the upper ends.
    """
    boxes, depth = low.shape[0], 0
    for box in range(1, boxes):
        if box >> (depth + 1):
            depth += 1
        start, end = box_start(box, depth, order.size), box_start(box + 1, depth, order.size)
        widest, width = 0, -1.0
        for axis in range(points.shape[1]):
            least, most = np.inf, -np.inf
            for at in range(start, end):
                least, most = min(least, points[order[at], axis]), max(most, points[order[at], axis])
            low[box, axis], high[box, axis] = least, most
            if most - least > width:
                widest, width = axis, most - least
        if 2 * box < boxes:
            part(points, widest, order, start, end, box_start(2 * box + 1, depth + 1, order.size))


@kernel
def box_start(box: int, depth: int, places: int) -> int:
    """The first place of a box; of the one after the last of its depth, the number of places."""
    return ((box - (1 << depth)) * places) >> depth


@kernel
def part(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points, axis: int, order: Index, start: int, end: int, middle: int
) -> None:
    """Reorder places from `start` to `end`: none before `middle` lies higher than any from there on (Hoare)."""
    last = end - 1
    while start < last:
        pivot = points[order[(start + last) // 2], axis]
        left, right = start, last
        while left <= right:
            while points[order[left], axis] < pivot:
                left += 1
            while points[order[right], axis] > pivot:
                right -= 1
            if left <= right:
                order[left], order[right] = order[right], order[left]
                left, right = left + 1, right - 1
        if middle <= right:
            last = right
        elif middle >= left:
            start = left
        else:
            return


@kernel
def form_groups(  # noqa: PLR0917  a kernel takes arrays by position
    k: int,
    group: int,
    groups: Index,
    sums: Amounts,
    points: Points,
    members: Index,
    next_: Index,
    ends: Index,
    place_of: Index,
    low: Points,
    high: Points,
    middle: Amounts,
    order: Index,
    reaches: Amounts,
    centre: Amounts,
    near: Amounts,
    nearest: Index,
    boxes: Index,
    bounds: Amounts,
) -> int:
    """Number groups until fewer than 2k records are left, or places must be sorted again.

    Args:
        k: Records of a group.
        group: The number of the next one.
        groups: (n,) written: the group of each record.
        sums: (d,) sums of the points that are left. Overwritten.
        points: As `Places` has them.
        members: The same.
        next_: The same. Overwritten.
        ends: The same.
        place_of: The same.
        low: The same. Overwritten.
        high: The same. Overwritten.
        middle: (d,) the mean when the places were sorted.
        order: (p,) the places in falling order of their distance from it.
        reaches: (p,) these distances.
        centre: (d,) room for a point.
        near: (k,) room for distances.
        nearest: (k,) room for records.
        boxes: (64,) room for boxes.
        bounds: (64,) room for their distances.

    Returns:
        The number of the next group.
    """
    count, seen, start = groups.size - group * k, 0, 0
    while count >= 2 * k and seen <= _PATIENCE * order.size:
        for axis in range(centre.size):
            centre[axis] = sums[axis] / count
        while next_[order[start]] == ends[order[start]]:
            start += 1
        far, stop = farthest_of_order(points, members, next_, ends, middle, order, reaches, centre, start)
        seen += stop - start
        for turn in range(2 if count >= 3 * k else 1):
            for axis in range(centre.size):
                centre[axis] = points[far, axis]
            if not turn:
                far = farthest(points, members, next_, ends, low, high, centre, boxes, bounds)
            find_nearest(points, members, next_, ends, low, high, centre, near, nearest, boxes, bounds)
            for record in nearest:
                groups[record] = group
                place = int(place_of[record])
                for axis in range(centre.size):
                    sums[axis] -= points[place, axis]
                next_[place] += 1
                if next_[place] == ends[place]:
                    shrink(points, next_, ends, low, high, place)
            group += 1
            count -= k
    return group


@kernel
def farthest_of_order(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points,
    members: Index,
    next_: Index,
    ends: Index,
    middle: Amounts,
    order: Index,
    reaches: Amounts,
    centre: Amounts,
    start: int,
) -> tuple[int, int]:
    """The place farthest from a point near the middle, and where the looking ended."""
    moved = 0.0
    for axis in range(centre.size):
        moved += (centre[axis] - middle[axis]) * (centre[axis] - middle[axis])
    moved = np.sqrt(moved)
    far, most = -1, -1.0
    for at in range(start, order.size):
        place, reach = order[at], (reaches[at] + moved) * _ROUNDING
        if reach * reach * _ROUNDING < most:
            return far, at
        if next_[place] < ends[place]:
            distance = squared_distance(points, place, centre)
            if distance > most or (distance == most and members[next_[place]] < members[next_[far]]):
                far, most = place, distance
    return far, order.size


@kernel
def farthest(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points,
    members: Index,
    next_: Index,
    ends: Index,
    low: Points,
    high: Points,
    centre: Amounts,
    boxes: Index,
    bounds: Amounts,
) -> int:
    """The place farthest from a point."""
    far, most = -1, -1.0
    leaves = low.shape[0] // 2
    boxes[0], bounds[0], waiting = 1, np.inf, 1
    while waiting:
        waiting -= 1
        box = boxes[waiting]
        if bounds[waiting] < most:
            continue
        if box < leaves:
            one, other = most_distant(low, high, 2 * box, centre), most_distant(low, high, 2 * box + 1, centre)
            nearer = 0 if one < other else 1
            boxes[waiting], bounds[waiting] = 2 * box + nearer, min(one, other)
            boxes[waiting + 1], bounds[waiting + 1] = 2 * box + 1 - nearer, max(one, other)
            waiting += 2
            continue
        box -= leaves
        for place in range(box * next_.size // leaves, (box + 1) * next_.size // leaves):
            if next_[place] < ends[place]:
                distance = squared_distance(points, place, centre)
                if distance > most or (distance == most and members[next_[place]] < members[next_[far]]):
                    far, most = place, distance
    return far


@kernel
def find_nearest(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points,
    members: Index,
    next_: Index,
    ends: Index,
    low: Points,
    high: Points,
    centre: Amounts,
    near: Amounts,
    nearest: Index,
    boxes: Index,
    bounds: Amounts,
) -> None:
    """Write the records nearest to a point, in the order of distance."""
    held, leaves = 0, low.shape[0] // 2
    boxes[0], bounds[0], waiting = 1, 0.0, 1
    while waiting:
        waiting -= 1
        box = boxes[waiting]
        if held == near.size and bounds[waiting] > near[held - 1]:
            continue
        if box < leaves:
            one, other = least_distant(low, high, 2 * box, centre), least_distant(low, high, 2 * box + 1, centre)
            farther = 0 if one > other else 1
            boxes[waiting], bounds[waiting] = 2 * box + farther, max(one, other)
            boxes[waiting + 1], bounds[waiting + 1] = 2 * box + 1 - farther, min(one, other)
            waiting += 2
            continue
        box -= leaves
        for place in range(box * next_.size // leaves, (box + 1) * next_.size // leaves):
            distance = squared_distance(points, place, centre)
            for at in range(next_[place], min(ends[place], next_[place] + near.size)):
                held = hold(near, nearest, held, distance, members[at])


@kernel
def shrink(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points, next_: Index, ends: Index, low: Points, high: Points, place: int
) -> None:
    """Fit the boxes around a place of which no record is left."""
    leaves = low.shape[0] // 2
    box = ((place + 1) * leaves - 1) // next_.size
    start, end = box * next_.size // leaves, (box + 1) * next_.size // leaves
    box += leaves
    for axis in range(points.shape[1]):
        least, most = np.inf, -np.inf
        for at in range(start, end):
            if next_[at] < ends[at]:
                least, most = min(least, points[at, axis]), max(most, points[at, axis])
        low[box, axis], high[box, axis] = least, most
    box //= 2
    changed = True
    while box and changed:
        changed = False
        for axis in range(points.shape[1]):
            least = min(low[2 * box, axis], low[2 * box + 1, axis])
            most = max(high[2 * box, axis], high[2 * box + 1, axis])
            changed |= least > low[box, axis] or most < high[box, axis]
            low[box, axis], high[box, axis] = least, most
        box //= 2


@kernel
def hold(near: Amounts, nearest: Index, held: int, distance: float, record: int) -> int:
    """Put a record among the nearest, which are in the order of distance, if it is one; and say how many are held."""
    if held < near.size:
        held += 1
    elif distance > near[held - 1] or (distance == near[held - 1] and record > nearest[held - 1]):
        return held
    at = held - 1
    while at and (near[at - 1] > distance or (near[at - 1] == distance and nearest[at - 1] > record)):
        near[at], nearest[at] = near[at - 1], nearest[at - 1]
        at -= 1
    near[at], nearest[at] = distance, record
    return held


@inlined
def squared_distance(points: Points, place: int, centre: Amounts) -> float:
    """How far a place is from a point, squared."""
    total = 0.0
    for axis in range(centre.size):
        step = points[place, axis] - centre[axis]
        total += step * step
    return total


@inlined
def least_distant(low: Points, high: Points, box: int, centre: Amounts) -> float:
    """How far the nearest point of a box is from a point, squared; infinite where nothing is left."""
    total = 0.0
    for axis in range(centre.size):
        step = max(low[box, axis] - centre[axis], centre[axis] - high[box, axis], 0.0)
        total += step * step
    return total


@inlined
def most_distant(low: Points, high: Points, box: int, centre: Amounts) -> float:
    """How far the farthest point of a box is from a point, squared; -1 where nothing is left."""
    total = 0.0
    for axis in range(centre.size):
        step = max(centre[axis] - low[box, axis], high[box, axis] - centre[axis])
        if step < 0:
            return -1.0
        total += step * step
    return total
