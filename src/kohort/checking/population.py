"""Whom of a population table the cells of each class fit, as anybody reads them who has nothing but the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.checking.classes import classes_of, named_column
from kohort.covering import covers
from kohort.errors import InputError, SchemaError
from kohort.hierarchies import from_spec

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index
    from kohort.checking.classes import Classes
    from kohort.engines.table import Column, Table
    from kohort.hierarchy import Hierarchy
    from kohort.schema import Schema


#: Cells times values that are looked at together: what a yes or no for each may take of memory.
CELLS: Final = 1 << 26


def fitting(classes: Classes, population: Table, schema: Schema) -> tuple[Counts, int]:
    """(c,) people of the population whom the cells of each class cover, and how many nobody's do.

    Classes that begin with one cell are narrowed together. Cost: for each distinct beginning, the people it fits.

    Args:
        classes: The classes.
        population: The population table.
        schema: The hierarchies of quasi-identifying columns, where cells are nodes of them.

    Raises:
        SchemaError: the population table lacks a column.
        InputError: cells cannot be read as labels.
    """
    names = [column.name for column in classes.columns]
    lacking = [name for name in names if name not in population.names]
    if lacking:
        what = f"the population table has no column {', '.join(lacking)}"
        hint = "it must have every quasi-identifying column, by the same name"
        raise SchemaError(what, where="population", hint=hint)
    people = classes_of(population, names)
    hierarchies = {one.name: one.hierarchy for one in schema.quasi}
    covered = [_covered(one, named_column(population, one.name), hierarchies.get(one.name)) for one in classes.columns]
    found, strangers = np.zeros(classes.sizes.size, np.int64), np.ones(people.sizes.size, np.bool_)
    begun = [(0, np.arange(found.size), np.arange(strangers.size))]
    while begun:
        place, alike, who = begun.pop()
        if place == len(names):
            found[alike], strangers[who] = people.sizes[who].sum(), False
            continue
        cells, values = classes.codes[alike, place], people.codes[who, place]
        different: list[int] = np.unique(cells).tolist()
        for cell in different:
            fits = np.isin(values, covered[place][cell])
            if fits.any():
                begun.append((place + 1, alike[cells == cell], who[fits]))
    return found, int(people.sizes[strangers].sum())


def _covered(column: Column, population: Column, hierarchy: Hierarchy | str | None) -> list[Index]:
    """For each value of the column, the values of the population that it covers."""
    labels, values = ([text or "" for text in one.values.to_list()] for one in (column, population))
    if isinstance(hierarchy, str):
        hierarchy = from_spec(hierarchy, sorted({*values} - {""}), name=column.name)
    step = max(1, CELLS // max(len(values), 1))
    parts = (labels[start : start + step] for start in range(0, len(labels), step))
    try:
        return [np.flatnonzero(row) for part in parts for row in covers(part, values, hierarchy=hierarchy)]
    except InputError as fault:
        raise InputError(fault.what, where=f"column {column.name}", hint=fault.hint) from None
