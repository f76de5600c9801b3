"""What several perturbations refuse of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.schema.numbers import refuse_inexact

if TYPE_CHECKING:
    from fractions import Fraction

#: Digits after the point that may be asked for: more than a float64 holds say nothing.
MOST_DECIMALS: Final = 15


def refuse_decimals(decimals: object) -> None:
    """Refuse what is no number of digits.

    Raises:
        UsageError: it is none.

    >>> refuse_decimals(None)
    >>> refuse_decimals(2)
    """
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        what = f"decimals are a whole number from 0 to {MOST_DECIMALS}"
        raise UsageError(what, where="decimals", hint="0 for whole numbers; leave it out for those of the column")


def refuse_bounds(
    lower: Fraction | None, upper: Fraction | None, *, names: tuple[str, str] = ("lower", "upper")
) -> None:
    """Refuse bounds that are not exact, or have nothing between them; `names` is what they are called.

    Raises:
        UsageError: they are refused.
    """
    for bound, where in zip((lower, upper), names, strict=True):
        if bound is not None:
            refuse_inexact(bound, where)
    if lower is not None and upper is not None and lower >= upper:
        raise UsageError(f"{names[0]} is not below {names[1]}", where=names[0], hint="exchange them")
