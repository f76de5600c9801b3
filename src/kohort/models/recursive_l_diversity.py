"""Recursive (c,l)-diversity: in every class, the most frequent value is not too frequent, the rare ones not too rare.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity: Privacy beyond k-Anonymity (TKDD 2007), definition
4.2: with the counts of the m values of a class in descending order r1 >= r2 >= ..., r1 < c (r_l + ... + r_m). A class
of fewer than l values fails.

It assumes that all values are equally delicate. It stops an attacker who can rule out l - 2 values from finding the
most frequent of the others too likely. It does not protect from values that mean much the same, from what differs
from the whole table, nor from an attacker who rules out more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.models.base import FINEST, Achieved, Declaration, check_name, exact_number, greatest_ratio, is_whole
from kohort.native.library import ADD_TAILS
from kohort.schema.numbers import said
from kohort.specification import ABOVE_0, AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from fractions import Fraction

    from kohort.arrays import Counts, Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True, slots=True)
class RecursiveLDiversity:
    """The most frequent value of `sensitive` has fewer than `c` times the people of the l-th and all rarer together.

    Attributes:
        sensitive: The attribute.
        c: A number above 0; also given as int, text or float.
        l: An integer of at least 2.

    Raises:
        UsageError: `c` is no number above 0, or `l` no integer of at least 2.

    >>> RecursiveLDiversity("illness", 2, 3).name
    'recursive (2, 3)-diversity of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="recursive",
        title="recursive (c,l)-diversity",
        sentence="The most frequent value of a class has less than c times the records of the l-th and all rarer ones.",
        usage="--recursive COLUMN=C,L",
        parameters=(
            Parameter(
                "c",
                ABOVE_0,
                "The factor by which the most frequent value may exceed the l-th and all rarer ones together.",
                (1,),
            ),
            Parameter(
                "l",
                AT_LEAST_2,
                "The rank from which the rarer values count; a class with fewer values fails.",
                (2, 3),
                rising=True,
            ),
        ),
        unit="values",
        not_promised="Knowledge of values: anyone who can rule out more than l - 2 of them may be sure of another.",
        properties={
            "class_only": "values absent from the class make no difference, nor does the table's distribution",
            "monotone_generalization": (
                "the most frequent value of a union has no more people than those of its parts together, and the l -"
                " 1 most frequent have not either, so that the tail has no fewer: r1 <= sum r1 < c sum tail <= c tail"
            ),
            "monotone_suppression": (
                "no: {1, 1} satisfies (2, 2), merged with a failing {9, 0} it does not, and more records fail"
            ),
        },
    )

    sensitive: str
    c: Fraction
    l: int  # noqa: E741  the paper's letter

    def __post_init__(self) -> None:
        """Validate c and l."""
        check_name(self.sensitive)
        exact = exact_number(self.c, "c")
        if exact is None or not 0 < exact <= FINEST:
            raise UsageError("c must be a number above 0, up to a billion", hint="usual values are 0.5 to 5")
        if not is_whole(self.l, 2):
            raise UsageError("l must be an integer of at least 2", hint="usual values are 2 to 5")
        object.__setattr__(self, "c", exact)

    @property
    def name(self) -> str:
        """`recursive (c, l)-diversity`, with its numbers and attribute."""
        return f"recursive ({said(self.c)}, {self.l})-diversity of {self.sensitive}"

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
            monotone_suppression=False,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are diverse enough, in whole numbers; without an l-th value the tail is 0."""
        greatest, tail = self._ends(classes)
        whole, rest = divmod(self.c.numerator, self.c.denominator)
        more = np.maximum(greatest - whole * tail, -1)  # never so far below 0 that the product overflows
        diverse: Mask = (tail > 0) & (more * self.c.denominator < rest * tail)
        return diverse

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """What c must be above, with this l: the greatest ratio of the most frequent value to the tail."""
        greatest, tail = self._ends(classes)
        if not tail.all():
            return (Achieved("c", None, attained=False, reason=f"a class has fewer than {self.l} values"),)
        return (Achieved("c", greatest_ratio(greatest, tail), attained=False),)

    def _ends(self, classes: ClassProfile) -> tuple[Counts, Counts]:
        """(c,) the people with the most frequent value of each class, and (c,) those with the l-th and all rarer."""
        counts = classes.of(self.sensitive).counts
        top = np.empty(max(min(self.l - 1, counts.shape[1]), 1), np.int64)
        greatest, tail = np.empty((2, len(counts)), np.int64)
        ADD_TAILS(counts, counts.shape[1], top, greatest, tail)
        return greatest, tail
