"""Top and bottom coding: numbers beyond a bound, who would stand out, become one number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from kohort.errors import UsageError
from kohort.perturbation.base import MOST_DECIMALS, Perturbation, refuse_bounds
from kohort.perturbation.moments import centred
from kohort.schema.numbers import digits_of, said
from kohort.specification import NUMBER, Parameter, Specification, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Mask
    from kohort.perturbation.base import Amounts

#: Fewer records than these have a mean that tells one of them the other's number.
FEWEST: Final = 3

_BY: Final = ("value", "mean")


@dataclass(frozen=True, slots=True)
class Coding(Perturbation):
    """Numbers below `bottom` become one number, and those above `top` another: the bound, or their own mean.

    Attributes:
        column: The column to change.
        bottom: The smallest number that stays; `None` for no lower bound.
        top: The greatest number that stays; `None` for no upper bound.
        by: `value` for the bound itself, which moves the mean of the column; `mean` for that of the numbers beyond
            the bound, which keeps it.

    >>> import numpy as np
    >>> made, = Coding("income", top=Fraction(90)).perturb([np.array([20.0, 90.0, 340.0])], [])
    >>> made.tolist()
    [20.0, 90.0, 90.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="coding",
        title="Coding",
        technique="generalization: top and bottom coding",
        sentence="Replaces the numbers beyond a bound.",
        outcome="with coded extremes",
        parameters=(
            Parameter("bottom", NUMBER, "smaller numbers become this, or their mean.", (0,)),
            Parameter("top", NUMBER, "greater numbers become this, or their mean.", (100_000,)),
            Parameter("by", word("value", "mean"), "value, or mean.", ("value",)),
        ),
        not_promised="Numbers between the ends stay as they are.",
        properties={"valuewise": "equal numbers are coded alike"},
    )

    column: str
    bottom: Fraction | None = None
    top: Fraction | None = None
    by: str = "value"

    def __post_init__(self) -> None:
        """Refuse bounds that are none, and other words."""
        refuse_bounds(self.bottom, self.top, names=("bottom", "top"))
        if self.bottom is None and self.top is None:
            raise UsageError("neither a bottom nor a top is given", where="top", hint="such as top = 100000")
        if any(digits_of(Fraction(end)) > MOST_DECIMALS for end in (self.bottom, self.top) if end is not None):
            raise UsageError(f"a bound has at most {MOST_DECIMALS} decimals", where="top", hint="such as 100000")
        if self.by not in _BY:
            raise UsageError(f"unknown coding by {self.by!r}", where="by", hint=f"write {' or '.join(_BY)}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its bounds."""
        ends = (("bottom", "below", self.bottom), ("top", "above", self.top))
        given = (f"{word} coding {side} {said(Fraction(end))}" for word, side, end in ends if end is not None)
        return " and ".join(given) + (" by their mean" if self.by == "mean" else "")

    def of_sample(self) -> Coding:
        """Few records may lie beyond a bound, whose mean is refused."""
        return replace(self, by="value")

    @property
    def random(self) -> bool:
        """It draws nothing."""
        return False

    @property
    def valuewise(self) -> bool:
        """Equal numbers are coded alike."""
        return True

    @property
    def bounds(self) -> tuple[float, float]:
        """What is coded by value lies between the bounds."""
        if self.by == "mean":
            return -math.inf, math.inf
        return self._ends

    @property
    def _ends(self) -> tuple[float, float]:
        return (
            -math.inf if self.bottom is None else float(self.bottom),
            math.inf if self.top is None else float(self.top),
        )

    def check(self, amounts: Sequence[Amounts], step: float) -> None:
        """Refuse a bound that cannot be written with the column's decimals, and the mean of one or two records."""
        place = f"column {self.column}"
        for end in self._ends:
            if self.by == "value" and math.isfinite(end) and not math.isclose(end / step, round(end / step)):
                what = "the bound has more decimals than the column's numbers"
                raise UsageError(what, where=place, hint="choose a bound with fewer decimals")
        for beyond in self._beyond(amounts[0]):
            if self.by == "mean" and 0 < beyond.sum() < FEWEST:
                what = f"fewer than {FEWEST} records lie beyond a bound: their mean would reveal their numbers"
                raise UsageError(what, where=place, hint="choose a bound with more records beyond it, or by = value")

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:  # noqa: ARG002
        """The coded column."""
        numbers = amounts[0]
        if self.by == "value":
            return [np.clip(numbers, *self._ends)]
        made = numbers.copy()
        for beyond in self._beyond(numbers):
            if beyond.any():
                made[beyond] = centred(numbers[beyond])[0]
        return [made]

    def _beyond(self, numbers: Amounts) -> tuple[Mask, Mask]:
        """Which numbers lie below the bottom, and which above the top."""
        low, high = self._ends
        return numbers < low, numbers > high
