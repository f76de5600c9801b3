"""Entropy l-diversity: in every class, the entropy of the sensitive values is at least log l.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity: Privacy beyond k-Anonymity (TKDD 2007), definition 4.1:
-sum p(v) log p(v) >= log l, with p(v) the share of value v among the people of the class who have a value.

It assumes that all values are equally delicate. It stops an attacker from being nearly sure: the class is as uncertain
as one of l equally frequent values. It does not protect from guesses better than 1 in l where a frequent value is
balanced by many rare ones, from values that mean much the same, nor from what differs from the whole table. A table in
which one value is very common can have no such class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.models.base import FINEST, NOBODY, Achieved, Declaration, check_name, exact_number
from kohort.native.library import ADD_TERMS
from kohort.schema.numbers import said
from kohort.specification import ABOVE_1, Parameter, Specification

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Mask
    from kohort.core.frequency import ClassProfile

#: How much of l an entropy may lack: l equally frequent values would else miss it by the rounding of logarithms.
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class EntropyLDiversity:
    """The entropy of `sensitive` is at least log `l` in every class, up to a trillionth of l.

    Attributes:
        sensitive: The attribute.
        l: A number above 1, whole or not; also given as int, text or float.

    Raises:
        UsageError: `l` is no number above 1.

    >>> EntropyLDiversity("illness", 2.5).name
    'entropy 2.5-diversity of illness'
    """

    specification: ClassVar[Specification] = Specification(
        key="entropy-l",
        title="entropy l-diversity",
        sentence="The entropy of the values in every class is at least the logarithm of l.",
        usage="--entropy-l COLUMN=L",
        parameters=(
            Parameter(
                "l",
                ABOVE_1,
                "The number of equally frequent values that would have the same entropy.",
                (2,),
                rising=True,
            ),
        ),
        unit="values",
        not_promised=(
            "Likely guesses: entropy is an average; a frequent value may be balanced by many rare ones in a class."
        ),
        properties={
            "class_only": "values absent from the class make no difference, nor does the table's distribution",
            "monotone_generalization": "entropy is concave, so that of a mixture is at least the mean of its parts'",
            "monotone_suppression": (
                "no: {1, 1} satisfies l = 2, merged with a failing {9, 0} it does not, and more records fail"
            ),
        },
    )

    sensitive: str
    l: Fraction  # noqa: E741  the paper's letter

    def __post_init__(self) -> None:
        """Validate l: at least 2, for an l of 1 would promise nothing."""
        check_name(self.sensitive)
        exact = exact_number(self.l, "l")
        if exact is None or exact <= 1:
            raise UsageError("l must be a number above 1", hint="every table is 1-diverse; usual values are 2 to 5")
        object.__setattr__(self, "l", exact)

    @property
    def name(self) -> str:
        """`entropy l-diversity`, with its l and attribute."""
        return f"entropy {said(self.l)}-diversity of {self.sensitive}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            sensitive=self.sensitive,
            class_only=True,
            some_values=True,
            least_values=math.ceil(self.l),
            different_values=True,
            monotone_generalization=True,
            monotone_suppression=False,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes are diverse enough; in the form sum n log n <= n log(n / l), where n are counts."""
        total, known = _added(classes.of(self.sensitive).counts)
        diverse: Mask = (total > 0) & (known <= total * (_logarithms(total) - (math.log(self.l) - SLACK)))
        return diverse

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """E to the power of the least entropy, rounded down to nine digits after the point."""
        total, known = _added(classes.of(self.sensitive).counts)
        if not total.all():
            return (Achieved("l", None, rising=True, reason=NOBODY),)
        least = max(float((_logarithms(total) - known / total).min()), 0.0)
        return (Achieved("l", Fraction(math.floor(math.exp(least + SLACK) * FINEST), FINEST), rising=True),)


@cache
def _terms() -> NDArray[np.float64]:
    """N log n of all counts but very large ones: a logarithm takes several times as long as looking it up."""
    terms = np.arange(2**16, dtype=np.float64)
    terms[1:] *= np.log(terms[1:])
    return terms


def _added(counts: Counts) -> tuple[Counts, NDArray[np.float64]]:
    """(c,) the people n of each class, and (c,) the sum of n log n over its values."""
    terms, total, known = _terms(), np.empty(len(counts), np.int64), np.empty(len(counts))
    if ADD_TERMS(counts, counts.shape[1], terms, terms[:0], total, known):
        many = counts[counts >= terms.size]
        ADD_TERMS(counts, counts.shape[1], terms, many * np.log(many), total, known)
    return total, known


def _logarithms(total: Counts) -> NDArray[np.float64]:
    """(c,) log n of the people of each class; 0 where there are none."""
    logarithms: NDArray[np.float64] = np.log(np.maximum(total, 1))
    return logarithms
