"""(alpha,k)-anonymity: every class has k people, and no sensitive value more than the share alpha of them.

Wong, Li, Fu, Wang: (alpha,k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data Publishing (KDD
2006), definitions 3 and 4, for every value of the attribute.

It assumes that all values are equally delicate, and that alpha is a tolerable certainty. It stops linking at more
than 1 in k and guessing a value with more certainty than alpha. It does not protect from what differs from the whole
table (a value of 1 in 1,000 may become one of 1 in 2), from values that mean much the same, nor from background
knowledge that rules values out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.models._shares import shares, within
from kohort.models.base import NOBODY, Achieved, Declaration, check_name, exact_number, greatest_ratio, is_whole
from kohort.schema.numbers import said
from kohort.specification import AT_LEAST_2, SHARE, Parameter, Specification

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity:
    """Every class has at least `k` people, and no value of `sensitive` more than the share `alpha` of them.

    Attributes:
        sensitive: The attribute.
        alpha: A share above 0 and below 1; also given as text or float.
        k: An integer of at least 2.

    Raises:
        UsageError: `alpha` is no such share, or `k` no such integer.

    >>> AlphaKAnonymity("illness", 0.5, 10).name
    '(0.5, 10)-anonymity of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="alpha",
        title="(alpha,k)-anonymity",
        sentence="No value makes up more than the share alpha of a class, and every class has the job's k records.",
        usage="--alpha COLUMN=ALPHA",
        parameters=(
            Parameter("alpha", SHARE, "The largest share of a class that one value may have.", (0.5,)),
            Parameter("k", AT_LEAST_2, "The fewest people of a class: the job's k.", (2,), origin="job", rising=True),
        ),
        unit="share",
        not_promised="Rare values: one may become as likely as alpha in a class, however rare it is in the table.",
        properties={
            "class_only": "values absent from the class make no difference, nor does the table's distribution",
            "monotone_generalization": (
                "the share in a union is a weighted mean of the shares in its parts, and sizes only grow"
            ),
            "monotone_suppression": (
                "no: {1, 1} satisfies (0.5, 2), merged with a failing {9, 0} it does not, and more records fail"
            ),
        },
    )

    sensitive: str
    alpha: Fraction
    k: int

    def __post_init__(self) -> None:
        """Validate alpha and k."""
        check_name(self.sensitive)
        exact = exact_number(self.alpha, "alpha")
        if exact is None or not 0 < exact < 1:
            raise UsageError("alpha must be a share above 0 and below 1", hint="such as 0.5; for 1, use k-anonymity")
        if not is_whole(self.k, 2):
            raise UsageError("k must be an integer of at least 2", hint="usual values are 3 to 20")
        object.__setattr__(self, "alpha", exact)

    @property
    def name(self) -> str:
        """`(alpha, k)-anonymity`, with its numbers and attribute."""
        return f"({said(self.alpha)}, {self.k})-anonymity of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            sensitive=self.sensitive,
            smallest_class=self.k,
            class_only=True,
            some_values=True,
            different_values=True,
            monotone_generalization=True,
            monotone_suppression=False,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are large enough and have no value too often."""
        histogram = classes.of(self.sensitive)
        limits = _limits(len(histogram.domain), self.alpha.numerator, self.alpha.denominator)
        return within(histogram, limits) & (classes.sizes >= self.k)

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The greatest share of a value in a class: the alpha, as far as k allows; k-anonymity achieves the k."""
        found = shares(classes.of(self.sensitive))
        if found is None:
            return (Achieved("alpha", None, reason=NOBODY),)
        return (Achieved("alpha", greatest_ratio(found.found[2], found.found[3])),)


@lru_cache(maxsize=16)
def _limits(values: int, numerator: int, denominator: int) -> NDArray[np.int64]:
    """The limits of the shares, the same for every value; a search asks for them millions of times."""
    return np.repeat(np.array([[0], [1], [numerator], [denominator]], np.int64), values, axis=1)
