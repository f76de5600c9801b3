"""Mean and variance of a column: held exactly while its numbers change, within bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kohort.perturbation.base import Amounts

#: Relative errors of the moments below this are those of floating-point numbers.
CLOSE: Final = 1e-14

#: Numbers that are added up at once: as many as a processor keeps at hand.
_BLOCK: Final = 1 << 15

#: Larger ones leave no room for their sum.
_HUGE: Final = 2.0**1000

#: Times that numbers are turned back into their bounds, by reflection and then by clipping, before giving up.
_REFLECTIONS: Final = 60
_CLIPS: Final = 400


def total(numbers: Amounts) -> float:
    """Their sum, rounded once: the same in every order.

    >>> total(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    blocks = (numbers[start : start + _BLOCK] for start in range(0, numbers.size, _BLOCK))
    return math.fsum(part for block in blocks for part in _parts(block))


def _parts(rest: Amounts) -> list[float]:
    """Few numbers with exactly the sum of a block: what is left above one power of two after another.

    Adding that power rounds all numbers to multiples of one step, of which a float holds the sum whatever the order
    (Rump, Ogita, Oishi: Accurate Floating-Point Summation, SIAM Journal on Scientific Computing, 2008).
    """
    parts: list[float] = []
    room = rest.size.bit_length() + 1
    while largest := float(np.abs(rest).max()):
        if not largest < _HUGE:
            parts = rest.tolist()
            break
        power = math.ldexp(1.0, math.frexp(largest)[1] + room)
        high = (rest + power) - power
        parts.append(float(high.sum()))
        rest = rest - high
    return parts


def centred(numbers: Amounts) -> tuple[float, Amounts]:
    """The mean, and how far each number lies from it: from its exact value, of which the mean is rounded.

    >>> centred(np.array([1e15, 1e15 + 1, 1e15 + 3.5]))
    (1000000000000001.5, array([-1.5, -0.5,  2. ]))
    """
    mean = total(numbers) / numbers.size
    around = numbers - mean
    return mean, around - total(around) / numbers.size


def variance(numbers: Amounts) -> float:
    """With n - 1 below; 0 of a single number.

    >>> variance(np.array([1e15, 1e15 + 1, 1e15 + 2]))
    1.0
    """
    _, around = centred(numbers)
    return total(around * around) / max(numbers.size - 1, 1)


def projected(around: Amounts, spread: float) -> Amounts:
    """The nearest numbers with mean 0 and standard deviation `spread`: shifted, and all stretched alike."""
    for _ in range(2):  # what the first leaves is a rounding error, which the second sees
        _, around = centred(around)
        own = math.sqrt(variance(around))
        around = around * (spread / own) if own else around
    return around


def bounded(around: Amounts, spread: float, low: float, high: float) -> Amounts:
    """Numbers between `low` and `high` with mean 0 and standard deviation `spread`, as near as can be.

    What lies outside is reflected, and all are shifted and stretched to have the moments again, by turns until both
    hold. Where many stand at a bound that ends slowly; then what lies outside is put on the bound instead of reflected.
    Where the bounds leave no room for that deviation, it is smaller, and the mean holds.
    """
    around = projected(around, spread)
    near = CLOSE * spread
    for turn in range(_REFLECTIONS + _CLIPS):
        if low - near <= around.min() and around.max() <= high + near:
            break
        inside = reflected(around, low, high) if turn < _REFLECTIONS else np.clip(around, low, high)
        around = projected(inside, spread)
    return _balanced(np.clip(around, low, high), low, high)


def _balanced(around: Amounts, low: float, high: float) -> Amounts:
    """Numbers of mean 0: all drawn towards the bound on the side that lacks, or shifted where there is none."""
    for _ in range(2 if low < 0 < high else 0):  # what the first leaves is a rounding error
        mean = total(around) / around.size
        bound = low if mean > 0 else high
        around = bound + (around - bound) * (bound / (bound - mean)) if math.isfinite(bound) else around - mean
    return np.clip(around, low, high)


def reflected(numbers: Amounts, low: float, high: float) -> Amounts:
    """Numbers mirrored at the bounds until they lie between them.

    >>> reflected(np.array([-1.0, 2.0, 12.0, 31.0]), 0.0, 10.0).tolist()
    [1.0, 2.0, 8.0, 9.0]
    """
    if not math.isfinite(low):
        return high - np.abs(high - numbers)
    above = np.abs(numbers - low)
    width = high - low
    if math.isfinite(width):
        above %= 2 * width
        above = np.minimum(above, 2 * width - above)
    return low + above
