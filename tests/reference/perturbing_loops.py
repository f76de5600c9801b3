# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of perturbation once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts
    from kohort.perturbation.microaggregation import Points

#: The arrays of `kohort.perturbation.microaggregation.Places`.
Places: TypeAlias = "Sequence[Any]"

#: Places that may be looked at, as a multiple of those left, before they are sorted again.
PATIENCE: Final = 4

#: More than distances differ by rounding.
ROUNDING: Final = 1 + 1e-11


def halve(points: Points, _: int, order: Index, low: Points, high: Points) -> None:
    """Put places in order, box by box in halves across the widest side, and note the boxes."""
    order[:] = np.arange(order.size)
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


def box_start(box: int, depth: int, places: int) -> int:
    """The first place of a box; of the one after the last of its depth, the number of places."""
    return ((box - (1 << depth)) * places) >> depth


def part(points: Points, axis: int, order: Index, start: int, end: int, middle: int) -> None:
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


def form_groups(
    places: Places,
    group: int,
    groups: Index,
    sums: Amounts,
    middle: Amounts,
    order: Index,
    reaches: Amounts,
    centre: Amounts,
    near: Amounts,
    nearest: Index,
) -> int:
    """Number groups until fewer than 2k records are left, or places must be sorted again; the next one's number."""
    points, members, next_, ends, place_of, low, high = places
    k, boxes, bounds = near.size, np.empty(64, np.int64), np.empty(64)
    count, seen, start = groups.size - group * k, 0, 0
    while count >= 2 * k and seen <= PATIENCE * order.size:
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


def farthest_of_order(
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
        place, reach = order[at], (reaches[at] + moved) * ROUNDING
        if reach * reach * ROUNDING < most:
            return far, at
        if next_[place] < ends[place]:
            distance = squared_distance(points, place, centre)
            if distance > most or (distance == most and members[next_[place]] < members[next_[far]]):
                far, most = place, distance
    return far, order.size


def farthest(
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


def find_nearest(
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


def shrink(points: Points, next_: Index, ends: Index, low: Points, high: Points, place: int) -> None:
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


def squared_distance(points: Points, place: int, centre: Amounts) -> float:
    """How far a place is from a point, squared."""
    total = 0.0
    for axis in range(centre.size):
        step = points[place, axis] - centre[axis]
        total += step * step
    return total


def least_distant(low: Points, high: Points, box: int, centre: Amounts) -> float:
    """How far the nearest point of a box is from a point, squared; infinite where nothing is left."""
    total = 0.0
    for axis in range(centre.size):
        step = max(low[box, axis] - centre[axis], centre[axis] - high[box, axis], 0.0)
        total += step * step
    return total


def most_distant(low: Points, high: Points, box: int, centre: Amounts) -> float:
    """How far the farthest point of a box is from a point, squared; -1 where nothing is left."""
    total = 0.0
    for axis in range(centre.size):
        step = max(centre[axis] - low[box, axis], high[box, axis] - centre[axis])
        if step < 0:
            return -1.0
        total += step * step
    return total


def draw_partners(partners: Index, free: Index, draws: Amounts, reach: int) -> None:
    """With which rank each rank changes places; `free` is a Fenwick tree of those that have not been swapped."""
    partners[:], free[:] = np.arange(partners.size), np.arange(free.size) & -np.arange(free.size)
    size = partners.size
    top = 1
    while top * 2 <= size:
        top *= 2
    for rank in range(size):
        if partners[rank] != rank:
            continue
        take(free, rank)  # all below are taken, so that counting from 0 counts from here
        within = 0
        at = min(rank + reach, size - 1) + 1
        while at > 0:
            within += free[at]
            at &= at - 1
        if not within:
            continue
        left, other, half = int(draws[rank] * within), 0, top
        while half:
            if other + half <= size and free[other + half] <= left:
                other += half
                left -= free[other]
            half //= 2
        take(free, other)
        partners[rank], partners[other] = other, rank


def take(free: Index, rank: int) -> None:
    """Take a rank out of the tree."""
    at = rank + 1
    while at < free.size:
        free[at] -= 1
        at += at & -at


#: The loops by the names that they have in `kohort.native.library`.
PLAIN: Final[MappingProxyType[str, Callable[..., int | None]]] = MappingProxyType(
    {one.__name__: one for one in (halve, form_groups, draw_partners)}
)
