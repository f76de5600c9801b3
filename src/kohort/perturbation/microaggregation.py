"""Microaggregation: every record bears the means of a small group of records like it.

Domingo-Ferrer, Mateo-Sanz: Practical Data-Oriented Microaggregation for Statistical Disclosure Control (IEEE
Transactions on Knowledge and Data Engineering, 2002); the steps as in Domingo-Ferrer, Torra: Ordinal, Continuous and
Heterogeneous k-Anonymity Through Microaggregation (Data Mining and Knowledge Discovery, 2005). The groups of several
columns are found in `mdav`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.perturbation.base import Perturbation
from kohort.perturbation.moments import centred, variance
from kohort.specification import AT_LEAST_2, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts


@dataclass(frozen=True, slots=True)
class Microaggregation(Perturbation):
    """MDAV, maximum distance to average vector: groups of k records that lie close together, replaced by their means.

    Around the record farthest from the mean of all that are left, and around the one farthest from that, groups of the
    k nearest are formed, again and again; the last group has up to 2k - 1. Distances are Euclidean on the columns
    divided by their standard deviations. Means stay, variances shrink. Of one column, groups are runs of the sorted
    numbers.

    Attributes:
        columns: The columns to change together.
        k: The smallest size of a group.

    >>> import numpy as np
    >>> made, = Microaggregation(("age",), 3).perturb([np.array([20.0, 61.0, 24.0, 22.0, 60.0, 62.0])], [])
    >>> made.tolist()
    [22.0, 61.0, 22.0, 22.0, 61.0, 61.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="microaggregation",
        title="Microaggregation",
        technique="randomization: microaggregation",
        sentence="Gives every record the means of a small group of records like it.",
        outcome="microaggregated",
        parameters=(Parameter("k", AT_LEAST_2, "the least size of a group.", (3,)),),
        not_promised="Anyone who knows all but one number of a group knows the last.",
        properties={"random": "not: groups depend on the numbers alone"},
    )

    columns: tuple[str, ...]  # pyright: ignore[reportIncompatibleMethodOverride]  a frozen field is a property
    k: int = 3

    def __post_init__(self) -> None:
        """Refuse groups that hide nobody."""
        if type(self.k) is not int or self.k < 2:  # noqa: PLR2004
            raise UsageError("a group has at least 2 records", where="k", hint="3 is usual")
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise UsageError("columns must be named, each once", where="columns", hint="name each column once")

    @property
    def name(self) -> str:
        """With the size of its groups, and of how many columns."""
        together = f" over {len(self.columns)} columns" if len(self.columns) > 1 else ""
        return f"microaggregation in groups of {self.k}{together}"

    @property
    def random(self) -> bool:
        """It draws nothing."""
        return False

    def check(self, amounts: Sequence[Amounts], step: float) -> None:  # noqa: ARG002  groups do not depend on it
        """Refuse fewer records than a group has."""
        records = amounts[0].size
        if records < self.k:
            raise UsageError(
                f"{records:,} records have a value, but a group needs at least {self.k}",
                where=f"column {', '.join(self.columns)}",
                hint="choose a smaller k",
            )

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:  # noqa: ARG002
        """The means of each record's group."""
        order = np.lexsort(amounts[::-1])
        sorted_ = [numbers[order] for numbers in amounts]
        if len(amounts) == 1:
            groups = runs(sorted_[0], self.k)
        else:
            from kohort.perturbation.mdav import mdav  # noqa: PLC0415  of several columns alone

            groups = mdav(np.stack([*map(standardised, sorted_)], axis=1), self.k)
        _, first, groups, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
        made = [np.empty_like(numbers) for numbers in amounts]
        for cells, numbers in zip(made, sorted_, strict=True):
            base = numbers[first]  # sums of differences lose no digits of offsets
            cells[order] = (base + np.bincount(groups, numbers - base[groups]) / sizes)[groups]
        return made


def runs(numbers: Amounts, k: int) -> Index:
    """(n,) the groups of sorted numbers: k from either end by turns, and what is left in the middle.

    In one dimension the farthest from the mean is an end, its neighbours are the run there, and the farthest from it
    is the other end.

    >>> runs(np.array([0.0, 1, 2, 10, 11, 12, 13, 15, 20, 21, 22]), 3).tolist()
    [0, 0, 0, 2, 2, 2, 2, 2, 1, 1, 1]
    """
    records = numbers.size
    turns = max(records - k, 0) // (2 * k)  # as long as 3k are left
    groups = np.full(records, 2 * turns)
    ends = turns * k
    groups[:ends] = np.arange(ends) // k * 2
    groups[records - ends :] = (np.arange(ends) // k * 2 + 1)[::-1]
    middle = numbers[ends : records - ends]
    if middle.size >= 2 * k:
        mean = middle[0] + (middle - middle[0]).mean()
        low = mean - middle[0] >= middle[-1] - mean
        groups[slice(ends + k, records - ends) if low else slice(ends, records - ends - k)] += 1
    return groups


def standardised(numbers: Amounts) -> Amounts:
    """Distances from the mean in standard deviations; all 0 of a constant column.

    >>> standardised(np.array([1.0, 2.0, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    _, around = centred(numbers)
    largest = float(np.abs(around).max())
    if not largest:
        return around
    around /= largest  # about 1, so that no square is too small to be a number
    made: Amounts = around / np.sqrt(variance(around))
    return made
