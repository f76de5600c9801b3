"""k-anonymity: every released combination of quasi-identifiers is shared by at least k records.

Samarati, Sweeney: Protecting Privacy when Disclosing Information (1998); Samarati (TKDE 2001), definition 3.1.

It limits how surely a record can be linked to a person who is known to be in the table: at most 1 in k. It
does not limit what is learned without linking: where all k records of a class share a sensitive value, the value
is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from kohort.errors import UsageError
from kohort.models.base import Achieved, Declaration
from kohort.specification import AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import PrivacyModel

#: What asks for it; other models go with the k of the whole job.
KEY: Final = "k"


def check_k(k: object) -> None:
    """Raise if `k` is not an integer of at least 2."""
    if type(k) is not int or k < 2:  # noqa: PLR2004  2 is the least that hides anybody
        hint = "every table is 1-anonymous; usual values are 3 to 20"
        raise UsageError("k must be an integer of at least 2", hint=hint)


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class has at least `k` records; with a person key, of at least `k` people.

    Raises:
        UsageError: `k` is not an integer of at least 2.

    >>> KAnonymity(5).name
    '5-anonymity'
    """

    specification: ClassVar[Specification] = Specification(
        key=KEY,
        first=True,
        title="k-anonymity",
        sentence="Every class (equal quasi-identifiers) has at least k records, or people with a person key.",
        usage="--k K",
        parameters=(
            Parameter(
                "k",
                AT_LEAST_2,
                "The fewest records of a class; with a person key, the fewest people.",
                (2,),
                rising=True,
            ),
        ),
        unit="people",
        properties={
            "size_only": "nothing but the size counts",
            "monotone_generalization": "a union is at least as large as its parts",
            "monotone_suppression": "generalizing only merges classes, so fewer records are in small ones",
        },
    )

    k: int

    def __post_init__(self) -> None:
        """Validate k."""
        check_k(self.k)

    @property
    def name(self) -> str:
        """`k-anonymity`, with its k."""
        return f"{self.k}-anonymity"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            smallest_class=self.k, size_only=True, monotone_generalization=True, monotone_suppression=True
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have at least k records."""
        return classes.sizes >= self.k

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The records of the smallest class."""
        return (Achieved("k", Fraction(int(classes.sizes.min())), rising=True),)


def k_of(models: Iterable[PrivacyModel]) -> int | None:
    """The k of k-anonymity among these models; `None` where it is not asked for.

    >>> k_of([KAnonymity(5)]), k_of([])
    (5, None)
    """
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=None)
