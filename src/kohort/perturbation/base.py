"""What a perturbation is: cells that are changed on purpose, so that nobody can be sure of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

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

        Raises:
            UsageError: the parameters do not fit these columns.
            InputError: the columns do not fit the parameters.
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

        Raises:
            TypeError: it is a method for names.
        """
        raise TypeError(f"{self.name} is no method for numbers")

    def redraw(self, codes: Index, counts: Counts, stream: np.random.Generator) -> Index:  # noqa: ARG002  likewise
        """The codes that stand in their places.

        Args:
            codes: (n,) which value of the column each record has.
            counts: (v,) records with each value.
            stream: A source of randomness.

        Raises:
            TypeError: it is a method for numbers.
        """
        raise TypeError(f"{self.name} is no method for names")
