"""A file as a sample of a population: its number of classes of each size."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Counts


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The frequencies of the sizes of a sample's classes.

    Attributes:
        sizes: (j,) the different sizes, ascending.
        classes: (j,) how many classes have each.
        population: N, the people of the population, more than the sample's.
    """

    sizes: Counts
    classes: Counts
    population: int

    @classmethod
    def of(cls, sizes: Counts, population: int) -> Sample:
        """The sample with classes of these sizes.

        >>> sample = Sample.of(np.array([3, 1, 1]), 50)
        >>> sample.sizes.tolist(), sample.classes.tolist(), sample.people, sample.uniques
        ([1, 3], [2, 1], 5, 2)
        """
        values, classes = np.unique(sizes, return_counts=True)
        return cls(values, classes, population)

    @property
    def people(self) -> int:
        """The number n of people in the sample."""
        return int(self.sizes @ self.classes)

    @property
    def count(self) -> int:
        """The number u of classes."""
        return int(self.classes.sum())

    @property
    def uniques(self) -> int:
        """The number of classes of one."""
        return int(self.classes[self.sizes == 1].sum())

    @property
    def fraction(self) -> float:
        """The sampling fraction n/N."""
        return self.people / self.population


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of population uniques by one estimator.

    Attributes:
        estimator: Its name.
        uniques: The number; `None` where the estimator has no answer.
        reason: Why it has none; empty where it has.
        parameters: What it fitted, by name.
    """

    estimator: str
    uniques: float | None
    reason: str = ""
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
