"""The equivalence classes of a table as it stands, and the people in them.

A class is the records whose cells are equal in the quasi-identifying columns; a missing value is a value. People are
counted where a person key says which records are of the same person; without one each record is a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import FrequencySet, group, people_in
from kohort.errors import InputError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index
    from kohort.tables.table import Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes: the tuples of a frequency set that agree in some columns.

    Attributes:
        of: (t,) the class of each tuple.
        first: (c,) a tuple of each class.
        codes: (c, d) what the tuples of each class have in common.
        sizes: (c,) people of each class; records, without a person key.
    """

    of: Index
    first: Index
    codes: Codes
    sizes: Counts


def classes_of(frequency: FrequencySet, columns: Sequence[int] | None = None) -> Classes:
    """The classes of the tuples that agree in `columns`, or in all.

    >>> tuples = np.array([[0, 1], [0, 1], [1, 1]], np.uint32)
    >>> found = classes_of(FrequencySet(tuples, np.empty((3, 0), np.uint32), np.array([2, 1, 4])))
    >>> found.of.tolist(), found.sizes.tolist()
    ([0, 0, 1], [3, 4])
    """
    chosen = frequency.quasi if columns is None else frequency.quasi[:, [*columns]]
    codes: NDArray[np.uint32] = np.ascontiguousarray(chosen, np.uint32)
    grouping = group(codes)
    sizes = people_in(grouping.of, grouping.first.size, frequency.counts, frequency.people)
    return Classes(grouping.of, grouping.first, codes[grouping.first], sizes)


def records_of(columns: Sequence[NDArray[np.integer]], people: Index | None = None) -> FrequencySet:
    """The records of some columns, at least one, each a tuple of its own.

    Args:
        columns: (n,) codes each.
        people: (n,) the person of each record.
    """
    quasi = np.stack([codes.astype(np.uint32) for codes in columns], axis=1)
    return FrequencySet(quasi, np.empty((len(quasi), 0), np.uint32), np.ones(len(quasi), np.int64), people=people)


def tuples_of(table: Table, names: Sequence[str], person: str | None = None) -> FrequencySet:
    """The distinct tuples of the columns `names`; with a person key none is of two people.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> found = tuples_of(read(pl.DataFrame({"city": ["Bari", "Roma", "Bari"]})), ["city"])
    >>> found.counts.tolist(), found.records
    ([2, 1], 3)
    """
    every = records_of([table[name].codes for name in (*names, *((person,) if person else ()))]).quasi
    grouping = group(every)
    tuples = every[grouping.first]
    people = tuples[:, -1].astype(np.int64) if person else None
    quasi: NDArray[np.uint32] = np.ascontiguousarray(tuples[:, : len(names)], np.uint32)
    return FrequencySet(quasi, np.empty((len(quasi), 0), np.uint32), grouping.counts, people=people)


def person_ids(table: Table, key: str | None, missing: Collection[str]) -> Index | None:
    """(n,) a number for the person of each record; `None` without a person key.

    Raises:
        SchemaError: The table lacks the key.
        InputError: Some records have no person key.
    """
    if key is None:
        return None
    column = named_column(table, key)
    without = np.array([value is None or value in missing for value in column.values.to_list()])
    if without.any():
        raise InputError(
            f"{int(column.counts()[without].sum()):,} records have no person key",
            where=f"column {column.name}",
            hint="fill it in: people can be counted only if every record has one",
        )
    return column.codes.astype(np.int64)


def named_column(table: Table, name: str) -> Column:
    """The column called `name`.

    Raises:
        SchemaError: There is none; the message names the nearest.
    """
    if name not in table.names:
        near = " or ".join(get_close_matches(name, table.names))
        raise SchemaError(f"no column is called {name}", hint=near and f"did you mean {near}?")
    return table[name]


@dataclass(frozen=True, slots=True, eq=False)
class SizeDistribution:
    """How many people are in classes of each size.

    Attributes:
        sizes: (j,) the different class sizes, ascending.
        people: (j,) people whose smallest class has this size; records, without a person key.
    """

    sizes: Counts
    people: Counts

    @property
    def total(self) -> int:
        """The number of people."""
        return int(self.people.sum())


def sizes_of(frequency: FrequencySet, of: Index, sizes: Counts) -> SizeDistribution:
    """How many people are in classes of each size, where tuple i lies in class `of[i]` of `sizes[of[i]]`.

    Somebody with records in several classes counts where the class is smallest.
    """
    own, weights = sizes[of], frequency.counts
    if frequency.people is not None:
        least = np.full(int(frequency.people.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(least, frequency.people, own)
        own = least[least < np.iinfo(np.int64).max]
        weights = np.ones_like(own)
    values, place = np.unique(own, return_inverse=True)
    return SizeDistribution(values, np.bincount(place, weights=weights, minlength=values.size).astype(np.int64))
