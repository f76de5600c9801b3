"""The groups of MDAV over several columns, found among blocks of records that lie close together.

Each of the n / k groups takes the farthest of all records that are left from some point, and the k nearest to one. A
block whose box is nowhere far or near enough is passed over: of n records about √n are looked at, and as many boxes.
What a box promises holds for the floating-point distances too, since each step of them is monotone; so the groups are
those of looking at every record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts

#: Records as points: (n, d) float64.
Points: TypeAlias = NDArray[np.float64]

#: Records of a block at least: looking at so many costs as much as a few boxes.
_SMALLEST: Final = 16


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Records that lie close together, block by block.

    Attributes:
        records: (n,) the records, those of a block side by side.
        starts: (b,) where each block starts among them.
        left: (b,) how many of its records, from its start on, have no group yet.
        low: (b, d) the lower ends of its box.
        high: (b, d) the upper ends.
    """

    records: Index
    starts: Index
    left: Index
    low: Points
    high: Points

    @classmethod
    def of(cls, points: Points) -> Blocks:
        """Halves of halves, each across the widest side, until they are small."""
        size = max(_SMALLEST, math.isqrt(points.shape[0]) // 2)
        whole: list[Index] = [np.arange(points.shape[0], dtype=np.int64)]
        done: list[Index] = []
        while whole:
            block = whole.pop()
            if block.size <= size:
                done.append(block)
                continue
            inside = points[block]
            widest = int((inside.max(axis=0) - inside.min(axis=0)).argmax())
            block = block[np.argsort(inside[:, widest], kind="stable")]
            whole += [block[: block.size // 2], block[block.size // 2 :]]
        left = np.array([block.size for block in done], np.int64)
        low = np.array([points[block].min(axis=0) for block in done])
        high = np.array([points[block].max(axis=0) for block in done])
        return cls(np.concatenate(done), np.cumsum(left) - left, left, low, high)


def mdav(points: Points, k: int) -> Index:
    """(n,) the group of each record; ties go to the record that comes first.

    >>> mdav(np.array([[0.0, 0], [9, 9], [0, 1], [8, 9], [1, 0], [9, 8], [4, 4]]), 3).tolist()
    [1, 0, 1, 0, 1, 0, 1]
    """
    records, columns = points.shape
    groups, of = np.full(records, -1), Blocks.of(points)
    rooms = np.empty(columns), np.empty(k), np.empty(k, np.int64)
    form_groups(points, k, groups, of.records, of.starts, of.left, of.low, of.high, points.sum(axis=0), *rooms)
    return groups


@kernel
def form_groups(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points,
    k: int,
    groups: Index,
    records: Index,
    starts: Index,
    left: Index,
    low: Points,
    high: Points,
    sums: Amounts,
    centre: Amounts,
    near: Amounts,
    nearest: Index,
) -> None:
    """Number the groups.

    Args:
        points: The records.
        k: Records of a group.
        groups: (n,) written: the group of each record; -1 at first.
        records: As `Blocks` has them. Overwritten, as are all that follow.
        starts: The same; it stays.
        left: The same.
        low: The same; it stays.
        high: The same; it stays.
        sums: (d,) sums of the points.
        centre: (d,) room for a point.
        near: (k,) room for distances.
        nearest: (k,) room for records.
    """
    count, group = groups.size, 0
    while count >= 2 * k:
        for axis in range(centre.size):
            centre[axis] = sums[axis] / count
        far = scan(points, groups, records, starts, left, low, high, centre, near, nearest, 0)
        for _ in range(2 if count >= 3 * k else 1):
            for axis in range(centre.size):
                centre[axis] = points[far, axis]
            far = scan(points, groups, records, starts, left, low, high, centre, near, nearest, k)
            for record in nearest:
                groups[record] = group
                for axis in range(centre.size):
                    sums[axis] -= points[record, axis]
            group += 1
            count -= k
    for record in range(groups.size):
        if groups[record] < 0:
            groups[record] = group


@kernel
def scan(  # noqa: PLR0917  a kernel takes arrays by position
    points: Points,
    groups: Index,
    records: Index,
    starts: Index,
    left: Index,
    low: Points,
    high: Points,
    centre: Amounts,
    near: Amounts,
    nearest: Index,
    k: int,
) -> int:
    """The record farthest from the centre among those without a group; the `k` nearest go to `nearest`."""
    far, farthest, held = -1, -1.0, 0
    outer, inner = likeliest(left, low, high, centre)
    for turn in range(-2, starts.size):
        block = turn if turn >= 0 else outer if turn == -1 else inner
        seen = (turn > -2 and block == inner) or (turn > -1 and block == outer)  # noqa: PLR2004  -2 is the first turn
        if seen or not left[block]:
            continue
        least, most = box_distances(low, high, block, centre)
        if most < farthest and (not k or (held == k and least > near[k - 1])):
            continue
        place, end = starts[block], starts[block] + left[block]
        while place < end:
            record = int(records[place])
            if groups[record] >= 0:
                end -= 1
                records[place] = records[end]
                continue
            place += 1
            distance = squared_distance(points, record, centre)
            if distance > farthest or (distance == farthest and record < far):
                far, farthest = record, distance
            if k:
                held = hold(near, nearest, held, distance, record)
        left[block] = end - starts[block]
    return far


@kernel
def likeliest(left: Index, low: Points, high: Points, centre: Amounts) -> tuple[int, int]:
    """The blocks whose boxes reach farthest from a point, and nearest to it: there the search begins."""
    outer = inner = 0
    farthest, closest = -1.0, np.inf
    for block in range(left.size):
        if left[block]:
            least, most = box_distances(low, high, block, centre)
            if most > farthest:
                outer, farthest = block, most
            if least < closest:
                inner, closest = block, least
    return outer, inner


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


@kernel
def squared_distance(points: Points, record: int, centre: Amounts) -> float:
    """How far a record is from a point, squared."""
    total = 0.0
    for axis in range(centre.size):
        step = points[record, axis] - centre[axis]
        total += step * step
    return total


@kernel
def box_distances(low: Points, high: Points, block: int, centre: Amounts) -> tuple[float, float]:
    """How far the nearest and the farthest point of a box are from a point, squared."""
    least = most = 0.0
    for axis in range(centre.size):
        below, above = centre[axis] - low[block, axis], high[block, axis] - centre[axis]
        inner, outer = max(-below, -above, 0.0), max(below, above)
        least += inner * inner
        most += outer * outer
    return least, most
