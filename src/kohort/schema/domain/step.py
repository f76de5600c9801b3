"""A round step for the grid of a numeric attribute."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

#: A grid divides the range of the values into about this many intervals.
INTERVALS: Final = 20


def round_step(low: Fraction, high: Fraction, *, whole: bool) -> Fraction | None:
    """The smallest of 1, 2, 5, 10, 20 … (or 0.5, 0.2, 0.1 …) that divides `low`..`high` into at most 20 intervals.

    `None` where both are equal. For `whole` numbers the step is at least 2: intervals of 1 would be the values.

    >>> [str(round_step(Fraction(a), Fraction(b), whole=True)) for a, b in ((18, 90), (1, 16), (0, 99_999))]
    ['5', '2', '5000']
    >>> round_step(Fraction("0.5"), Fraction("0.8"), whole=False)
    Fraction(1, 50)
    """
    least = (high - low) / INTERVALS
    if not least:
        return None
    ten = Fraction(10) ** (Decimal(least.numerator) / Decimal(least.denominator)).adjusted()
    step = next(factor * ten for factor in (1, 2, 5, 10, 20) if factor * ten >= least)
    return max(step, Fraction(2)) if whole else step
