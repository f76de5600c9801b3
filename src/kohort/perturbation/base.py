"""What a perturbation is: cells that are changed on purpose, so that nobody can be sure of one; and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import UsageError
from kohort.schema.numbers import refuse_inexact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.arrays import Counts, Index
    from kohort.specification import Specification


#: Numbers of a column, one a record that has a value: (n,) float64, all finite.
Amounts: TypeAlias = NDArray[np.float64]


class Perturbation(Protocol):
    """A change of the cells of one or several columns, a frozen dataclass of its columns and parameters.

    A method for numbers has `perturb`, a method for names has `redraw`; `numeric` says which. What most methods have
    in common is the default: a method that inherits from this says only what is different.
    """

    specification: ClassVar[Specification]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it changes, at least one; several are changed together (microaggregation)."""
        ...

    @property
    def name(self) -> str:
        """As the literature writes it, with its parameters: `noise of 0.1 variances`."""
        ...

    @property
    def numeric(self) -> bool:
        """Whether it changes numbers; else names, by their codes."""
        return True

    @property
    def random(self) -> bool:
        """Whether it draws random numbers."""
        return True

    @property
    def valuewise(self) -> bool:
        """Whether each value becomes the same one in every record: then models can judge the column as it is made."""
        return False

    def of_sample(self) -> Perturbation:
        """The same of some of the records, of which too few may lie where it needs several."""
        return self

    @property
    def decimals(self) -> int | None:
        """Digits after the point of the cells that it makes; `None`: as many as the column's own cells have at most."""
        return None

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which numbers every cell that it makes lies, both included."""
        return -np.inf, np.inf

    @property
    def keeps_moments(self) -> bool:
        """Whether mean and variance stay as they were, also when the cells are rounded."""
        return False

    def check(self, amounts: Sequence[Amounts], step: float) -> None:  # noqa: ARG002  for a method that has it
        """Refuse columns that it would change too little to protect anybody.

        Args:
            amounts: As `perturb` will be given them.
            step: The distance of neighbouring numbers that can be written: 1 of whole numbers.
        """
        return

    def perturb(
        self,
        amounts: Sequence[Amounts],  # noqa: ARG002  for a method that has it
        streams: Sequence[np.random.Generator],  # noqa: ARG002  likewise
    ) -> list[Amounts]:
        """The numbers that stand in their places, not rounded yet: columns of the same length, as they were given.

        Args:
            amounts: One (n,) array for each of `columns`, records that have a value in all of them.
            streams: One independent source of randomness for each of `columns`.
        """
        raise TypeError(f"{self.name} is not a method for numbers")

    def redraw(self, codes: Index, counts: Counts, stream: np.random.Generator) -> Index:  # noqa: ARG002  likewise
        """The codes that stand in their places.

        Args:
            codes: (n,) which value of the column each record has.
            counts: (v,) records with each value.
            stream: A source of randomness.
        """
        raise TypeError(f"{self.name} is not a method for names")


#: Digits after the point that may be asked for: more than a float64 holds say nothing.
MOST_DECIMALS: Final = 15


def refuse_decimals(decimals: object) -> None:
    """Validate a number of digits.

    >>> refuse_decimals(None)
    >>> refuse_decimals(2)
    """
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        what = f"decimals must be a whole number from 0 to {MOST_DECIMALS}"
        raise UsageError(what, where="decimals", hint="0 for whole numbers; leave it out for those of the column")


def refuse_bounds(
    lower: Fraction | None, upper: Fraction | None, *, names: tuple[str, str] = ("lower", "upper")
) -> None:
    """Refuse bounds that are not exact, or have nothing between them; `names` is what they are called."""
    for bound, where in zip((lower, upper), names, strict=True):
        if bound is not None:
            refuse_inexact(bound, where)
    if lower is not None and upper is not None and lower >= upper:
        raise UsageError(f"{names[0]} is not below {names[1]}", where=names[0], hint="swap the two")
