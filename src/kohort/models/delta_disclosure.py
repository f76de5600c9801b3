"""delta-disclosure privacy: in every class, every sensitive value is about as frequent as in the table.

Brickell, Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing (KDD 2008),
definition 1: |ln(p / q)| < delta for every value, with p its share in the class and q its share in the table; so
every value of the table must occur in every class.

It assumes that the distribution in the whole table is known to all and harms nobody. It bounds what an attacker
learns on each value, for and against. It does not protect from what the table as a whole says; and it is so strict
that a rare value forces large classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models._shares import beside_table, bounds, people_of, shares, within
from kohort.models.base import NOBODY, Achieved, check_name, exact_number, greatest_ratio
from kohort.schema.numbers import said
from kohort.specification import ABOVE_0, Parameter, Specification

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import Declaration
    from kohort.schema.sensitive import SensitiveDomain

#: Digits of e**delta: enough that no share of fewer than 2**31 people lies between it and the true value.
_DIGITS = 50

#: From here on, a value must only occur: its share is at least 1 in 2**31 and so more than q e**-44.
_LOOSEST = Fraction(44)


@dataclass(frozen=True, slots=True)
class DeltaDisclosure:
    """The share of each value of `sensitive` in a class is within a factor e**`delta` of that in the table.

    Attributes:
        sensitive: The attribute.
        delta: A number above 0; also given as int, text or float.

    Raises:
        UsageError: `delta` is no number above 0.

    >>> DeltaDisclosure("illness", 0.5).name
    '0.5-disclosure privacy of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="delta",
        title="delta-disclosure privacy",
        sentence="In every class, the logarithm of a value's share differs by less than delta from that in the table.",
        usage="--delta-disclosure COLUMN=DELTA",
        parameters=(
            Parameter("delta", ABOVE_0, "The difference that the logarithms of a value's two shares stay below.", (1,)),
        ),
        properties={
            "some_values": "no class without a value of the table satisfies",
            "refers": "shares in a class are compared with those in the table",
            "monotone_generalization": (
                "the share in a union is a weighted mean of those in its parts, which are between the same bounds"
            ),
            "monotone_suppression": (
                "no: a class like the table, merged with a failing one that is large, fails, and more records fail"
            ),
        },
    )

    sensitive: str
    delta: Fraction

    def __post_init__(self) -> None:
        """Validate delta."""
        check_name(self.sensitive)
        exact = exact_number(self.delta, "delta")
        if exact is None or exact <= 0:
            raise UsageError("delta must be a number above 0", hint="usual values are 0.5 to 2")
        object.__setattr__(self, "delta", exact)

    @property
    def name(self) -> str:
        """`delta-disclosure privacy`, with its delta and attribute."""
        return f"{said(self.delta)}-disclosure privacy of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return beside_table(self.sensitive)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have every value about as often as the table."""
        histogram = classes.of(self.sensitive)
        return within(histogram, _limits(histogram.domain, self.delta.numerator, self.delta.denominator))

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """What delta must be above: the greatest |ln(p / q)|, to 50 digits."""
        histogram = classes.of(self.sensitive)
        domain, known = histogram.domain, shares(histogram)
        if known is None:
            return (Achieved("delta", None, attained=False, reason=NOBODY),)
        found = known.found
        if known.values.size < len(domain) or not found[0].all():
            return (Achieved("delta", None, attained=False, reason="a class lacks a value that the table has"),)
        people, reference = people_of(domain), domain.reference
        more = greatest_ratio(found[2] * people, found[3] * reference)
        less = greatest_ratio(found[1] * reference, found[0] * people)
        return (Achieved("delta", _logarithm(max(more, less)), attained=False),)


@lru_cache(maxsize=16)
def _limits(domain: SensitiveDomain, numerator: int, denominator: int) -> NDArray[np.int64]:
    """The limits of the shares; a power of e is no fraction, so that none is ever met exactly: < and <= are one."""
    factor = _power(min(Fraction(numerator, denominator), _LOOSEST))
    return bounds(domain, lambda share: (share / factor, share * factor))


def _logarithm(factor: Fraction) -> Fraction:
    """The natural logarithm, to more digits than decide."""
    with localcontext(prec=_DIGITS):
        return Fraction((Decimal(factor.numerator) / Decimal(factor.denominator)).ln())


@lru_cache(maxsize=16)
def _power(delta: Fraction) -> Fraction:
    """Of e, to more digits than decide."""
    with localcontext(prec=_DIGITS):
        return Fraction((Decimal(delta.numerator) / Decimal(delta.denominator)).exp())
