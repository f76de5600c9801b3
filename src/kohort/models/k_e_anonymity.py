"""(k,e)-anonymity: every class has k different sensitive numbers, and they lie at least e apart.

Zhang, Koudas, Srivastava, Yu: Aggregate Query Answering on Anonymized Tables (ICDE 2007): at least k
different values of a numeric sensitive attribute in every class, and a range, from the least to the greatest of them,
of at least e.

It assumes that numbers near each other mean much the same, so that an attacker must not even learn a short interval.
It stops an attacker who finds the class of a person from knowing the value to within less than e. It does not protect
from likely guesses: all but one person of a class may have nearly the same number, and one other makes the range.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import SchemaError, UsageError
from kohort.models._shares import places_of
from kohort.models.base import NOBODY, Achieved, Declaration, check_name, exact_number, is_whole
from kohort.native.library import FIND_ENDS
from kohort.schema.numbers import said
from kohort.specification import ABOVE_0, AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Index, Mask
    from kohort.core.frequency import ClassProfile, Histogram
    from kohort.schema.sensitive import SensitiveDomain


@dataclass(frozen=True, slots=True)
class KEAnonymity:
    """Every class has at least `k` different values of `sensitive`, whose range is at least `e`.

    Attributes:
        sensitive: The attribute; its values are numbers.
        k: An integer of at least 2.
        e: A number above 0, in the unit of the attribute; also given as int, text or float.

    Raises:
        UsageError: `k` is no such integer, or `e` no such number.

    >>> KEAnonymity("salary", 3, 1000).name
    '(3, 1000)-anonymity of salary'
    """

    specification: ClassVar[Specification] = Specification(
        key="k-e",
        title="(k,e)-anonymity",
        sentence="Every class has at least k different values, and the greatest is at least e above the least.",
        usage="--k-e COLUMN=K,E",
        parameters=(
            Parameter("k", AT_LEAST_2, "The fewest different values of a class.", (2,), rising=True),
            Parameter(
                "e", ABOVE_0, "The least range of a class: from its least value to its greatest.", (1,), rising=True
            ),
        ),
        unit="values",
        not_promised="Guesses near a number: the range of a class is wide, but most of it may have nearly one value.",
        properties={
            "of_numbers": "what has no order and no distance has no range",
            "class_only": "values absent from the class make no difference, nor does the table's distribution",
            "monotone_generalization": "a union has every value that its parts have, and no smaller range",
            "monotone_suppression": "what is merged with a satisfying class satisfies, so no more records fail",
        },
    )

    sensitive: str
    k: int
    e: Fraction

    def __post_init__(self) -> None:
        """Validate k and e."""
        check_name(self.sensitive)
        if not is_whole(self.k, 2):
            raise UsageError("k must be an integer of at least 2", hint="usual values are 3 to 20")
        exact = exact_number(self.e, "e")
        if exact is None or exact <= 0:
            raise UsageError("e must be a number above 0", hint="in the unit of the column, such as 1000 of a salary")
        object.__setattr__(self, "e", exact)

    @property
    def name(self) -> str:
        """`(k, e)-anonymity`, with its numbers and attribute."""
        return f"({self.k}, {said(self.e)})-anonymity of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            sensitive=self.sensitive,
            of_numbers=True,
            class_only=True,
            some_values=True,
            least_values=self.k,
            monotone_generalization=True,
            monotone_suppression=True,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have enough values, and far enough apart.

        Raises:
            SchemaError: The values are no numbers.
        """
        histogram = classes.of(self.sensitive)
        domain = histogram.domain
        if domain.numbers is None and len(domain):
            hint = "choose another model, or make all values of the column numbers"
            raise SchemaError(f"{self.name} needs numbers", where=f"column {self.sensitive}", hint=hint)
        rank, reach = _reaches(domain, self.e.numerator, self.e.denominator)
        lowest, highest = _ends(histogram, rank)
        enough = histogram.number_of_values() >= min(self.k, histogram.counts.shape[1] + 1)
        apart: Mask = enough & (highest >= reach[lowest])
        return apart

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:
        """The values of the class that has fewest, and the range of the class whose values lie closest together."""
        histogram = classes.of(self.sensitive)
        domain = histogram.domain
        if domain.numbers is None:
            reason = "the values are not numbers" if len(domain) else NOBODY
            return (Achieved("e", None, rising=True, reason=reason),)
        values = int(histogram.number_of_values().min())
        fewest = Achieved("k", Fraction(values), rising=True)
        if not values:
            return fewest, Achieved("e", None, rising=True, reason=NOBODY)
        order = np.argsort(domain.numbers)
        numbers = domain.numbers[order].tolist()
        lowest, highest = _ends(histogram, np.argsort(order))
        least = min(numbers[last] - numbers[first] for first, last in zip(lowest, highest, strict=True))
        return fewest, Achieved("e", Fraction(least, 10**domain.digits), rising=True)


@lru_cache(maxsize=16)
def _reaches(domain: SensitiveDomain, numerator: int, denominator: int) -> tuple[Index, Index]:
    """(v,) the rank of each value among the numbers, and (v + 1,) of each rank the least one that lies e above it.

    Rank v is no value's, and nothing lies above it.

    A search asks for them millions of times. Numbers are compared as Python's integers: nothing overflows.
    """
    numbers: list[int] = [] if domain.numbers is None else domain.numbers.tolist()
    ascending, apart = sorted(numbers), ceil(Fraction(numerator, denominator) * 10**domain.digits)
    rank = np.array([bisect_left(ascending, number) for number in numbers], np.int64)
    reach = [bisect_left(ascending, number + apart) for number in ascending]
    return rank, np.array([*reach, len(ascending)], np.int64)


def _ends(histogram: Histogram, rank: Index) -> tuple[Index, Index]:
    """(c,) the least and (c,) the greatest rank of a value of each class; where it has none, v and -1."""
    lowest, highest = np.empty((2, len(histogram.counts)), np.int64)
    FIND_ENDS(*places_of(histogram), rank, lowest, highest)
    return lowest, highest
