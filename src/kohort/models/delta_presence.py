"""delta-presence: whoever is in a population, whether he or she is in the table stays uncertain.

Nergiz, Atzori, Clifton: Hiding the Presence of Individuals from Shared Databases (SIGMOD 2007), definition 3: for
every person of the population, low <= P(the person is in the table) <= high; that is, for every class, the people of
the table in it over the people of the population whom it fits.

It assumes that the population table is what an attacker knows, and that being in the table is what must not be
learned. It does not protect from linking, nor from what a class says on a sensitive attribute. With `low` above 0,
absence is hidden too: then nobody of the population may fit no class, for he or she would be known to be absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models.base import NO_POPULATION, Achieved, Declaration, exact_number, greatest_ratio, population_of
from kohort.schema.numbers import said
from kohort.specification import SHARE, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class DeltaPresence:
    """Of the people whom a class fits, the share from `low` to `high` is in the table.

    Attributes:
        low: The least share; also given as int, text or float.
        high: The greatest share; also given as int, text or float.

    Raises:
        UsageError: They are no shares that ascend, or are 0 and 1, which promises nothing.

    >>> DeltaPresence(0, 0.5).name
    '(0, 0.5)-presence'
    """

    specification: ClassVar[Specification] = Specification(
        key="presence",
        title="delta-presence",
        sentence="Of the people of the population table who match a class, a share from low to high is in the table.",
        usage="--presence LOW..HIGH",
        parameters=(
            Parameter("low", SHARE, "The least share; above 0, absence is hidden too.", (0.1,), rising=True),
            Parameter("high", SHARE, "The greatest share.", (0.9,)),
        ),
        unit="share",
        not_promised="Linkage of records: presence hides who is in the table, not which record is whose.",
        properties={
            "population": "people of the population are counted",
            "joint": "where low is above 0: whom no class fits is seen on all classes together only",
            "monotone_generalization": (
                "where low is 0: the share in a union is a mean of its parts', or less where it fits others too; with"
                " low above 0 those others may make it too small"
            ),
            "monotone_suppression": (
                "no: 1 of 2 satisfies high = 1/2, merged with a failing 9 of 9 it does not, and more records fail"
            ),
        },
    )

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        """Refuse what are no shares."""
        low, high = exact_number(self.low, "low"), exact_number(self.high, "high")
        if low is None or high is None or not 0 <= low <= high <= 1:
            raise UsageError("presence must be two shares from 0 to 1 that ascend", hint="such as 0.1 and 0.9")
        if high == 0 or high - low == 1:
            what = "no table satisfies a presence of 0" if high == 0 else "presence from 0 to 1 promises nothing"
            raise UsageError(what, hint="such as 0 and 0.5, or 0.1 and 0.9")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def name(self) -> str:
        """`(low, high)-presence`, with its numbers."""
        return f"({said(self.low)}, {said(self.high)})-presence"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            population=True,
            joint=self._together if self.low > 0 else None,
            monotone_generalization=self.low == 0,
            monotone_suppression=False,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are present in their share, in whole numbers.

        Raises:
            UsageError: There is no population table.
        """
        people, population = classes.sizes, population_of(classes, self.name)
        enough = people * self.low.denominator >= population * self.low.numerator
        mask: Mask = enough & (people * self.high.denominator <= population * self.high.numerator)
        return mask

    def _together(self, classes: ClassProfile) -> bool:
        """Whether every class satisfies, and, where absence is hidden too, nobody of the population fits none."""
        return bool(self.satisfied(classes).all()) and (self.low == 0 or classes.outside == 0)

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:
        """The least and the greatest share, each with the other as loose as it can be; the least is 0 if some fit none.

        Without a population table neither, in one answer.
        """
        people, population = classes.sizes, classes.population
        if population is None:
            return (Achieved("delta", None, reason=NO_POPULATION),)
        if (people > population).any():
            reason = "a class fits fewer people of the population than it has"
            return Achieved("low", None, rising=True, reason=reason), Achieved("high", None, reason=reason)
        low = Fraction(0) if classes.outside else 1 / greatest_ratio(population, people)
        return Achieved("low", low, rising=True), Achieved("high", greatest_ratio(people, population))
