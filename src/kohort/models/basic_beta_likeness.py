"""Basic beta-likeness: in no class is any sensitive value more than 1 + beta times as frequent as in the table.

Cao, Karras: Publishing Microdata with a Robust Privacy Guarantee (PVLDB 2012), definition 2: (p - q) / q <= beta for
every value whose share p in the class exceeds its share q in the table.

It assumes that the distribution in the whole table is known to all and harms nobody. It bounds what an attacker gains
in certainty on each value, rare ones above all. It does not protect from learning that a value is *unlikely*, from
what the table as a whole says, nor, for a frequent value (q > 1 / (1 + beta)), from being sure of it: that is what
the enhanced form is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models._shares import beside_table, bounds, greatest_gain, within
from kohort.models.base import FINEST, NOBODY, Achieved, check_name, exact_number
from kohort.schema.numbers import said
from kohort.specification import ABOVE_0, Parameter, Specification

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import Declaration
    from kohort.schema.sensitive import SensitiveDomain


@dataclass(frozen=True, slots=True)
class BasicBetaLikeness:
    """No value of `sensitive` is more than 1 + `beta` times as frequent in a class as in the table.

    Attributes:
        sensitive: The attribute.
        beta: A number above 0; also given as int, text or float.

    Raises:
        UsageError: `beta` is no number above 0.

    >>> BasicBetaLikeness("illness", 1).name
    'basic 1-likeness of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="beta",
        title="basic beta-likeness",
        sentence="No value's share of a class is more than 1 + beta times its share of the table.",
        usage="--beta COLUMN=BETA",
        parameters=(
            Parameter(
                "beta",
                ABOVE_0,
                "The largest relative gain of a value: at 1, its share in a class may be double that in the table.",
                (1,),
            ),
        ),
        not_promised="Exclusion: a class may reveal that a value is unlikely or absent; only gains are limited.",
        properties={
            "some_values": "an absent value is not too frequent",
            "refers": "shares in a class are compared with those in the table",
            "monotone_generalization": (
                "the share in a union is a weighted mean of the shares in its parts, which are below the same bound"
            ),
            "monotone_suppression": (
                "no: a class like the table, merged with a failing one that is large, fails, and more records fail"
            ),
        },
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
        """`basic beta-likeness`, with its beta and attribute."""
        return f"basic {said(self.beta)}-likeness of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return beside_table(self.sensitive)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have no value too often, in whole numbers."""
        histogram = classes.of(self.sensitive)
        return within(histogram, _limits(histogram.domain, self.beta.numerator, self.beta.denominator))

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The greatest gain of a value in a class: (p - q) / q."""
        gain = greatest_gain(classes.of(self.sensitive))
        return (Achieved("beta", None, reason=NOBODY) if gain is None else Achieved("beta", gain - 1),)


@lru_cache(maxsize=16)
def _limits(domain: SensitiveDomain, numerator: int, denominator: int) -> NDArray[np.int64]:
    """The limits of the shares; a search asks for them millions of times."""
    gain = 1 + Fraction(numerator, denominator)
    return bounds(domain, lambda share: (Fraction(0), share * gain))
