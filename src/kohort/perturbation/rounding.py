"""Rounding: every number becomes the nearest multiple of a step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.perturbation.base import MOST_DECIMALS, Perturbation
from kohort.schema.numbers import digits_of, refuse_inexact, said
from kohort.specification import ABOVE_0, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.perturbation.base import Amounts


@dataclass(frozen=True, slots=True)
class Rounding(Perturbation):
    """Round each number to the nearest multiple of `step`; halfway, to the even multiple: as often up as down.

    Attributes:
        column: The column to change.
        step: The distance between the resulting numbers.

    >>> import numpy as np
    >>> made, = Rounding("income", Fraction(1000)).perturb([np.array([1499.0, 1500.0, 2500.0, -700.0])], [])
    >>> made.tolist()
    [1000.0, 2000.0, 2000.0, -1000.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="rounding",
        title="Rounding",
        technique="generalization: rounding",
        sentence="Rounds numbers to multiples of a step.",
        outcome="rounded",
        parameters=(Parameter("step", ABOVE_0, "the step; numbers become multiples of it.", (1000,)),),
        not_promised="A number that is alone within its step stays unique.",
        properties={"valuewise": "equal numbers are rounded alike"},
    )

    column: str
    step: Fraction

    def __post_init__(self) -> None:
        """Refuse a step that is none, or that decimals cannot write."""
        refuse_inexact(self.step, "step")
        if self.step <= 0:
            raise UsageError("a step of rounding is above 0", where="step", hint="such as 1000, or 0.5")
        if digits_of(Fraction(self.step)) > MOST_DECIMALS:
            raise UsageError(f"a step has at most {MOST_DECIMALS} decimals", where="step", hint="such as 1000, or 0.5")

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its step."""
        return f"rounding to multiples of {said(Fraction(self.step))}"

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

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:  # noqa: ARG002
        """The rounded column."""
        return [self._rounded(numbers) for numbers in amounts]

    def _rounded(self, numbers: Amounts) -> Amounts:
        """One column. A quotient that misses a half by the error of a division is one: 0.15 is in the middle."""
        steps = numbers * self.step.denominator / self.step.numerator
        halves = np.rint(steps * 2) / 2
        steps = np.where(np.abs(steps - halves) <= 4 * np.spacing(np.abs(steps)), halves, steps)
        made: Amounts = np.rint(steps) * self.step.numerator / self.step.denominator
        return made
