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
from typing import TYPE_CHECKING

from kohort.errors import UsageError
from kohort.models._parameters import is_whole, population_of
from kohort.models.base import Achieved, PrivacyModel

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class KMap(PrivacyModel):
    """Every class fits at least `k` people of the population table.

    Raises:
        UsageError: `k` is not an integer of at least 2.

    >>> KMap(5).name
    '5-map'
    """

    k: int

    def __post_init__(self) -> None:
        """Refuse what is no k; a k of 1 would promise nothing."""
        if not is_whole(self.k, 2):
            raise UsageError("k must be an integer of at least 2", hint="usual values are 3 to 20")

    @property
    def name(self) -> str:
        """`k-map`, with its k."""
        return f"{self.k}-map"

    @property
    def population(self) -> bool:
        """True: people of the population are counted."""
        return True

    @property
    def monotone_generalization(self) -> bool:
        """True: a union fits everybody whom its parts fit."""
        return True

    @property
    def monotone_suppression(self) -> bool:
        """True: what is merged with a satisfying class satisfies, so no more records fail."""
        return True

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes fit at least k people.

        Raises:
            UsageError: There is no population table.
        """
        return population_of(classes, self.name) >= self.k

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The people of the population whom the class fits that fits fewest."""
        return (Achieved("k", Fraction(int(population_of(classes, self.name).min())), rising=True),)
