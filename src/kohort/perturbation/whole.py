"""Whole numbers near others, with their mean and variance: what rounding does to these is made good.

Rounding moves a mean by chance and raises a variance by a twelfth of the squared step. First all is stretched to undo
the latter. Then single numbers go a step up or down, those that were rounded farthest first, until the sum is right.
Last, pairs go a step apart or together, which keeps the sum, until that of the squares is right too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.perturbation.moments import centred, total, variance

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts

#: Sums below this fit 64 bits.
LARGEST_SUM: Final = 1 << 62

#: Numbers of a column so short that one pair seldom makes it good: two pairs by several steps are tried.
_FEW: Final = 512

#: How many moves of pairs are tried there.
_MOVES: Final = 50_000

#: Times that all is stretched: each leaves a small share of what was wrong.
_STRETCHES: Final = 3

#: Pairs that are moved at the end, each the best there is, where no single one makes it good.
_PAIRS: Final = 64


def whole(made: Amounts, wanted: Amounts, low: float, high: float) -> Amounts:
    """Whole numbers from `low` to `high` near `made`, with the mean and variance of `wanted` as near as can be.

    Args:
        made: (n,) numbers of about these moments.
        wanted: (n,) numbers of these moments; where they are all the same, `made` is only rounded.
        low: A whole number, or minus infinity.
        high: Likewise, or infinity.

    >>> whole(np.array([1.2, 2.6, 2.9, 5.3]), np.array([1.0, 2.0, 3.0, 6.0]), 0, math.inf).tolist()
    [1.0, 2.0, 3.0, 6.0]
    """
    mean, around = centred(wanted)
    spread = variance(wanted)
    base = float(np.rint(mean))
    low, high = low - base, high - base
    near = made - base
    steps = _stretched(near, mean - base, spread, low, high) if spread else np.clip(np.rint(near), low, high)
    if not spread:
        return steps + base
    units = steps.astype(np.int64)
    sum_ = round(total(wanted - base))
    _sum_up(units, near, sum_, low, high)
    squares = total(around * around) + sum_**2 / wanted.size
    _square_up(units, 2 * round((squares - sum_) / 2) + sum_, low, high)  # squares are odd where numbers are
    return units.astype(np.float64) + base


def _stretched(near: Amounts, mean: float, spread: float, low: float, high: float) -> Amounts:
    """Rounded numbers of this mean, stretched before so that they have a variance again."""
    _, around = centred(near)
    steps = np.clip(np.rint(mean + around), low, high)
    for _ in range(_STRETCHES):
        own = variance(steps)
        if not own:
            break
        around *= math.sqrt(spread / own)
        steps = np.clip(np.rint(mean + around), low, high)
    return steps


def _sum_up(units: Index, near: Amounts, wanted: int, low: float, high: float) -> None:
    """Move numbers by a step, those that it brings nearest to what they were first, until they sum up to `wanted`."""
    while missing := wanted - int(units.sum()):
        sign = 1 if missing > 0 else -1
        free = np.flatnonzero((units + sign >= low) & (units + sign <= high))
        if not free.size:
            break
        order = free[np.argsort((units - near)[free] * sign, kind="stable")][: abs(missing)]
        units[order] = np.clip(units[order] + sign * max(abs(missing) // free.size, 1), low, high)


def _square_up(units: Index, wanted: int, low: float, high: float) -> None:
    """Move pairs by a step apart or together until the squares sum up to `wanted`, or no pair brings that nearer.

    One that goes up from a, and one that goes down from b, add 2(a - b + 1).
    """
    missing = wanted - _squares(units)
    order, outer = np.argsort(units, kind="stable"), units.size // 4
    up, down = (order[units.size - outer :], order[:outer][::-1])[:: 1 if missing > 0 else -1]
    gains = 2 * (units[up] - units[down] + 1)
    fit = (gains * np.sign(missing) > 0) & (units[up] < high) & (units[down] > low)
    sums = np.cumsum(np.abs(gains[fit]).astype(np.float64))
    few = int(np.searchsorted(sums, float(abs(missing)), side="right"))
    units[up[fit][:few]] += 1
    units[down[fit][:few]] -= 1
    for _ in range(_PAIRS):
        missing = wanted - _squares(units)
        found = best_pair(units, missing, low, high) if missing else None
        if found is None:
            break
        units[found[0]] += 1
        units[found[1]] -= 1
    if units.size <= _FEW:
        square_up_few(units, wanted - _squares(units), low, high)


def _squares(units: Index) -> int:
    """The sum of their squares, also where 64 bits do not hold it."""
    if units.size * int(np.abs(units).max()) ** 2 < LARGEST_SUM:
        return int((units * units).sum())
    return sum(unit * unit for unit in units.tolist())


def best_pair(units: Index, missing: int, low: float, high: float) -> tuple[int, int] | None:
    """Of the pairs of which one may go up and the other down, the one that adds most nearly what is missing."""
    values, first = np.unique(units, return_index=True)
    last = units.size - 1 - np.unique(units[::-1], return_index=True)[1]
    ups, downs = values[values < high], values[values > low]
    if not (ups.size and downs.size):
        return None
    due: Index = ups - min(max(missing // 2 - 1, -(2**60)), 2**60)  # from where another would have to go down
    at = np.minimum(np.searchsorted(downs, due), downs.size - 1)
    at = np.where((at > 0) & (due - downs[at - 1] < downs[at] - due), at - 1, at)
    adds = 2 * (ups - downs[at] + 1)
    best = int(np.abs(float(missing) - adds).argmin())
    one = int(first[np.searchsorted(values, ups[best])])
    other = int(last[np.searchsorted(values, downs[at[best]])])  # of the same value another, if there is one
    if one == other or abs(missing - int(adds[best])) >= abs(missing):
        return None
    return one, other


def square_up_few(units: Index, missing: int, low: float, high: float) -> None:
    """Move two pairs that have no number in common by some steps each, where that brings the squares nearer."""
    if not missing or units.size < 4:  # noqa: PLR2004  two pairs
        return
    ups, downs = np.triu_indices(units.size, 1)
    most = max(_MOVES // (2 * ups.size), 1)
    steps = np.concatenate((np.arange(-most, 0), np.arange(1, most + 1)))
    up, down, by = np.repeat(ups, steps.size), np.repeat(downs, steps.size), np.tile(steps, ups.size)
    one, other = units[up] + by, units[down] - by
    fit = (np.maximum(one, other) <= high) & (np.minimum(one, other) >= low)
    gains = 2.0 * by * (one - units[down])
    order = np.flatnonzero(fit)[np.argsort(gains[fit], kind="stable")]
    up, down, by, gains = up[order], down[order], by[order], gains[order]
    second = np.clip(np.searchsorted(gains, missing - gains), 0, gains.size - 1)
    apart = (up != up[second]) & (up != down[second]) & (down != up[second]) & (down != down[second])
    left = np.where(apart, np.abs(missing - gains - gains[second]), np.inf)
    nearest = np.flatnonzero(left == left.min())
    best = int(nearest[(np.abs(by) + np.abs(by[second]))[nearest].argmin()])
    if left[best] < abs(missing):
        for move in (best, int(second[best])):
            units[up[move]] += by[move]
            units[down[move]] -= by[move]
