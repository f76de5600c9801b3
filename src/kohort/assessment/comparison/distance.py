"""How far a column's distribution moved.

Names: total variation, half the sum of the differences of their shares; 0 where the shares are the same, 1 where no
name is left. Numbers: Wasserstein's distance, the mean way that the numbers must be moved to get from one distribution
to the other; also as a share of their range. Generalized cells count as uniform over what they stand for, and
only records with a number are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.assessment.comparison.line import Line, Places, Stretches

DistanceKind: TypeAlias = Literal["total variation", "wasserstein"]


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the distribution after is from that before.

    Attributes:
        kind: How it is measured.
        value: The distance; of numbers in their own unit.
        relative: Of numbers, the distance over the range of the domain, `None` where that is one number; perturbed
            numbers can move by more.
    """

    kind: DistanceKind
    value: float
    relative: float | None


def distance_of(line: Line) -> Distance | None:
    """The distance between the two sides of a line; `None` where one has no value."""
    if not all(side.present for side in line.sides):
        return None
    if not line.numeric:
        moved = total_variation(line.expected(line.before), line.expected(line.after))
        return Distance("total variation", moved, moved)
    (old, had), (new, has) = ((side.means, side.means.weights(side.records) / side.present) for side in line.sides)
    moved = wasserstein(old, had, new, has)
    span = _range(line)
    moved /= 10.0**line.digits
    return Distance("wasserstein", moved, moved / span if span else None)


def _range(line: Line) -> float:
    """From the least to the greatest number of the domain, declared or observed."""
    domain, old = line.known.domain, line.before.means
    if domain is not None:
        return domain.extent * float(domain.unit)
    return float(old.high.max() - old.low.min()) / 10.0**line.digits


def total_variation(before: Shares, after: Shares) -> float:
    """Half the sum of the differences of shares, by how many records have each value.

    >>> total_variation(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    0.25
    """
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def wasserstein(before: Stretches, had: Shares, after: Stretches, has: Shares) -> float:
    """Wasserstein's distance, in steps, between two distributions; `had` and `has` are the stretches' shares.

    It is the area between the two distribution functions. Between two ends of stretches their difference grows by the
    same amount at every step, so that the area is a sum of absolute values of an arithmetic series: exact, however
    many steps a stretch has. Cost: a sort of the ends.
    """
    low, high = np.concatenate([before.low, after.low]), np.concatenate([before.high, after.high])
    share = np.concatenate([had, -has])
    each = share / (high - low + 1)
    between = low[low != np.floor(low)]
    ends = np.unique(np.concatenate([low, high[low < high], np.floor(between), np.ceil(between)]))
    first, last = np.searchsorted(ends, low), np.searchsorted(ends, high)
    growing = np.where(low < high, each, 0)
    slope = np.cumsum(summed(first, growing, ends.size) - summed(last, growing, ends.size))
    steps = np.diff(np.floor(ends))
    gained = np.append(0.0, slope[:-1] * steps)
    difference = np.cumsum(summed(first, each, ends.size) + gained)
    return float(_areas(difference[:-1], slope[:-1], np.diff(ends)).sum())


def _areas(start: Shares, slope: Shares, widths: Places) -> Shares:
    """(e,) between neighbouring ends: the sum of |start + i·slope| over i = 0, 1, … below the steps between them.

    Of ends less than a step apart it is the part of a step that they are.

    >>> _areas(np.array([1.0, -1.0]), np.array([0.0, 1.0]), np.array([0.5, 4.0])).tolist()
    [0.5, 4.0]
    """
    steps = np.maximum(np.rint(widths), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(slope == 0, steps, np.clip(np.ceil(-start / slope), 0.0, steps))
    one, other = _series(start, slope, turn), _series(start + turn * slope, slope, steps - turn)
    return (np.abs(one) + np.abs(other)) * (widths / steps)


def _series(start: Shares, slope: Shares, terms: Places) -> Shares:
    """Sum of start + i·slope over i = 0, 1, … below `terms`."""
    return terms * start + slope * terms * (terms - 1) / 2
