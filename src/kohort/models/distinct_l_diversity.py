"""Distinct l-diversity: in every class, at least l different sensitive values occur.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity: Privacy beyond k-Anonymity (TKDD 2007), section 3.2,
where it is the first and weakest reading of "well represented".

It assumes that values which are spelled differently mean different things. It stops an attacker who finds
the class of a person from knowing the value outright. It does not protect from likely guesses (99 of 100 people may
share a value), from values that mean much the same, nor from background knowledge that rules values out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models.base import Achieved, Declaration, check_name, is_whole
from kohort.specification import AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class DistinctLDiversity:
    """Every class has at least `l` different values of `sensitive`; a missing value is none.

    Raises:
        UsageError: `l` is not an integer of at least 2.

    >>> DistinctLDiversity("illness", 2).name
    'distinct 2-diversity of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="l",
        first=True,
        title="distinct l-diversity",
        sentence="Every class has at least l different values.",
        usage="--l COLUMN=L",
        parameters=(Parameter("l", AT_LEAST_2, "The fewest different values of a class.", (2,), rising=True),),
        unit="values",
        not_promised="Likely guesses: of different values in a class one may be far more frequent than others.",
        properties={
            "class_only": "values absent from the class make no difference, nor does the table's distribution",
            "monotone_generalization": "a union has every value that its parts have",
            "monotone_suppression": "what is merged with a satisfying class satisfies, so no more records fail",
        },
    )

    sensitive: str
    l: int  # noqa: E741  the paper's letter

    def __post_init__(self) -> None:
        """Validate l: at least 2, for an l of 1 would promise nothing."""
        check_name(self.sensitive)
        if not is_whole(self.l, 2):
            raise UsageError(
                "l must be an integer of at least 2", hint="every table is 1-diverse; usual values are 2 to 5"
            )

    @property
    def name(self) -> str:
        """`distinct l-diversity`, with its l and attribute."""
        return f"distinct {self.l}-diversity of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            sensitive=self.sensitive,
            class_only=True,
            some_values=True,
            least_values=self.l,
            different_values=True,
            monotone_generalization=True,
            monotone_suppression=True,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have at least l values."""
        histogram = classes.of(self.sensitive)
        diverse: Mask = histogram.number_of_values() >= min(self.l, histogram.counts.shape[1] + 1)
        return diverse

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The values of the class that has fewest."""
        fewest = int(classes.of(self.sensitive).number_of_values().min())
        return (Achieved("l", Fraction(fewest), rising=True),)
