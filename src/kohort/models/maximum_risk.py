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
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models.base import Achieved, Declaration, exact_number
from kohort.schema.numbers import said
from kohort.specification import SHARE, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class MaximumRisk:
    """Every class has at least 1 / `threshold` people.

    Attributes:
        threshold: A number above 0 and below 1; also given as text or float.

    Raises:
        UsageError: `threshold` is no such number.

    >>> MaximumRisk(0.3).name, MaximumRisk(0.3).declared.smallest_class
    ('maximum risk 0.3', 4)
    """

    specification: ClassVar[Specification] = Specification(
        key="max-risk",
        title="maximum risk",
        sentence="No person's re-identification risk is greater than a threshold.",
        usage="--max-risk SHARE",
        parameters=(Parameter("threshold", SHARE, "The largest risk of a person.", (0.5,)),),
        unit="share",
        properties={
            "size_only": "nothing but the size counts",
            "monotone_generalization": "a union is at least as large as its parts",
            "monotone_suppression": "generalizing only merges classes, so fewer records are in small ones",
        },
    )

    threshold: Fraction

    def __post_init__(self) -> None:
        """Validate the threshold."""
        exact = exact_number(self.threshold, "threshold")
        if exact is None or not 0 < exact < 1:
            raise UsageError("a maximum risk must be above 0 and below 1", hint="such as 0.1, for 1 in 10")
        object.__setattr__(self, "threshold", exact)

    @property
    def name(self) -> str:
        """`maximum risk`, with its threshold."""
        return f"maximum risk {said(self.threshold)}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            smallest_class=ceil(1 / self.threshold),
            size_only=True,
            monotone_generalization=True,
            monotone_suppression=True,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are large enough."""
        return classes.sizes >= ceil(1 / self.threshold)

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The risk of the people of the smallest class."""
        return (Achieved("threshold", Fraction(1, int(classes.sizes.min()))),)
