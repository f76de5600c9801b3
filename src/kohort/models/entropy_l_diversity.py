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
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.kernels import kernel
from kohort.models.base import FINEST, NOBODY, Achieved, Declaration, check_name, exact_number
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
        counts = classes.of(self.sensitive).counts
        mask = np.empty(len(counts), np.bool_)
        _judge(counts, math.log(self.l) - SLACK, _TERMS, mask)
        return mask

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """E to the power of the least entropy, rounded down to nine digits after the point."""
        counts = classes.of(self.sensitive).counts
        entropies = np.empty(len(counts))
        _measure(counts, _TERMS, entropies)
        least = float(entropies.min())
        if least < 0:
            return (Achieved("l", None, rising=True, reason=NOBODY),)
        return (Achieved("l", Fraction(math.floor(math.exp(least + SLACK) * FINEST), FINEST), rising=True),)


#: n log n of the counts that most classes have: a logarithm takes several times as long as looking it up.
_TERMS: NDArray[np.float64] = np.arange(2**10, dtype=np.float64)
_TERMS[1:] *= np.log(_TERMS[1:])


@kernel
def _judge(counts: Counts, least: float, terms: NDArray[np.float64], mask: Mask) -> None:
    """Fill `mask`: in which rows the entropy is at least `least`."""
    for row in range(counts.shape[0]):
        total, known = _added(counts, row, terms)
        mask[row] = total > 0 and known <= total * (math.log(total) - least)


@kernel
def _measure(counts: Counts, terms: NDArray[np.float64], entropies: NDArray[np.float64]) -> None:
    """Fill `entropies`: that of each row; -1 if nobody is in it."""
    for row in range(counts.shape[0]):
        total, known = _added(counts, row, terms)
        entropies[row] = max(math.log(total) - known / total, 0.0) if total > 0 else -1.0


@kernel
def _added(counts: Counts, row: int, terms: NDArray[np.float64]) -> tuple[int, float]:
    """The people n of a row, and the sum of n log n over its values."""
    total, known = 0, 0.0
    for value in range(counts.shape[1]):
        people = int(counts[row, value])
        total += people
        known += terms[people] if people < terms.size else people * math.log(people)
    return total, known
