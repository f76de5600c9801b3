"""When a text is a number, and which one: the one rule by which a column of text becomes numeric."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from kohort.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Minus, digits without a leading zero, decimals. A leading zero is the sign of an id (postal code 00118), and an
#: exponent, a hexadecimal prefix, an underscore or a plus sign that of a code (flat 1e5, phone +49): those stay text.
#: ASCII digits only, since `\d` would take other scripts' digits too; a thousand at most on either side of the point,
#: since nobody measures with more, and reading a number of d digits takes d² steps.
PLAIN_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,1000})?"

_number = re.compile(PLAIN_NUMBER).fullmatch


def is_numeric_text(values: Iterable[str]) -> bool:
    """Whether there is at least one value and every one is a plain decimal number.

    Args:
        values: The non-missing values of a column; distinct ones are enough.

    >>> is_numeric_text(["39", "-0", "0.50", "-12.75", "9007199254740993"])
    True
    >>> [is_numeric_text([text]) for text in ("00118", "1e5", "0x1F", "1_000", "+49", "nan", "inf", " 7", ".5", "")]
    [False, False, False, False, False, False, False, False, False, False]
    >>> is_numeric_text([])
    False
    """
    some = False
    for text in values:
        if _number(text) is None:
            return False
        some = True
    return some


def exact(text: str) -> Fraction:
    """The number that `text` writes, without rounding.

    Raises:
        InputError: The text is not a plain decimal number; the message does not repeat it.

    >>> exact("0.10") + exact("0.20") == exact("0.3")
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


def said(number: Fraction) -> str:
    """A number as people write it: a decimal where that is exact, else a fraction.

    >>> said(Fraction(5)), said(Fraction(2, 5)), said(Fraction(1, 3))
    ('5', '0.4', '1/3')
    """
    decimal = str(number.numerator) if number.denominator == 1 else str(float(number))
    return decimal if Fraction(decimal) == number else str(number)


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
