"""Decimal numbers as whole multiples of a power of ten, and back to text; nothing is rounded on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


def digits_of(number: Fraction) -> int:
    """How many decimals the number has; 17 where they do not end.

    >>> from fractions import Fraction
    >>> digits_of(Fraction("0.125")), digits_of(Fraction(5))
    (3, 0)
    """
    longest = number.denominator.bit_length()  # 2^a · 5^b divides 10^max(a, b)
    return next((digits for digits in range(longest) if 10**digits % number.denominator == 0), 17)


def point(number: int, digits: int) -> str:
    """The number divided by ten to the power of `digits`, as the shortest text.

    >>> point(-1250, 3), point(70, 1), point(7, -2)
    ('-1.25', '7', '700')
    """
    if digits <= 0:
        return str(number * 10**-digits)
    whole, decimals = divmod(abs(number), 10**digits)
    text = f"{whole}.{decimals:0{digits}d}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 else text


def decimal(number: Fraction) -> str:
    """The shortest decimal text of a number; to 17 decimals where they do not end.

    >>> from fractions import Fraction
    >>> decimal(Fraction(-5, 4)), decimal(Fraction(1, 3))
    ('-1.25', '0.33333333333333333')
    """
    digits = digits_of(number)
    return point(round(number * 10**digits), digits)


def interval(low: Fraction, high: Fraction) -> str:
    """The label of the half-open interval from `low` to `high`.

    >>> from fractions import Fraction
    >>> interval(Fraction(20), Fraction(45, 2))
    '[20-22.5)'
    """
    return f"[{decimal(low)}-{decimal(high)})"
