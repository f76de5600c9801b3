"""The equivalence classes of a file as it stands: who shares the cells of some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import FrequencySet, group, people_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.engines.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes that tuples fall in.

    Attributes:
        of: (t,) the class of each tuple.
        first: (c,) a tuple of each class.
        sizes: (c,) people of each class; records, where it is not known whose they are.
    """

    of: Index
    first: Index
    sizes: Counts


def tuples_of(table: Table, names: Sequence[str], person: str | None = None) -> FrequencySet:
    """The distinct tuples of the columns `names`; with a person key none is of two people. A missing value is a value.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> found = tuples_of(read(pl.DataFrame({"city": ["Bari", "Roma", "Bari"]})), ["city"])
    >>> found.counts.tolist(), found.records
    ([2, 1], 3)
    """
    columns = [table[name].codes.astype(np.uint32) for name in (*names, *((person,) if person else ()))]
    matrix = np.stack(columns, axis=1) if columns else np.empty((table.records, 0), np.uint32)
    grouping = group(matrix)
    tuples = matrix[grouping.first]
    people = tuples[:, -1].astype(np.int64) if person else None
    quasi = np.ascontiguousarray(tuples[:, : len(names)])
    return FrequencySet(quasi, np.empty((len(quasi), 0), np.uint32), grouping.counts, people=people)


def classes_of(frequency: FrequencySet, columns: Sequence[int] | None = None) -> Classes:
    """The classes of the tuples that agree in `columns`, or in all."""
    chosen = slice(None) if columns is None else list(columns)
    grouping = group(np.ascontiguousarray(frequency.quasi[:, chosen], np.uint32))
    sizes = people_in(grouping.of, grouping.first.size, frequency.counts, frequency.people)
    return Classes(grouping.of, grouping.first, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Exposed:
    """Each different size that somebody hides in, and how many hide in it.

    Attributes:
        among: (j,) sizes, ascending.
        weight: (j,) people whose smallest class has this size; records, where it is not known whose they are.
    """

    among: Counts
    weight: Counts

    @property
    def people(self) -> int:
        """How many hide."""
        return int(self.weight.sum())


def exposed(frequency: FrequencySet, of: Index, sizes: Counts) -> Exposed:
    """How many hide among how many, where tuple i lies in class `of[i]` of `sizes[of[i]]`.

    Somebody with records in several classes is found where the class is smallest.
    """
    among, weight = sizes[of], frequency.counts
    if frequency.people is not None:
        least = np.full(int(frequency.people.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(least, frequency.people, among)
        among = least[least < np.iinfo(np.int64).max]
        weight = np.ones_like(among)
    values, place = np.unique(among, return_inverse=True)
    return Exposed(values, np.bincount(place, weights=weight, minlength=values.size).astype(np.int64))
