"""Random toy problems: small tables of numbers and names with hierarchies, whose releases can be checked by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Role
from kohort.schema.domain import resolve
from kohort.schema.sensitive import SensitiveDomain

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: The name of the sensitive attribute.
SENSITIVE: Final = "illness"

#: Most tuples and quasi-identifiers of a toy, most records of a tuple, and most different values.
_TUPLES, _QUASI, _RECORDS, _VALUES = 14, 3, 3, 3


@dataclass(frozen=True, slots=True)
class ToyTable:
    """Some weighted tuples, and what is asked of their classes.

    Attributes:
        cells: Per tuple, the texts of its quasi-identifiers: numbers and names in turn.
        values: Per tuple, its sensitive value.
        counts: Per tuple, how many records it stands for.
        k: Of k-anonymity.
        diversity: Of distinct l-diversity; 1 where it is not asked for.
    """

    cells: tuple[tuple[str, ...], ...]
    values: tuple[int, ...]
    counts: tuple[int, ...]
    k: int
    diversity: int

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """What every class must satisfy."""
        diverse = (DistinctLDiversity(SENSITIVE, self.diversity),) if self.diversity > 1 else ()
        return (KAnonymity(self.k), *diverse)

    def problem(self, order: Index | None = None) -> Problem:
        """The table as algorithms see it, its tuples in some order."""
        rows = np.arange(len(self.cells)) if order is None else order
        counts, sick = np.array(self.counts, np.int64), np.array(self.values, np.uint16)
        columns = [self._column(place, counts) for place in range(len(self.cells[0]))]
        quasi = np.column_stack([codes for _, codes in columns]).astype(np.uint16)
        reference = np.bincount(sick, counts).astype(np.int64)
        sensitive = (SensitiveDomain(SENSITIVE, reference),)
        frequency = FrequencySet(np.ascontiguousarray(quasi[rows]), sick[rows, np.newaxis], counts[rows], sensitive)
        return Problem(frequency, tuple(domain for domain, _ in columns), self.models)

    def _column(self, place: int, counts: Index) -> tuple[Domain, Index]:
        """The domain of a quasi-identifier, and the code of each tuple."""
        texts = [row[place] for row in self.cells]
        values = sorted(set(texts))
        of = np.array([values.index(text) for text in texts])
        hierarchy = "suppress" if place % 2 else "intervals:2,4"
        attribute = Attribute(f"q{place}", Role.QUASI, hierarchy=hierarchy)
        domain, codes = resolve(attribute, values, np.bincount(of, counts).astype(np.int64), frozenset({""}))
        return domain, codes[of]

    def __str__(self) -> str:
        """The tuples, a line each; all of them are made up."""
        asked = " and ".join(model.name for model in self.models)
        rows = zip(self.cells, self.values, self.counts, strict=True)
        lines = [f"    {', '.join(cells)}; value {value}; {count} records" for cells, value, count in rows]
        return "\n".join([f"  {asked} of", *lines])


def draw_table(random: np.random.Generator) -> ToyTable:
    """A toy of up to three quasi-identifiers: numbers 0 to 7, and names."""
    tuples, quasi = int(random.integers(1, _TUPLES + 1)), int(random.integers(1, _QUASI + 1))
    numbers, names = random.integers(0, 8, (tuples, quasi)), random.integers(0, 3, (tuples, quasi))
    cells = [
        tuple("abc"[names[row, place]] if place % 2 else str(numbers[row, place]) for place in range(quasi))
        for row in range(tuples)
    ]
    values = random.integers(0, _VALUES, tuples)
    used = sorted(set(values.tolist()))
    return ToyTable(
        tuple(cells),
        tuple(used.index(value) for value in values.tolist()),
        tuple(random.integers(1, _RECORDS + 1, tuples).tolist()),
        int(random.integers(2, 5)),
        int(random.integers(1, 3)),
    )
