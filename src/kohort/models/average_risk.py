"""Average re-identification risk: of all people in the release, the share that a linking attacker finds is limited.

El Emam, Dankar: Protecting Privacy Using k-Anonymity (JAMIA 2008); Templ: Statistical Disclosure Control for
Microdata (2017), chapter 3. The risk of a person is one over the people of the class; its mean over the release is
the number of classes over the number of people.

It assumes an attacker who wants to find many (the marketer) and not somebody. It does not protect everybody: a person
alone in a class is found for certain while the average is small. Use it with k-anonymity.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models.base import Achieved, Declaration, exact_number
from kohort.schema.numbers import said
from kohort.specification import SHARE, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class AverageRisk:
    """The number of classes is at most the share `threshold` of the number of people, all classes taken together.

    Attributes:
        threshold: A number above 0 and below 1; also given as text or float.

    Raises:
        UsageError: `threshold` is no such number.

    >>> AverageRisk(0.05).name
    'average risk 0.05'
    """

    specification: ClassVar[Specification] = Specification(
        key="average-risk",
        title="average risk",
        sentence="The average re-identification risk is not greater than a threshold.",
        usage="--average-risk SHARE",
        parameters=(Parameter("threshold", SHARE, "The largest average risk.", (0.5,)),),
        unit="share",
        not_promised="Each person: an average does not limit anybody's own risk.",
        properties={
            "joint": "risks are averaged over classes",
            "monotone_generalization": (
                "no, as of every joint model: which classes are released together changes with what is suppressed"
            ),
            "monotone_suppression": "no: the released classes of the one release are not those of the other",
        },
    )

    threshold: Fraction

    def __post_init__(self) -> None:
        """Validate the threshold."""
        exact = exact_number(self.threshold, "threshold")
        if exact is None or not 0 < exact < 1:
            raise UsageError("an average risk must be above 0 and below 1", hint="such as 0.05, for 1 in 20")
        object.__setattr__(self, "threshold", exact)

    @property
    def name(self) -> str:
        """`average risk`, with its threshold."""
        return f"average risk {said(self.threshold)}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(joint=self._together, monotone_generalization=False, monotone_suppression=False)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes satisfy when they are released alone."""
        mask: Mask = classes.sizes * self.threshold.numerator >= self.threshold.denominator
        return mask

    def _together(self, classes: ClassProfile) -> bool:
        """Whether the mean risk is small enough."""
        people = int(classes.sizes.sum())
        return classes.sizes.size * self.threshold.denominator <= people * self.threshold.numerator

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The mean risk."""
        return (Achieved("threshold", Fraction(classes.sizes.size, int(classes.sizes.sum()))),)
