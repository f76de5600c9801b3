"""Enhanced beta-likeness: basic beta-likeness, with a tighter bound for frequent values.

Cao, Karras: Publishing Microdata with a Robust Privacy Guarantee (PVLDB 2012), definition 3: (p - q) / q <= min(beta,
-ln q) for every value whose share p in the class exceeds its share q in the table.

It assumes that the distribution in the whole table is known to all and harms nobody. It bounds what an attacker gains
in certainty on each value, and whatever beta is, no class becomes sure of a value that the table is not sure of: q (1
- ln q) < 1. It does not protect from learning that a value is *unlikely*, nor from what the table as a whole says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models._shares import beside_table, bounds, greatest_gain, within
from kohort.models.base import FINEST, NOBODY, Achieved, check_name, exact_number
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.schema.numbers import said
from kohort.specification import Specification

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import Declaration
    from kohort.schema.sensitive import SensitiveDomain

#: Digits of a logarithm: enough that no share of fewer than 2**31 people lies between it and the true value.
_DIGITS = 50

#: A bound that is tighter for frequent values promises no less and holds for the same reasons.
_BASIC = BasicBetaLikeness.specification


@dataclass(frozen=True, slots=True)
class EnhancedBetaLikeness:
    """No value of `sensitive` is more than 1 + min(`beta`, -ln q) times as frequent in a class as in the table.

    Attributes:
        sensitive: The attribute.
        beta: A number above 0; also given as int, text or float.

    Raises:
        UsageError: `beta` is no number above 0.

    >>> EnhancedBetaLikeness("illness", 1).name
    'enhanced 1-likeness of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="enhanced-beta",
        title="enhanced beta-likeness",
        sentence="No value's share of a class exceeds its share p of the table by more than min(beta, -ln p) times p.",
        usage="--enhanced-beta COLUMN=BETA",
        parameters=_BASIC.parameters,
        not_promised=_BASIC.not_promised,
        properties=_BASIC.properties,
    )

    sensitive: str
    beta: Fraction

    def __post_init__(self) -> None:
        """Validate beta."""
        check_name(self.sensitive)
        exact = exact_number(self.beta, "beta")
        if exact is None or not 0 < exact <= FINEST:
            raise UsageError("beta must be a number above 0, up to a billion", hint="usual values are 0.5 to 4")
        object.__setattr__(self, "beta", exact)

    @property
    def name(self) -> str:
        """`enhanced beta-likeness`, with its beta and attribute."""
        return f"enhanced {said(self.beta)}-likeness of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return beside_table(self.sensitive)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have no value too often."""
        histogram = classes.of(self.sensitive)
        return within(histogram, _limits(histogram.domain, self.beta.numerator, self.beta.denominator))

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The greatest gain of a value in a class, unless one is above -ln q, which no beta allows."""
        gain = greatest_gain(classes.of(self.sensitive))
        if gain is None:
            return (Achieved("beta", None, reason=NOBODY),)
        if not replace(self, beta=Fraction(FINEST)).satisfied(classes).all():
            return (Achieved("beta", None, reason="in a class a frequent value gains more than -ln of its share"),)
        return (Achieved("beta", gain - 1),)


@lru_cache(maxsize=16)
def _limits(domain: SensitiveDomain, numerator: int, denominator: int) -> NDArray[np.int64]:
    """The limits of the shares; a search asks for them millions of times."""
    beta = Fraction(numerator, denominator)
    return bounds(domain, lambda share: (Fraction(0), share * (1 + min(beta, _surprise(share)))))


def _surprise(share: Fraction) -> Fraction:
    """-ln of a share, to more digits than decide."""
    with localcontext(prec=_DIGITS):
        return Fraction(-(Decimal(share.numerator) / Decimal(share.denominator)).ln())
