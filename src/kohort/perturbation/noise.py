"""Noise: a random number is added to each, and all are shifted and stretched to keep mean and variance.

Kim: A Method for Limiting Disclosure in Microdata Based on Random Noise and Transformation (ASA, Section on Survey
Research Methods, 1986).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from kohort.errors import InputError, UsageError
from kohort.perturbation.base import Perturbation, refuse_bounds, refuse_decimals
from kohort.perturbation.moments import bounded, centred, total, variance, whole
from kohort.schema.numbers import refuse_inexact, said
from kohort.specification import ABOVE_0, COUNT, NUMBER, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.perturbation.base import Amounts


#: Float64 numbers whose variance is so near to the wanted one, relatively, were not rounded to mention.
_SURE: Final = 1e-13


@dataclass(frozen=True, slots=True)
class Noise(Perturbation):
    """x' = (x + e - mean(x + e)) · sd(x) / sd(x + e) + mean(x), where e is normal with variance `scale` · var(x).

    Mean and variance (with n - 1 below) are preserved, before rounding and, as far as whole steps allow, after it. A
    column with one number does not change. Values outside the bounds are reflected, then the column is shifted and
    stretched again.

    Attributes:
        column: The column to change.
        scale: Variance of the noise over the variance of the column.
        decimals: Digits after the decimal point of the written values; `None`: as many as the column has.
        lower: The smallest allowed number; a column with a smaller one is refused.
        upper: The greatest allowed number; a column with a greater one is refused.

    >>> import numpy as np
    >>> incomes = np.array([18_000.0, 25_000.0, 31_000.0, 90_000.0])
    >>> made, = Noise("income", lower=Fraction(0)).perturb([incomes], [np.random.default_rng(7)])
    >>> bool(made.mean() == incomes.mean()), float(round(made.std() / incomes.std(), 12))
    (True, 1.0)
    """

    specification: ClassVar[Specification] = Specification(
        key="noise",
        title="Noise",
        technique="randomization: noise addition",
        sentence="Adds normal noise to each number, and keeps mean and variance (Kim 1986).",
        outcome="with noise",
        parameters=(
            Parameter(
                "scale",
                ABOVE_0,
                "the variance of the noise, as a multiple of the column's; 0.1 by default.",
                (Fraction(1, 10),),
            ),
            Parameter("decimals", COUNT, "digits after the decimal point; by default those of the column.", (0,)),
            Parameter("lower", NUMBER, "the minimum of a cell.", (0,)),
            Parameter("upper", NUMBER, "the maximum of a cell.", (100,)),
        ),
        not_promised="A rare number stays near what it was.",
        properties={"keeps_moments": "the noisy numbers are shifted and stretched"},
    )

    column: str
    scale: Fraction = Fraction(1, 10)
    decimals: int | None = None  # pyright: ignore[reportIncompatibleMethodOverride]  a frozen field is a property
    lower: Fraction | None = None
    upper: Fraction | None = None

    def __post_init__(self) -> None:
        """Refuse what adds no noise, and bounds with nothing between them."""
        refuse_inexact(self.scale, "scale")
        if self.scale <= 0:
            raise UsageError("a scale of noise is above 0", where="scale", hint="0.1 is a tenth of the variance")
        refuse_decimals(self.decimals)
        refuse_bounds(self.lower, self.upper)

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its scale."""
        return f"noise of {said(Fraction(self.scale))} variances"

    @property
    def bounds(self) -> tuple[float, float]:
        """The declared ones."""
        low = -math.inf if self.lower is None else float(self.lower)
        return low, math.inf if self.upper is None else float(self.upper)

    @property
    def keeps_moments(self) -> bool:
        """It is made for that."""
        return True

    def check(self, amounts: Sequence[Amounts], step: float) -> None:
        """Refuse noise whose standard deviation is under half a step: rounding would take most of it off again.

        Refuse a column too that does not keep the bounds itself.
        """
        outside = int(((amounts[0] < self.bounds[0]) | (amounts[0] > self.bounds[1])).sum())
        if outside:
            raise InputError(
                f"{outside:,} records lie outside the declared bounds",
                where=f"column {self.column}",
                hint="widen the bounds, or correct the data",
            )
        spread = variance(amounts[0])
        if 0 < spread * float(self.scale) < step * step / 4:
            enough = step * step / 4 / spread
            scale = math.ceil(enough * 1000) / 1000 if enough < 1000 else math.ceil(enough)  # noqa: PLR2004
            raise UsageError(
                "the noise is less than half a step of rounding, which would remove most of it again",
                where=f"column {self.column}",
                hint=f"write more decimals, or a scale of {scale:g} or more",
            )

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:
        """The column with noise."""
        return [self._noisy(numbers, stream) for numbers, stream in zip(amounts, streams, strict=True)]

    def _noisy(self, numbers: Amounts, stream: np.random.Generator) -> Amounts:
        """One column with noise; as it is where all its numbers are the same."""
        if numbers.size < 2 or numbers.min() == numbers.max():  # noqa: PLR2004
            return numbers.copy()
        mean, around = centred(numbers)
        _, power = np.frexp(np.abs(around).max())
        around = np.ldexp(around, -power)  # about 1, so that no square is too large or too small to be a number
        spread = math.sqrt(variance(around))
        noisy = around + stream.normal(0, math.sqrt(self.scale) * spread, around.size)
        low, high = self.bounds
        made = bounded(noisy, spread, float(np.ldexp(low - mean, -power)), float(np.ldexp(high - mean, -power)))
        found = _summing(np.clip(mean + np.ldexp(made, power), low, high), total(numbers), (low, high))
        if abs(variance(np.ldexp(found - mean, -power)) / variance(made) - 1) <= _SURE:
            return found
        step = float(np.spacing(max(np.abs(numbers).max(), np.abs(found).max())))  # what float64 rounds these to
        return step * whole(found / step, numbers / step, np.ceil(low / step), np.floor(high / step))


def _summing(numbers: Amounts, wanted: float, bounds: tuple[float, float]) -> Amounts:
    """The numbers, the smallest of them moved so that they sum up as wanted: it can hold the finest rest."""
    place = int(np.abs(numbers).argmin())
    for _ in range(2):
        numbers[place] = np.clip(numbers[place] + total(np.append(-numbers, wanted)), *bounds)
    return numbers
