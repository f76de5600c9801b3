"""Rounding: every number becomes the nearest multiple of a step, and the few at either end first become their mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.perturbation.base import MOST_DECIMALS, Perturbation
from kohort.perturbation.coding import Coding
from kohort.schema.numbers import digits_of, refuse_inexact, said
from kohort.specification import ABOVE_0, NUMBER, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.perturbation.base import Amounts


@dataclass(frozen=True, slots=True)
class Rounding(Perturbation):
    """Round each number to the nearest multiple of `step`; halfway, to the even multiple: as often up as down.

    Numbers below `bottom`, and those above `top`, become their mean before they are rounded: who has the greatest of
    all, 250,000, becomes one of those over 139,000.

    Attributes:
        column: The column to change.
        step: The distance between the resulting numbers.
        bottom: The smallest number that is only rounded; `None` for no lower bound.
        top: The greatest number that is only rounded; `None` for no upper bound.

    >>> import numpy as np
    >>> made, = Rounding("income", Fraction(1000)).perturb([np.array([1499.0, 1500.0, 2500.0, -700.0])], [])
    >>> made.tolist()
    [1000.0, 2000.0, 2000.0, -1000.0]
    >>> made, = Rounding("income", Fraction(10), top=Fraction(90)).perturb([np.array([51.0, 92.0, 140.0, 260.0])], [])
    >>> made.tolist()
    [50.0, 160.0, 160.0, 160.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="rounding",
        title="Rounding",
        technique="generalization: rounding",
        sentence="Rounds numbers to multiples of a step.",
        outcome="rounded",
        parameters=(
            Parameter("step", ABOVE_0, "the step; numbers become multiples of it.", (1000,)),
            Parameter("bottom", NUMBER, "smaller numbers become their mean, rounded.", (0,)),
            Parameter("top", NUMBER, "greater numbers become their mean, rounded.", (100_000,)),
        ),
        not_promised="A number that is alone within its step stays unique, unless it lies beyond the top or bottom.",
        properties={"valuewise": "equal numbers are rounded alike"},
    )

    column: str
    step: Fraction
    bottom: Fraction | None = None
    top: Fraction | None = None

    def __post_init__(self) -> None:
        """Refuse a step that is none, or that decimals cannot write."""
        refuse_inexact(self.step, "step")
        if self.step <= 0:
            raise UsageError("a step of rounding is above 0", where="step", hint="such as 1000, or 0.5")
        if digits_of(Fraction(self.step)) > MOST_DECIMALS:
            raise UsageError(f"a step has at most {MOST_DECIMALS} decimals", where="step", hint="such as 1000, or 0.5")
        self._ends  # noqa: B018  bounds that are none are refused

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its step, and its bounds."""
        return " after ".join(
            [f"rounding to multiples of {said(Fraction(self.step))}", *(one.name for one in self._ends)]
        )

    def of_sample(self) -> Rounding:
        """Few records may lie beyond a bound, whose mean is refused."""
        return replace(self, bottom=None, top=None)

    @property
    def random(self) -> bool:
        """It draws nothing."""
        return False

    @property
    def valuewise(self) -> bool:
        """Equal numbers are rounded to equal numbers."""
        return True

    @property
    def decimals(self) -> int | None:
        """Those of the step."""
        return digits_of(Fraction(self.step))

    @property
    def _ends(self) -> tuple[Coding, ...]:
        """What is done to the ends before; nothing without bounds."""
        given = self.bottom is not None or self.top is not None
        return (Coding(self.column, self.bottom, self.top, "mean"),) if given else ()

    def check(self, amounts: Sequence[Amounts], step: float) -> None:
        """Refuse the mean of one or two records."""
        for one in self._ends:
            one.check(amounts, step)

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:
        """The rounded column."""
        for one in self._ends:
            amounts = one.perturb(amounts, streams)
        return [self._rounded(numbers) for numbers in amounts]

    def _rounded(self, numbers: Amounts) -> Amounts:
        """One column. A quotient that misses a half by the error of a division is one: 0.15 is in the middle."""
        steps = numbers * self.step.denominator / self.step.numerator
        halves = np.rint(steps * 2) / 2
        steps = np.where(np.abs(steps - halves) <= 4 * np.spacing(np.abs(steps)), halves, steps)
        made: Amounts = np.rint(steps) * self.step.numerator / self.step.denominator
        return made
