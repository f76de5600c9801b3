"""The parameters of privacy models: exact numbers, and what is refused."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.arrays import Counts
    from kohort.core.frequency import ClassProfile

#: The greatest denominator of a parameter: its products with counts of people stay below 2**62.
FINEST = 10**9

#: Why nothing is achieved of a model of a population.
NO_POPULATION: Final = "no population table is given"

#: Digits before the point, or zeros after it, that no parameter needs: a longer power of ten is not even written out.
_LONGEST = 30


def exact_number(value: object, letter: str) -> Fraction | None:
    """The number that `value` is, or writes; a float counts as the decimal that it prints. `None`: it is no number.

    Raises:
        UsageError: It has more than nine digits after the point.

    >>> exact_number(0.1, "t"), exact_number("1/3", "t"), exact_number("1_0", "t"), exact_number(True, "t")
    (Fraction(1, 10), Fraction(1, 3), None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        return None
    try:
        number = value if isinstance(value, Fraction) else _written(str(value))
    except (ValueError, InvalidOperation, ZeroDivisionError):
        return None
    if number is None or abs(number) >= 10**_LONGEST:
        return None
    if number.denominator > FINEST:
        raise UsageError(f"{letter} has more than nine digits after the point", where=letter, hint="round it")
    return number


def _written(text: str) -> Fraction | None:
    """The decimal or the fraction that `text` writes, in ASCII digits without underscores."""
    if not text.isascii() or "_" in text:
        return None
    if "/" in text:
        return Fraction(text)
    decimal = Decimal(text)
    return Fraction(decimal) if decimal.is_finite() and abs(decimal.adjusted()) <= _LONGEST else None


def is_whole(value: object, least: int) -> bool:
    """Whether `value` is an integer of at least `least`; `True` is none."""
    return type(value) is int and value >= least


def check_name(sensitive: object) -> None:
    """Refuse what names no column.

    Raises:
        UsageError: It is no text, or an empty one.
    """
    if not isinstance(sensitive, str) or not sensitive:
        raise UsageError("the model must name a sensitive attribute", hint="the name of the column, such as 'illness'")


def population_of(classes: ClassProfile, name: str) -> Counts:
    """(c,) the people of the population table in each class.

    Raises:
        UsageError: There is no population table.
    """
    if classes.population is None:
        raise UsageError(f"{name} needs a population table", hint="give the register that the table is a sample of")
    return classes.population
