"""When a text is a number, and which one: the one rule by which a column of text becomes numeric.

A round step for the grid of a numeric attribute.

Decimal numbers as whole multiples of a power of ten, and back to text; nothing is rounded on the way.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kohort.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Shares


#: Minus, digits without a leading zero, decimals; `.5` is 0.5, as many programs write it. A leading zero is the sign of
#: an id (postal code 00118), and an exponent, a hexadecimal prefix, an underscore or a plus sign that of a code (flat
#: 1e5, phone +49): those stay text.
#: ASCII digits only, since `\d` would take other scripts' digits too; a thousand at most on either side of the point,
#: since nobody measures with more, and reading a number of d digits takes d² steps.
PLAIN_NUMBER: Final = r"-?(?:(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,1000})?|\.[0-9]{1,1000})"

#: Whole numbers below this are kept as the machine's: products of two fit 128 bits, differences 64.
LARGEST: Final = 1 << 62

_number = re.compile(PLAIN_NUMBER).fullmatch


def is_numeric_text(values: Iterable[str]) -> bool:
    """Whether there is at least one value and every one is a plain decimal number.

    Args:
        values: The non-missing values of a column; distinct ones are enough.

    >>> is_numeric_text(["39", "-0", "0.50", ".5", "-12.75", "9007199254740993"])
    True
    >>> [is_numeric_text([text]) for text in ("00118", "1e5", "0x1F", "1_000", "+49", "nan", "inf", " 7", "5.", "")]
    [False, False, False, False, False, False, False, False, False, False]
    >>> is_numeric_text([])
    False
    """
    found = None
    for found in map(_number, values):
        if found is None:
            return False
    return found is not None


def exact(text: str) -> Fraction:
    """The number that `text` writes, without rounding.

    Raises:
        InputError: The text is not a plain decimal number; the message does not repeat it.

    >>> exact("0.10") + exact("0.20") == exact(".3")
    True
    >>> exact("-0")
    Fraction(0, 1)
    """
    if _number(text) is None:
        raise InputError(
            "a value is not a plain decimal number",
            hint="write digits without a leading zero, such as -12 or 0.5; or make the column categorical",
        )
    whole, point, decimals = text.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals)) if point else Fraction(int(whole))


def times_ten(text: str, digits: int) -> int:
    """The number that `text` writes, times ten to the power of `digits`, of which it has no more.

    >>> times_ten("-1.5", 2)
    -150
    """
    whole, _, decimals = text.partition(".")
    return int(whole + decimals.ljust(digits, "0"))


def most_digits(texts: Sequence[str]) -> int:
    """How many digits the number that has most of them has after the point.

    >>> most_digits(["5", "-1.50", "0.5"])
    2
    """
    return max(len(text.partition(".")[2]) for text in texts) if "." in "".join(texts) else 0


def all_times_ten(texts: Sequence[str], digits: int) -> NDArray[Any]:
    """(n,) the numbers that these write, each `times_ten`: Python's integers where one leaves the machine's.

    >>> all_times_ten(["-1.5", "2"], 1).tolist()
    [-15, 20]
    """
    numbers = [times_ten(text, digits) for text in texts] if digits else list(map(int, texts))
    small = max(map(abs, numbers), default=0) < LARGEST
    return np.array(numbers, np.int64) if small else np.array(numbers, np.object_)


def said(number: Fraction) -> str:
    """A number as people write it: a decimal where that is exact, else a fraction.

    >>> said(Fraction(5)), said(Fraction(2, 5)), said(Fraction(1, 3)), said(Fraction(1, 10**6))
    ('5', '0.4', '1/3', '0.000001')
    """
    text = decimal(number)
    return text if Fraction(text) == number else str(number)


def rounded(number: Fraction, digits: int, *, up: bool) -> str:
    """A number of at least 0 with at most so many digits after the point, rounded up or down.

    >>> rounded(Fraction(2, 3), 4, up=True), rounded(Fraction(2, 3), 4, up=False), rounded(Fraction(5), 4, up=True)
    ('0.6667', '0.6666', '5')
    """
    scaled = number * 10**digits
    whole, rest = divmod(ceil(scaled) if up else floor(scaled), 10**digits)
    return f"{whole}.{rest:0{digits}}".rstrip("0").rstrip(".")


def refuse_inexact(number: object, where: str) -> None:
    """Refuse what is neither a fraction nor a whole number, such as a float: no decision is made in floating point.

    Raises:
        UsageError: it is neither, which a caller without a type checker may have passed.

    >>> refuse_inexact(Fraction(2, 5), "delta")
    """
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        raise UsageError(f"{where} must be exact", where=where, hint='such as Fraction("0.4")')


#: A grid divides the range of the values into about this many intervals.
INTERVALS: Final = 20


def round_step(low: Fraction, high: Fraction, *, whole: bool) -> Fraction | None:
    """The smallest of 1, 2, 5, 10, 20 … (or 0.5, 0.2, 0.1 …) that divides `low`..`high` into at most 20 intervals.

    `None` where both are equal. For `whole` numbers the step is at least 2: intervals of 1 would be the values. `None`
    also for two neighbouring ones, such as 0 and 1: one interval would leave nothing of them.

    >>> [str(round_step(Fraction(a), Fraction(b), whole=True)) for a, b in ((18, 90), (1, 16), (0, 99_999))]
    ['5', '2', '5000']
    >>> round_step(Fraction(0), Fraction(1), whole=True) is None
    True
    >>> round_step(Fraction("0.5"), Fraction("0.8"), whole=False)
    Fraction(1, 50)
    """
    least = (high - low) / INTERVALS
    if not least or (whole and high - low <= 1):
        return None
    ten = Fraction(10) ** (Decimal(least.numerator) / Decimal(least.denominator)).adjusted()
    step = next(factor * ten for factor in (1, 2, 5, 10, 20) if factor * ten >= least)
    return max(step, Fraction(2)) if whole else step


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


def below(high: Fraction) -> str:
    """The label of the open interval before `high`."""
    return f"<{decimal(high)}"


def at_least(low: Fraction) -> str:
    """The label of the open interval from `low` on."""
    return f">={decimal(low)}"


def part_of(whole: float, width: Shares) -> Shares:
    """`width / whole`, in 0..1; 0 where the whole is nothing."""
    return np.minimum(width / whole, 1.0) if whole > 0 else np.zeros_like(width)
