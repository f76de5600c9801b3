"""Small tables for Mondrian, seen both ways: as weighted tuples, and record by record for the reference."""

# pyright: reportIncompatibleMethodOverride=false
#   a field of a frozen test model is as good as the property that it overrides

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.core.recoding import Multidimensional
from kohort.models.base import Declaration, PrivacyModel
from kohort.schema import Attribute, Role, Scale
from kohort.schema.domain import Domain
from kohort.schema.sensitive import SensitiveDomain
from tests.reference.mondrian import Record, Rules
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
    from kohort.algorithms.problem import Solution
    from kohort.arrays import Codes, Index, Mask
    from kohort.core.frequency import ClassProfile

#: Sensitive values; one more code means a missing one.
VALUES = 3

#: The leaves, left before right, each as its sorted records.
Leaves: TypeAlias = list[list[Record]]


@dataclass(frozen=True)
class DistinctLDiversity(ToyModel):
    """At least `l` different values of the sensitive attribute in every class: a model that sizes cannot judge."""

    l: int  # noqa: E741  the paper's letter
    name: str = "distinct l-diversity"
    sensitive: str = "disease"
    monotone_suppression: bool = True

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(
            sensitive=self.sensitive,
            smallest_class=self.l,
            class_only=True,
            some_values=True,
            monotone_generalization=True,
            monotone_suppression=self.monotone_suppression,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have l different values."""
        different: Index = np.count_nonzero(classes.of(self.sensitive).counts, axis=1)
        return different >= self.l


@dataclass(frozen=True)
class SmallTable:
    """Weighted tuples in any order, equal ones not always together.

    Attributes:
        tuples: the codes of a tuple and how many records it stands for.
        positions: the place of each code on its dimension's scale.
        weights: how much each dimension counts.
        wide: whether codes have 32 bits.
        people: whether records say whose they are.
    """

    tuples: tuple[tuple[Record, int], ...]
    positions: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]
    wide: bool = False
    people: bool = False

    def problem(self, *models: PrivacyModel, threads: int = 1) -> Problem:
        """The table as algorithms see it."""
        quasi = self._codes([record.quasi for record, _ in self.tuples])
        sensitive = self._codes([record.sensitive for record, _ in self.tuples])
        counts = np.array([count for _, count in self.tuples], dtype=np.int64)
        values = tuple(
            SensitiveDomain(name, np.bincount(column[column < VALUES], minlength=VALUES))
            for name, column in zip(("disease", "income"), sensitive.T, strict=False)
        )
        people = np.array([record.person for record, _ in self.tuples]) if self.people else None
        domains = tuple(
            Domain(
                Attribute(f"q{place}", Role.QUASI, weight=weight),
                Scale.NUMERIC,
                tuple(map(str, scale)),
                np.array(scale, dtype=np.int64),
                (float(scale[0]), float(scale[-1])),
            )
            for place, (scale, weight) in enumerate(zip(self.positions, self.weights, strict=True))
        )
        return Problem(FrequencySet(quasi, sensitive, counts, values, people), domains, models, threads)

    def _codes(self, rows: list[tuple[int, ...]]) -> Codes:
        return np.array(rows, dtype=np.uint32) if self.wide else np.array(rows, dtype=np.uint16)

    def records(self) -> list[Record]:
        """The table record by record."""
        return [record for record, count in self.tuples for _ in range(count)]

    def rules(
        self,
        satisfied: Callable[[list[Record]], bool],
        cut: str,
        *,
        relaxed: bool,
        dimension: MostValues | AtRandom | None = None,
    ) -> Rules:
        """What the reference needs to know."""
        return Rules(self.positions, self.weights, satisfied, cut, relaxed, dimension)


def line(*values: int) -> SmallTable:
    """A table of one numeric attribute."""
    scale = tuple(range(max(values) + 1))
    return SmallTable(tuple((Record((value,)), 1) for value in values), (scale,), (Fraction(1),))


def leaves_of(solution: Solution, table: SmallTable) -> Leaves:
    """What the solution puts in each region."""
    recoding = solution.recoding
    assert isinstance(recoding, Multidimensional)
    leaves: defaultdict[int, list[Record]] = defaultdict(list)
    for piece, region, count in zip(recoding.tuples, recoding.regions, recoding.counts, strict=True):
        leaves[int(region)] += [table.tuples[piece][0]] * int(count)
    return [sorted(leaves[region]) for region in range(len(recoding.low))]


def in_order(leaves: Sequence[Sequence[Record]]) -> Leaves:
    """The reference's leaves, in the form of `leaves_of`."""
    return [sorted(leaf) for leaf in leaves]


def random_table(seed: int, *, least: int = 1, most: int = 60) -> SmallTable:
    """A table of `least` to `most` tuples with many ties, drawn from a seed; some tables are all of single records."""
    draw = np.random.default_rng(seed)
    dimensions, tuples = int(draw.integers(1, 5)), int(draw.integers(least, most))
    largest = int(draw.choice([2, 3, 6, 40]))
    # Places with gaps, some equal: the missing value of a number lies on its least value.
    gaps = draw.integers(0, int(draw.choice([2, 9])), (dimensions, largest))
    weights = tuple(Fraction(int(draw.integers(1, 4)), int(draw.integers(1, 4))) for _ in range(dimensions))
    codes = draw.integers(0, largest, (tuples, dimensions + 1)).tolist()
    counts = draw.integers(1, int(draw.choice([2, 2, 8])), tuples).tolist()
    rows = tuple((Record(tuple(row[:-1]), (row[-1] % 3,)), count) for row, count in zip(codes, counts, strict=True))
    return SmallTable(rows, tuple(map(tuple, gaps.cumsum(axis=1).tolist())), weights, wide=seed % 8 == 0)
