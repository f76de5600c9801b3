"""Maximum re-identification risk: nobody can be linked with more certainty than a threshold.

El Emam, Dankar: Protecting Privacy Using k-Anonymity (JAMIA 2008); Templ: Statistical Disclosure Control for
Microdata (2017), chapter 3. The risk of a record is one over the people of its class; it is the prosecutor's, who
knows that the person is in the table.

It is k-anonymity with k = 1 / threshold, rounded up, and like it does not limit what is learned without linking.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from kohort.errors import UsageError
from kohort.models._parameters import exact_number
from kohort.models.base import Achieved, PrivacyModel
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class MaximumRisk(PrivacyModel):
    """Every class has at least 1 / `threshold` people.

    Attributes:
        threshold: A number above 0 and below 1; also given as text or float.

    Raises:
        UsageError: `threshold` is no such number.

    >>> MaximumRisk(0.3).name, MaximumRisk(0.3).smallest_class
    ('maximum risk 0.3', 4)
    """

    threshold: Fraction

    def __post_init__(self) -> None:
        """Refuse what is no threshold."""
        exact = exact_number(self.threshold, "threshold")
        if exact is None or not 0 < exact < 1:
            raise UsageError("a maximum risk must be above 0 and below 1", hint="such as 0.1, for 1 in 10")
        object.__setattr__(self, "threshold", exact)

    @property
    def name(self) -> str:
        """`maximum risk`, with its threshold."""
        return f"maximum risk {said(self.threshold)}"

    @property
    def smallest_class(self) -> int:
        """1 / threshold, rounded up."""
        return ceil(1 / self.threshold)

    @property
    def size_only(self) -> bool:
        """True: nothing but the size counts."""
        return True

    @property
    def monotone_generalization(self) -> bool:
        """True: a union is at least as large as its parts."""
        return True

    @property
    def monotone_suppression(self) -> bool:
        """True: generalizing only merges classes, so fewer records are in small ones."""
        return True

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are large enough."""
        return classes.sizes >= self.smallest_class

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The risk of the people of the smallest class."""
        return (Achieved("threshold", Fraction(1, int(classes.sizes.min()))),)
