"""k-map: every released combination of quasi-identifiers fits at least k people of a population.

Sweeney: Computational Disclosure Control (PhD thesis, MIT 2001), section 4.3; El Emam, Dankar: Protecting Privacy
Using k-Anonymity (JAMIA 2008), where it is the model of journalist risk.

It assumes that the population table is what an attacker links with, and that nobody knows who is in the released
table. It stops linking a record to a person at more than 1 in k. It does not protect somebody who is known to be in
the table (use k-anonymity), nor from what is learned without linking.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from kohort.errors import UsageError
from kohort.models.base import NO_POPULATION, Achieved, Declaration, is_whole, population_of
from kohort.specification import AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class KMap:
    """Every class fits at least `k` people of the population table.

    Raises:
        UsageError: `k` is not an integer of at least 2.

    >>> KMap(5).name
    '5-map'
    """

    specification: ClassVar[Specification] = Specification(
        key="k-map",
        title="k-map",
        sentence="Every class matches at least k people of the population table.",
        usage="--k-map K",
        parameters=(
            Parameter("k", AT_LEAST_2, "The fewest people of the population who match a class.", (2,), rising=True),
        ),
        unit="people",
        not_promised="Known members: somebody known to be in the table may be alone in a class.",
        properties={
            "population": "people of the population are counted",
            "monotone_generalization": "a union fits everybody whom its parts fit",
            "monotone_suppression": "what is merged with a satisfying class satisfies, so no more records fail",
        },
    )

    k: int

    def __post_init__(self) -> None:
        """Validate k: at least 2, for a k of 1 would promise nothing."""
        if not is_whole(self.k, 2):
            raise UsageError("k must be an integer of at least 2", hint="usual values are 3 to 20")

    @property
    def name(self) -> str:
        """`k-map`, with its k."""
        return f"{self.k}-map"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            population=True, smallest_population=self.k, monotone_generalization=True, monotone_suppression=True
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes fit at least k people.

        Raises:
            UsageError: There is no population table.
        """
        return population_of(classes, self.name) >= self.k

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The people of the population whom the class fits that fits fewest."""
        if classes.population is None:
            return (Achieved("k", None, rising=True, reason=NO_POPULATION),)
        return (Achieved("k", Fraction(int(classes.population.min())), rising=True),)
