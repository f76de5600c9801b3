"""The population that a file is from: of how many people it is, and how many of them each class fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.risk.classes import tuples_of
from kohort.assessment.risk.reidentification import share_of
from kohort.core.covering import covered_by, fitting
from kohort.errors import SchemaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Codes, Counts
    from kohort.engines.table import Column, Table
    from kohort.schema.hierarchy import Hierarchy

#: People whom no population has: estimators stop being numbers somewhere beyond.
MOST: Final = 10**12


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """What is known of the population.

    Attributes:
        people: How many there are.
        fits: (c,) how many each class of the file fits, by a population table; `None` without one.
    """

    people: int
    fits: Counts | None = None


def one_of(*, population: object, size: object, fraction: object) -> None:
    """Refuse to be told of the population twice.

    Raises:
        UsageError: more than one is given.
    """
    if sum(said is not None for said in (population, size, fraction)) > 1:
        raise UsageError(
            "the population is said twice",
            where="population",
            hint="give one of a population table, its size, and the sampling fraction",
        )


def crowd_of(people: int, size: object, fraction: object) -> Crowd | None:
    """The population of which `people` are in the file, by its size or the share that is; `None` where neither is said.

    Raises:
        UsageError: the size is less than the people of the file or no whole number, the share is none, or there would
            be more people than anybody counts.

    >>> crowd_of(30, None, "0.05").people
    600
    """
    if fraction is not None:
        said = "sampling fraction"
        size = round(people / share_of(fraction, "the sampling fraction", "0.05"))
    elif size is None:
        return None
    else:
        said = "population size"
    if type(size) is not int or size < people:
        raise UsageError(
            "the population must have at least the people of the file",
            where="population size",
            hint=f"a whole number of at least {people:,}",
        )
    if size > MOST:
        what = f"the population would have more than {MOST:,} people"
        raise UsageError(what, where=said, hint="more than have ever lived; look for a slip in its digits")
    return Crowd(size)


def matched(
    columns: Sequence[Column], rows: Codes, population: Table, hierarchies: Mapping[str, Hierarchy | str]
) -> Counts:
    """(c,) people of the population table whom the labels of each class fit.

    Args:
        columns: The quasi-identifying columns of the file.
        rows: (c, d) the codes of each class in them.
        population: The population table.
        hierarchies: What labels of some columns cover.

    Raises:
        SchemaError: the population table lacks a column, or a hierarchy is of a column that is not quasi-identifying.
        InputError: labels that cannot be read.
        HierarchyError: a builder cannot make a hierarchy of the population's values.
    """
    names = [column.name for column in columns]
    faults = [f"the population table has no column {name}" for name in names if name not in population.names]
    faults += [f"column {name} is not quasi-identifying" for name in hierarchies if name not in names]
    if faults:
        hint = "the table needs every quasi-identifying column by the same name, and labels only of these"
        raise SchemaError("; ".join(faults), where="population", hint=hint)
    known = tuples_of(population, names)
    covered = [
        covered_by(_texts(one), _texts(population[one.name]), column=one.name, hierarchy=hierarchies.get(one.name))
        for one in columns
    ]
    found = np.zeros(len(rows), np.int64)
    for classes, people in fitting(rows, known.quasi, covered):
        found[classes] = known.counts[people].sum()
    return found


def _texts(column: Column) -> list[str]:
    """The values of a column; a missing one is empty."""
    return [text or "" for text in column.values.to_list()]
