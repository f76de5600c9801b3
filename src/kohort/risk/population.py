"""The population that a file is from: of how many people it is, and how many of them each class fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.covering import covers
from kohort.errors import InputError, SchemaError, UsageError
from kohort.hierarchies import from_spec
from kohort.risk.classes import tuples_of
from kohort.risk.reidentification import share_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Codes, Counts, Index
    from kohort.engines.table import Column, Table
    from kohort.hierarchy import Hierarchy


#: Labels times values that are looked at together: what a yes or no for each may take of memory.
CELLS: Final = 1 << 26


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
        UsageError: the size is less than the people of the file or no whole number, or the share is none.

    >>> crowd_of(30, None, "0.05").people
    600
    """
    if fraction is not None:
        return Crowd(round(people / share_of(fraction, "the sampling fraction", "0.05")))
    if size is None:
        return None
    if type(size) is not int or size < people:
        raise UsageError(
            "the population must have at least the people of the file",
            where="population size",
            hint=f"a whole number of at least {people:,}",
        )
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
    """
    names = [column.name for column in columns]
    faults = [f"the population table has no column {name}" for name in names if name not in population.names]
    faults += [f"column {name} is not quasi-identifying" for name in hierarchies if name not in names]
    if faults:
        hint = "the table needs every quasi-identifying column by the same name, and labels only of these"
        raise SchemaError("; ".join(faults), where="population", hint=hint)
    known = tuples_of(population, names)
    covered = [
        _covered(column, population[column.name].values.to_list(), hierarchies.get(column.name)) for column in columns
    ]
    return fitting(rows, known.quasi, known.counts, covered)


def _covered(column: Column, values: Sequence[str | None], hierarchy: Hierarchy | str | None) -> list[Index]:
    """For each label of the column, the places of the values that it covers.

    Raises:
        InputError: labels that cannot be read.
        HierarchyError: values that are no leaf of the hierarchy.
    """
    labels, texts = ([text or "" for text in texts] for texts in (column.values.to_list(), values))
    if isinstance(hierarchy, str):
        hierarchy = from_spec(hierarchy, sorted({*texts} - {""}), name=column.name)
    covered: list[Index] = []
    step = max(1, CELLS // max(len(texts), 1))
    for start in range(0, len(labels), step):
        try:
            mask = covers(labels[start : start + step], texts, hierarchy=hierarchy)
        except InputError as fault:
            raise InputError(fault.what, where=f"column {column.name}", hint=fault.hint) from None
        covered += [np.flatnonzero(row) for row in mask]
    return covered


def fitting(labels: Codes, tuples: Codes, counts: Counts, covered: Sequence[Sequence[Index]]) -> Counts:
    """(c,) people whose values the labels of each class cover, column by column.

    The classes with one label in the first column share the people whom it covers; among those they are told apart by
    the next column. Cost: for each distinct beginning of a class's labels, the people whom it fits.

    Args:
        labels: (c, d) codes of the labels of each class.
        tuples: (t, d) codes of the values of the population.
        counts: (t,) people with each tuple.
        covered: Per column and label, the values that it covers.

    >>> covered = [[np.array([0, 1]), np.array([0])]]
    >>> fitting(np.array([[0], [1]]), np.array([[0], [1]]), np.array([3, 4]), covered).tolist()
    [7, 3]
    """
    found = np.zeros(len(labels), np.int64)
    values = [1 + max(int(one.max(initial=0)) for one in (tuples[:, at], *of)) for at, of in enumerate(covered)]
    begun: list[tuple[int, Index, Index]] = [(0, np.arange(len(labels)), np.arange(len(tuples)))]
    while begun:
        column, classes, people = begun.pop()
        if column == len(covered):
            found[classes] = counts[people].sum()
            continue
        order = np.argsort(labels[classes, column], kind="stable")
        ordered = labels[classes[order], column]
        starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        for label, same in zip(ordered[np.append(0, starts)].tolist(), np.split(classes[order], starts), strict=True):
            fits = np.zeros(values[column], np.bool_)
            fits[covered[column][label]] = True
            begun.append((column + 1, same, people[fits[tuples[people, column]]]))
    return found
